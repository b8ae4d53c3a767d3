//! What comparing two textures came to, for people.

use std::fmt;
use texemu_container::{Shape, Subresource};
use texemu_format::{Codec, Format};
use texemu_reference::Difference;

/// A place in a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    at: Subresource,
    slice: u32,
    x: u32,
    y: u32,
}

impl Place {
    /// That of a texel of `shape`, counted from 0 in the order level, layer, face, slice, row.
    pub(crate) fn of(shape: &Shape, mut texel: u64) -> Option<Self> {
        for at in shape.images() {
            let [width, height, depth] = shape.level_extent(at.level).map(u64::from);
            let image = width * height * depth;
            if texel >= image {
                texel -= image;
                continue;
            }
            let [slice, y, x] = [texel / (width * height), texel / width % height, texel % width];
            // Each is less than a size, which is a u32.
            return Some(Self { at, slice: slice as u32, x: x as u32, y: y as u32 });
        }
        None
    }
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

/// Decibels for people.
pub(crate) fn decibels(psnr: f64) -> String {
    if psnr.is_finite() { format!("{psnr:.2} dB") } else { "exact".to_owned() }
}

/// What the decibels of these texels are of, if not of their values.
pub(crate) fn scale(texels: &Format) -> &'static str {
    if texels.codec == Codec::Rgba16f { " (of the half floats' bits)" } else { "" }
}

/// One line; `found` was found in all of `shape`, which became `texels`.
pub(crate) fn describe(found: &Difference, shape: &Shape, texels: &Format) -> String {
    let Difference { texels: count, mismatching, largest, .. } = *found;
    let Some(first) = found.first.and_then(|first| Place::of(shape, first)) else {
        return format!("{count} texels, all equal");
    };
    let mut text = format!(
        "{mismatching} of {count} texels differ, by {largest} at most, the first at {first}; PSNR{} {}",
        scale(texels),
        decibels(found.psnr_color())
    );
    if let Some(alpha) = found.psnr_alpha() {
        text += &format!(", alpha {}", decibels(alpha));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_container::ShapeDesc;

    #[test]
    fn texels_are_found_in_their_images() {
        let format = texemu_format::by_name("ASTC_4x4_UNORM_BLOCK").expect("in the table");
        let desc = ShapeDesc { levels: 2, layers: 2, is_array: true, ..ShapeDesc::image(format, 8, 6) };
        let shape = Shape::new(desc).expect("small");
        let place = |texel| Place::of(&shape, texel).map(|place| place.to_string());
        assert_eq!(place(11).as_deref(), Some("(3, 1)"), "texel 11 of rows of 8");
        assert_eq!(place(48).as_deref(), Some("(0, 0) of layer 1"));
        assert_eq!(place(2 * 48 + 12 + 5).as_deref(), Some("(1, 1) of level 1 of layer 1"));
        assert_eq!(place(2 * 48 + 2 * 12), None, "past the last");
        let volume =
            Shape::new(ShapeDesc { extent: [2, 2, 2], is_3d: true, ..ShapeDesc::image(format, 2, 2) });
        let volume = volume.expect("small");
        assert_eq!(
            Place::of(&volume, 6).map(|place| place.to_string()).as_deref(),
            Some("(0, 1) of slice 1")
        );
    }
}
