//! `.png`: one slice of one image, 8 bits a component for RGBA8, 16 bits for R16 and RG16.

use std::io::{self, Write};

use ::png::{BitDepth, ColorType, Compression, Encoder, EncodingError, SrgbRenderingIntent};
use texemu_format::{Codec, Format};

use crate::sink::{Rows, deliver_bytes};
use crate::{Container, Error, Subresource};

/// Writes a `.png` file of `width` x `height` texels of `format` to `out`.
///
/// `texels` writes the texels, row after row, in as many pieces as it likes. Which image of a texture they belong to is its
/// affair: a `.png` holds one.
///
/// | format | `.png` |
/// |---|---|
/// | `R8G8B8A8_SRGB` | RGBA, 8 bits, with an `sRGB` chunk |
/// | `R8G8B8A8_UNORM` | RGBA, 8 bits |
/// | `R16_UNORM` | grey, 16 bits |
/// | `R16G16_UNORM` | RGB, 16 bits, blue 0 |
/// | `R16_SNORM`, `R16G16_SNORM` | the same with 32768 added: 0.0 is 32768, also in blue |
///
/// # Errors
/// [`Error::CannotStore`] for other formats, [`Error::ImageBytes`] if `texels` writes too much or too little, [`Error::Io`] if it
/// or `out` fails.
pub fn write_png(
    out: impl Write,
    format: &Format,
    width: u32,
    height: u32,
    texels: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let (color, depth) = match format.codec {
        Codec::Rgba8 => (ColorType::Rgba, BitDepth::Eight),
        Codec::R16 => (ColorType::Grayscale, BitDepth::Sixteen),
        Codec::Rg16 => (ColorType::Rgb, BitDepth::Sixteen),
        _ => {
            let what = format!("{} (only RGBA8, R16 and RG16 texels)", format.name);
            return Err(Error::CannotStore { container: Container::Png, what });
        }
    };
    let row_bytes = format.level_bytes([width, 1, 1]).and_then(|bytes| usize::try_from(bytes).ok());
    let (Some(row_bytes), Some(bytes)) = (row_bytes, format.level_bytes([width, height, 1])) else {
        let what = format!("{width}x{height} texels");
        return Err(Error::CannotStore { container: Container::Png, what });
    };
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    // Files a third larger than the default setting's, in a thirtieth of the time.
    encoder.set_compression(Compression::Fast);
    if format.is_srgb() {
        encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    }
    let mut writer = encoder.write_header().map_err(error)?;
    let mut stream = writer.stream_writer().map_err(error)?;
    let at = Subresource::default();
    if format.codec == Codec::Rgba8 {
        deliver_bytes(&mut stream, bytes, at, texels)?;
    } else {
        // PNG is big-endian and unsigned.
        let bias = if format.is_snorm() { 0x8000 } else { 0 };
        let mut row = Vec::new();
        let mut rows = Rows::new(row_bytes, |texels: &[u8]| {
            row.clear();
            for texel in texels.chunks_exact(format.block_bytes as usize) {
                for component in texel.chunks_exact(2) {
                    let value = u16::from_le_bytes([component[0], component[1]]) ^ bias;
                    row.extend(value.to_be_bytes());
                }
                if color == ColorType::Rgb {
                    row.extend(bias.to_be_bytes());
                }
            }
            stream.write_all(&row)
        });
        deliver_bytes(&mut rows, bytes, at, texels)?;
    }
    stream.finish().map_err(error)?;
    writer.finish().map_err(error)
}

fn error(error: EncodingError) -> Error {
    match error {
        EncodingError::IoError(error) => Error::Io(error),
        other => Error::CannotStore { container: Container::Png, what: other.to_string() },
    }
}
