//! Which kernel a step runs, specialized how, with which push constants.

use crate::{HizPlan, Reduction, Result, Scheme, StepKind, TexelFormat};
use std::sync::Arc;
use texemu_core::{Pipeline, PipelineDesc, PipelineMap};
use texemu_shaders::{self as shaders, Kernel};

/// Everything about a step but its resources.
pub(crate) struct Program {
    pub(crate) kernel: &'static Kernel,
    pub(crate) constants: Vec<(u32, u32)>,
    pub(crate) full_subgroups: bool,
}

/// What the shader reads: names the last part of a kernel's name.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Depth,
    Samples,
    Level,
}

impl Program {
    pub(crate) fn new(plan: &HizPlan, kind: StepKind, write_without_format: bool) -> Self {
        let desc = plan.desc();
        let both = desc.reduction == Reduction::MinMax;
        let inside = desc.extent != desc.source_extent;
        let from_depth =
            !matches!(kind, StepKind::Level { from: 1.., .. } | StepKind::Draw { from: 1.., .. });
        let source = match (from_depth, both) {
            (true, _) if desc.samples > 1 => Source::Samples,
            (false, true) => Source::Level,
            _ => Source::Depth,
        };
        // Ids as glsl/hiz/key.glsl and source.glsl declare them.
        let mut constants = vec![
            (0, u32::from(desc.reduction == Reduction::Max)),
            (1, u32::from(desc.texel == TexelFormat::Float16)),
            (2, u32::from(inside && from_depth)),
        ];
        let stretched = u32::from(desc.scheme == Scheme::Pow2Exact && from_depth);
        let (kernel, full_subgroups) = match kind {
            StepKind::Chain | StepKind::Tiles | StepKind::Rest => {
                constants.extend([(3, u32::from(desc.scheme == Scheme::EdgeTexel))]);
                // Sizes that are powers of two stretch nothing.
                constants.extend([(4, u32::from(plan.virtual_extent() != desc.extent))]);
                (chain(kind, plan.aligned(), both, source), plan.aligned())
            }
            StepKind::Copy | StepKind::Level { .. } | StepKind::Draw { .. } => {
                constants.extend([(3, desc.scheme as u32), (4, stretched)]);
                let copies = kind == StepKind::Copy || matches!(kind, StepKind::Draw { to: 0, .. });
                if copies {
                    constants.retain(|&(id, _)| id != 4);
                }
                let kernel = match kind {
                    StepKind::Draw { .. } => draw(both, source),
                    _ if !write_without_format => &shaders::HIZ_LEVEL_TYPED,
                    _ => level(both, source),
                };
                (kernel, false)
            }
            StepKind::SharedAtomic => {
                let side = 1 << (desc.last_level - 2);
                constants.extend([(3, desc.last_level), (4, side), (5, side)]);
                (shared_atomic(both, source), false)
            }
            StepKind::SubgroupFold => {
                constants.push((3, desc.last_level));
                (if both { &shaders::HIZ_FOLD_BOTH } else { &shaders::HIZ_FOLD }, true)
            }
        };
        Self { kernel, constants, full_subgroups }
    }

    pub(crate) fn pipeline(&self, map: &PipelineMap) -> Result<Arc<Pipeline>> {
        let desc = PipelineDesc {
            kernel: self.kernel,
            constants: &self.constants,
            full_subgroups: self.full_subgroups,
        };
        Ok(map.get(&desc)?)
    }
}

