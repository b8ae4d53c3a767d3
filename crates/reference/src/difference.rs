//! How far two images of the same size are apart.

use std::fmt;

use texemu_format::{Codec, Format, Numeric};

use crate::{Error, half};

/// What [`difference`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Texels of an image.
    pub texels: u64,
    /// Texels of which a byte differs.
    pub mismatching: u64,
    /// The first of them, counted from 0 in the images' order.
    pub first: Option<u64>,
    /// The largest difference of a channel in units of the format: code values, or for floats representable
    /// values in between.
    pub largest: u32,
    /// Peak signal-to-noise ratio of the colour channels in decibels, with 1.0 as the peak; infinite if they
    /// are equal.
    pub psnr_rgb: f64,
    /// The same of alpha; `None` for formats without.
    pub psnr_alpha: Option<f64>,
}

impl Difference {
    /// Whether no byte differs.
    pub fn is_none(&self) -> bool {
        self.mismatching == 0
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.first else { return write!(f, "{} texels, all equal", self.texels) };
        write!(
            f,
            "{} of {} texels differ, the first is {first}, at most by {}; PSNR {:.2} dB",
            self.mismatching, self.texels, self.largest, self.psnr_rgb
        )?;
        match self.psnr_alpha {
            Some(alpha) => write!(f, ", alpha {alpha:.2} dB"),
            None => Ok(()),
        }
    }
}

/// A channel as its place on a scale of whole units, and as the number it stands for.
struct Channel {
    unit: i32,
    value: f64,
}

fn unorm8(bytes: &[u8]) -> Channel {
    Channel { unit: bytes[0].into(), value: f64::from(bytes[0]) / 255.0 }
}

