//! Pictures to encode, and how far what is encoded decodes from them.

use std::path::{Path, PathBuf};

use texemu_container::Texture;
use texemu_format::{Codec, Format, Numeric};
use texemu_reference::encode::{Effort, encode_image, texel_bytes};
use texemu_reference::{Options, decode_image};

/// A decoded texture, cropped to whole blocks.
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) extent: [u32; 2],
    /// What [`texel_bytes`] says the encoders that suit it take.
    pub(crate) texels: Vec<u8>,
    pub(crate) kind: Kind,
}

/// What a picture's texels are, and with that which encoders suit it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Rgba8,
    R16(Numeric),
    Rg16(Numeric),
    Rgba16f,
}

impl Kind {
    pub(crate) fn targets(self) -> &'static [&'static str] {
        match self {
            Self::Rgba8 => &["BC1_RGB_UNORM_BLOCK", "BC3_UNORM_BLOCK", "BC7_UNORM_BLOCK"],
            Self::R16(Numeric::Snorm) => &["BC4_SNORM_BLOCK"],
            Self::R16(_) => &["BC4_UNORM_BLOCK"],
            Self::Rg16(Numeric::Snorm) => &["BC5_SNORM_BLOCK"],
            Self::Rg16(_) => &["BC5_UNORM_BLOCK"],
            Self::Rgba16f => &["BC6H_UFLOAT_BLOCK"],
        }
    }
}

fn file(path: &Path) -> Texture {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    texemu_container::read(bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The first image of a file. `strips` > 1 keeps one row of blocks in so many.
fn picture(path: &Path, strips: u32) -> Picture {
    let texture = file(path);
    let [width, height, _] = texture.shape().level_extent(0);
    let format = texture.format();
    let options = Options::default();
    let bytes = texture.level(0);
    let texels = decode_image(format, bytes, [width, height, 1], &options).expect("the file decodes");
    let exact = texemu_reference::target(format, &options).expect("source formats have one");
    let kind = match exact.codec {
        Codec::R16 => Kind::R16(exact.numeric),
        Codec::Rg16 => Kind::Rg16(exact.numeric),
        Codec::Rgba16f => Kind::Rgba16f,
        _ => Kind::Rgba8,
    };
    let name = path.file_stem().expect("a file's name").to_string_lossy().into_owned();
    let texel = exact.block_bytes as usize;
    let [kept_width, kept_height] = [width, height].map(|size| size / 4 * 4);
    let mut kept = Vec::new();
    for y in (0..kept_height).filter(|y| y / 4 % strips == 0) {
        let row = &texels[(y * width) as usize * texel..];
        kept.extend_from_slice(&row[..kept_width as usize * texel]);
    }
    let extent = [kept_width, (kept.len() / (kept_width as usize * texel)) as u32];
    Picture { name, extent, texels: kept, kind }
}

/// The pictures that come with the project.
pub(crate) fn own() -> Vec<Picture> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let files = ["swatch_4x4.astc", "swatch_8x8.astc", "swatch_etc2_rgba.pkm", "swatch_eac_r11.pkm"];
    let mut pictures: Vec<Picture> = files.iter().map(|name| picture(&data.join(name), 1)).collect();
    let eac = pictures.remove(3);
    pictures.push(signed(&eac));
    pictures.push(two_channels(&eac));
    pictures.push(eac);
    pictures.push(high_range(&pictures[0]));
    pictures
}

/// R16 values from 0 to 1 as SNORM from -1 to 1.
fn signed(picture: &Picture) -> Picture {
    let (values, _) = picture.texels.as_chunks::<2>();
    let signed = |&value: &[u8; 2]| (i32::from(u16::from_le_bytes(value)) - 32768).max(-32767) as i16;
    let texels = values.iter().flat_map(|value| signed(value).to_le_bytes()).collect();
    let name = format!("{}_signed", picture.name);
    Picture { name, texels, kind: Kind::R16(Numeric::Snorm), extent: picture.extent }
}

/// A second channel: the first, upside down.
fn two_channels(picture: &Picture) -> Picture {
    let (values, _) = picture.texels.as_chunks::<2>();
    let texels = values.iter().zip(values.iter().rev()).flat_map(|(&a, &b)| [a, b]).flatten().collect();
    let name = format!("{}_two", picture.name);
    Picture { name, texels, kind: Kind::Rg16(Numeric::Unorm), extent: picture.extent }
}

/// RGBA8 as half floats of which the exponent grows from left to right.
fn high_range(picture: &Picture) -> Picture {
    let (pixels, _) = picture.texels.as_chunks::<4>();
    let width = picture.extent[0] as usize;
    let half = |v: u8, exponent: usize| ((exponent << 10) as u16 + (u16::from(v) << 3)).to_le_bytes();
    let texels = pixels
        .iter()
        .enumerate()
        .flat_map(|(n, pixel)| {
            let exponent = 8 + 16 * (n % width) / width;
            [half(pixel[0], exponent), half(pixel[1], exponent), half(pixel[2], exponent), [0, 0x3c]]
        })
        .flatten()
        .collect();
    let name = format!("{}_high_range", picture.name);
    Picture { name, texels, kind: Kind::Rgba16f, extent: picture.extent }
}

/// Photographs, where they are: the folder that `TEXEMU_SHARED` names, or `shared` beside the workspace.
pub(crate) fn photographs(strips: u32) -> Vec<Picture> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = std::env::var_os("TEXEMU_SHARED").map_or(beside, PathBuf::from).join("data");
    if !data.is_dir() {
        println!(
            "skipped the photographs: {} is not there (TEXEMU_SHARED names another place)",
            data.display()
        );
        return Vec::new();
    }
    [
        "bench/collage_4x4.astc",
        "bench/collage_6x6.astc",
        "files/basisu_desk.ktx2",
        "files/gli_kueken7_rg_eac_unorm.ktx",
    ]
    .iter()
    .map(|name| picture(&data.join(name), strips))
    .collect()
}

