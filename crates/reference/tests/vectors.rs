//! Blocks with the hash of what other decoders make of them. `scripts/oracle_vectors.py` wrote them and says
//! which decoder is the oracle of which format.

use std::fs;
use std::path::Path;

use texemu_reference::{Options, decode_block, target};

/// 64-bit FNV-1a.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn decodes_match_other_decoders() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let (mut files, mut checked, mut wrong) = (0, 0, Vec::new());
    for entry in fs::read_dir(folder).expect("the vectors are there") {
        let text = fs::read_to_string(entry.expect("can be listed").path()).expect("can be read");
        files += 1;
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        let formats: Vec<_> = header
            .split(' ')
            .skip(1)
            .map(|name| {
                let options = Options { float16: name.ends_with("+float16"), ..Options::default() };
                (
                    texemu_format::by_name(name.trim_end_matches("+float16")).expect("the table has it"),
                    options,
                )
            })
            .collect();
        for line in lines {
            let mut fields = line.split(' ');
            let block = bytes(fields.next().expect("a block"));
            for ((format, options), hash) in formats.iter().zip(fields) {
                let texel = target(format, options).expect("a source format").block_bytes;
                let mut texels = vec![0; (format.footprint[0] * format.footprint[1] * texel) as usize];
                decode_block(format, &block, options, &mut texels).expect("sizes match");
                checked += 1;
                if fnv1a(&texels) != u64::from_str_radix(hash, 16).expect("hexadecimal") {
                    wrong.push(format!("{} {:?}: {block:02x?}", format.name, options));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(files == 14 + 7 && checked > 17_000, "{checked} decodes in {files} files");
}
