//! What several tests need: textures of known bytes, and the collection of real files.
#![allow(dead_code, reason = "each test uses its share")]

use std::io::Cursor;
use std::path::PathBuf;

use texemu_container::{Error, Ktx2Options, Shape, ShapeDesc, Texture, write_ktx2};
use texemu_format::Format;

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
