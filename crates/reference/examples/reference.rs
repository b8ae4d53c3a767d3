//! Blocks and their decode as raw files, for scripts that compare them with other decoders.
//!
//! ```text
//! reference generate FORMAT CLASS COUNT SEED OUT    blocks of CLASS random, legal, corner or mixed
//! reference decode FORMAT WIDTH HEIGHT IN OUT       their texels; FORMAT ending in +float16 decodes UNORM to 16-bit floats
//! reference time FORMAT WIDTH HEIGHT IN THREADS     million texels decoded a second, the best of ten runs
//! reference inspect FORMAT IN OUT                   a byte a block: bit 0 legal, bit 1 with HDR content, bit 2 void extent
//! ```

use std::error::Error;
use std::fs;
use std::time::Instant;

use texemu_format::Format;
use texemu_reference::astc::{Block, inspect};
use texemu_reference::blocks::{Class, generate};
use texemu_reference::{Options, decode_image, decode_into};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["generate", name, class, count, seed, output] => {
            let class = match class {
                "random" => Class::Random,
                "legal" => Class::Legal,
                "corner" => Class::Corner,
                "mixed" => Class::Mixed,
                _ => return Err(format!("no class {class}").into()),
            };
            fs::write(output, generate(format(name)?, class, count.parse()?, seed.parse()?))?;
        }
        ["decode", name, width, height, input, output] => {
            let options = Options { float16: name.ends_with("+float16"), ..Options::default() };
            let name = name.trim_end_matches("+float16");
            let extent = [width.parse()?, height.parse()?, 1];
            fs::write(output, decode_image(format(name)?, &fs::read(input)?, extent, &options)?)?;
        }
        ["time", name, width, height, input, threads] => {
            let (format, extent) = (format(name)?, [width.parse()?, height.parse()?, 1]);
            let options = Options { threads: threads.parse()?, ..Options::default() };
            let blocks = fs::read(input)?;
            let mut texels = decode_image(format, &blocks, extent, &options)?;
            let mut best = f64::INFINITY;
            for _ in 0..10 {
                let start = Instant::now();
                decode_into(format, &blocks, extent, &options, &mut texels)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{:.1} Mtexel/s", f64::from(extent[0]) * f64::from(extent[1]) / best / 1e6);
        }
        ["inspect", name, input, output] => {
            let footprint = format(name)?.footprint;
            let blocks = fs::read(input)?;
            let kinds: Vec<u8> = blocks.as_chunks().0.iter().map(|block| kind(block, footprint)).collect();
            fs::write(output, kinds)?;
        }
        _ => return Err("usage: see the top of this file".into()),
    }
    Ok(())
}

fn format(name: &str) -> Result<&'static Format, String> {
    texemu_format::by_name(name).ok_or_else(|| format!("no format {name}"))
}

fn kind(block: &[u8; 16], footprint: [u32; 2]) -> u8 {
    match inspect(block, footprint) {
        Err(_) => 0,
        Ok(Block::Void(extent)) => 1 | u8::from(extent.hdr) << 1 | 1 << 2,
        Ok(Block::Coded(coded)) => {
            let hdr = coded.endpoint_modes().iter().any(|mode| matches!(mode, 2 | 3 | 7 | 11 | 14 | 15));
            1 | u8::from(hdr) << 1
        }
    }
}
