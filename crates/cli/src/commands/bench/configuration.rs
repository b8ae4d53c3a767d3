//! The configurations a benchmark compares, and how they are written.

use super::work::Work;
use crate::engine::dummy_job;
use crate::target::granularity_name;
use texemu_format::Format;
use texemu_transcode::{Choice, Configuration, Granularity, Options, SourceKind, Staging, Transcoder};

/// For instance `tile 32/128 2,1 bytes`: blocks and threads a workgroup, lanes, staging; or `tile 64:32/128 2,1 bytes`, where an encoder
/// stands behind a decoder of 32 units at a time.
pub(crate) fn configuration_name(configuration: &Configuration) -> String {
    let Configuration { granularity, staging, blocks, round, threads, lanes: [weights, colours] } =
        *configuration;
    let name = granularity_name(granularity);
    if granularity != Granularity::Tile {
        return format!("{name} {threads}");
    }
    let staging = match staging {
        Staging::Words => "words",
        Staging::Bytes { .. } => "bytes",
    };
    let round = if round == blocks { String::new() } else { format!(":{round}") };
    format!("{name} {blocks}{round}/{threads} {weights},{colours} {staging}")
}

/// Reads what [`configuration_name`] writes.
pub(crate) fn parse_configuration(text: &str) -> Result<Configuration, String> {
    let wanted = || "not of the form 'block 64', 'texel 64' or 'tile 32/128 2,1 words'".to_owned();
    let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0).ok_or_else(wanted);
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["texel", threads] => Ok(Configuration { threads: number(threads)?, ..Configuration::PER_TEXEL }),
        ["block", threads] => Ok(Configuration { threads: number(threads)?, ..Configuration::PER_BLOCK }),
        ["tile", sizes, lanes, staging] => {
            let (blocks, threads) = sizes.split_once('/').ok_or_else(wanted)?;
            let (weights, colours) = lanes.split_once(',').ok_or_else(wanted)?;
            let (blocks, round) = blocks.split_once(':').unwrap_or((blocks, blocks));
            let (blocks, round) = (number(blocks)?, number(round)?);
            if round > blocks {
                return Err(format!("{round} blocks at a time are more than {blocks}"));
            }
            let staging = match staging {
                "words" => Staging::Words,
                // Enough for every footprint.
                "bytes" => Staging::Bytes { blocks, weight_bytes: 68, targets: 0 },
                _ => return Err(wanted()),
            };
            Ok(Configuration {
                granularity: Granularity::Tile,
                staging,
                blocks,
                round,
                threads: number(threads)?,
                lanes: [number(weights)?, number(colours)?],
            })
        }
        _ => Err(wanted()),
    }
}

/// Auto, and everything that might be better.
pub(crate) fn tuning(
    transcoder: &Transcoder,
    source: &'static Format,
    target: &'static Format,
    source_kind: SourceKind,
    work: Work,
) -> Vec<Choice> {
    let mut found = vec![Choice::Auto];
    for threads in [64, 128, 256] {
        found.push(Choice::Exactly(Configuration { threads, ..Configuration::PER_TEXEL }));
    }
    for threads in [32, 64, 128] {
        found.push(Choice::Exactly(Configuration { threads, ..Configuration::PER_BLOCK }));
    }
    let job = dummy_job(source, target, source_kind, Options::default());
    let automatic = transcoder.configuration_for(&job).ok();
    let bytes = automatic.and_then(|configuration| match configuration.staging {
        Staging::Bytes { weight_bytes, .. } => Some(weight_bytes),
        Staging::Words => None,
    });
    let blocks_in_all: u64 = work.bytes(source) / u64::from(source.block_bytes);
    for blocks in [8, 16, 32, 64].into_iter().filter(|&blocks| u64::from(blocks) <= blocks_in_all) {
        for threads in [32, 64, 128, 256] {
            for lanes in [[1, 1], [2, 1], [4, 2], [8, 4]] {
                let staged = bytes.map(|weight_bytes| Staging::Bytes { blocks, weight_bytes, targets: 0 });
                for staging in [Some(Staging::Words), staged].into_iter().flatten() {
                    // Every block needs its lanes.
                    if blocks * lanes[0] <= threads * 4 {
                        let granularity = Granularity::Tile;
                        found.push(Choice::Exactly(Configuration {
                            granularity,
                            staging,
                            blocks,
                            round: blocks,
                            threads,
                            lanes,
                        }));
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_read_as_they_are_written() {
        for text in [
            "texel 64",
            "block 128",
            "tile 32/128 2,1 words",
            "tile 16/64 4,2 bytes",
            "tile 64:32/128 2,1 bytes",
        ] {
            let configuration = parse_configuration(text).expect(text);
            assert_eq!(configuration_name(&configuration), text);
        }
        for text in [
            "",
            "tile",
            "block",
            "block x",
            "tile 32 2,1 words",
            "tile 0/1 1,1 words",
            "tile 1/1 1,1 nibbles",
        ] {
            assert!(parse_configuration(text).is_err(), "{text:?} is no configuration");
        }
    }
}
