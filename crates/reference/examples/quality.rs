//! The table of `docs/quality.md`: what the encoders reach, beside other encoders, on the project's pictures and on
//! photographs if they are there.
//!
//! ```text
//! cargo run --release -p texemu-reference --example quality [STRIPS]
//! ```
//!
//! With STRIPS one row of a photograph's blocks in so many is encoded.

#[path = "../tests/common/quality.rs"]
mod quality;

use std::error::Error;

use quality::{Kind, Picture, Quality, encoded, measure, own, photographs};
use texemu_format::Format;
use texemu_reference::encode::Effort;

// The peers' object files need the C++ runtime.
#[link(name = "stdc++")]
unsafe extern "C" {}

fn main() -> Result<(), Box<dyn Error>> {
    let strips = std::env::args().nth(1).map_or(Ok(1), |strips| strips.parse())?;
    println!("| picture | target | encoder | color dB | alpha dB |\n|---|---|---|---|---|");
    for picture in photographs(strips).iter().chain(&own()) {
        for target in picture.kind.targets() {
            let format = texemu_format::by_name(target).ok_or("the table has it")?;
            for (name, blocks) in peers(picture, format) {
                row(picture, target, name, measure(picture, format, &blocks));
            }
            for effort in [Effort::Fast, Effort::High] {
                row(picture, target, &format!("**texemu {effort:?}**"), encoded(picture, format, effort));
            }
        }
    }
    Ok(())
}

fn row(picture: &Picture, target: &str, encoder: &str, quality: Quality) {
    let target = target.trim_end_matches("_BLOCK");
    let alpha = quality.alpha.map_or(String::from("-"), |alpha| format!("{alpha:.2}"));
    println!("| {} | {target} | {encoder} | {:.2} | {alpha} |", picture.name, quality.color);
}

/// What other encoders make of a picture.
fn peers(picture: &Picture, target: &Format) -> Vec<(&'static str, Vec<u8>)> {
    use intel_tex_2::{RgbaSurface, bc3, bc6h, bc7};
    let [width, height] = picture.extent;
    let bytes = if picture.kind == Kind::Rgba16f { 8 } else { 4 };
    let surface = RgbaSurface { data: &picture.texels, width, height, stride: width * bytes };
    let texpresso = |algorithm| {
        let params = texpresso::Params { algorithm, weights: [1.0; 3], ..texpresso::Params::default() };
        let mut blocks = vec![0; (width * height) as usize];
        let size = [width, height].map(|size| size as usize);
        texpresso::Format::Bc3.compress(&picture.texels, size[0], size[1], params, &mut blocks);
        blocks
    };
    match target.name {
        "BC3_UNORM_BLOCK" => vec![
            ("texpresso range fit", texpresso(texpresso::Algorithm::RangeFit)),
            ("intel_tex_2", bc3::compress_blocks(&surface)),
            ("texpresso cluster fit", texpresso(texpresso::Algorithm::ClusterFit)),
        ],
        "BC6H_UFLOAT_BLOCK" => vec![
            ("intel_tex_2 very_fast", bc6h::compress_blocks(&bc6h::very_fast_settings(), &surface)),
            ("intel_tex_2 fast", bc6h::compress_blocks(&bc6h::fast_settings(), &surface)),
            ("intel_tex_2 basic", bc6h::compress_blocks(&bc6h::basic_settings(), &surface)),
        ],
        "BC7_UNORM_BLOCK" => vec![
            (
                "intel_tex_2 alpha_ultra_fast",
                bc7::compress_blocks(&bc7::alpha_ultra_fast_settings(), &surface),
            ),
            ("intel_tex_2 alpha_very_fast", bc7::compress_blocks(&bc7::alpha_very_fast_settings(), &surface)),
            ("intel_tex_2 alpha_fast", bc7::compress_blocks(&bc7::alpha_fast_settings(), &surface)),
        ],
        _ => Vec::new(),
    }
}
