//! How well the encoders do, held to `quality_baseline.tsv`: 0.05 dB less fails, and so does High below Fast.
//!
//! `TEXEMU_UPDATE_BASELINE=1` writes what is measured into the file; do so when an encoder became better.

#[path = "common/quality.rs"]
mod quality;

use std::collections::BTreeMap;
use std::path::Path;

use quality::{Picture, encoded, own, photographs};
use texemu_reference::encode::Effort;

/// What may be lost before the test fails, dB.
const SLACK: f64 = 0.05;

/// One row of photographs' blocks in so many is encoded.
const STRIPS: u32 = 40;

type Baseline = BTreeMap<[String; 3], [f64; 2]>;

fn read(text: &str) -> Baseline {
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [picture, target, effort, color, alpha] = columns[..] else {
            panic!("a row of five columns: {line}")
        };
        let ratios = [color, alpha].map(|ratio| ratio.parse().expect("a ratio in dB"));
        ([picture, target, effort].map(str::to_owned), ratios)
    };
    text.lines().skip(1).map(row).collect()
}

fn write(baseline: &Baseline) -> String {
    let mut text = String::from("picture\ttarget\teffort\tcolor dB\talpha dB\n");
    for ([picture, target, effort], [color, alpha]) in baseline {
        text += &format!("{picture}\t{target}\t{effort}\t{color:.3}\t{alpha:.3}\n");
    }
    text
}

fn measured(pictures: &[Picture]) -> Baseline {
    let mut found = Baseline::new();
    for picture in pictures {
        for target in picture.kind.targets() {
            let format = texemu_format::by_name(target).expect("the table has it");
            for effort in [Effort::Fast, Effort::High] {
                let quality = encoded(picture, format, effort);
                let key = [picture.name.clone(), (*target).to_owned(), format!("{effort:?}")];
                // No alpha in the blocks counts as 99 dB.
                found.insert(key, [quality.color, quality.alpha.unwrap_or(99.0)]);
            }
        }
    }
    found
}

fn check(pictures: &[Picture], file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
    let found = measured(pictures);
    if std::env::var_os("TEXEMU_UPDATE_BASELINE").is_some() {
        std::fs::write(&path, write(&found)).expect("the baseline can be written");
        return;
    }
    let baseline = read(&std::fs::read_to_string(&path).expect("the baseline is there"));
    assert!(found.keys().eq(baseline.keys()), "{file} has other rows than were measured");
    let mut lost = Vec::new();
    for (key, now) in &found {
        for (now, was, what) in [(now[0], baseline[key][0], "color"), (now[1], baseline[key][1], "alpha")] {
            println!("{} {what}: {now:.3} dB, was {was:.3}", key.join(" "));
            if now < was - SLACK {
                lost.push(format!("{} {what}: {now:.3} dB, was {was:.3}", key.join(" ")));
            }
        }
    }
    for ([picture, target, effort], [fast, _]) in found.iter().filter(|([.., effort], _)| effort == "Fast") {
        let [high, _] = found[&[picture.clone(), target.clone(), "High".to_owned()]];
        if high < *fast {
            lost.push(format!("{picture} {target}: {high:.3} dB at High, {fast:.3} at {effort}"));
        }
    }
    assert!(lost.is_empty(), "quality was lost:\n{}", lost.join("\n"));
}

#[test]
fn own_pictures_keep_their_quality() {
    check(&own(), "quality_baseline.tsv");
}

#[test]
fn photographs_keep_their_quality() {
    let pictures = photographs(STRIPS);
    if !pictures.is_empty() {
        check(&pictures, "quality_baseline_photographs.tsv");
    }
}
