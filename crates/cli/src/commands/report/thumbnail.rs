//! Small pictures of large ones, made band by band.

use anyhow::{Context, Result};
use base64::Engine as _;
use texemu_format::{Codec, Format, Numeric};

/// One texel: as a picture shows it, and as differences are measured, both from 0 to 1. Linear, if HDR.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shown {
    color: [f32; 4],
    measured: [f32; 4],
}

/// The largest finite 16-bit float's bits.
const LARGEST_HALF: f32 = 31743.0;

/// How `format`'s texels are shown; of one channel as grey, of two as red and green.
fn reader(format: &Format) -> Option<fn(&[u8]) -> Shown> {
    fn plain(color: [f32; 4]) -> Shown {
        Shown { color, measured: color }
    }
    fn unorm(bytes: &[u8]) -> f32 {
        f32::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65535.0
    }
    fn snorm(bytes: &[u8]) -> f32 {
        (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])).max(-32767.0) / 32767.0 + 1.0) / 2.0
    }
    fn grey(value: f32) -> Shown {
        plain([value, value, value, 1.0])
    }
    fn float(texel: &[u8]) -> Shown {
        let half = |channel: usize| half::f16::from_le_bytes([texel[2 * channel], texel[2 * channel + 1]]);
        let color = std::array::from_fn(|channel| {
            let value = half(channel).to_f32();
            if value.is_finite() { value.max(0.0) } else { 0.0 }
        });
        let measured = std::array::from_fn(|channel| {
            let bits = half(channel).to_bits();
            let magnitude = f32::from(bits & 0x7FFF) / LARGEST_HALF;
            if bits >> 15 == 1 { -magnitude } else { magnitude }
        });
        Shown { color, measured }
    }
    match (format.codec, format.numeric) {
        (Codec::Rgba8, _) => {
            Some(|texel| plain(std::array::from_fn(|channel| f32::from(texel[channel]) / 255.0)))
        }
        (Codec::R16, Numeric::Snorm) => Some(|texel| grey(snorm(texel))),
        (Codec::R16, _) => Some(|texel| grey(unorm(texel))),
        (Codec::Rg16, Numeric::Snorm) => Some(|texel| plain([snorm(texel), snorm(&texel[2..]), 0.5, 1.0])),
        (Codec::Rg16, _) => Some(|texel| plain([unorm(texel), unorm(&texel[2..]), 0.0, 1.0])),
        (Codec::Rgba16f, _) => Some(float),
        _ => None,
    }
}

/// Which texels of an image fall into which of a picture.
#[derive(Clone, Copy, Debug)]
struct Grid {
    image: [u32; 2],
    picture: [u32; 2],
}

impl Grid {
    /// No side of the picture is longer than `longest`, nor than the image's.
    fn new(image: [u32; 2], longest: u32) -> Self {
        let most = u64::from(image[0].max(image[1]).max(1));
        let scaled =
            |size: u32| (u64::from(size) * u64::from(longest) / most).clamp(1, size.max(1).into()) as u32;
        let picture = if most <= u64::from(longest) { image } else { image.map(scaled) };
        Self { image, picture }
    }

    fn cells(&self) -> usize {
        self.picture[0] as usize * self.picture[1] as usize
    }

    fn cell(&self, x: u32, y: u32) -> usize {
        let along = |at: u32, axis: usize| {
            (u64::from(at) * u64::from(self.picture[axis]) / u64::from(self.image[axis])) as usize
        };
        along(y, 1) * self.picture[0] as usize + along(x, 0)
    }
}

/// Texels that are averaged along each axis at most: more look no different.
const AVERAGED: u32 = 8;

/// The average of texels that fall into each of its own.
pub(crate) struct Thumbnail {
    grid: Grid,
    read: fn(&[u8]) -> Shown,
    texel_bytes: usize,
    is_hdr: bool,
    /// Weighted by alpha, and alpha; how many.
    sums: Vec<([f32; 4], u32)>,
}

