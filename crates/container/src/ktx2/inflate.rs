//! Decompression of one level into a buffer that is never allowed past the level's known size.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::file::reserve;

/// The largest window a Zstandard frame may ask for: that of the format's highest standard level (22).
const MAX_WINDOW_BYTES: u64 = 1 << 27;
/// Bytes decoded between two looks at the size.
const STEP_BYTES: usize = 1 << 18;
/// Memory that a compressed byte is trusted with before anything of it is decoded. Beyond, memory is taken as data comes.
const TRUSTED_RATIO: u64 = 256;

/// Room for `bytes` decompressed bytes, as far as `compressed` bytes make them likely.
pub(super) fn reserve_likely(out: &mut Vec<u8>, bytes: u64, compressed: u64) -> Result<(), String> {
    let likely = compressed.saturating_mul(TRUSTED_RATIO).saturating_add(STEP_BYTES as u64);
    reserve(out, bytes.min(likely)).map_err(|error| error.to_string())
}

/// Appends the `expected` bytes that the Zstandard frames of `input` hold to `out`.
pub(super) fn zstd(mut input: &[u8], expected: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let mut left = expected;
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MAX_WINDOW_BYTES);
    while !input.is_empty() {
        decoder.reset(&mut input).map_err(|error| error.to_string())?;
        // A frame without this field reports 0.
        if decoder.content_size() > left {
            return Err(format!(
                "the frame holds {} bytes, {left} are left in the level",
                decoder.content_size()
            ));
        }
        loop {
            let finished = decoder
                .decode_blocks(&mut input, BlockDecodingStrategy::UptoBytes(STEP_BYTES))
                .map_err(|error| error.to_string())?;
            let ready = decoder.can_collect() as u64;
            if ready > left {
                return Err(format!("decompresses to more than the level's {expected} bytes"));
            }
            left -= ready;
            grow(out, ready)?;
            decoder.collect_to_writer(&mut *out).map_err(|error| error.to_string())?;
            if finished {
                break;
            }
        }
        if let Some(stored) = decoder.get_checksum_from_data()
            && decoder.get_calculated_checksum() != Some(stored)
        {
            return Err("the frame's checksum does not match".to_owned());
        }
    }
    if left > 0 {
        return Err(format!("decompresses to {} of the level's {expected} bytes", expected - left));
    }
    Ok(())
}

/// Appends the `expected` bytes that the zlib stream `input` holds to `out`.
pub(super) fn zlib(input: &[u8], expected: u64, out: &mut Vec<u8>) -> Result<(), String> {
    let mut decoder = flate2::bufread::ZlibDecoder::new(input);
    let mut step = vec![0; STEP_BYTES.min(usize::try_from(expected).unwrap_or(usize::MAX).saturating_add(1))];
    let mut left = expected;
    loop {
        match decoder.read(&mut step) {
            Ok(0) => break,
            Ok(read) if read as u64 > left => {
                return Err(format!("decompresses to more than the level's {expected} bytes"));
            }
            Ok(read) => {
                left -= read as u64;
                grow(out, read as u64)?;
                out.extend_from_slice(&step[..read]);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    if left > 0 {
        return Err(format!("decompresses to {} of the level's {expected} bytes", expected - left));
    }
    match decoder.into_inner().len() {
        0 => Ok(()),
        rest => Err(format!("{rest} bytes follow the end of the stream")),
    }
}

/// Room for `more` bytes, growing by halves so that appending stays linear.
fn grow(out: &mut Vec<u8>, more: u64) -> Result<(), String> {
    let more = usize::try_from(more).map_err(|error| error.to_string())?;
    out.try_reserve(more).map_err(|_| format!("no memory for {more} more bytes"))
}
