//! How far two images of the same size are apart.

use std::fmt;

use texemu_format::{Codec, Format, Numeric};

use crate::Error;

/// What [`difference`] found.
///
/// Signal-to-noise ratios are those of the stored values over their whole range: code values of UNORM and sRGB, -1 to 1 of
/// SNORM. Of 16-bit floats they are those of the bits, as whole numbers from the least finite value's to the largest's
/// (31743 from zero on), which is about the logarithm of the value: so that dark and bright texels count alike, and none is
/// infinitely far.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
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
    color: Errors,
    alpha: Errors,
}

/// Squared errors, in units of the whole range, and of how many values.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Errors {
    squares: f64,
    values: u64,
}

impl Errors {
    fn append(&mut self, next: &Self) {
        self.squares += next.squares;
        self.values += next.values;
    }

    fn psnr(&self) -> f64 {
        if self.squares == 0.0 { f64::INFINITY } else { 10.0 * (self.values as f64 / self.squares).log10() }
    }
}

impl Difference {
    /// What [`difference`] finds between equal images of `texels` texels.
    ///
    /// # Errors
    /// As [`difference`].
    pub fn nothing(format: &Format, texels: u64) -> Result<Self, Error> {
        let scale = scale(format).ok_or(Error::NotTexels(format.vk))?;
        let channels = u64::from(format.block_bytes) / scale.bytes as u64;
        let errors = |channels| Errors { squares: 0.0, values: texels * channels };
        let (color, alpha) = (errors(channels.min(3)), errors(channels.saturating_sub(3)));
        Ok(Self { texels, mismatching: 0, first: None, largest: 0, color, alpha })
    }

    /// Whether no byte differs.
    pub fn is_none(&self) -> bool {
        self.mismatching == 0
    }

    /// Peak signal-to-noise ratio of the color channels in decibels; infinite if they are equal.
    pub fn psnr_color(&self) -> f64 {
        self.color.psnr()
    }

    /// The same of alpha; `None` for formats without.
    pub fn psnr_alpha(&self) -> Option<f64> {
        (self.alpha.values > 0).then(|| self.alpha.psnr())
    }

    /// Adds what was found in the texels that follow, of the same format.
    pub fn append(&mut self, next: &Self) {
        self.first = self.first.or(next.first.map(|first| self.texels + first));
        self.texels += next.texels;
        self.mismatching += next.mismatching;
        self.largest = self.largest.max(next.largest);
        self.color.append(&next.color);
        self.alpha.append(&next.alpha);
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.first else { return write!(f, "{} texels, all equal", self.texels) };
        write!(
            f,
            "{} of {} texels differ, the first is {first}, at most by {}; PSNR {:.2} dB",
            self.mismatching,
            self.texels,
            self.largest,
            self.psnr_color()
        )?;
        match self.psnr_alpha() {
            Some(alpha) => write!(f, ", alpha {alpha:.2} dB"),
            None => Ok(()),
        }
    }
}

/// How a channel lies on a scale of whole units, and how many of them the range has.
struct Scale {
    bytes: usize,
    unit: fn(&[u8]) -> i32,
    /// The unit as the value that it stands for, where two may stand for one.
    clamp: i32,
    range: f64,
}

