//! All levels in one picture: the first at the left, the others beside it, from top to bottom.

use super::Pyramid;
use super::output::write_file;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::Path;
use texemu_container::write_png;
use texemu_format::{Codec, Numeric, find};
use texemu_hiz::Level;

/// Where no level is.
const GROUND: [u8; 4] = [40, 60, 100, 255];

/// The corner of each level, and the size of it all.
fn places(levels: &[Level]) -> (Vec<[usize; 2]>, [usize; 2]) {
    let (mut corners, mut size) = (Vec::new(), [0usize; 2]);
    let mut next = [0, 0];
    for level in levels {
        let [width, height] = level.extent.map(|size| size as usize);
        corners.push(next);
        size = [size[0].max(next[0] + width), size[1].max(next[1] + height)];
        next = if corners.len() == 1 { [width + 1, 0] } else { [next[0], next[1] + height + 1] };
    }
    (corners, size)
}

/// Minima, and to the right of them maxima, if there are both.
pub(super) fn write(path: &Path, pyramid: &Pyramid) -> Result<()> {
    let (corners, [width, height]) = places(&pyramid.levels);
    let components = pyramid.reduction.components() as usize;
    let all = pyramid.levels.iter().flat_map(|level| &level.values);
    let finite = all.copied().filter(|value| value.is_finite());
    let [least, greatest] = finite.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, greatest], value| {
        [least.min(value), greatest.max(value)]
    });
    let range = if greatest > least { greatest - least } else { 1.0 };
    let gray = |value: f32| {
        let gray = ((value - least) / range * 255.0).round().clamp(0.0, 255.0) as u8;
        [gray, gray, gray, 255]
    };
    let across = components * width + (components - 1);
    let mut texels: Vec<[u8; 4]> = Vec::new();
    texels.try_reserve_exact(across * height).context("no memory for the picture")?;
    texels.resize(across * height, GROUND);
    for (level, [left, top]) in pyramid.levels.iter().zip(corners) {
        let columns = level.extent[0] as usize;
        for (index, values) in level.values.chunks_exact(components).enumerate() {
            let (x, y) = (left + index % columns, top + index / columns);
            for (component, &value) in values.iter().enumerate() {
                texels[y * across + component * (width + 1) + x] = gray(value);
            }
        }
    }
    let format = find(Codec::Rgba8, [1, 1], Numeric::Unorm).context("the format table lacks RGBA8")?;
    write_file(path, |out| {
        let rows =
            |out: &mut dyn Write| texels.chunks(across).try_for_each(|row| out.write_all(row.as_flattened()));
        Ok(write_png(out, format, across as u32, height as u32, rows)?)
    })
}
