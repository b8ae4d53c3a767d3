//! What several tests need: textures of known bytes, and the collection of real files.
#![allow(dead_code, reason = "each test uses its share")]

use std::io::{Cursor, Write};
use std::path::PathBuf;

use texemu_container::{Error, Ktx2Options, Shape, ShapeDesc, Subresource, Texture, write_ktx2};
use texemu_format::{Codec, Format};

/// The folder of real files: `TEXEMU_SHARED`, or `shared` beside the repository. `None` is printed with its reason.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("TEXEMU_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    if folder.join("data/INDEX.tsv").is_file() {
        return Some(folder);
    }
    println!("skipped: {} has no data/INDEX.tsv (set TEXEMU_SHARED)", folder.display());
    None
}

/// A small generator of well-spread bytes (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Every kind of shape: 2D, with levels, array, cube map, cube map array, 3D; none a multiple of a footprint.
pub(crate) fn shapes(format: &'static Format) -> Vec<Shape> {
    let image = ShapeDesc::image(format, 29, 13);
    let cube = ShapeDesc { extent: [19, 19, 1], faces: 6, ..image };
    [
        image,
        ShapeDesc { levels: 5, ..image },
        ShapeDesc { layers: 1, is_array: true, ..image },
        ShapeDesc { levels: 2, layers: 3, is_array: true, ..image },
        ShapeDesc { levels: 5, ..cube },
        ShapeDesc { levels: 2, layers: 2, is_array: true, ..cube },
        ShapeDesc { extent: [29, 13, 5], levels: 3, is_3d: true, ..image },
        ShapeDesc { is_3d: true, ..image },
    ]
    .map(|desc| Shape::new(desc).expect("a shape that can be"))
    .to_vec()
}

/// A texture of random bytes.
pub(crate) fn texture(shape: Shape, seed: u64) -> Texture {
    let mut random = Random(seed);
    let data = (0..shape.bytes()).map(|_| random.next() as u8).collect();
    Texture::from_raw(shape, data).expect("as many bytes as the shape has")
}

/// The `.ktx2` file of a texture.
pub(crate) fn ktx2_bytes(texture: &Texture, options: &Ktx2Options<'_>) -> Result<Vec<u8>, Error> {
    let mut file = Cursor::new(Vec::new());
    write_ktx2(&mut file, texture.shape(), options, |at, out| texture.write_image(at, out))?;
    Ok(file.into_inner())
}

/// All bytes of a texture in the order of raw output.
pub(crate) fn raw_bytes(texture: &Texture) -> Vec<u8> {
    texture.shape().images().flat_map(|at| texture.image(at).iter().copied()).collect()
}

/// Another supercompression of a `.ktx2` file without any: each level goes through `compress`.
pub(crate) fn supercompressed(file: &[u8], scheme: u32, compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    const SCHEME: usize = 44;
    const INDEX: usize = 80;
    const ENTRY: usize = 24;
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let levels = u32::from_le_bytes(file[40..44].try_into().unwrap()) as usize;
    let first = word(INDEX + (levels - 1) * ENTRY);
    let mut out = file[..first].to_vec();
    out[SCHEME..][..4].copy_from_slice(&scheme.to_le_bytes());
    for level in (0..levels).rev() {
        let entry = INDEX + level * ENTRY;
        let compressed = compress(&file[word(entry)..][..word(entry + 8)]);
        let offset = out.len() as u64;
        out[entry..][..8].copy_from_slice(&offset.to_le_bytes());
        out[entry + 8..][..8].copy_from_slice(&(compressed.len() as u64).to_le_bytes());
        out.extend(compressed);
    }
    out
}

/// A zlib stream of `bytes`.
pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Which of the layouts that KTX 1 files come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KtxLayout {
    pub(crate) big_endian: bool,
    /// Rows aligned to 4 bytes, as the specification asks; some writers do not.
    pub(crate) aligned_rows: bool,
}

/// The `.ktx` file of a texture, written as the KTX 1 specification says.
pub(crate) fn ktx_bytes(texture: &Texture, layout: KtxLayout) -> Vec<u8> {
    let shape = texture.shape();
    let format = shape.format();
    let word = |value: u32| if layout.big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let component = match format.codec {
        Codec::R16 | Codec::Rg16 | Codec::Rgba16f => 2,
        Codec::R32f | Codec::Rg32f => 4,
        _ => 1,
    };
    let mut file = vec![0xAB, b'K', b'T', b'X', b' ', b'1', b'1', 0xBB, b'\r', b'\n', 0x1A, b'\n'];
    let pair = b"KTXorientation\0S=r,T=d\0";
    let pair_bytes = 4 + pair.len().next_multiple_of(4);
    for value in [
        0x0403_0201,
        0,
        component,
        0,
        format.gl_internal_format,
        0,
        shape.extent()[0],
        shape.extent()[1],
        if shape.is_3d() { shape.extent()[2] } else { 0 },
        if shape.is_array() { shape.layers() } else { 0 },
        shape.faces(),
        shape.levels(),
        pair_bytes as u32,
    ] {
        file.extend(word(value));
    }
    file.extend(word(pair.len() as u32));
    file.extend(pair);
    file.resize(file.len().next_multiple_of(4), 0);
    for level in 0..shape.levels() {
        let row_bytes = shape.row_bytes(level) as usize;
        let pad = if layout.aligned_rows { row_bytes.next_multiple_of(4) - row_bytes } else { 0 };
        let images: Vec<Vec<u8>> = shape
            .images()
            .filter(|at| at.level == level)
            .map(|at| {
                let mut bytes = texture.image(at).to_vec();
                if layout.big_endian {
                    bytes.chunks_exact_mut(component as usize).for_each(<[u8]>::reverse);
                }
                let padded = |row: &[u8]| {
                    row.iter().copied().chain(std::iter::repeat_n(0xEE, pad)).collect::<Vec<_>>()
                };
                bytes.chunks_exact(row_bytes).flat_map(padded).collect()
            })
            .collect();
        let is_cube = shape.faces() == 6 && !shape.is_array();
        let counted = if is_cube { 1 } else { images.len() };
        file.extend(word((images[0].len() * counted) as u32));
        for image in images {
            file.extend(image);
            if is_cube {
                file.resize(file.len().next_multiple_of(4), 0xEE);
            }
        }
        file.resize(file.len().next_multiple_of(4), 0xEE);
    }
    file
}

/// The `.astc` file of the first image of a texture.
pub(crate) fn astc_bytes(texture: &Texture) -> Vec<u8> {
    let [x, y] = texture.format().footprint;
    let mut file = vec![0x13, 0xAB, 0xA1, 0x5C, x as u8, y as u8, 1];
    file.extend(texture.shape().extent().into_iter().flat_map(|size| size.to_le_bytes().into_iter().take(3)));
    file.extend(texture.image(Subresource::default()));
    file
}

/// The `.pkm` file of the first image of a texture, with the given version and texture type.
pub(crate) fn pkm_bytes(texture: &Texture, version: &[u8; 2], kind: u16) -> Vec<u8> {
    let [width, height, _] = texture.shape().extent();
    let mut file = b"PKM ".to_vec();
    file.extend(version);
    for value in [kind.into(), width.next_multiple_of(4), height.next_multiple_of(4), width, height] {
        file.extend((value as u16).to_be_bytes());
    }
    file.extend(texture.image(Subresource::default()));
    file
}
