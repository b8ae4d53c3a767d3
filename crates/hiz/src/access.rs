//! What a plan asks of images and barriers, in Vulkan's words.

use crate::{HizPlan, Path, Reduction, TexelFormat};
use texemu_core::vk;

/// How a recording touches one kind of image: where, how, and in which layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The stages.
    pub stages: vk::PipelineStageFlags,
    /// The accesses.
    pub access: vk::AccessFlags,
}

/// The barriers around a recording. The recording puts its own between its steps; these two are the caller's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HizAccess {
    /// How the depth image is read, in the layout that [`crate::HizDepth`] names. Before: the depth must be visible to this. After:
    /// later depth writes must wait for it.
    pub depth: Access,
    /// How the levels are touched, all of them in `GENERAL` before, within and after. What they held is lost. Before: earlier reads
    /// must be over. After: later reads wait for [`HizAccess::levels`]' writes.
    pub levels: Access,
}

impl<L> HizPlan<L> {
    /// The format of all levels.
    pub fn format(&self) -> vk::Format {
        match (self.desc().texel, self.desc().reduction) {
            (TexelFormat::Float32, Reduction::Min | Reduction::Max) => vk::Format::R32_SFLOAT,
            (TexelFormat::Float32, Reduction::MinMax) => vk::Format::R32G32_SFLOAT,
            (TexelFormat::Float16, Reduction::Min | Reduction::Max) => vk::Format::R16_SFLOAT,
            (TexelFormat::Float16, Reduction::MinMax) => vk::Format::R16G16_SFLOAT,
        }
    }

    /// The usages that the levels' images need.
    pub fn level_usage(&self) -> vk::ImageUsageFlags {
        let sampled = vk::ImageUsageFlags::SAMPLED;
        match self.path() {
            Path::Raster => sampled | vk::ImageUsageFlags::COLOR_ATTACHMENT,
            Path::PerLevel => sampled | vk::ImageUsageFlags::STORAGE,
            _ => vk::ImageUsageFlags::STORAGE,
        }
    }

    /// The barriers around a recording.
    pub fn access(&self) -> HizAccess {
        let (read, read_write) =
            (vk::AccessFlags::SHADER_READ, vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE);
        match self.path() {
            Path::Raster => HizAccess {
                depth: Access { stages: vk::PipelineStageFlags::FRAGMENT_SHADER, access: read },
                levels: Access {
                    stages: vk::PipelineStageFlags::FRAGMENT_SHADER
                        | vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                    access: read | vk::AccessFlags::COLOR_ATTACHMENT_WRITE,
                },
            },
            _ => {
                let stages = vk::PipelineStageFlags::COMPUTE_SHADER;
                HizAccess {
                    depth: Access { stages, access: read },
                    levels: Access { stages, access: read_write },
                }
            }
        }
    }
}
