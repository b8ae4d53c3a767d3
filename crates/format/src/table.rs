//! The rows. One line a format; everything else in the workspace looks here.

use crate::Codec::*;
use crate::Numeric::*;
use crate::{Codec, Format, Numeric, Targets, VkFormat};

#[expect(clippy::too_many_arguments, reason = "a row of the table: the arguments are its columns")]
const fn row(
    vk: i32,
    name: &'static str,
    codec: Codec,
    footprint: [u32; 2],
    block_bytes: u32,
    numeric: Numeric,
    gl_internal_format: u32,
    dxgi: u32,
    targets: Targets,
) -> Format {
    Format {
        vk: VkFormat(vk),
        name,
        codec,
        footprint,
        block_bytes,
        numeric,
        gl_internal_format,
        dxgi,
        targets,
    }
}

const fn targets(exact: i32, quality: i32, size: i32, all: &'static [VkFormat]) -> Targets {
    Targets { exact: VkFormat(exact), quality: VkFormat(quality), size: VkFormat(size), all }
}

const NO_TARGETS: Targets = targets(0, 0, 0, &[]);
const RGBA8_UNORM_TARGETS: Targets =
    targets(37, 145, 137, &[VkFormat(37), VkFormat(97), VkFormat(133), VkFormat(137), VkFormat(145)]);
const ETC2_RGBA8_UNORM_TARGETS: Targets =
    targets(37, 145, 137, &[VkFormat(37), VkFormat(133), VkFormat(137), VkFormat(145)]);
const RGBA8_SRGB_TARGETS: Targets =
    targets(43, 146, 138, &[VkFormat(43), VkFormat(134), VkFormat(138), VkFormat(146)]);
const RGB8_UNORM_TARGETS: Targets =
    targets(37, 145, 131, &[VkFormat(37), VkFormat(131), VkFormat(137), VkFormat(145)]);
const RGB8_SRGB_TARGETS: Targets =
    targets(43, 146, 132, &[VkFormat(43), VkFormat(132), VkFormat(138), VkFormat(146)]);
const RGB8A1_UNORM_TARGETS: Targets =
    targets(37, 145, 133, &[VkFormat(37), VkFormat(133), VkFormat(137), VkFormat(145)]);
const RGB8A1_SRGB_TARGETS: Targets =
    targets(43, 146, 134, &[VkFormat(43), VkFormat(134), VkFormat(138), VkFormat(146)]);
const R11_UNORM_TARGETS: Targets = targets(70, 139, 139, &[VkFormat(70), VkFormat(139)]);
const R11_SNORM_TARGETS: Targets = targets(71, 140, 140, &[VkFormat(71), VkFormat(140)]);
const RG11_UNORM_TARGETS: Targets = targets(77, 141, 141, &[VkFormat(77), VkFormat(141)]);
const RG11_SNORM_TARGETS: Targets = targets(78, 142, 142, &[VkFormat(78), VkFormat(142)]);
const HDR_TARGETS: Targets = targets(97, 143, 143, &[VkFormat(97), VkFormat(143)]);