/// Peak signal-to-noise ratios: of colour, or of all channels where there is no alpha; and of alpha, where there is one
/// in the blocks. Of BC6H it is that of half floats' bits, which is about the logarithm's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quality {
    pub(crate) color: f64,
    pub(crate) alpha: Option<f64>,
}

struct Mean {
    squares: f64,
    count: f64,
}

impl Mean {
    const ZERO: Self = Self { squares: 0.0, count: 0.0 };

    fn add(&mut self, difference: f64) {
        self.squares += difference * difference;
        self.count += 1.0;
    }

    /// Decibels; 99 for no difference.
    fn ratio(&self, peak: f64) -> f64 {
        if self.squares == 0.0 { 99.0 } else { 10.0 * (peak * peak * self.count / self.squares).log10() }
    }
}

pub(crate) fn measure(picture: &Picture, target: &Format, blocks: &[u8]) -> Quality {
    let texel = texel_bytes(target).expect("a target with an encoder");
    let columns = picture.extent[0] as usize / 4;
    let texels = |block: usize| {
        (0..16).map(move |k| {
            let (x, y) = (4 * (block % columns) + k % 4, 4 * (block / columns) + k / 4);
            (k, &picture.texels[(y * 4 * columns + x) * texel..][..texel])
        })
    };
    let (mut color, mut alpha) = (Mean::ZERO, Mean::ZERO);
    let snorm = target.is_snorm();
    let value = |bytes: &[u8], channel: usize| {
        let value = u16::from_le_bytes([bytes[2 * channel], bytes[2 * channel + 1]]);
        if snorm { f64::from((value as i16).max(-32767)) / 32767.0 } else { f64::from(value) / 65535.0 }
    };
    let peak = match target.codec {
        Codec::Bc4 | Codec::Bc5 if snorm => 2.0,
        Codec::Bc4 | Codec::Bc5 => 1.0,
        Codec::Bc6h => 31743.0,
        _ => 255.0,
    };
    for (index, block) in blocks.chunks(target.block_bytes as usize).enumerate() {
        match target.codec {
            Codec::Bc4 => {
                let mut decoded = [0.0; 16];
                bcdec_rs::bc4_float(block, &mut decoded, 4, snorm);
                texels(index).for_each(|(k, texel)| color.add(f64::from(decoded[k]) - value(texel, 0)));
            }
            Codec::Bc5 => {
                let mut decoded = [0.0; 32];
                bcdec_rs::bc5_float(block, &mut decoded, 8, snorm);
                for (k, texel) in texels(index) {
                    (0..2).for_each(|c| color.add(f64::from(decoded[2 * k + c]) - value(texel, c)));
                }
            }
            Codec::Bc6h => {
                let mut decoded = [0; 48];
                bcdec_rs::bc6h_half(block, &mut decoded, 12, false);
                for (k, texel) in texels(index) {
                    for c in 0..3 {
                        let half = u16::from_le_bytes([texel[2 * c], texel[2 * c + 1]]);
                        let want = if half >= 0x8000 { 0 } else { half.min(0x7bff) };
                        color.add(f64::from(decoded[3 * k + c]) - f64::from(want));
                    }
                }
            }
            _ => {
                let mut decoded = [0; 64];
                match target.codec {
                    Codec::Bc3 => bcdec_rs::bc3(block, &mut decoded, 16),
                    Codec::Bc7 => bcdec_rs::bc7(block, &mut decoded, 16),
                    _ => bcdec_rs::bc1(block, &mut decoded, 16),
                }
                for (k, texel) in texels(index) {
                    let off = |c: usize| f64::from(decoded[4 * k + c]) - f64::from(texel[c]);
                    (0..3).for_each(|c| color.add(off(c)));
                    alpha.add(off(3));
                }
            }
        }
    }
    let with_alpha = matches!(target.codec, Codec::Bc3 | Codec::Bc7);
    Quality { color: color.ratio(peak), alpha: with_alpha.then(|| alpha.ratio(peak)) }
}

/// Encodes with the project's encoder and measures.
pub(crate) fn encoded(picture: &Picture, target: &Format, effort: Effort) -> Quality {
    let [width, height] = picture.extent;
    let blocks =
        encode_image(target, &picture.texels, [width, height, 1], effort).expect("the picture encodes");
    measure(picture, target, &blocks)
}