impl Thumbnail {
    /// Of an image of `texels`; `is_hdr` if their colors are light rather than code values.
    pub(crate) fn new(texels: &Format, image: [u32; 2], longest: u32, is_hdr: bool) -> Result<Self> {
        let grid = Grid::new(image, longest);
        let read = reader(texels).with_context(|| format!("{} cannot be shown", texels.name))?;
        let sums = vec![([0.0; 4], 0); grid.cells()];
        Ok(Self { grid, read, texel_bytes: texels.block_bytes as usize, is_hdr, sums })
    }

    /// Adds whole rows from `first_row` on.
    pub(crate) fn add(&mut self, first_row: u32, texels: &[u8]) {
        let width = self.grid.image[0];
        let step = (self.grid.image[0] / self.grid.picture[0] / AVERAGED).max(1);
        let rows = texels.chunks_exact(width as usize * self.texel_bytes);
        for (y, row) in (first_row..).zip(rows).filter(|(y, _)| y % step == 0) {
            let texels = row.chunks_exact(self.texel_bytes).step_by(step as usize);
            for (x, texel) in (0..width).step_by(step as usize).zip(texels) {
                let [red, green, blue, alpha] = (self.read)(texel).color;
                let (sum, count) = &mut self.sums[self.grid.cell(x, y)];
                // What is seen through counts less.
                let added = [red * alpha, green * alpha, blue * alpha, alpha];
                sum.iter_mut().zip(added).for_each(|(sum, value)| *sum += value);
                *count += 1;
            }
        }
    }

    /// The picture as a `data:` URL.
    pub(crate) fn url(&self) -> Result<String> {
        let exposure = if self.is_hdr { self.exposure() } else { 1.0 };
        let mut pixels = Vec::with_capacity(4 * self.sums.len());
        for &([red, green, blue, alpha], count) in &self.sums {
            for sum in [red, green, blue] {
                let value = sum / alpha.max(f32::MIN_POSITIVE);
                // Light is compressed into the range of a screen (Reinhard), and encoded for it.
                let value = if self.is_hdr {
                    let scaled = value * exposure;
                    (scaled / (1.0 + scaled)).powf(1.0 / 2.2)
                } else {
                    value
                };
                pixels.push(byte(value));
            }
            pixels.push(byte(alpha / count.max(1) as f32));
        }
        data_url(self.grid.picture, png::ColorType::Rgba, &pixels)
    }

    /// What brings the middle of the picture's brightness, by logarithm, to a middle grey.
    fn exposure(&self) -> f32 {
        const MIDDLE: f32 = 0.18;
        let logarithms = self.sums.iter().map(|([red, green, blue, alpha], _)| {
            ((red + green + blue) / (3.0 * alpha.max(f32::MIN_POSITIVE)) + 1e-4).ln()
        });
        MIDDLE / (logarithms.sum::<f32>() / self.sums.len() as f32).exp()
    }
}

/// The largest difference of the texels that fall into each of its own: one wrong texel is seen.
pub(crate) struct DifferencePicture {
    grid: Grid,
    read: fn(&[u8]) -> Shown,
    texel_bytes: usize,
    largest: Vec<[f32; 3]>,
}

impl DifferencePicture {
    pub(crate) fn new(texels: &Format, image: [u32; 2], longest: u32) -> Result<Self> {
        let grid = Grid::new(image, longest);
        let read = reader(texels).with_context(|| format!("{} cannot be shown", texels.name))?;
        let largest = vec![[0.0; 3]; grid.cells()];
        Ok(Self { grid, read, texel_bytes: texels.block_bytes as usize, largest })
    }

    /// Adds whole rows from `first_row` on.
    pub(crate) fn add(&mut self, first_row: u32, expected: &[u8], actual: &[u8]) {
        let (width, size) = (self.grid.image[0], self.texel_bytes);
        let texels = expected.chunks_exact(size).zip(actual.chunks_exact(size));
        for (index, (expected, actual)) in (0u64..).zip(texels).filter(|(_, (one, other))| one != other) {
            let (x, y) = ((index % u64::from(width)) as u32, first_row + (index / u64::from(width)) as u32);
            let (expected, actual) = ((self.read)(expected).measured, (self.read)(actual).measured);
            // Alpha has no color of its own: it brightens all.
            let alpha = (expected[3] - actual[3]).abs();
            let cell = &mut self.largest[self.grid.cell(x, y)];
            for channel in 0..3 {
                let off = (expected[channel] - actual[channel]).abs().max(alpha);
                cell[channel] = cell[channel].max(off);
            }
        }
    }

