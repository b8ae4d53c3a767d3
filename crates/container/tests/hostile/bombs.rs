//! Levels that decompress to more or less than their header says.

use texemu_container::{Shape, ShapeDesc, Texture};
use texemu_format::by_name;

use crate::attack;
use crate::common::{ktx2_bytes, supercompressed, zlib};
use crate::meter::alone;
use crate::victims::OPTIONS;

/// A level of zeros that is compressed a thousandfold: taken where the shape says so, refused where it says less or more.
#[test]
fn bombs_are_defused() {
    let _one = alone();
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
