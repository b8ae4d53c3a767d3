//! `.astc`, `.ktx` and `.pkm`, written here as their specifications say and read by the crate.

mod common;

use common::{KtxLayout, Random, astc_bytes, ktx_bytes, ktx2_bytes, pkm_bytes, raw_bytes, shapes, texture};
use texemu_container::{Container, Error, Shape, ShapeDesc, Texture, read, write_atomically};
use texemu_format::{Codec, FORMATS, Numeric, by_name};

#[test]
fn ktx_of_either_byte_order_is_read() {
    for format in FORMATS.iter().filter(|format| format.codec != Codec::AstcHdr) {
        for (seed, shape) in (0..).zip(shapes(format)) {
            for (big_endian, aligned_rows) in [(false, true), (true, true), (false, false), (true, false)] {
                let layout = KtxLayout { big_endian, aligned_rows };
                let original = texture(shape, seed);
                let again =
                    read(ktx_bytes(&original, layout)).unwrap_or_else(|e| panic!("{shape}, {layout:?}: {e}"));
                assert_eq!(again.shape(), &shape, "{layout:?}");
                assert_eq!(again.container(), Container::Ktx);
                assert_eq!(again.notes().orientation.as_deref(), Some("rd"), "{shape}, {layout:?}");
                assert!(raw_bytes(&again) == raw_bytes(&original), "{shape}, {layout:?}: bytes differ");
            }
        }
    }
}

#[test]
fn etc1_is_read_as_etc2() {
    let format = by_name("ETC2_R8G8B8_UNORM_BLOCK").unwrap();
    let original = texture(shapes(format)[1], 8);
    let mut file = ktx_bytes(&original, KtxLayout { big_endian: false, aligned_rows: true });
    const GL_INTERNAL_FORMAT: usize = 28;
    file[GL_INTERNAL_FORMAT..][..4].copy_from_slice(&0x8D64u32.to_le_bytes());
    let again = read(file).unwrap();
    assert_eq!(again.shape(), original.shape());
    assert!(again.notes().etc1);
    let image = texture(shapes(format)[0], 8);
    let again = read(pkm_bytes(&image, b"10", 0)).unwrap();
    assert_eq!(again.shape(), image.shape());
    assert!(again.notes().etc1);
    assert!(raw_bytes(&again) == raw_bytes(&image));
}

#[test]
fn every_astc_footprint_is_read() {
    for format in
        FORMATS.iter().filter(|format| format.codec == Codec::AstcLdr && format.numeric == Numeric::Unorm)
    {
        let desc = ShapeDesc::image(format, 31, 17);
        for desc in [desc, ShapeDesc { extent: [31, 17, 3], is_3d: true, ..desc }] {
            let original = texture(Shape::new(desc).unwrap(), 6);
            let again = read(astc_bytes(&original)).unwrap();
            assert_eq!(again.shape(), original.shape());
            assert_eq!(again.container(), Container::Astc);
            assert!(raw_bytes(&again) == raw_bytes(&original), "{}", format.name);
        }
    }
}

/// The texture types of ETCPACK's `ETC2PACKAGE_...`, in order.
#[test]
fn every_pkm_type_is_read() {
    let names = [
        Some("ETC2_R8G8B8_UNORM_BLOCK"),
        Some("ETC2_R8G8B8_UNORM_BLOCK"),
        None,
        Some("ETC2_R8G8B8A8_UNORM_BLOCK"),
        Some("ETC2_R8G8B8A1_UNORM_BLOCK"),
        Some("EAC_R11_UNORM_BLOCK"),
        Some("EAC_R11G11_UNORM_BLOCK"),
        Some("EAC_R11_SNORM_BLOCK"),
        Some("EAC_R11G11_SNORM_BLOCK"),
        Some("ETC2_R8G8B8_SRGB_BLOCK"),
        Some("ETC2_R8G8B8A8_SRGB_BLOCK"),
        Some("ETC2_R8G8B8A1_SRGB_BLOCK"),
        None,
    ];
    for (kind, name) in (0..).zip(names) {
        let format = by_name(name.unwrap_or("ETC2_R8G8B8A8_UNORM_BLOCK")).unwrap();
        let original = texture(shapes(format)[0], 7);
        let result = read(pkm_bytes(&original, b"20", kind));
        match (name, result) {
            (Some(_), Ok(again)) => {
                assert_eq!(again.shape(), original.shape(), "type {kind}");
                assert!(raw_bytes(&again) == raw_bytes(&original), "type {kind}");
            }
            (Some(_), Err(error)) => panic!("type {kind}: {error}"),
            (None, result) => {
                let error = result.expect_err("no such type").to_string();
                assert!(error.starts_with(&format!("pkm: texture type = {kind}")), "{error}");
            }
        }
        if kind > 0 {
            read(pkm_bytes(&original, b"10", kind)).expect_err("version 10 knows ETC1 alone");
        }
    }
}

