//! Which kernel does a job best.
//!
//! The figures behind the choices are in `docs/performance.md`.

use texemu_core::{Capabilities, Features};
use texemu_shaders::{Granularity, Staging};

/// Which kernel a caller wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Choice {
    /// The fastest one for the device, the footprint and the size.
    #[default]
    Auto,
    /// This granularity, otherwise the fastest.
    Granularity(Granularity),
    /// Exactly this one: what benchmarks and tests compare.
    Exactly(Configuration),
}

/// A kernel's variant and its specialization.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Configuration {
    /// What one invocation works on.
    pub granularity: Granularity,
    /// How a tile's values are kept.
    pub staging: Staging,
    /// Blocks a workgroup; for [`Granularity::Tile`] alone.
    pub blocks: u32,
    /// Invocations a workgroup.
    pub threads: u32,
    /// Lanes a block that unpack weights, and colours; for [`Granularity::Tile`] alone.
    pub lanes: [u32; 2],
}

impl Configuration {
    /// One invocation a texel.
    pub const PER_TEXEL: Self = Self {
        granularity: Granularity::PerTexel,
        staging: Staging::Words,
        blocks: 1,
        threads: 64,
        lanes: [1, 1],
    };

    /// One invocation a block.
    pub const PER_BLOCK: Self = Self { granularity: Granularity::PerBlock, threads: 32, ..Self::PER_TEXEL };
}

/// Bytes that hold one block's unpacked weights in byte staging: two planes, at most 64, and four of slack.
pub(crate) fn weight_bytes(footprint: [u32; 2]) -> u32 {
    (2 * footprint[0] * footprint[1]).min(64) + 4
}

/// What a tile of `blocks` blocks in all is best done with, before it is known which byte-staged modules exist.
pub(crate) fn tile(
    capabilities: &Capabilities,
    features: &Features,
    footprint: [u32; 2],
    blocks: u64,
) -> Configuration {
    let texels = footprint[0] * footprint[1];
    if capabilities.is_cpu() {
        // A workgroup is one thread of the CPU: more invocations only mean more state to swap at each barrier.
        return Configuration {
            granularity: Granularity::Tile,
            staging: Staging::Words,
            blocks: 32,
            threads: 32,
            lanes: [2, 1],
        };
    }
    // Large footprints have many texels and few weights a block; small images need more workgroups to fill the device.
    let (per_group, lanes) = if texels >= 80 || blocks < 10_000 { (16, [4, 2]) } else { (32, [2, 1]) };
    let bytes = features.spirv_1_4 && features.shader_int8 && features.workgroup_memory_explicit_layout_8bit;
    let staging = if bytes {
        Staging::Bytes { blocks: per_group, weight_bytes: weight_bytes(footprint) }
    } else {
        Staging::Words
    };
    Configuration { granularity: Granularity::Tile, staging, blocks: per_group, threads: 128, lanes }
}