    /// The picture, `factor` times as bright, as a `data:` URL.
    pub(crate) fn url(&self, factor: f32) -> Result<String> {
        let pixels: Vec<u8> = self.largest.iter().flatten().map(|&off| byte(off * factor)).collect();
        data_url(self.grid.picture, png::ColorType::Rgb, &pixels)
    }
}

fn byte(value: f32) -> u8 {
    (value * 255.0).round().clamp(0.0, 255.0) as u8
}

fn data_url([width, height]: [u32; 2], color: png::ColorType, pixels: &[u8]) -> Result<String> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> &'static Format {
        texemu_format::by_name(name).expect("in the table")
    }

    /// The pixels of a `data:` URL.
    fn decode(url: &str) -> (u32, u32, Vec<u8>) {
        let text = url.strip_prefix("data:image/png;base64,").expect("a PNG");
        let file = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        let info = reader.next_frame(&mut pixels).expect("whole");
        (info.width, info.height, pixels)
    }

    #[test]
    fn pictures_keep_their_proportions_and_never_grow() {
        for (image, picture) in
            [([4096, 1024], [96, 24]), ([5, 3], [5, 3]), ([1, 4000], [1, 96]), ([96, 97], [95, 96])]
        {
            assert_eq!(Grid::new(image, 96).picture, picture, "{image:?}");
        }
    }

    #[test]
    fn colors_are_averaged_by_how_much_is_seen_of_them() {
        let mut thumbnail = Thumbnail::new(format("R8G8B8A8_UNORM"), [4, 2], 2, false).expect("shown");
        // In bands of one row: opaque red beside transparent green; grey beside.
        let row = [[255, 0, 0, 255], [0, 255, 0, 0], [100, 100, 100, 255], [50, 50, 50, 255]].concat();
        thumbnail.add(0, &row);
        thumbnail.add(1, &row);
        assert_eq!(decode(&thumbnail.url().expect("small")), (2, 1, vec![255, 0, 0, 128, 75, 75, 75, 255]));
    }

    #[test]
    fn one_wrong_texel_of_many_is_seen() {
        let texels = format("R8G8B8A8_UNORM");
        let mut picture = DifferencePicture::new(texels, [64, 64], 4).expect("shown");
        let expected = vec![100; 4 * 64 * 64];
        let mut actual = expected.clone();
        actual[4 * (64 * 40 + 20) + 1] = 110;
        actual[4 * (64 * 60 + 60) + 3] = 120;
        for (band, (expected, actual)) in
            expected.chunks(4 * 64 * 16).zip(actual.chunks(4 * 64 * 16)).enumerate()
        {
            picture.add(16 * band as u32, expected, actual);
        }
        let (width, height, pixels) = decode(&picture.url(8.0).expect("small"));
        let mut wanted = vec![0; 3 * 16];
        wanted[3 * (4 * 2 + 1) + 1] = 80;
        wanted[3 * 15..].fill(160);
        assert_eq!((width, height, pixels), (4, 4, wanted), "green in one, all of them for alpha");
    }

    #[test]
    fn bright_light_fits_on_a_screen() {
        let texel =
            |value: f32| [value, value, value, 1.0].map(|v| half::f16::from_f32(v).to_le_bytes()).concat();
        let mut thumbnail = Thumbnail::new(format("R16G16B16A16_SFLOAT"), [3, 1], 8, true).expect("shown");
        thumbnail.add(0, &[texel(0.0), texel(1.0), texel(60000.0)].concat());
        let (_, _, pixels) = decode(&thumbnail.url().expect("small"));
        assert!(pixels[0] < 10 && (20..250).contains(&pixels[4]) && pixels[8] > 250, "{pixels:?}");
    }

    #[test]
    fn every_texel_format_can_be_shown() {
        for target in texemu_format::sources().flat_map(|source| source.targets.iter()) {
            let texels = crate::bc::texels_of(target).unwrap_or(target);
            assert!(reader(texels).is_some(), "{}", texels.name);
        }
    }
}
