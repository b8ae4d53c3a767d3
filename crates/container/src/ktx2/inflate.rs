//! Decompression of one level into a buffer that is never allowed past the level's known size.

use std::io::Read;

use crate::file::reserve;

/// The largest window a Zstandard frame may ask for, as a power of two: that of the highest level, 22.
const MAX_WINDOW_LOG: u32 = 27;
/// Memory that a compressed byte is trusted with before anything of it is decoded. Beyond, memory is taken as data comes.
const TRUSTED_RATIO: u64 = 256;
/// Bytes decoded at a time where more would be too trusting.
const STEP_BYTES: u64 = 1 << 18;

/// Whether `compressed` bytes make `bytes` decompressed ones likely enough to take memory for them at once.
fn is_likely(bytes: u64, compressed: u64) -> bool {
    bytes <= compressed.saturating_mul(TRUSTED_RATIO).saturating_add(STEP_BYTES)
}

/// Room for all levels' `bytes` decompressed bytes, if `compressed` bytes make them likely.
pub(super) fn reserve_likely(out: &mut Vec<u8>, bytes: u64, compressed: u64) -> Result<(), String> {
    if is_likely(bytes, compressed) { reserve(out, bytes).map_err(|error| error.to_string()) } else { Ok(()) }
}

/// Appends the `expected` bytes that the Zstandard frames of `input` hold to `out`.
pub(super) fn zstd(input: &[u8], expected: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let decoder = zstd::stream::read::Decoder::with_buffer(input).and_then(|mut decoder| {
        decoder.window_log_max(MAX_WINDOW_LOG)?;
        Ok(decoder)
    });
    append(&mut decoder.map_err(|error| error.to_string())?, input.len() as u64, expected, out)
}

/// Appends the `expected` bytes that the zlib stream `input` holds to `out`.
pub(super) fn zlib(input: &[u8], expected: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let mut decoder = flate2::bufread::ZlibDecoder::new(input);
    append(&mut decoder, input.len() as u64, expected, out)?;
    match decoder.into_inner().len() {
        0 => Ok(()),
        rest => Err(format!("{rest} bytes follow the end of the stream")),
    }
}

/// Appends exactly `expected` bytes of `decoder` to `out`. Where that many are likely, the decoder is given room for all of them
/// at once: Zstandard then decodes in place, without a window of its own.
fn append(decoder: &mut impl Read, compressed: u64, expected: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let step = if is_likely(expected, compressed) { expected } else { STEP_BYTES };
    let mut left = expected;
    while left > 0 {
        let start = out.len();
        let room = left.min(step) as usize;
        if out.capacity() - start < room {
            // Twice what is there already keeps appending linear; never more than the level has.
            reserve(out, left.min(step.max(start as u64))).map_err(|error| error.to_string())?;
        }
        out.resize(start + room, 0);
        let filled = fill(decoder, &mut out[start..]);
        out.truncate(start + *filled.as_ref().unwrap_or(&0));
        let filled = filled?;
        left -= filled as u64;
        if filled < room {
            return Err(format!("decompresses to {} of the level's {expected} bytes", expected - left));
        }
    }
    // The decoder sees the end of its data, and any checksum in it, only when asked for more.
    match fill(decoder, &mut [0])? {
        0 => Ok(()),
        _ => Err(format!("decompresses to more than the level's {expected} bytes")),
    }
}

/// Reads until `room` is full or the decoder at its end; how many bytes that were.
fn fill(decoder: &mut impl Read, room: &mut [u8]) -> Result<usize, String> {
    let mut filled = 0;
    while filled < room.len() {
        match decoder.read(&mut room[filled..]).map_err(|error| error.to_string())? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
