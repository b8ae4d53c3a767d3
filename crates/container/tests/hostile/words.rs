//! The words of the errors.

use texemu_container::read;

use crate::meter::alone;
use crate::victims::victims;

/// One of each kind and container.
#[test]
fn errors_name_the_field_and_its_value() {
    let _alone = alone();
    let victims = victims();
    let complaint = |name: &str, at: usize, bytes: &[u8]| {
        let mut file = victims.iter().find(|victim| victim.0 == name).expect("a victim").1.clone();
        file[at..][..bytes.len()].copy_from_slice(bytes);
        match read(file) {
            Ok(texture) => panic!("{name} with {bytes:?} at {at} reads as {}", texture.shape()),
            Err(error) => error.to_string(),
        }
    };
    let word = |value: u32| value.to_le_bytes();
    let long = |value: u64| value.to_le_bytes();
    let cases: Vec<(&str, usize, Vec<u8>, &str)> = vec![
        (
            "astc",
            4,
            vec![3, 3, 3],
            "astc: blockdim_x x blockdim_y x blockdim_z = 3x3x3 is not supported: \
             ASTC with 3D blocks (VK_FORMAT_ASTC_3x3x3_UNORM_BLOCK_EXT)",
        ),
        (
            "astc",
            4,
            vec![7, 7, 1],
            "astc: blockdim_x x blockdim_y x blockdim_z = 7x7x1: ASTC has no such footprint",
        ),
        ("astc", 10, vec![0, 0, 0], "astc: ysize = 0: an image has at least one texel"),
        (
            "astc",
            7,
            vec![12, 0, 1],
            "astc: the end of the 65548x9x1 texels that xsize, ysize and zsize claim = 629296 lies past the end \
             of the file (160 bytes)",
        ),
        ("pkm 2.0", 4, b"21".to_vec(), "pkm: version = 21: neither 10 nor 20"),
        ("pkm 2.0", 8, vec![0, 12], "pkm: padded width = 12: the original 7 rounded up to blocks is another"),
        ("ktx", 12, vec![1, 2, 3, 5], "ktx: endianness = 0x05030201: 0x04030201 is known"),
        (
            "ktx",
            28,
            word(0x1908).to_vec(),
            "ktx: glInternalFormat = 0x1908 is not supported: not a format of texemu's table",
        ),
        (
            "ktx",
            56,
            word(40).to_vec(),
            "ktx: numberOfMipmapLevels = 40: an image of 11x9x1 texels has 1 to 4 levels",
        ),
        (
            "ktx",
            60,
            word(1 << 20).to_vec(),
            "ktx: 64 + bytesOfKeyValueData = 1048640 lies past the end of the file (280 bytes)",
        ),
        (
            "ktx",
            64,
            word(99).to_vec(),
            "ktx: keyAndValueByteSize = 99: 24 bytes are left in the key/value data",
        ),
        (
            "ktx",
            92,
            word(4096).to_vec(),
            "ktx: imageSize of level 0 = 4096: level 0 of ASTC_5x4_SRGB_BLOCK 11x9, 3 levels has 144 bytes (all)",
        ),
        (
            "ktx2",
            12,
            word(1_000_288_000).to_vec(),
            "ktx2: vkFormat = 1000288000 (VK_FORMAT_ASTC_3x3x3_UNORM_BLOCK_EXT) is not supported: ASTC with 3D blocks",
        ),
        (
            "ktx2",
            12,
            word(0).to_vec(),
            "ktx2: vkFormat = VK_FORMAT_UNDEFINED is not supported: Basis Universal payloads (an unnamed colour model) \
             must be transcoded to ASTC or ETC2 first",
        ),
        (
            "ktx2",
            12,
            word(9).to_vec(),
            "ktx2: vkFormat = 9 (VkFormat 9) is not supported: not a format of texemu's table",
        ),
        ("ktx2", 20, word(0).to_vec(), "ktx2: pixelWidth = 0: an image has at least one texel"),
        ("ktx2", 24, word(0).to_vec(), "ktx2: pixelHeight = 0 is not supported: 1D textures"),
        ("ktx2", 36, word(5).to_vec(), "ktx2: faceCount = 5: cube maps have 6 faces, all else has 1"),
        ("ktx2", 40, word(33).to_vec(), "ktx2: levelCount = 33: an image of 11x9x1 texels has 1 to 4 levels"),
        (
            "ktx2",
            44,
            word(1).to_vec(),
            "ktx2: supercompressionScheme = 1 (BasisLZ) is not supported: Basis Universal must be transcoded first",
        ),
        (
            "ktx2",
            44,
            word(77).to_vec(),
            "ktx2: supercompressionScheme = 77 is not supported: not a scheme of the KTX 2.0 specification",
        ),
        (
            "ktx2",
            48,
            word(u32::MAX).to_vec(),
            "ktx2: dfdByteOffset + dfdByteLength = 4294967339 lies past the end of the file (400 bytes)",
        ),
        ("ktx2", 52, word(40).to_vec(), "ktx2: dfdTotalSize = 44: dfdByteLength is 40"),
        ("ktx2", 152 + 16, vec![5], "ktx2: texelBlockDimension0 = 5: ASTC_5x4_SRGB_BLOCK has 4 there"),
        ("ktx2", 152 + 20, vec![8], "ktx2: bytesPlane0 = 8: a block of ASTC_5x4_SRGB_BLOCK has 16 bytes"),
        (
            "ktx2",
            72,
            long(401).to_vec(),
            "ktx2: sgdByteOffset + sgdByteLength = 401 lies past the end of the file (400 bytes)",
        ),
        (
            "ktx2",
            80 + 24,
            long(123_456).to_vec(),
            "ktx2: levelIndex[1].byteOffset + byteLength = 123472 lies past the end of the file (400 bytes)",
        ),
        (
            "ktx2",
            80 + 32,
            long(u64::MAX).to_vec(),
            "ktx2: levelIndex[1].byteLength = 18446744073709551615: level 1 of ASTC_5x4_SRGB_BLOCK 11x9, 3 levels has 16 bytes",
        ),
        (
            "ktx2",
            80 + 40,
            long(31).to_vec(),
            "ktx2: levelIndex[1].uncompressedByteLength = 31: level 1 of ASTC_5x4_SRGB_BLOCK 11x9, 3 levels has 16 bytes",
        ),
        (
            "ktx2 zstd",
            80,
            long(u64::MAX).to_vec(),
            "ktx2: levelIndex[0].byteOffset + byteLength = 18446744073709551615 lies past the end of the file",
        ),
        ("dds", 4, word(125).to_vec(), "dds: dwSize = 125: the structure has 124 bytes"),
        ("dds", 28, word(9).to_vec(), "dds: dwMipMapCount = 9: an image of 9x9x1 texels has 1 to 4 levels"),
        (
            "dds",
            128,
            word(134).to_vec(),
            "dds: dxgiFormat = 134 is not supported: not a DXGI_FORMAT of texemu's table",
        ),
        ("dds", 132, word(2).to_vec(), "dds: resourceDimension = 2 is not supported: 1D textures"),
        ("dds", 140, word(0).to_vec(), "dds: arraySize = 0: there is at least one layer"),
        (
            "dds",
            140,
            word(1 << 20).to_vec(),
            "dds: the end of BC3_SRGB_BLOCK 9x9 cube map, 1048576 layers, 2 levels = ",
        ),
        (
            "dds legacy",
            84,
            b"DXT9".to_vec(),
            "dds: ddspf.dwFourCC = DXT9 is not supported: not a code that is known",
        ),
    ];
    let wrong: Vec<_> = cases
        .into_iter()
        .map(|(name, at, bytes, expected)| (complaint(name, at, &bytes), expected))
        .filter(|(error, expected)| !error.starts_with(expected))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        read(b"GIF89a and so on".to_vec()).expect_err("not a texture").to_string(),
        "not a .astc, .ktx, .ktx2, .pkm or .dds file: it starts with 47 49 46 38 39 61 20 61 6e 64 20 73, like a GIF picture"
    );
    assert_eq!(
        read(Vec::new()).expect_err("not a texture").to_string(),
        "not a .astc, .ktx, .ktx2, .pkm or .dds file: it is empty"
    );
}