fn word(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

fn unorm16(bytes: &[u8]) -> Channel {
    Channel { unit: word(bytes).into(), value: f64::from(word(bytes)) / 65535.0 }
}

fn snorm16(bytes: &[u8]) -> Channel {
    let unit = i32::from(word(bytes) as i16);
    Channel { unit, value: f64::from(unit.max(-32767)) / 32767.0 }
}

fn sfloat16(bytes: &[u8]) -> Channel {
    let bits = word(bytes);
    let magnitude = i32::from(bits & 0x7FFF);
    Channel { unit: if bits >> 15 == 1 { -magnitude } else { magnitude }, value: half::value(bits) }
}

/// Compares two images of `format`'s texels, tightly packed: `R8G8B8A8`, `R16`, `R16G16` or
/// `R16G16B16A16_SFLOAT`.
///
/// # Errors
/// [`Error::NotTexels`] for other formats; [`Error::WrongBufferSize`] if the images differ in size or end inside a texel.
pub fn difference(format: &Format, expected: &[u8], actual: &[u8]) -> Result<Difference, Error> {
    let (channel_bytes, channel): (usize, fn(&[u8]) -> Channel) = match (format.codec, format.numeric) {
        (Codec::Rgba8, _) => (1, unorm8),
        (Codec::R16 | Codec::Rg16, Numeric::Snorm) => (2, snorm16),
        (Codec::R16 | Codec::Rg16, _) => (2, unorm16),
        (Codec::Rgba16f, _) => (2, sfloat16),
        _ => return Err(Error::NotTexels(format.vk)),
    };
    let texel_bytes = format.block_bytes as usize;
    if expected.len() != actual.len() || !expected.len().is_multiple_of(texel_bytes) {
        return Err(Error::WrongBufferSize { needed: expected.len() as u64, given: actual.len() as u64 });
    }
    let texels = (expected.len() / texel_bytes) as u64;
    let mut found =
        Difference { texels, mismatching: 0, first: None, largest: 0, psnr_rgb: 0.0, psnr_alpha: None };
    let mut squares = [0.0; 4];
    let pairs = expected.chunks_exact(texel_bytes).zip(actual.chunks_exact(texel_bytes));
    for (index, (expected, actual)) in (0..).zip(pairs).filter(|(_, (expected, actual))| expected != actual) {
        found.mismatching += 1;
        found.first = found.first.or(Some(index));
        let channels = expected.chunks_exact(channel_bytes).zip(actual.chunks_exact(channel_bytes));
        for (square, (expected, actual)) in squares.iter_mut().zip(channels) {
            if expected != actual {
                let (expected, actual) = (channel(expected), channel(actual));
                found.largest = found.largest.max(expected.unit.abs_diff(actual.unit));
                *square += (expected.value - actual.value).powi(2);
            }
        }
    }
    let channels = texel_bytes / channel_bytes;
    let colors = channels.min(3);
    found.psnr_rgb = psnr(squares[..colors].iter().sum(), texels * colors as u64);
    found.psnr_alpha = (channels == 4).then(|| psnr(squares[3], texels));
    Ok(found)
}

/// Of a sum of squared differences over `count` values.
fn psnr(squares: f64, count: u64) -> f64 {
    if squares == 0.0 { f64::INFINITY } else { 10.0 * (count as f64 / squares).log10() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(format: &str, expected: &[u8], actual: &[u8]) -> Difference {
        let format = texemu_format::by_name(format).expect("the table has it");
        difference(format, expected, actual).expect("sizes match")
    }

    #[test]
    fn equal_images_are_infinitely_close() {
        let found = compare("R8G8B8A8_SRGB", &[7; 16], &[7; 16]);
        assert!(found.is_none() && found.psnr_rgb.is_infinite(), "{found}");
        assert_eq!(found.to_string(), "4 texels, all equal");
    }

    #[test]
    fn colour_and_alpha_count_apart() {
        let found = compare("R8G8B8A8_UNORM", &[0; 8], &[0, 0, 0, 0, 0, 51, 0, 255]);
        assert_eq!((found.mismatching, found.first, found.largest), (1, Some(1), 255), "{found}");
        // One of six colour values is off by 0.2, one of two alphas by 1.
        assert!((found.psnr_rgb - 10.0 * (6.0 / 0.04f64).log10()).abs() < 1e-9, "{found}");
        assert!((found.psnr_alpha.expect("has alpha") - 10.0 * 2f64.log10()).abs() < 1e-9, "{found}");
    }

    #[test]
    fn sixteen_bits_are_little_endian_and_may_be_signed() {
        let found = compare("R16_UNORM", &[0, 0], &[0, 1]);
        assert_eq!((found.largest, found.psnr_alpha), (256, None), "{found}");
        let found = compare("R16G16_SNORM", &[0xFF, 0xFF, 0, 0], &[1, 0, 0, 0]);
        assert_eq!(found.largest, 2, "-1 and 1: {found}");
        let found = compare("R16_SNORM", &[0, 0x80], &[1, 0x80]);
        assert!(found.psnr_rgb.is_infinite() && !found.is_none(), "-32768 and -32767 are both -1: {found}");
    }

    #[test]
    fn floats_count_representable_values() {
        let texel = |red: u16| [red.to_le_bytes(), [0; 2], [0; 2], [0; 2]].concat();
        let found = compare("R16G16B16A16_SFLOAT", &texel(0x8001), &texel(0x0001));
        assert_eq!(found.largest, 2, "from the largest negative value over zero: {found}");
        let found = compare("R16G16B16A16_SFLOAT", &texel(0x3C00), &texel(0x4000));
        assert!((found.psnr_rgb - 10.0 * 3f64.log10()).abs() < 1e-9, "1 and 2: {found}");
        let found = compare("R16G16B16A16_SFLOAT", &texel(0x3C00), &texel(0x7C00));
        assert_eq!(found.psnr_rgb, f64::NEG_INFINITY, "infinity is infinitely far: {found}");
    }

    #[test]
    fn sizes_and_formats_are_checked() {
        let format = |name| texemu_format::by_name(name).expect("the table has it");
        assert!(difference(format("R16_UNORM"), &[0; 4], &[0; 2]).is_err(), "one image is smaller");
        assert!(difference(format("R16_UNORM"), &[0; 3], &[0; 3]).is_err(), "half a texel");
        assert!(difference(format("BC7_UNORM_BLOCK"), &[0; 16], &[0; 16]).is_err(), "blocks are no texels");
    }
}
