//! One table of every format texemu knows: what it stores, what it is called in each standard, and where it may go.
//!
//! This is the only place in the workspace that switches over formats. It knows nothing of Vulkan's functions, only
//! `VkFormat`'s numbers, so the CPU twins and the containers use it too.
//!
//! ```
//! let format = texemu_format::by_name("ASTC_6x6_SRGB_BLOCK").unwrap();
//! assert_eq!(format.footprint, [6, 6]);
//! assert_eq!(format.level_bytes([13, 7, 1]), Some(3 * 2 * 16));
//! assert_eq!(format.targets.exact().unwrap().name, "R8G8B8A8_SRGB");
//! ```

mod table;

pub use table::FORMATS;

/// A `VkFormat` by its number (Vulkan specification, "Format Definition").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VkFormat(pub i32);

impl VkFormat {
    /// `VK_FORMAT_UNDEFINED`.
    pub const UNDEFINED: Self = Self(0);
}

impl std::fmt::Debug for VkFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match by_vk(*self) {
            Some(format) => f.write_str(format.name),
            None => write!(f, "VkFormat({})", self.0),
        }
    }
}

const R16_UINT: i32 = 74;
const R16G16_UINT: i32 = 81;
const R16G16B16A16_UINT: i32 = 95;
const R32_UINT: i32 = 98;
const R32G32_UINT: i32 = 101;
const R32G32B32A32_UINT: i32 = 107;

/// How a block's bytes become texels. A codec is one decoder or encoder; numeric types and footprints vary inside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the Khronos Data Format Specification's own name")]
pub enum Codec {
    AstcLdr,
    /// ASTC decoded with the HDR profile: what the `SFLOAT` formats mean.
    AstcHdr,
    Etc2Rgb,
    Etc2RgbA1,
    Etc2Rgba,
    EacR,
    EacRg,
    Bc1Rgb,
    Bc1Rgba,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6h,
    Bc7,
    Rgba8,
    R16,
    Rg16,
    Rgba16f,
    R32f,
    Rg32f,
}

/// The numeric type of a format (Vulkan specification, "Interpretation of Numeric Format").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is Vulkan's own suffix")]
pub enum Numeric {
    Unorm,
    Srgb,
    Snorm,
    Sfloat,
    Ufloat,
}

/// What happens to a source format on a device that lacks it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Policy {
    /// Bit-exact decode into an uncompressed format. What conformance claims.
    #[default]
    Exact,
    /// The best-looking BC format.
    Quality,
    /// The smallest BC format.
    Size,
}

/// Where a source format may go. Empty for formats that are targets themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Targets {
    exact: VkFormat,
    quality: VkFormat,
    size: VkFormat,
    all: &'static [VkFormat],
}

impl Targets {
    /// The uncompressed format that holds the exact decode.
    pub fn exact(&self) -> Option<&'static Format> {
        by_vk(self.exact)
    }

    /// The target that `policy` chooses.
    pub fn by_policy(&self, policy: Policy) -> Option<&'static Format> {
        by_vk(match policy {
            Policy::Exact => self.exact,
            Policy::Quality => self.quality,
            Policy::Size => self.size,
        })
    }

    /// Every target there is a kernel for, the exact one first.
    pub fn iter(&self) -> impl Iterator<Item = &'static Format> + use<> {
        self.all.iter().filter_map(|&vk| by_vk(vk))
    }

    /// Whether `target` is one of them.
    pub fn contains(&self, target: VkFormat) -> bool {
        self.all.contains(&target)
    }
}

/// One row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// The Vulkan (and KTX 2) identifier.
    pub vk: VkFormat,
    /// Vulkan's name without `VK_FORMAT_`.
    pub name: &'static str,
    /// Which decoder or encoder it belongs to.
    pub codec: Codec,
    /// Texels a block, width and height; `[1, 1]` for uncompressed formats.
    pub footprint: [u32; 2],
    /// Bytes a block (a texel, for uncompressed formats).
    pub block_bytes: u32,
    /// How the stored numbers are meant.
    pub numeric: Numeric,
    /// OpenGL's `glInternalFormat`, as KTX 1 stores it. The HDR ASTC formats share the UNORM ones' numbers.
    pub gl_internal_format: u32,
    /// `DXGI_FORMAT`, as a DX10 .dds stores it; 0 where there is none.
    pub dxgi: u32,
    /// Where it may go.
    pub targets: Targets,
}

impl Format {
    /// Whether a block covers more than one texel.
    pub fn is_compressed(&self) -> bool {
        self.footprint != [1, 1]
    }

    /// Whether the GPU may have to be helped with it: ASTC, ETC2 or EAC.
    pub fn is_source(&self) -> bool {
        !self.targets.all.is_empty()
    }

    /// Whether the stored colours are sRGB code values.
    pub fn is_srgb(&self) -> bool {
        self.numeric == Numeric::Srgb
    }

    /// Whether the stored values are signed, normalised.
    pub fn is_snorm(&self) -> bool {
        self.numeric == Numeric::Snorm
    }

    /// Whether R, G, B and A are stored. What is not reads as 0, or 1 for A (Vulkan specification, "Conversion to RGBA").
    pub fn stored_components(&self) -> [bool; 4] {
        match self.codec {
            Codec::EacR | Codec::Bc4 | Codec::R16 | Codec::R32f => [true, false, false, false],
            Codec::EacRg | Codec::Bc5 | Codec::Rg16 | Codec::Rg32f => [true, true, false, false],
            Codec::Etc2Rgb | Codec::Bc1Rgb | Codec::Bc6h => [true, true, true, false],
            _ => [true; 4],
        }
    }

