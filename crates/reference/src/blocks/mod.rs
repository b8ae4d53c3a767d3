//! Deterministic blocks for tests, benchmarks and conformance.
//!
//! Uniformly random bits are mostly illegal ASTC blocks, so [`astc`] also packs legal ones from chosen fields, and illegal ones
//! with exactly one chosen fault.

pub mod astc;
mod rng;

use texemu_format::{Codec, Format};

pub use rng::Rng;

/// What the blocks of [`generate`] are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Uniformly random bits.
    Random,
    /// Blocks that the format decodes without the error colour, every mode alike.
    Legal,
    /// The edges of the rules: for ASTC every kind of illegal block, HDR content in LDR formats, and void extents.
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
        let block = match (format.codec, class) {
            (Codec::AstcLdr | Codec::AstcHdr, Class::Legal) => {
                astc::any_legal(&mut rng, format.footprint, format.codec == Codec::AstcHdr)
            }
            (Codec::AstcLdr | Codec::AstcHdr, Class::Corner) => astc::any_corner(&mut rng, format.footprint),
            _ if format.is_source() => rng.u128().to_le_bytes(),
            _ => panic!("{} is not a source format", format.name),
        };
        blocks.extend_from_slice(&block[..bytes]);
    }
    blocks
}
