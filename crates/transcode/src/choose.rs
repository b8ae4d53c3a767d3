//! Which kernel does a job best.
//!
//! The figures behind the choices are in `docs/performance.md`.

use texemu_core::{Capabilities, Features};
use texemu_format::{Codec, Format};
use texemu_shaders::{Effort, Granularity, Staging};

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
    /// Blocks a workgroup; with an encoder, units of as many texels as footprint and BC block have in common. For
    /// [`Granularity::Tile`] alone, as what follows.
    pub blocks: u32,
    /// Of those, how many are decoded at a time in front of an encoder; the same number elsewhere.
    pub round: u32,
    /// Invocations a workgroup.
    pub threads: u32,
    /// Lanes a block that unpack weights, and colours.
    pub lanes: [u32; 2],
}

impl Configuration {
    /// One invocation a texel.
    pub const PER_TEXEL: Self = Self {
        granularity: Granularity::PerTexel,
        staging: Staging::Words,
        blocks: 1,
        round: 1,
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
    format: &Format,
    blocks: u64,
) -> Configuration {
    let texels = format.footprint[0] * format.footprint[1];
    let of = |blocks, threads, lanes, staging| Configuration {
        granularity: Granularity::Tile,
        staging,
        blocks,
        round: blocks,
        threads,
        lanes,
    };
    if capabilities.is_cpu() {
        // A workgroup is one thread of the CPU: more invocations only mean more state to swap at each barrier.
        return of(32, 32, [2, 1], Staging::Words);
    }
    let few = blocks < 10_000;
    if is_etc2(format) {
        // Parsed a block an invocation.
        let (per_group, threads) = if few { (16, 64) } else { (64, 128) };
        return of(per_group, threads, [1, 1], Staging::Words);
    }
    if !matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr) {
        return of(32, 128, [1, 1], Staging::Words);
    }
    // Large footprints have many texels and few weights a block; small images need more workgroups to fill the device.
    let (per_group, lanes) = if texels >= 80 || few { (16, [4, 2]) } else { (32, [2, 1]) };
    let staging = if has_bytes(features) {
        let weight_bytes = weight_bytes(format.footprint);
        Staging::Bytes { blocks: per_group, weight_bytes, targets: 0 }
    } else {
        Staging::Words
    };
    of(per_group, 128, lanes, staging)
}

pub(crate) fn is_etc2(format: &Format) -> bool {
    matches!(format.codec, Codec::Etc2Rgb | Codec::Etc2RgbA1 | Codec::Etc2Rgba)
}

/// Whether modules may keep bytes in shared memory.
fn has_bytes(features: &Features) -> bool {
    features.spirv_1_4 && features.shader_int8 && features.workgroup_memory_explicit_layout_8bit
}

/// What a kernel with an encoder behind its decoder is best done with, and what where no byte-staged module serves. `blocks` counts
/// units of [`unit`].
pub(crate) fn recode(
    capabilities: &Capabilities,
    features: &Features,
    format: &Format,
    target: &Format,
    effort: Effort,
) -> [Configuration; 2] {
    if !matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr) {
        let threads = if capabilities.is_cpu() { 32 } else { 128 };
        return [Configuration { threads, ..Configuration::PER_BLOCK }; 2];
    }
    let floats = target.codec == Codec::Bc6h;
    if capabilities.is_cpu() || floats {
        return [recode_words(format.footprint, floats, 64, 64, u32::MAX); 2];
    }
    let texels = format.footprint[0] * format.footprint[1];
    // The longer the encoder, the more it matters that every invocation has a BC block, and the less that many workgroups fit.
    let long = target.codec == Codec::Bc7 || effort == Effort::High;
    let targets = if long || texels >= 144 { 128 } else { 64 };
    let slots = if texels < 36 || !long { 32 } else { 16 };
    let words = recode_words(format.footprint, floats, targets, 128, slots);
    if !has_bytes(features) || effort == Effort::High {
        return [words; 2];
    }
    let mut bytes = words;
    if target.codec == Codec::Bc7 {
        if capabilities.limits.max_compute_shared_memory_size < 32_768 {
            return [words; 2];
        }
        // A long kernel: many subgroups go through it together, so that they share what the instruction cache holds.
        let (unit_slots, unit_targets) = unit_blocks(format.footprint);
        bytes.blocks = 256 / unit_targets;
        bytes.round = ((if texels <= 20 { 64 } else { 32 }) / unit_slots).clamp(1, bytes.blocks);
        bytes.threads = 256;
    }
    bytes.staging = recode_staging(format.footprint, &bytes);
    [bytes, words]
}