    /// The UINT format through which a kernel reads or writes this one, block by block or texel by texel: a
    /// size-compatible view of the image, or a view of a texel buffer.
    pub fn storage_view(&self) -> VkFormat {
        VkFormat(match (self.is_compressed(), self.codec) {
            (true, _) if self.block_bytes == 8 => R32G32_UINT,
            (true, _) => R32G32B32A32_UINT,
            (false, Codec::R16) => R16_UINT,
            (false, Codec::Rg16) => R16G16_UINT,
            (false, Codec::Rgba16f) => R16G16B16A16_UINT,
            (false, Codec::Rg32f) => R32G32_UINT,
            (false, _) => R32_UINT,
        })
    }

    /// Blocks that cover `extent` texels: columns, rows, slices. No block covers more than one slice.
    pub fn blocks(&self, extent: [u32; 3]) -> [u32; 3] {
        [extent[0].div_ceil(self.footprint[0]), extent[1].div_ceil(self.footprint[1]), extent[2]]
    }

    /// Bytes of a tightly packed image of `extent` texels, one layer; `None` past 64 bits.
    pub fn level_bytes(&self, extent: [u32; 3]) -> Option<u64> {
        let [columns, rows, slices] = self.blocks(extent).map(u64::from);
        columns.checked_mul(rows)?.checked_mul(slices)?.checked_mul(self.block_bytes.into())
    }

    /// The row of the same codec and footprint with another numeric type, for instance the sRGB sibling.
    pub fn with_numeric(&self, numeric: Numeric) -> Option<&'static Format> {
        FORMATS.iter().find(|other| {
            other.codec == self.codec && other.footprint == self.footprint && other.numeric == numeric
        })
    }
}

/// Texels of level `level` of an image whose level 0 has `extent` (Vulkan specification, "Image Mip Level Sizing").
pub fn level_extent(extent: [u32; 3], level: u32) -> [u32; 3] {
    extent.map(|size| size.checked_shr(level).unwrap_or(0).max(1))
}

/// The row of a `VkFormat`.
pub fn by_vk(vk: VkFormat) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.vk == vk)
}

/// The row of a name, with or without the leading `VK_FORMAT_`.
pub fn by_name(name: &str) -> Option<&'static Format> {
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    FORMATS.iter().find(|format| format.name == name)
}

/// The row of a codec, footprint and numeric type.
pub fn find(codec: Codec, footprint: [u32; 2], numeric: Numeric) -> Option<&'static Format> {
    FORMATS
        .iter()
        .find(|format| format.codec == codec && format.footprint == footprint && format.numeric == numeric)
}

/// All source formats.
pub fn sources() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().filter(|format| format.is_source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_unique() {
        for (index, format) in FORMATS.iter().enumerate() {
            for other in &FORMATS[index + 1..] {
                assert_ne!(format.vk, other.vk, "{} and {} share a VkFormat", format.name, other.name);
                assert_ne!(format.name, other.name, "two rows are called {}", format.name);
                assert!(
                    (format.codec, format.footprint, format.numeric)
                        != (other.codec, other.footprint, other.numeric),
                    "{} and {} describe the same format",
                    format.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn targets_keep_the_transfer_function() {
        for source in sources() {
            assert_eq!(
                source.targets.iter().next(),
                source.targets.exact(),
                "{}: exact comes first",
                source.name
            );
            for target in source.targets.iter() {
                assert_eq!(source.is_srgb(), target.is_srgb(), "{} -> {}", source.name, target.name);
                assert_eq!(source.is_snorm(), target.is_snorm(), "{} -> {}", source.name, target.name);
            }
            for policy in [Policy::Exact, Policy::Quality, Policy::Size] {
                let target = source.targets.by_policy(policy).expect("every policy has a target");
                assert!(source.targets.contains(target.vk), "{} lacks {}", source.name, target.name);
            }
        }
    }

    #[test]
    fn components_agree_with_the_names() {
        for format in &FORMATS {
            let stored = format.stored_components();
            let has = |letters: &[&str]| letters.iter().any(|letter| format.name.contains(letter));
            match format.name.split_once('_').map(|(family, _)| family) {
                Some("ASTC" | "BC2" | "BC3" | "BC7") => assert_eq!(stored, [true; 4], "{}", format.name),
                Some("BC4") => assert_eq!(stored, [true, false, false, false], "{}", format.name),
                Some("BC5") => assert_eq!(stored, [true, true, false, false], "{}", format.name),
                Some("BC6H") => assert_eq!(stored, [true, true, true, false], "{}", format.name),
                Some("BC1") => assert_eq!(stored[3], has(&["RGBA"]), "{}", format.name),
                _ => {
                    let expected = [
                        true,
                        has(&["G8", "G11", "G16", "G32"]),
                        has(&["B8", "B16"]),
                        has(&["A1_", "A8", "A16"]),
                    ];
                    assert_eq!(stored, expected, "{}", format.name);
                }
            }
        }
    }

    #[test]
    fn astc_names_carry_their_footprint() {
        for format in FORMATS.iter().filter(|format| matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr))
        {
            let [width, height] = format.footprint;
            assert!(format.name.starts_with(&format!("ASTC_{width}x{height}_")), "{}", format.name);
        }
    }

    #[test]
    fn level_sizes_never_reach_zero() {
        assert_eq!(level_extent([17, 3, 1], 2), [4, 1, 1], "halved and rounded down, at least one");
        assert_eq!(level_extent([17, 3, 1], 40), [1, 1, 1], "a level past the last is still one texel");
    }
}
