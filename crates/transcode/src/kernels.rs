//! From formats and a choice to a kernel and its specialization.

use crate::choose::{Choice, Configuration, is_etc2, recode, recode_staging, tile};
use crate::error::{Error, Result};
use crate::job::Job;
use texemu_core::Gpu;
use texemu_core::vk;
use texemu_format::{Codec, Format, Numeric};
use texemu_shaders::{Decoder, Effort, Kernel, Staging, Store, TRANSCODE, TargetKind, TranscodeKey};

/// A kernel, ready to be specialized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selected {
    pub(crate) kernel: &'static Kernel,
    pub(crate) configuration: Configuration,
}

/// Picks the kernel for a job of `blocks` blocks in all.
pub(crate) fn select(gpu: &Gpu, job: &Job<'_>, blocks: u64) -> Result<Selected> {
    let (format, target) = (job.format, job.target.format);
    let none = || Error::NoKernel { source_format: format, target };
    if !format.targets.contains(target.vk) {
        return Err(none());
    }
    let key = |configuration: &Configuration| -> Option<TranscodeKey> {
        Some(TranscodeKey {
            granularity: configuration.granularity,
            source: job.source.kind(),
            decoder: decoder(format, target)?,
            target: target_kind(target)?,
            store: store(job),
            staging: configuration.staging,
            effort: if target.is_compressed() { job.options.effort } else { Effort::Fast },
        })
    };
    let find = |mut wanted: Configuration| {
        if target.is_compressed() && matches!(wanted.staging, Staging::Bytes { .. }) {
            wanted.staging = recode_staging(format.footprint, &wanted);
        }
        let (kernel, staging) = lookup(&key(&wanted)?)?;
        // A decoder with fixed sizes decides how many blocks a workgroup takes.
        if let Staging::Bytes { blocks, targets: 0, .. } = staging {
            (wanted.blocks, wanted.round) = (blocks, blocks);
        }
        Some(Selected { kernel, configuration: Configuration { staging, ..wanted } })
    };
    let device = gpu.capabilities();
    let mut all = if target.is_compressed() {
        recode(device, gpu.features(), format, target, job.options.effort).to_vec()
    } else {
        let fastest = tile(device, gpu.features(), format, blocks);
        vec![fastest, Configuration { staging: Staging::Words, ..fastest }]
    };
    if device.is_cpu() && is_etc2(format) {
        // An invocation that parses a block may as well decode it: there are no neighbours to wait for.
        all.insert(0, Configuration::PER_BLOCK);
    }
    all.extend([Configuration::PER_BLOCK, Configuration::PER_TEXEL]);
    let choices: Vec<Configuration> = match job.options.choice {
        Choice::Exactly(configuration) => vec![configuration],
        Choice::Granularity(granularity) => {
            all.into_iter().filter(|way| way.granularity == granularity).collect()
        }
        Choice::Auto => all,
    };
    choices.iter().find_map(|&configuration| find(configuration)).ok_or_else(|| {
        let any = has_kernel(format, target);
        let what = format!("{:?}, {:?}, {:?}", job.options.choice, job.source.kind(), store(job));
        if any { Error::NoVariant { source_format: format, target, what } } else { none() }
    })
}

/// Whether there is a kernel that turns `format` into `target`, on a device with every feature it may need.
pub fn has_kernel(format: &Format, target: &Format) -> bool {
    format.targets.contains(target.vk)
        && decoder(format, target).zip(target_kind(target)).is_some_and(|(decoder, kind)| {
            TRANSCODE.iter().any(|(key, _)| key.decoder == decoder && key.target == kind)
        })
}

/// The kernel of `key`; for byte staging, the one with the least room that suffices.
fn lookup(key: &TranscodeKey) -> Option<(&'static Kernel, Staging)> {
    let Staging::Bytes { blocks: slots, weight_bytes: weights, targets: wanted } = key.staging else {
        return Some((texemu_shaders::transcode(key)?, Staging::Words));
    };
    let room = |staging: Staging| {
        let Staging::Bytes { blocks, weight_bytes, targets } = staging else { return None };
        let suffices =
            if wanted == 0 { targets == 0 && blocks == slots } else { targets >= wanted && blocks >= slots };
        (suffices && weight_bytes >= weights).then_some((targets, blocks, weight_bytes))
    };
    TRANSCODE
        .iter()
        .filter(|(other, _)| TranscodeKey { staging: key.staging, ..*other } == *key)
        .filter_map(|&(other, kernel)| Some((room(other.staging)?, other.staging, kernel)))
        .min_by_key(|&(room, ..)| room)
        .map(|(_, staging, kernel)| (kernel, staging))
}

/// The specialization constants of `glsl/transcode/interface.glsl`.
pub(crate) fn constants(job: &Job<'_>, configuration: &Configuration) -> [(u32, u32); 9] {
    let numeric = match job.format.numeric {
        Numeric::Unorm | Numeric::Ufloat => 0,
        Numeric::Srgb => 1,
        Numeric::Snorm => 2,
        Numeric::Sfloat => 3,
    };
    [
        (0, job.format.footprint[0]),
        (1, job.format.footprint[1]),
        (2, numeric),
        (3, configuration.blocks),
        (4, configuration.threads),
        (5, configuration.lanes[0]),
        (6, configuration.lanes[1]),
        (7, job.options.error_color.rgba8()),
        (8, configuration.round),
    ]
}

fn decoder(format: &Format, target: &Format) -> Option<Decoder> {
    let float = matches!(target.codec, Codec::Rgba16f | Codec::Bc6h);
    Some(match format.codec {
        // An LDR format decoded to floats takes the decoder that keeps 16 bits.
        Codec::AstcLdr if !float => Decoder::AstcLdr,
        Codec::AstcLdr | Codec::AstcHdr => Decoder::AstcHdr,
        Codec::Etc2Rgb => Decoder::Etc2Rgb,
        Codec::Etc2RgbA1 => Decoder::Etc2RgbA1,
        Codec::Etc2Rgba => Decoder::Etc2Rgba,
        Codec::EacR => Decoder::EacR,
        Codec::EacRg => Decoder::EacRg,
        _ => return None,
    })
}

fn target_kind(target: &Format) -> Option<TargetKind> {
    Some(match target.codec {
        Codec::Rgba8 => TargetKind::Rgba8,
        Codec::Rgba16f => TargetKind::Rgba16f,
        Codec::R16 => TargetKind::R16,
        Codec::Rg16 => TargetKind::Rg16,
        Codec::Bc1Rgb | Codec::Bc1Rgba => TargetKind::Bc1,
        Codec::Bc3 => TargetKind::Bc3,
        Codec::Bc4 => TargetKind::Bc4,
        Codec::Bc5 => TargetKind::Bc5,
        Codec::Bc6h => TargetKind::Bc6h,
        Codec::Bc7 => TargetKind::Bc7,
        _ => return None,
    })
}

fn store(job: &Job<'_>) -> Store {
    let is_3d = job.target.image_type == vk::ImageType::TYPE_3D;
    match (job.target.format.is_compressed(), is_3d) {
        (true, _) if job.target.stores_straight() => Store::Image2d,
        (true, _) => Store::Buffer,
        (false, true) => Store::Image3d,
        (false, false) => Store::Image2d,
    }
}

/// Whether the kernel reads the tables.
pub(crate) fn needs_tables(kernel: &Kernel) -> bool {
    kernel.bindings.iter().any(|binding| binding.binding == 2)
}