/// Lanes that unpack a block's weights and colours in front of an encoder.
fn recode_lanes(texels: u32) -> [u32; 2] {
    if texels >= 36 { [4, 2] } else { [2, 1] }
}

/// What a byte-staged module needs to have for a configuration.
pub(crate) fn recode_staging(footprint: [u32; 2], configuration: &Configuration) -> Staging {
    let (slots, targets) = unit_blocks(footprint);
    Staging::Bytes {
        blocks: configuration.round * slots,
        weight_bytes: weight_bytes(footprint),
        targets: configuration.blocks * targets,
    }
}

/// At most `targets` BC blocks a workgroup and `slots` source blocks at a time, within what shared memory every device has.
fn recode_words(footprint: [u32; 2], floats: bool, targets: u32, threads: u32, slots: u32) -> Configuration {
    let (unit_slots, unit_targets) = unit_blocks(footprint);
    let mut blocks = (targets / unit_targets).max(1);
    let fits = |blocks, round| recode_shared_bytes(footprint, floats, blocks, round) <= SHARED_BYTES;
    while blocks > 1 && !fits(blocks, 1) {
        blocks -= 1;
    }
    let most = (slots / unit_slots).clamp(1, blocks);
    let round = (1..=most).rev().find(|&round| fits(blocks, round)).unwrap_or(1);
    let lanes = if threads > 64 { recode_lanes(footprint[0] * footprint[1]) } else { [2, 1] };
    Configuration { granularity: Granularity::Tile, staging: Staging::Words, blocks, round, threads, lanes }
}

/// Source blocks and BC blocks a unit.
fn unit_blocks(footprint: [u32; 2]) -> (u32, u32) {
    let [width, height] = unit(footprint, true);
    ((width / footprint[0]) * (height / footprint[1]), width * height / 16)
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

/// What `glsl/transcode/tile_encode.comp` declares when it keeps words.
fn recode_shared_bytes(footprint: [u32; 2], floats: bool, blocks: u32, round: u32) -> u32 {
    let (unit_slots, unit_targets) = unit_blocks(footprint);
    let (slots, targets) = (round * unit_slots, blocks * unit_targets);
    let (stream_words, texel_words) = if floats { (16, 2) } else { (8, 1) };
    let weight_words = ((weight_bytes(footprint) - 4) / 2 + 3) | 1;
    let slot_words = weight_words + 13 + stream_words + 6;
    let stride = (targets + 23) / 32 * 32 + 8;
    4 * (slots * slot_words + slots / 8 + 41 + 16 * stride * texel_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recoders_stay_within_every_devices_shared_memory() {
        for format in texemu_format::sources().filter(|format| format.block_bytes == 16) {
            for (floats, targets, slots) in [
                (false, 64, u32::MAX),
                (true, 64, u32::MAX),
                (false, 64, 32),
                (false, 128, 16),
                (false, 128, 32),
            ] {
                let chosen = recode_words(format.footprint, floats, targets, 64, slots);
                let bytes = recode_shared_bytes(format.footprint, floats, chosen.blocks, chosen.round);
                assert!(bytes <= SHARED_BYTES, "{}: {bytes} bytes", format.name);
                assert!(chosen.round <= chosen.blocks, "{}: {chosen:?}", format.name);
            }
        }
    }
}
