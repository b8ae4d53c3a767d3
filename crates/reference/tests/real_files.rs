//! Real textures from public repositories, against the SHA-256 of their decode.
//!
//! The files are not in the repository. They are looked for in the folder that the environment variable
//! `TEXEMU_SHARED` names, then in `../shared` beside the workspace: `data/INDEX.tsv` lists them.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use texemu_container::Subresource;
use texemu_format::Numeric;
use texemu_reference::{Options, decode_image, target};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("TEXEMU_SHARED").map_or(beside, PathBuf::from);
    let data = shared.join("data");
    data.join("INDEX.tsv").is_file().then_some(data)
}

/// A row of the index that has an expected decode.
struct Row {
    file: String,
    texel_type: String,
    bytes: usize,
    sha256: String,
}

fn rows(index: &str) -> Vec<Row> {
    let mut lines = index.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let column = |name: &str| names.iter().position(|&other| other == name).expect("the column");
    let [file, texel_type, bytes, sha256] = ["file", "ref_type", "ref_bytes", "ref_sha256"].map(column);
    lines
        .filter(|row| !row[sha256].is_empty())
        .map(|row| Row {
            file: row[file].to_owned(),
            texel_type: row[texel_type].to_owned(),
            bytes: row[bytes].parse().expect("a number"),
            sha256: row[sha256].to_owned(),
        })
        .collect()
}

#[test]
fn decodes_match_their_hashes() {
    let Some(data) = data() else {
        println!("skipped: set TEXEMU_SHARED to a folder with data/INDEX.tsv");
        return;
    };
    let index = fs::read_to_string(data.join("INDEX.tsv")).expect("the index can be read");
    let mut wrong = Vec::new();
    let rows = rows(&index);
    assert!(rows.len() > 50, "the index lists {} decodes", rows.len());
    for Row { file, texel_type, bytes, sha256 } in &rows {
        let mut texture =
            texemu_container::open(data.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        // An .astc file does not say which profile it is for.
        if texel_type == "RGBA16F" && texture.format().numeric == Numeric::Unorm {
            texture.set_numeric(Numeric::Sfloat).expect("ASTC has HDR siblings");
        }
        let options = Options::default();
        let texel_name = target(texture.format(), &options).expect("a source format").name;
        let expected_name = match texel_type.as_str() {
            "RGBA8" => "R8G8B8A8_",
            "RGBA16F" => "R16G16B16A16_SFLOAT",
            "R16_UNORM" | "R16_SNORM" => texel_type,
            "RG16_UNORM" => "R16G16_UNORM",
            "RG16_SNORM" => "R16G16_SNORM",
            other => panic!("{file}: no texel type {other}"),
        };
        assert!(texel_name.starts_with(expected_name), "{file}: {texel_name}, not {texel_type}");
        let shape = *texture.shape();
        let (mut hash, mut decoded) = (Sha256::new(), 0);
        for level in 0..shape.levels() {
            for (layer, face) in
                (0..shape.layers()).flat_map(|layer| (0..shape.faces()).map(move |face| (layer, face)))
            {
                let blocks = texture.image(Subresource { level, layer, face });
                let texels = decode_image(texture.format(), blocks, shape.level_extent(level), &options)
                    .unwrap_or_else(|error| panic!("{file}: {error}"));
                decoded += texels.len();
                hash.update(&texels);
            }
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if decoded != *bytes || hash != *sha256 {
            wrong.push(format!("{file} ({}): {decoded} bytes, {bytes} expected", texture.format().name));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    println!("{} files match", rows.len());
}
