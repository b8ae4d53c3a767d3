//! Files of many writers, found in public repositories: each parses to the shape that its index lists.

mod common;

use std::collections::HashMap;

use texemu_container::{Container, Error, Texture};
use texemu_format::{Codec, Numeric};

/// One row of `INDEX.tsv` by its column names.
struct Row(HashMap<String, String>);

impl Row {
    fn text(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    fn number(&self, column: &str) -> u32 {
        self.text(column).parse().unwrap_or_else(|_| panic!("{}: {column}", self.text("file")))
    }
}

fn rows(index: &str) -> Vec<Row> {
    let mut lines = index.lines();
    let columns: Vec<_> = lines.next().expect("a line of column names").split('\t').collect();
    lines
        .map(|line| Row(columns.iter().zip(line.split('\t')).map(|(&c, v)| (c.into(), v.into())).collect()))
        .collect()
}

/// `ETC2_RGB8A1_SRGB` or `ASTC_6x6` of the index as a codec, footprint and numeric type of the table.
fn meaning(name: &str) -> (Codec, Option<[u32; 2]>, Option<Numeric>) {
    let mut parts = name.split('_');
    let family = parts.next();
    let kind = parts.next().expect("a name of two parts");
    let numeric = parts.next().map(|suffix| match suffix {
        "UNORM" => Numeric::Unorm,
        "SRGB" => Numeric::Srgb,
        "SNORM" => Numeric::Snorm,
        "SFLOAT" => Numeric::Sfloat,
        other => panic!("{other} in {name}"),
    });
    let codec = match (family, kind) {
        (Some("ASTC"), footprint) => {
            let sizes: Vec<u32> = footprint.split('x').map(|size| size.parse().expect("a size")).collect();
            let codec = if numeric == Some(Numeric::Sfloat) { Codec::AstcHdr } else { Codec::AstcLdr };
            return (codec, Some([sizes[0], sizes[1]]), numeric);
        }
        (Some("ETC1" | "ETC2"), "RGB8") => Codec::Etc2Rgb,
        (Some("ETC2"), "RGB8A1") => Codec::Etc2RgbA1,
        (Some("ETC2"), "RGBA8") => Codec::Etc2Rgba,
        (Some("EAC"), "R11") => Codec::EacR,
        (Some("EAC"), "RG11") => Codec::EacRg,
        other => panic!("{other:?}"),
    };
    (codec, None, numeric)
}

fn check(row: &Row, texture: &Texture) {
    let file = row.text("file");
    let shape = texture.shape();
    assert_eq!(shape.extent(), [row.number("w"), row.number("h"), row.number("d")], "extent of {file}");
    // The index counts 0 layers where the container says "not an array"; .astc and .pkm cannot say.
    let layers = row.number("layers(0=not array)");
    assert_eq!(shape.layers(), layers.max(1), "layers of {file}");
    if matches!(texture.container(), Container::Ktx | Container::Ktx2) {
        assert_eq!(shape.is_array(), layers > 0, "array or not: {file}");
    }
    assert_eq!(shape.faces(), row.number("faces"), "faces of {file}");
    assert_eq!(shape.levels(), row.number("levels"), "levels of {file}");
    let (codec, footprint, numeric) = meaning(row.text("format"));
    assert_eq!(texture.format().codec, codec, "codec of {file}");
    assert_eq!(texture.format().footprint, footprint.unwrap_or([4, 4]), "footprint of {file}");
    assert_eq!(texture.format().numeric, numeric.unwrap_or(Numeric::Unorm), "numeric type of {file}");
    let blocks: u64 = row.text("blocks").parse().expect("a count of blocks");
    assert_eq!(shape.bytes(), blocks * u64::from(texture.format().block_bytes), "blocks of {file}");
}

#[test]
fn real_files_parse_to_what_the_index_says() {
    let Some(shared) = common::shared() else { return };
    let index = std::fs::read_to_string(shared.join("data/INDEX.tsv")).expect("the index");
    let mut parsed = 0;
    for row in rows(&index) {
        let file = row.text("file");
        let result = texemu_container::open(shared.join("data").join(file));
        let refused =
            row.text("notes").contains("malformed on purpose") || row.text("format").contains("3x3x3");
        match result {
            Ok(_) if refused => panic!("{file} must be refused"),
            Err(error) if refused => assert!(names_a_field(&error), "{file}: {error}"),
            Ok(texture) => check(&row, &texture),
            Err(error) => panic!("{file}: {error}"),
        }
        parsed += 1;
    }
    assert!(parsed > 60, "only {parsed} rows in the index");
}

fn names_a_field(error: &Error) -> bool {
    let text = error.to_string();
    match error {
        Error::UnknownContainer { .. } => text.contains("starts with"),
        Error::Unsupported { value, .. } => {
            text.contains("vkFormat") && value.contains("VK_FORMAT_ASTC_3x3x3_UNORM_BLOCK_EXT")
        }
        Error::PastEnd { field, .. } => text.contains(field.as_str()) && field.contains("xsize"),
        _ => false,
    }
}