fn chain(kind: StepKind, aligned: bool, both: bool, source: Source) -> &'static Kernel {
    let samples = source == Source::Samples;
    match (kind, aligned, both, samples) {
        (StepKind::Chain, true, false, _) => &shaders::HIZ_CHAIN_ALIGNED,
        (StepKind::Chain, true, true, _) => &shaders::HIZ_CHAIN_ALIGNED_BOTH,
        (StepKind::Chain, false, false, false) => &shaders::HIZ_CHAIN,
        (StepKind::Chain, false, true, false) => &shaders::HIZ_CHAIN_BOTH,
        (StepKind::Chain, false, false, true) => &shaders::HIZ_CHAIN_SAMPLES,
        (StepKind::Chain, false, true, true) => &shaders::HIZ_CHAIN_BOTH_SAMPLES,
        (StepKind::Tiles, true, false, _) => &shaders::HIZ_TILES_ALIGNED,
        (StepKind::Tiles, true, true, _) => &shaders::HIZ_TILES_ALIGNED_BOTH,
        (StepKind::Tiles, false, false, false) => &shaders::HIZ_TILES,
        (StepKind::Tiles, false, true, false) => &shaders::HIZ_TILES_BOTH,
        (StepKind::Tiles, false, false, true) => &shaders::HIZ_TILES_SAMPLES,
        (StepKind::Tiles, false, true, true) => &shaders::HIZ_TILES_BOTH_SAMPLES,
        (_, true, false, _) => &shaders::HIZ_REST_ALIGNED,
        (_, true, true, _) => &shaders::HIZ_REST_ALIGNED_BOTH,
        (_, false, false, _) => &shaders::HIZ_REST,
        (_, false, true, _) => &shaders::HIZ_REST_BOTH,
    }
}

fn level(both: bool, source: Source) -> &'static Kernel {
    match (both, source) {
        (false, Source::Samples) => &shaders::HIZ_LEVEL_SAMPLES,
        (false, _) => &shaders::HIZ_LEVEL,
        (true, Source::Depth) => &shaders::HIZ_LEVEL_BOTH,
        (true, Source::Samples) => &shaders::HIZ_LEVEL_BOTH_SAMPLES,
        (true, Source::Level) => &shaders::HIZ_LEVEL_BOTH_LEVEL,
    }
}

fn draw(both: bool, source: Source) -> &'static Kernel {
    match (both, source) {
        (false, Source::Samples) => &shaders::HIZ_DRAW_SAMPLES,
        (false, _) => &shaders::HIZ_DRAW,
        (true, Source::Depth) => &shaders::HIZ_DRAW_BOTH,
        (true, Source::Samples) => &shaders::HIZ_DRAW_BOTH_SAMPLES,
        (true, Source::Level) => &shaders::HIZ_DRAW_BOTH_LEVEL,
    }
}

fn shared_atomic(both: bool, source: Source) -> &'static Kernel {
    match (both, source == Source::Samples) {
        (false, false) => &shaders::HIZ_SHARED_ATOMIC,
        (false, true) => &shaders::HIZ_SHARED_ATOMIC_SAMPLES,
        (true, false) => &shaders::HIZ_SHARED_ATOMIC_BOTH,
        (true, true) => &shaders::HIZ_SHARED_ATOMIC_BOTH_SAMPLES,
    }
}

/// The push constants of a step, in 32-bit words: the `Push` blocks of glsl/hiz. `layer` is a draw's.
pub(crate) fn push_words(plan: &HizPlan, kind: StepKind, offset: [u32; 2], layer: u32) -> Vec<u32> {
    let desc = plan.desc();
    let size_of = |level: u32| desc.extent.map(|size| desc.scheme.level_size(size, level));
    let inverse = |size: [u32; 2]| size.map(|size| (1.0 / size as f32).to_bits());
    let mut words = Vec::with_capacity(12);
    match kind {
        StepKind::Chain | StepKind::Tiles | StepKind::Rest => {
            for pair in [plan.virtual_extent(), desc.extent, offset, inverse(desc.source_extent)] {
                words.extend(pair);
            }
            words.extend([desc.first_level, desc.last_level, plan.scratch_stride(), desc.samples]);
        }
        StepKind::Copy | StepKind::Level { .. } | StepKind::Draw { .. } => {
            let (from, to) = match kind {
                StepKind::Level { from, to } | StepKind::Draw { from, to } => (from, to),
                _ => (0, 0),
            };
            let (offset, image) =
                if from == 0 { (offset, desc.source_extent) } else { ([0, 0], size_of(from)) };
            for pair in [size_of(from), size_of(to), offset, inverse(image)] {
                words.extend(pair);
            }
            words.extend([to - from, desc.samples, layer]);
        }
        StepKind::SharedAtomic | StepKind::SubgroupFold => {
            for pair in [desc.extent, size_of(desc.last_level), offset, inverse(desc.source_extent)] {
                words.extend(pair);
            }
            words.push(desc.samples);
        }
    }
    words
}