fn word(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// A float's bits as a whole number that grows with the value.
fn sfloat16(bytes: &[u8]) -> i32 {
    let bits = word(bytes);
    let magnitude = i32::from(bits & 0x7FFF);
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

fn scale(format: &Format) -> Option<Scale> {
    let plain = |bytes, unit, range| Some(Scale { bytes, unit, clamp: i32::MIN, range });
    match (format.codec, format.numeric) {
        (Codec::Rgba8, _) => plain(1, |bytes| bytes[0].into(), 255.0),
        (Codec::R16 | Codec::Rg16, Numeric::Snorm) => Some(Scale {
            bytes: 2,
            unit: |bytes| i32::from(word(bytes) as i16),
            clamp: -32767,
            range: 2.0 * 32767.0,
        }),
        (Codec::R16 | Codec::Rg16, _) => plain(2, |bytes| word(bytes).into(), 65535.0),
        (Codec::Rgba16f, _) => plain(2, sfloat16, f64::from(0x7BFF)),
        _ => None,
    }
}

/// Compares two images of `format`'s texels, tightly packed: `R8G8B8A8`, `R16`, `R16G16` or
/// `R16G16B16A16_SFLOAT`.
///
/// # Errors
/// [`Error::NotTexels`] for other formats; [`Error::WrongBufferSize`] if the images differ in size or end inside a texel.
pub fn difference(format: &Format, expected: &[u8], actual: &[u8]) -> Result<Difference, Error> {
    let scale = scale(format).ok_or(Error::NotTexels(format.vk))?;
    let texel_bytes = format.block_bytes as usize;
    if expected.len() != actual.len() || !expected.len().is_multiple_of(texel_bytes) {
        return Err(Error::WrongBufferSize { needed: expected.len() as u64, given: actual.len() as u64 });
    }
    let mut found = Difference::nothing(format, (expected.len() / texel_bytes) as u64)?;
    let pairs = expected.chunks_exact(texel_bytes).zip(actual.chunks_exact(texel_bytes));
    for (index, (expected, actual)) in (0..).zip(pairs).filter(|(_, (expected, actual))| expected != actual) {
        found.mismatching += 1;
        found.first = found.first.or(Some(index));
        let values = expected.chunks_exact(scale.bytes).zip(actual.chunks_exact(scale.bytes));
        for (channel, (expected, actual)) in values.enumerate() {
            let (expected, actual) = ((scale.unit)(expected), (scale.unit)(actual));
            found.largest = found.largest.max(expected.abs_diff(actual));
            let values = [expected, actual].map(|unit| f64::from(unit.max(scale.clamp)));
            let errors = if channel < 3 { &mut found.color } else { &mut found.alpha };
            errors.squares += ((values[0] - values[1]) / scale.range).powi(2);
        }
    }
    Ok(found)
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
        assert!(found.is_none() && found.psnr_color().is_infinite(), "{found}");
        assert_eq!(found.to_string(), "4 texels, all equal");
    }

    #[test]
    fn color_and_alpha_count_apart() {
        let found = compare("R8G8B8A8_UNORM", &[0; 8], &[0, 0, 0, 0, 0, 51, 0, 255]);
        assert_eq!((found.mismatching, found.first, found.largest), (1, Some(1), 255), "{found}");
        // One of six color values is off by 0.2, one of two alphas by 1.
        assert!((found.psnr_color() - 10.0 * (6.0 / 0.04f64).log10()).abs() < 1e-9, "{found}");
        assert!((found.psnr_alpha().expect("has alpha") - 10.0 * 2f64.log10()).abs() < 1e-9, "{found}");
    }

    #[test]
    fn sixteen_bits_are_little_endian_and_may_be_signed() {
        let found = compare("R16_UNORM", &[0, 0], &[0, 1]);
        assert_eq!((found.largest, found.psnr_alpha()), (256, None), "{found}");
        let found = compare("R16G16_SNORM", &[0xFF, 0xFF, 0, 0], &[1, 0, 0, 0]);
        assert_eq!(found.largest, 2, "-1 and 1: {found}");
        let found = compare("R16_SNORM", &[0, 0x80], &[1, 0x80]);
        assert!(
            found.psnr_color().is_infinite() && !found.is_none(),
            "-32768 and -32767 are both -1: {found}"
        );
    }

    #[test]
    fn floats_count_representable_values() {
        let texel = |red: u16| [red.to_le_bytes(), [0; 2], [0; 2], [0; 2]].concat();
        let found = compare("R16G16B16A16_SFLOAT", &texel(0x8001), &texel(0x0001));
        assert_eq!(found.largest, 2, "from the largest negative value over zero: {found}");
        // Of three color values one is off; a factor of two is as far at any size.
        let expected = |off: f64| 10.0 * (3.0 * (31743.0 / off).powi(2)).log10();
        for (one, two) in [(0x3C00, 0x4000), (0x0400, 0x0800), (0xBC00, 0xC000)] {
            let found = compare("R16G16B16A16_SFLOAT", &texel(one), &texel(two));
            assert!((found.psnr_color() - expected(1024.0)).abs() < 1e-9, "twice {one:#06x}: {found}");
        }
        let found = compare("R16G16B16A16_SFLOAT", &texel(0x3C00), &texel(0x7C00));
        assert!(
            (found.psnr_color() - expected(16384.0)).abs() < 1e-9,
            "infinity is as far as 65536: {found}"
        );
        let found = compare("R16G16B16A16_SFLOAT", &[0; 8], &[0, 0, 0, 0, 0, 0, 0, 0x3C]);
        assert!(
            found.psnr_color().is_infinite() && found.psnr_alpha().is_some_and(f64::is_finite),
            "{found}"
        );
    }

    #[test]
    fn what_follows_adds_up_to_what_the_whole_would_say() {
        let format = texemu_format::by_name("R8G8B8A8_UNORM").expect("in the table");
        let expected: Vec<u8> = (0..4 * 8 * 6).map(|n| (n * 37 % 251) as u8).collect();
        let mut actual = expected.clone();
        for index in [4 * 19, 4 * 19 + 3, 4 * 30 + 1] {
            actual[index] ^= 9;
        }
        let whole = difference(format, &expected, &actual).expect("sizes match");
        let mut total = Difference::default();
        for (expected, actual) in expected.chunks(4 * 16).zip(actual.chunks(4 * 16)) {
            total.append(&difference(format, expected, actual).expect("sizes match"));
        }
        assert_eq!((total.texels, total.mismatching, total.first), (48, 2, Some(19)), "{total}");
        assert_eq!(total.largest, whole.largest);
        assert!((total.psnr_color() - whole.psnr_color()).abs() < 1e-9, "{total} {whole}");
        let alphas = total.psnr_alpha().zip(whole.psnr_alpha()).expect("both have alpha");
        assert!((alphas.0 - alphas.1).abs() < 1e-9, "{total} {whole}");
    }

    #[test]
    fn sizes_and_formats_are_checked() {
        let format = |name| texemu_format::by_name(name).expect("the table has it");
        assert!(difference(format("R16_UNORM"), &[0; 4], &[0; 2]).is_err(), "one image is smaller");
        assert!(difference(format("R16_UNORM"), &[0; 3], &[0; 3]).is_err(), "half a texel");
        assert!(difference(format("BC7_UNORM_BLOCK"), &[0; 16], &[0; 16]).is_err(), "blocks are no texels");
    }
}