/// Every format the project knows, source formats first.
#[rustfmt::skip]
pub static FORMATS: [Format; 77] = [
    row(157, "ASTC_4x4_UNORM_BLOCK", AstcLdr, [4, 4], 16, Unorm, 0x93B0, 0, RGBA8_UNORM_TARGETS),
    row(158, "ASTC_4x4_SRGB_BLOCK", AstcLdr, [4, 4], 16, Srgb, 0x93D0, 0, RGBA8_SRGB_TARGETS),
    row(1000066000, "ASTC_4x4_SFLOAT_BLOCK", AstcHdr, [4, 4], 16, Sfloat, 0x93B0, 0, HDR_TARGETS),
    row(159, "ASTC_5x4_UNORM_BLOCK", AstcLdr, [5, 4], 16, Unorm, 0x93B1, 0, RGBA8_UNORM_TARGETS),
    row(160, "ASTC_5x4_SRGB_BLOCK", AstcLdr, [5, 4], 16, Srgb, 0x93D1, 0, RGBA8_SRGB_TARGETS),
    row(1000066001, "ASTC_5x4_SFLOAT_BLOCK", AstcHdr, [5, 4], 16, Sfloat, 0x93B1, 0, HDR_TARGETS),
    row(161, "ASTC_5x5_UNORM_BLOCK", AstcLdr, [5, 5], 16, Unorm, 0x93B2, 0, RGBA8_UNORM_TARGETS),
    row(162, "ASTC_5x5_SRGB_BLOCK", AstcLdr, [5, 5], 16, Srgb, 0x93D2, 0, RGBA8_SRGB_TARGETS),
    row(1000066002, "ASTC_5x5_SFLOAT_BLOCK", AstcHdr, [5, 5], 16, Sfloat, 0x93B2, 0, HDR_TARGETS),
    row(163, "ASTC_6x5_UNORM_BLOCK", AstcLdr, [6, 5], 16, Unorm, 0x93B3, 0, RGBA8_UNORM_TARGETS),
    row(164, "ASTC_6x5_SRGB_BLOCK", AstcLdr, [6, 5], 16, Srgb, 0x93D3, 0, RGBA8_SRGB_TARGETS),
    row(1000066003, "ASTC_6x5_SFLOAT_BLOCK", AstcHdr, [6, 5], 16, Sfloat, 0x93B3, 0, HDR_TARGETS),
    row(165, "ASTC_6x6_UNORM_BLOCK", AstcLdr, [6, 6], 16, Unorm, 0x93B4, 0, RGBA8_UNORM_TARGETS),
    row(166, "ASTC_6x6_SRGB_BLOCK", AstcLdr, [6, 6], 16, Srgb, 0x93D4, 0, RGBA8_SRGB_TARGETS),
    row(1000066004, "ASTC_6x6_SFLOAT_BLOCK", AstcHdr, [6, 6], 16, Sfloat, 0x93B4, 0, HDR_TARGETS),
    row(167, "ASTC_8x5_UNORM_BLOCK", AstcLdr, [8, 5], 16, Unorm, 0x93B5, 0, RGBA8_UNORM_TARGETS),
    row(168, "ASTC_8x5_SRGB_BLOCK", AstcLdr, [8, 5], 16, Srgb, 0x93D5, 0, RGBA8_SRGB_TARGETS),
    row(1000066005, "ASTC_8x5_SFLOAT_BLOCK", AstcHdr, [8, 5], 16, Sfloat, 0x93B5, 0, HDR_TARGETS),
    row(169, "ASTC_8x6_UNORM_BLOCK", AstcLdr, [8, 6], 16, Unorm, 0x93B6, 0, RGBA8_UNORM_TARGETS),
    row(170, "ASTC_8x6_SRGB_BLOCK", AstcLdr, [8, 6], 16, Srgb, 0x93D6, 0, RGBA8_SRGB_TARGETS),
    row(1000066006, "ASTC_8x6_SFLOAT_BLOCK", AstcHdr, [8, 6], 16, Sfloat, 0x93B6, 0, HDR_TARGETS),
    row(171, "ASTC_8x8_UNORM_BLOCK", AstcLdr, [8, 8], 16, Unorm, 0x93B7, 0, RGBA8_UNORM_TARGETS),
    row(172, "ASTC_8x8_SRGB_BLOCK", AstcLdr, [8, 8], 16, Srgb, 0x93D7, 0, RGBA8_SRGB_TARGETS),
    row(1000066007, "ASTC_8x8_SFLOAT_BLOCK", AstcHdr, [8, 8], 16, Sfloat, 0x93B7, 0, HDR_TARGETS),
    row(173, "ASTC_10x5_UNORM_BLOCK", AstcLdr, [10, 5], 16, Unorm, 0x93B8, 0, RGBA8_UNORM_TARGETS),
    row(174, "ASTC_10x5_SRGB_BLOCK", AstcLdr, [10, 5], 16, Srgb, 0x93D8, 0, RGBA8_SRGB_TARGETS),
    row(1000066008, "ASTC_10x5_SFLOAT_BLOCK", AstcHdr, [10, 5], 16, Sfloat, 0x93B8, 0, HDR_TARGETS),
    row(175, "ASTC_10x6_UNORM_BLOCK", AstcLdr, [10, 6], 16, Unorm, 0x93B9, 0, RGBA8_UNORM_TARGETS),
    row(176, "ASTC_10x6_SRGB_BLOCK", AstcLdr, [10, 6], 16, Srgb, 0x93D9, 0, RGBA8_SRGB_TARGETS),
    row(1000066009, "ASTC_10x6_SFLOAT_BLOCK", AstcHdr, [10, 6], 16, Sfloat, 0x93B9, 0, HDR_TARGETS),
    row(177, "ASTC_10x8_UNORM_BLOCK", AstcLdr, [10, 8], 16, Unorm, 0x93BA, 0, RGBA8_UNORM_TARGETS),
    row(178, "ASTC_10x8_SRGB_BLOCK", AstcLdr, [10, 8], 16, Srgb, 0x93DA, 0, RGBA8_SRGB_TARGETS),
    row(1000066010, "ASTC_10x8_SFLOAT_BLOCK", AstcHdr, [10, 8], 16, Sfloat, 0x93BA, 0, HDR_TARGETS),
    row(179, "ASTC_10x10_UNORM_BLOCK", AstcLdr, [10, 10], 16, Unorm, 0x93BB, 0, RGBA8_UNORM_TARGETS),
    row(180, "ASTC_10x10_SRGB_BLOCK", AstcLdr, [10, 10], 16, Srgb, 0x93DB, 0, RGBA8_SRGB_TARGETS),
    row(1000066011, "ASTC_10x10_SFLOAT_BLOCK", AstcHdr, [10, 10], 16, Sfloat, 0x93BB, 0, HDR_TARGETS),
    row(181, "ASTC_12x10_UNORM_BLOCK", AstcLdr, [12, 10], 16, Unorm, 0x93BC, 0, RGBA8_UNORM_TARGETS),
    row(182, "ASTC_12x10_SRGB_BLOCK", AstcLdr, [12, 10], 16, Srgb, 0x93DC, 0, RGBA8_SRGB_TARGETS),
    row(1000066012, "ASTC_12x10_SFLOAT_BLOCK", AstcHdr, [12, 10], 16, Sfloat, 0x93BC, 0, HDR_TARGETS),
    row(183, "ASTC_12x12_UNORM_BLOCK", AstcLdr, [12, 12], 16, Unorm, 0x93BD, 0, RGBA8_UNORM_TARGETS),
    row(184, "ASTC_12x12_SRGB_BLOCK", AstcLdr, [12, 12], 16, Srgb, 0x93DD, 0, RGBA8_SRGB_TARGETS),
    row(1000066013, "ASTC_12x12_SFLOAT_BLOCK", AstcHdr, [12, 12], 16, Sfloat, 0x93BD, 0, HDR_TARGETS),
    row(147, "ETC2_R8G8B8_UNORM_BLOCK", Etc2Rgb, [4, 4], 8, Unorm, 0x9274, 0, RGB8_UNORM_TARGETS),
    row(148, "ETC2_R8G8B8_SRGB_BLOCK", Etc2Rgb, [4, 4], 8, Srgb, 0x9275, 0, RGB8_SRGB_TARGETS),
    row(149, "ETC2_R8G8B8A1_UNORM_BLOCK", Etc2RgbA1, [4, 4], 8, Unorm, 0x9276, 0, RGB8A1_UNORM_TARGETS),
    row(150, "ETC2_R8G8B8A1_SRGB_BLOCK", Etc2RgbA1, [4, 4], 8, Srgb, 0x9277, 0, RGB8A1_SRGB_TARGETS),
    row(151, "ETC2_R8G8B8A8_UNORM_BLOCK", Etc2Rgba, [4, 4], 16, Unorm, 0x9278, 0, ETC2_RGBA8_UNORM_TARGETS),
    row(152, "ETC2_R8G8B8A8_SRGB_BLOCK", Etc2Rgba, [4, 4], 16, Srgb, 0x9279, 0, RGBA8_SRGB_TARGETS),
    row(153, "EAC_R11_UNORM_BLOCK", EacR, [4, 4], 8, Unorm, 0x9270, 0, R11_UNORM_TARGETS),
    row(154, "EAC_R11_SNORM_BLOCK", EacR, [4, 4], 8, Snorm, 0x9271, 0, R11_SNORM_TARGETS),
    row(155, "EAC_R11G11_UNORM_BLOCK", EacRg, [4, 4], 16, Unorm, 0x9272, 0, RG11_UNORM_TARGETS),
    row(156, "EAC_R11G11_SNORM_BLOCK", EacRg, [4, 4], 16, Snorm, 0x9273, 0, RG11_SNORM_TARGETS),
    row(131, "BC1_RGB_UNORM_BLOCK", Bc1Rgb, [4, 4], 8, Unorm, 0x83F0, 71, NO_TARGETS),
    row(132, "BC1_RGB_SRGB_BLOCK", Bc1Rgb, [4, 4], 8, Srgb, 0x8C4C, 72, NO_TARGETS),
    row(133, "BC1_RGBA_UNORM_BLOCK", Bc1Rgba, [4, 4], 8, Unorm, 0x83F1, 71, NO_TARGETS),
    row(134, "BC1_RGBA_SRGB_BLOCK", Bc1Rgba, [4, 4], 8, Srgb, 0x8C4D, 72, NO_TARGETS),
    row(135, "BC2_UNORM_BLOCK", Bc2, [4, 4], 16, Unorm, 0x83F2, 74, NO_TARGETS),
    row(136, "BC2_SRGB_BLOCK", Bc2, [4, 4], 16, Srgb, 0x8C4E, 75, NO_TARGETS),
    row(137, "BC3_UNORM_BLOCK", Bc3, [4, 4], 16, Unorm, 0x83F3, 77, NO_TARGETS),
    row(138, "BC3_SRGB_BLOCK", Bc3, [4, 4], 16, Srgb, 0x8C4F, 78, NO_TARGETS),
    row(139, "BC4_UNORM_BLOCK", Bc4, [4, 4], 8, Unorm, 0x8DBB, 80, NO_TARGETS),
    row(140, "BC4_SNORM_BLOCK", Bc4, [4, 4], 8, Snorm, 0x8DBC, 81, NO_TARGETS),
    row(141, "BC5_UNORM_BLOCK", Bc5, [4, 4], 16, Unorm, 0x8DBD, 83, NO_TARGETS),
    row(142, "BC5_SNORM_BLOCK", Bc5, [4, 4], 16, Snorm, 0x8DBE, 84, NO_TARGETS),
    row(143, "BC6H_UFLOAT_BLOCK", Bc6h, [4, 4], 16, Ufloat, 0x8E8F, 95, NO_TARGETS),
    row(144, "BC6H_SFLOAT_BLOCK", Bc6h, [4, 4], 16, Sfloat, 0x8E8E, 96, NO_TARGETS),
    row(145, "BC7_UNORM_BLOCK", Bc7, [4, 4], 16, Unorm, 0x8E8C, 98, NO_TARGETS),
    row(146, "BC7_SRGB_BLOCK", Bc7, [4, 4], 16, Srgb, 0x8E8D, 99, NO_TARGETS),
    row(37, "R8G8B8A8_UNORM", Rgba8, [1, 1], 4, Unorm, 0x8058, 28, NO_TARGETS),
    row(43, "R8G8B8A8_SRGB", Rgba8, [1, 1], 4, Srgb, 0x8C43, 29, NO_TARGETS),
    row(70, "R16_UNORM", R16, [1, 1], 2, Unorm, 0x822A, 56, NO_TARGETS),
    row(71, "R16_SNORM", R16, [1, 1], 2, Snorm, 0x8F98, 58, NO_TARGETS),
    row(77, "R16G16_UNORM", Rg16, [1, 1], 4, Unorm, 0x822C, 35, NO_TARGETS),
    row(78, "R16G16_SNORM", Rg16, [1, 1], 4, Snorm, 0x8F99, 37, NO_TARGETS),
    row(97, "R16G16B16A16_SFLOAT", Rgba16f, [1, 1], 8, Sfloat, 0x881A, 10, NO_TARGETS),
    row(100, "R32_SFLOAT", R32f, [1, 1], 4, Sfloat, 0x822E, 41, NO_TARGETS),
    row(103, "R32G32_SFLOAT", Rg32f, [1, 1], 8, Sfloat, 0x8230, 16, NO_TARGETS),
];