#[test]
fn numeric_type_can_be_set() {
    let unorm = by_name("ASTC_8x5_UNORM_BLOCK").unwrap();
    let original = texture(shapes(unorm)[0], 1);
    let mut again = read(astc_bytes(&original)).unwrap();
    for (numeric, name) in [
        (Numeric::Srgb, "ASTC_8x5_SRGB_BLOCK"),
        (Numeric::Sfloat, "ASTC_8x5_SFLOAT_BLOCK"),
        (Numeric::Unorm, "ASTC_8x5_UNORM_BLOCK"),
    ] {
        again.set_numeric(numeric).unwrap();
        assert_eq!(again.format().name, name);
        assert!(raw_bytes(&again) == raw_bytes(&original), "{name}");
    }
    let error = again.set_numeric(Numeric::Snorm).expect_err("no ASTC is signed").to_string();
    assert_eq!(error, "numeric = Snorm: ASTC_8x5_UNORM_BLOCK has no such sibling");
    assert_eq!(again.format().name, "ASTC_8x5_UNORM_BLOCK");
}

#[test]
fn files_are_found_by_content_and_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texture.astc");
    let format = by_name("EAC_R11_SNORM_BLOCK").unwrap();
    let original = texture(shapes(format)[1], 11);
    let bytes = ktx2_bytes(&original, &Default::default()).unwrap();
    let names = || {
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };

    write_atomically::<_, Error>(&path, |out| Ok(std::io::Write::write_all(out, &bytes)?)).unwrap();
    assert_eq!(names(), ["texture.astc"]);
    let again = texemu_container::open(&path).unwrap();
    assert_eq!(again.container(), Container::Ktx2, "the extension says .astc, the content decides");
    assert!(raw_bytes(&again) == raw_bytes(&original));

    let failed: Result<(), Error> = write_atomically(&path, |out| {
        std::io::Write::write_all(out, b"half a file")?;
        Err(std::io::Error::other("the encoder gave up").into())
    });
    assert_eq!(failed.expect_err("fails").to_string(), "the encoder gave up");
    assert_eq!(names(), ["texture.astc"], "nothing is left behind");
    assert!(std::fs::read(&path).unwrap() == bytes, "the old file is untouched");

    let missing = folder.path().join("no such folder/texture.ktx2");
    let failed: Result<(), Error> = write_atomically(&missing, |_| Ok(()));
    assert!(failed.expect_err("fails").to_string().starts_with(&missing.display().to_string()));
    let missing = texemu_container::open(&missing).expect_err("fails").to_string();
    assert!(missing.contains("no such folder/texture.ktx2: "), "{missing}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let plain = folder.path().join("plain");
        std::fs::write(&plain, b"").unwrap();
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&plain), "like any other new file");
    }
}

#[test]
fn every_container_is_known_by_its_extension() {
    for container in Container::ALL {
        let name = format!("a/b.c/{}", container.extension());
        assert_eq!(Container::from_path(&name), None, "{name} has none");
        let name = format!("a/b.{}", container.extension().to_uppercase());
        assert_eq!(Container::from_path(&name), Some(container), "{name}");
    }
    assert_eq!(Container::from_path("a.jpg"), None);
}

#[test]
fn shapes_that_cannot_be_are_refused() {
    let format = by_name("ASTC_4x4_UNORM_BLOCK").unwrap();
    let image = ShapeDesc::image(format, 16, 8);
    let complaint = |desc: ShapeDesc| Shape::new(desc).expect_err("no shape").to_string();
    assert!(complaint(ShapeDesc { extent: [0, 8, 1], ..image }).starts_with("width = 0"));
    assert!(complaint(ShapeDesc { extent: [16, 0, 1], ..image }).starts_with("height = 0"));
    assert!(complaint(ShapeDesc { extent: [16, 8, 0], ..image }).starts_with("depth = 0"));
    assert!(complaint(ShapeDesc { extent: [16, 8, 2], ..image }).starts_with("depth = 2"));
    assert!(complaint(ShapeDesc { levels: 0, ..image }).starts_with("levels = 0"));
    assert_eq!(
        complaint(ShapeDesc { levels: 6, ..image }),
        "levels = 6: an image of 16x8x1 texels has 1 to 5 levels"
    );
    assert!(complaint(ShapeDesc { layers: 0, ..image }).starts_with("layers = 0"));
    assert!(complaint(ShapeDesc { layers: 2, ..image }).starts_with("layers = 2"));
    assert!(complaint(ShapeDesc { is_3d: true, is_array: true, ..image }).starts_with("layers = 1"));
    assert!(complaint(ShapeDesc { faces: 2, ..image }).starts_with("faces = 2"));
    assert!(complaint(ShapeDesc { faces: 6, ..image }).starts_with("faces = 6"));
    let huge = ShapeDesc { extent: [u32::MAX, u32::MAX, u32::MAX], is_3d: true, ..image };
    assert!(complaint(huge).starts_with("extent = 4294967295x4294967295x4294967295"));
    let mut random = Random(0);
    let short = (0..127).map(|_| random.next() as u8).collect();
    let error =
        Texture::from_raw(Shape::new(image).unwrap(), short).expect_err("a byte is missing").to_string();
    assert_eq!(error, "data = 127 bytes: ASTC_4x4_UNORM_BLOCK 16x8 has 128 bytes");
}
