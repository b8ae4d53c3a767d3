//! Deterministic blocks for tests, benchmarks and conformance.
//!
//! Uniformly random bits are mostly illegal ASTC blocks, so [`astc`] also packs legal ones from chosen
//! fields, and illegal ones with exactly one chosen fault.

pub mod astc;
pub mod etc2;
mod rng;

use texemu_format::{Codec, Format};

use crate::etc2::Mode;
pub use rng::Rng;

/// What the blocks of [`generate`] are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Uniformly random bits.
    Random,
    /// Blocks that the format decodes without the error colour, every mode alike.
    Legal,
    /// The edges of the rules. ASTC: every kind of illegal block, HDR content in LDR formats, void extents.
    /// EAC: a multiplier of 0, a base of -128. ETC2 has no illegal blocks: planar ones.
    Corner,
    /// The three others in turn.
    Mixed,
}

/// Packs `count` blocks of a source format, a function of the arguments alone.
///
/// # Panics
/// If `format` is not a source format: there is nothing to generate.
pub fn generate(format: &Format, class: Class, count: usize, seed: u64) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let bytes = format.block_bytes as usize;
    let mut blocks = Vec::with_capacity(count * bytes);
    for index in 0..count {
        let class = match class {
            Class::Mixed => [Class::Random, Class::Legal, Class::Corner][index % 3],
            class => class,
        };
        if !format.is_source() {
            panic!("{} is not a source format", format.name);
        }
        match (format.codec, class) {
            (_, Class::Random | Class::Mixed) => {
                blocks.extend_from_slice(&rng.u128().to_le_bytes()[..format.block_bytes as usize]);
            }
            (Codec::AstcLdr | Codec::AstcHdr, Class::Legal) => {
                let hdr = format.codec == Codec::AstcHdr;
                blocks.extend_from_slice(&astc::any_legal(&mut rng, format.footprint, hdr));
            }
            (Codec::AstcLdr | Codec::AstcHdr, Class::Corner) => {
                blocks.extend_from_slice(&astc::any_corner(&mut rng, format.footprint));
            }
            (codec, class) => {
                let corner = class == Class::Corner;
                let mode = if corner { Mode::Planar } else { rng.pick(&Mode::ALL) };
                let punchthrough = codec == Codec::Etc2RgbA1;
                let eac = if corner { etc2::eac_corner } else { etc2::eac };
                match codec {
                    Codec::EacR => blocks.extend(eac(&mut rng)),
                    Codec::EacRg => {
                        blocks.extend(eac(&mut rng));
                        blocks.extend(eac(&mut rng));
                    }
                    Codec::Etc2Rgba => {
                        blocks.extend(eac(&mut rng));
                        blocks.extend(etc2::color(&mut rng, mode, punchthrough));
                    }
                    _ => blocks.extend(etc2::color(&mut rng, mode, punchthrough)),
                }
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_format_has_blocks_of_every_class() {
        for format in texemu_format::sources() {
            for class in [Class::Random, Class::Legal, Class::Corner, Class::Mixed] {
                let blocks = generate(format, class, 33, 7);
                assert_eq!(blocks.len(), 33 * format.block_bytes as usize, "{} {class:?}", format.name);
                assert_eq!(blocks, generate(format, class, 33, 7), "{} {class:?}", format.name);
                assert_ne!(blocks, generate(format, class, 33, 8), "{} {class:?}", format.name);
            }
        }
    }
}
