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

/// What a kernel with an encoder behind its decoder is best done with. `blocks` counts units of [`unit`].
pub(crate) fn recode_tile(footprint: [u32; 2], floats: bool) -> Configuration {
    // As many BC blocks as invocations, while shared memory stays within what every device has.
    let targets = unit(footprint, true).iter().map(|size| size / 4).product::<u32>();
    let most = (64 / targets).max(1);
    let blocks = (1..=most)
        .rev()
        .find(|&units| recode_shared_bytes(footprint, floats, units) <= SHARED_BYTES)
        .unwrap_or(1);
    Configuration {
        granularity: Granularity::Tile,
        staging: Staging::Words,
        blocks,
        threads: 64,
        lanes: [2, 1],
    }
}

/// The least `maxComputeSharedMemorySize` that Vulkan allows.
const SHARED_BYTES: u32 = 16_384;

/// Texels that a kernel numbers as one. With an encoder, a tile's unit holds whole source blocks and whole BC blocks;
/// other granularities go by BC blocks.
pub(crate) fn unit(footprint: [u32; 2], whole_blocks: bool) -> [u32; 2] {
    if whole_blocks { footprint.map(|size| least_common_multiple(size, 4)) } else { [4, 4] }
}

pub(crate) fn least_common_multiple(a: u32, b: u32) -> u32 {
    let mut multiple = a;
    while !multiple.is_multiple_of(b) {
        multiple += a;
    }
    multiple
}

/// What `glsl/transcode/tile_encode.comp` declares.
fn recode_shared_bytes(footprint: [u32; 2], floats: bool, units: u32) -> u32 {
    let unit = unit(footprint, true);
    let slots = units * (unit[0] / footprint[0]) * (unit[1] / footprint[1]);
    let targets = units * unit[0] * unit[1] / 16;
    let (stream_words, texel_words) = if floats { (16, 2) } else { (8, 1) };
    let weight_words = ((weight_bytes(footprint) - 4) / 2 + 3) | 1;
    let slot_words = weight_words + 13 + stream_words + 6;
    let stride = (targets + 23) / 32 * 32 + 8;
    4 * (slots * slot_words + 40 + 16 * stride * texel_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recoders_stay_within_every_devices_shared_memory() {
        for format in texemu_format::sources().filter(|format| format.block_bytes == 16) {
            for floats in [false, true] {
                let chosen = recode_tile(format.footprint, floats);
                let bytes = recode_shared_bytes(format.footprint, floats, chosen.blocks);
                assert!(bytes <= SHARED_BYTES, "{}: {bytes} bytes", format.name);
            }
        }
    }
}
