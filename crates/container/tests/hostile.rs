//! Files that lie: cut short, with any field or bit changed, claiming sizes that no memory holds. A reader answers with an
//! error that names the container, or with a texture whose every image is there; it neither panics nor takes memory for what the
//! file does not have.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::{
    KtxLayout, Random, astc_bytes, ktx_bytes, ktx2_bytes, pkm_bytes, raw_bytes, supercompressed, texture,
    zlib,
};
use proptest::prelude::{ProptestConfig, any, proptest};
use texemu_container::{
    Container, Error, Ktx2Options, Limits, Shape, ShapeDesc, Texture, read, read_with, write_dds,
};
use texemu_format::by_name;

/// What the readers may decompress to in these tests.
const LIMITS: Limits = Limits { bytes: 8 << 20 };
/// What a reader may take besides the file and what it decompresses to.
const SLACK_BYTES: usize = 2 << 20;

/// A writer whose name does not change with the version, so that files keep their size.
const OPTIONS: Ktx2Options<'_> =
    Ktx2Options { zstd: false, writer: "a test", orientation: None, premultiplied: false };

/// The heap in use, and the most that was since the last look.
struct Meter {
    now: AtomicUsize,
    peak: AtomicUsize,
}

static METER: Meter = Meter { now: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

struct Metered;

// SAFETY: every request goes to the system's allocator as it came; the counting touches no memory of it.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = METER.now.fetch_add(layout.size(), Relaxed) + layout.size();
        METER.peak.fetch_max(now, Relaxed);
        // SAFETY: the caller's promise about `layout` is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        METER.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `pointer` came from `alloc` above with this layout, as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved by their pages, never held twice.
        let now = METER.now.fetch_add(size, Relaxed) + size - layout.size();
        METER.now.fetch_sub(layout.size(), Relaxed);
        METER.peak.fetch_max(now, Relaxed);
        // SAFETY: `pointer` came from `alloc` above with this layout, as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Metered = Metered;

/// One test at a time looks at the meter.
static ONE: Mutex<()> = Mutex::new(());

/// Reads `bytes`, and checks what must hold of any answer. `bytes` are copied, so the peak counts the file too.
fn attack(bytes: &[u8]) -> Result<Texture, Error> {
    let before = METER.now.load(Relaxed);
    METER.peak.store(before, Relaxed);
    let result = read_with(bytes.to_vec(), LIMITS);
    let taken = METER.peak.load(Relaxed) - before;
    let decompressed = result.as_ref().map_or(LIMITS.bytes, |texture| texture.shape().bytes()) as usize;
    assert!(
        taken <= bytes.len() + decompressed + SLACK_BYTES,
        "{taken} bytes of heap for a file of {} that has {decompressed}",
        bytes.len()
    );
    match &result {
        Ok(texture) => assert_eq!(raw_bytes(texture).len() as u64, texture.shape().bytes()),
        Err(error) => {
            let container = Container::detect(bytes).map_or("not a ", |container| container.extension());
            assert!(error.to_string().starts_with(container), "{error}");
        }
    }
    result
}

/// Small files of every container and of every way to store levels, each read well as it is.
fn victims() -> Vec<(&'static str, Vec<u8>)> {
    let format = |name| by_name(name).unwrap();
    let of = |desc| texture(Shape::new(desc).unwrap(), 21);
    let astc = ShapeDesc { levels: 3, ..ShapeDesc::image(format("ASTC_5x4_SRGB_BLOCK"), 11, 9) };
    let cubes = ShapeDesc { extent: [9, 9, 1], levels: 2, layers: 2, faces: 6, is_array: true, ..astc };
    let cube = ShapeDesc { format: format("R16_UNORM"), levels: 3, extent: [5, 5, 1], faces: 6, ..astc };
    let volume = ShapeDesc {
        format: format("EAC_R11G11_UNORM_BLOCK"),
        extent: [6, 5, 4],
        levels: 2,
        is_3d: true,
        ..astc
    };
    let bc = ShapeDesc { format: format("BC3_SRGB_BLOCK"), ..cubes };
    let etc = ShapeDesc::image(format("ETC2_R8G8B8_UNORM_BLOCK"), 7, 6);
    let little = KtxLayout { big_endian: false, aligned_rows: true };
    let big = KtxLayout { big_endian: true, aligned_rows: true };
    let plain = |desc| ktx2_bytes(&of(desc), &OPTIONS).unwrap();
    let dds = |desc| {
        let texture = of(desc);
        let mut file = Vec::new();
        write_dds(&mut file, texture.shape(), |at, out| texture.write_image(at, out)).unwrap();
        file
    };
    // As DX10, but with the older header: that of a format which both can name.
    let mut legacy = dds(ShapeDesc { format: format("BC1_RGBA_UNORM_BLOCK"), ..astc });
    legacy.drain(128..148);
    legacy[84..88].copy_from_slice(b"DXT1");
    vec![
        ("astc", astc_bytes(&of(ShapeDesc { format: format("ASTC_5x4_UNORM_BLOCK"), levels: 1, ..astc }))),
        ("pkm 1.0", pkm_bytes(&of(etc), b"10", 0)),
        ("pkm 2.0", pkm_bytes(&of(etc), b"20", 9)),
        ("ktx", ktx_bytes(&of(astc), little)),
        ("ktx array of cubes", ktx_bytes(&of(cubes), little)),
        ("ktx big-endian cube of padded rows", ktx_bytes(&of(cube), big)),
        ("ktx volume", ktx_bytes(&of(volume), big)),
        ("ktx2", plain(astc)),
        ("ktx2 array of cubes", plain(cubes)),
        ("ktx2 cube", plain(cube)),
        ("ktx2 volume", plain(volume)),
        ("ktx2 zstd", ktx2_bytes(&of(astc), &Ktx2Options { zstd: true, ..OPTIONS }).unwrap()),
        ("ktx2 zlib", supercompressed(&plain(cubes), 3, zlib)),
        ("dds", dds(bc)),
        ("dds legacy", legacy),
    ]
}

#[test]
fn files_cut_short_are_refused() {
    let _one = ONE.lock().unwrap_or_else(|poison| poison.into_inner());
    for (name, file) in victims() {
        attack(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        // KTX 1 ends in the padding of its last level, which nobody reads.
        let padding = if name == "ktx big-endian cube of padded rows" { 3 } else { 0 };
        for length in 0..file.len() - padding {
            let result = attack(&file[..length]);
            assert!(result.is_err(), "{name}: {length} of {} bytes are enough", file.len());
        }
    }
}

#[test]
fn any_header_word_may_lie() {
    let _one = ONE.lock().unwrap_or_else(|poison| poison.into_inner());
    const VALUES: [u32; 16] = [
        0,
        1,
        2,
        3,
        6,
        7,
        13,
        31,
        255,
        0xFFFF,
        0x1_0000,
        0x00FF_FFFF,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFFE,
        0xFFFF_FFFF,
    ];
    let mut refused = 0;
    for (_, file) in victims() {
        for at in (0..file.len().min(400) - 8).step_by(2) {
            for value in VALUES {
                for bytes in [value.to_le_bytes(), value.to_be_bytes()] {
                    let mut file = file.clone();
                    file[at..][..4].copy_from_slice(&bytes);
                    refused += u32::from(attack(&file).is_err());
                    // The same in the upper half of a 64-bit field.
                    file[at + 4..][..4].copy_from_slice(&bytes);
                    refused += u32::from(attack(&file).is_err());
                }
            }
        }
    }
    assert!(refused > 10_000, "only {refused} lies were noticed");
}

/// The same mutations every time; `TEXEMU_FUZZ` multiplies their number.
#[test]
fn mutations_are_survived() {
    let _one = ONE.lock().unwrap_or_else(|poison| poison.into_inner());
    let rounds = std::env::var("TEXEMU_FUZZ").ok().and_then(|times| times.parse().ok()).unwrap_or(1) * 2_000;
    let mut random = Random(0x7E7E);
    let victims = victims();
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..rounds {
        for (_, file) in &victims {
            let mut file = file.clone();
            for _ in 0..1 + random.below(4) {
                // Headers matter more than texels.
                let end = if random.below(4) == 0 { file.len() } else { file.len().min(260) } as u64;
                let at = random.below(end) as usize;
                match random.below(6) {
                    0 => file[at] ^= 1 << random.below(8),
                    1 => file[at] = random.next() as u8,
                    2 => file[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5) as usize],
                    3 => {
                        let to = random.below(end) as usize;
                        let length = (1 + random.below(8) as usize).min(file.len() - at.max(to));
                        file.copy_within(at..at + length, to);
                    }
                    4 => {
                        file.insert(at, random.next() as u8);
                    }
                    _ => {
                        file.remove(at);
                    }
                }
                if file.is_empty() {
                    break;
                }
            }
            match attack(&file) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > rounds && accepted > rounds, "{refused} refused, {accepted} accepted");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn noise_after_a_magic_is_survived(which in 0usize..5, noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _one = ONE.lock().unwrap_or_else(|poison| poison.into_inner());
        let victims = victims();
        let names = ["astc", "pkm 2.0", "ktx", "ktx2", "dds"];
        let (_, file) = victims.iter().find(|(name, _)| *name == names[which]).expect("a victim");
        let magic = if names[which].starts_with("ktx") { 12 } else { 4 };
        let mut bytes = file[..magic].to_vec();
        bytes.extend(noise);
        let _ = attack(&bytes);
    }
}

/// A level of zeros that is compressed a thousandfold: taken where the shape says so, refused where it says less or more.
#[test]
fn bombs_are_defused() {
    let _one = ONE.lock().unwrap_or_else(|poison| poison.into_inner());
    let format = by_name("ASTC_4x4_UNORM_BLOCK").unwrap();
    let black = |size: u32| {
        let shape = Shape::new(ShapeDesc::image(format, size, size)).unwrap();
        Texture::from_raw(shape, vec![0; shape.bytes() as usize]).unwrap()
    };
    const LEVEL_BYTES: usize = 4 << 20;
    let texture = black(2048);
    assert_eq!(texture.level(0).len(), LEVEL_BYTES);
    let plain = ktx2_bytes(&texture, &OPTIONS).unwrap();
    let zstd = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).unwrap();
    let two_frames = |bytes: &[u8]| {
        let (head, tail) = bytes.split_at(1000);
        [zstd(head), zstd(tail)].concat()
    };
    type Compress<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let schemes: [(u32, &str, Compress<'_>); 3] =
        [(2, "Zstandard", &zstd), (2, "Zstandard", &two_frames), (3, "ZLIB", &zlib)];
    for (scheme, name, compress) in schemes {
        let good = attack(&supercompressed(&plain, scheme, compress)).unwrap();
        assert!(good.level(0) == texture.level(0), "{name}");

        let more = supercompressed(&plain, scheme, |bytes| compress(&[bytes, &[0; 1 << 20]].concat()));
        let error = attack(&more).expect_err("a mebibyte too much").to_string();
        assert!(error.contains(&format!("level 0: {name} data of ")), "{error}");
        assert!(error.contains("decompresses to more than the level's 4194304 bytes"), "{error}");

        let less = supercompressed(&plain, scheme, |bytes| compress(&bytes[..LEVEL_BYTES - 1]));
        let error = attack(&less).expect_err("a byte too little").to_string();
        assert!(error.contains("decompresses to 4194303 of the level's 4194304 bytes"), "{error}");

        let trailing =
            supercompressed(&plain, scheme, |bytes| [compress(bytes), b"and more".to_vec()].concat());
        attack(&trailing).expect_err("bytes after the end");

        // Claims what the limit forbids, whatever the data says.
        let mut claim = supercompressed(&plain, scheme, compress);
        claim[20..24].copy_from_slice(&65536u32.to_le_bytes());
        claim[96..104].copy_from_slice(&(128u64 << 20).to_le_bytes());
        let error = attack(&claim).expect_err("past the limit").to_string();
        let text =
            "ktx2: decompressing ASTC_4x4_UNORM_BLOCK 65536x2048 needs 134217728 bytes; the limit is 8388608";
        assert_eq!(error, text);
    }
    // A checksum that does not match is noticed although every byte of the level is there.
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut encoder, texture.level(0)).unwrap();
    let mut frame = encoder.finish().unwrap();
    *frame.last_mut().unwrap() ^= 1;
    attack(&supercompressed(&plain, 2, |_| frame.clone())).expect_err("a wrong checksum");
}

/// The words of the errors, one of each kind and container.
#[test]
fn errors_name_the_field_and_its_value() {
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
        "not a .astc, .ktx, .ktx2, .pkm or .dds file: it starts with 47 49 46 38 39 61 20 61 6e 64 20 73"
    );
    assert_eq!(
        read(Vec::new()).expect_err("not a texture").to_string(),
        "not a .astc, .ktx, .ktx2, .pkm or .dds file: it starts with nothing"
    );
}
