//! Which kernel a step runs, specialized how, with which push constants.

use crate::plan::Front;
use crate::{HizPlan, Reduction, Result, Scheme, StepKind, TexelFormat};
use std::sync::Arc;
use texemu_core::{Gpu, Pipeline, PipelineDesc, PipelineMap};
use texemu_shaders::Kernel;

/// Everything about a step but its resources.
pub(crate) struct Program {
    pub(crate) kernel: &'static Kernel,
    pub(crate) constants: Vec<(u32, u32)>,
    pub(crate) full_subgroups: bool,
}

impl Program {
    /// Names the kernel as build/variants.rs does, and specializes it: ids as glsl/hiz declares them.
    pub(crate) fn new(plan: &HizPlan, kind: StepKind, gpu: &Gpu) -> Self {
        let desc = plan.desc();
        let chain = matches!(kind, StepKind::Chain | StepKind::Tiles | StepKind::Rest);
        let from_level = matches!(kind, StepKind::Level { from: 1.., .. } | StepKind::Draw { from: 1.., .. });
        let both = desc.reduction == Reduction::MinMax;
        let inside = desc.extent != desc.source_extent;
        let mut constants = vec![
            (0, u32::from(desc.reduction == Reduction::Max)),
            (1, u32::from(desc.texel == TexelFormat::Float16)),
            (2, u32::from(inside && !from_level)),
        ];
        let mut name = String::from("hiz_");
        name += match kind {
            StepKind::Chain => "chain",
            StepKind::Tiles => "tiles",
            StepKind::Rest => "rest",
            StepKind::Draw { .. } => "draw",
            StepKind::SharedAtomic => "shared_atomic",
            StepKind::SubgroupFold => "fold",
            _ if !gpu.features().storage_image_write_without_format => "level_typed",
            _ => "level",
        };
        match kind {
            StepKind::Chain | StepKind::Tiles | StepKind::Rest => {
                // Sizes that are powers of two stretch nothing.
                let stretched = plan.virtual_extent() != desc.extent;
                let ranged = desc.first_level > 1 || desc.last_level < 6;
                constants.extend([
                    (3, u32::from(desc.scheme == Scheme::EdgeTexel)),
                    (4, u32::from(stretched)),
                    (5, u32::from(ranged)),
                ]);
                name += match (plan.front(), kind) {
                    (Front::Aligned, _) => "_aligned",
                    (Front::Any, _) | (_, StepKind::Rest) => "",
                    (Front::Rows { shared: false }, _) => "_rows",
                    (Front::Rows { shared: true }, _) => "_rows_shared",
                };
            }
            StepKind::SharedAtomic => {
                let side = 1 << (desc.last_level - 2);
                constants.extend([(3, desc.last_level), (4, side), (5, side)]);
            }
            StepKind::SubgroupFold => constants.push((3, desc.last_level)),
            _ => {
                let copies = matches!(kind, StepKind::Copy | StepKind::Draw { to: 0, .. });
                let stretched = desc.scheme == Scheme::Pow2Exact && !from_level && !copies;
                constants.extend([(3, desc.scheme as u32), (4, u32::from(stretched))]);
            }
        }
        if both {
            name += "_both";
        }
        if desc.samples > 1 && !from_level && kind != StepKind::Rest {
            name += "_samples";
        } else if from_level && both {
            name += "_level";
        }
        // SwiftShader goes by the index of one lane, be it active or not, and is none the faster for an index.
        let indexes = gpu.features().storage_image_array_dynamic_indexing && !gpu.capabilities().is_cpu();
        let indexed = if chain && indexes { texemu_shaders::find(&format!("{name}_indexed")) } else { None };
        let kernel = indexed.or_else(|| texemu_shaders::find(&name));
        let kernel = kernel.unwrap_or_else(|| unreachable!("build/variants.rs has no {name}"));
        let lanes = matches!(plan.front(), Front::Aligned | Front::Rows { shared: false });
        let subgroups = lanes && matches!(kind, StepKind::Chain | StepKind::Tiles);
        Self { kernel, constants, full_subgroups: subgroups || kind == StepKind::SubgroupFold }
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
