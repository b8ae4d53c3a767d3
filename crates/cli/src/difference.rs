//! How far two textures are apart, added up over bands.

use anyhow::Result;
use std::fmt;
use texemu_container::Subresource;
use texemu_format::Format;
use texemu_reference::difference;

/// A place in a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) at: Subresource,
    pub(crate) slice: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at: Subresource { level, layer, face }, slice, x, y } = *self;
        write!(f, "({x}, {y})")?;
        for (name, value) in [("level", level), ("layer", layer), ("face", face), ("slice", slice)] {
            if value > 0 {
                write!(f, " of {name} {value}")?;
            }
        }
        Ok(())
    }
}

/// The sum of what bands differed by.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Total {
    pub(crate) texels: u64,
    pub(crate) mismatching: u64,
    pub(crate) first: Option<Place>,
    /// In units of the format.
    pub(crate) largest: u32,
    /// Squared errors of all colour values, in units of the whole range, and how many values there are.
    colour: (f64, f64),
    alpha: (f64, f64),
}

impl Total {
    /// Adds a band of `format`'s texels, whose rows are `width` texels and whose first texel lies at `start`.
    pub(crate) fn add(
        &mut self,
        format: &Format,
        expected: &[u8],
        actual: &[u8],
        start: Place,
        width: u32,
    ) -> Result<()> {
        let found = difference(format, expected, actual)?;
        if let (None, Some(index)) = (self.first, found.first) {
            let (x, y) = (index % u64::from(width), index / u64::from(width));
            self.first = Some(Place { x: start.x + x as u32, y: start.y + y as u32, ..start });
        }
        self.texels += found.texels;
        self.mismatching += found.mismatching;
        self.largest = self.largest.max(found.largest);
        // Without alpha, all channels have two bytes.
        let colours = if found.psnr_alpha.is_some() { 3 } else { format.block_bytes / 2 };
        let add = |sum: &mut (f64, f64), psnr: f64, values: f64| {
            sum.0 += values * 10f64.powf(-psnr / 10.0);
            sum.1 += values;
        };
        add(&mut self.colour, found.psnr_rgb, found.texels as f64 * f64::from(colours));
        if let Some(psnr) = found.psnr_alpha {
            add(&mut self.alpha, psnr, found.texels as f64);
        }
        Ok(())
    }

    pub(crate) fn is_none(&self) -> bool {
        self.mismatching == 0
    }

    /// Decibels of the colour channels, with 1.0 as the peak.
    pub(crate) fn psnr_colour(&self) -> f64 {
        psnr(self.colour)
    }

    /// Of alpha; `None` without alpha.
    pub(crate) fn psnr_alpha(&self) -> Option<f64> {
        (self.alpha.1 > 0.0).then(|| psnr(self.alpha))
    }
}

fn psnr((squares, values): (f64, f64)) -> f64 {
    if squares == 0.0 { f64::INFINITY } else { 10.0 * (values / squares).log10() }
}

/// Decibels for people.
pub(crate) fn decibels(psnr: f64) -> String {
    if psnr.is_finite() { format!("{psnr:.2} dB") } else { "exact".to_owned() }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.first else { return write!(f, "{} texels, all equal", self.texels) };
        let Self { texels, mismatching, largest, .. } = self;
        write!(
            f,
            "{mismatching} of {texels} texels differ, by {largest} at most, the first at {first}; PSNR"
        )?;
        write!(f, " {}", decibels(self.psnr_colour()))?;
        match self.psnr_alpha() {
            Some(alpha) => write!(f, ", alpha {}", decibels(alpha)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_add_up_to_what_the_whole_would_say() {
        let format = texemu_format::by_name("R8G8B8A8_UNORM").expect("in the table");
        let expected: Vec<u8> = (0..4 * 8 * 6).map(|n| (n * 37 % 251) as u8).collect();
        let mut actual = expected.clone();
        for index in [4 * 11, 4 * 11 + 3, 4 * 30 + 1] {
            actual[index] ^= 9;
        }
        let whole = difference(format, &expected, &actual).expect("sizes match");
        let mut total = Total::default();
        let start = Place { at: Subresource::default(), slice: 0, x: 0, y: 0 };
        for (index, (expected, actual)) in expected.chunks(4 * 16).zip(actual.chunks(4 * 16)).enumerate() {
            let start = Place { y: 2 * index as u32, ..start };
            total.add(format, expected, actual, start, 8).expect("sizes match");
        }
        assert_eq!((total.texels, total.mismatching), (48, 2));
        assert_eq!(total.largest, whole.largest);
        assert_eq!(total.first, Some(Place { x: 3, y: 1, ..start }), "texel 11 of rows of 8");
        assert!((total.psnr_colour() - whole.psnr_rgb).abs() < 1e-9, "{total} {whole}");
        let alphas = total.psnr_alpha().zip(whole.psnr_alpha).expect("both have alpha");
        assert!((alphas.0 - alphas.1).abs() < 1e-9, "{total} {whole}");
    }
}
