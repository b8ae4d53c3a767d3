//! Records pyramids into command buffers.

use crate::kernels::{Program, push_words};
use crate::{Error, HizPlan, HizTarget, MAX_LEVEL, Path, Result, Step, StepKind};
use std::sync::Arc;
use texemu_core::{Arena, Buffer, Gpu, Pipeline, PipelineMap, Resource, bind, vk};

/// The pipelines of all pyramids on a device, each made on first use.
#[derive(Debug)]
pub struct Hiz {
    gpu: Gpu,
    pipelines: PipelineMap,
    sampler: vk::Sampler,
}

/// The depth buffer to reduce.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HizDepth {
    /// A `2D_ARRAY` view of one mip level and of the plan's layers, of the depth aspect or of a one-component float or
    /// normalized color format.
    pub view: vk::ImageView,
    /// The layout it is in.
    pub layout: vk::ImageLayout,
    /// The viewport's corner in it.
    pub offset: [u32; 2],
}

impl Hiz {
    /// Nothing is compiled yet: see [`Hiz::prepare`].
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let info = vk::SamplerCreateInfo::default()
            .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
            .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
            .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE);
        // SAFETY: the device is alive.
        let sampler = unsafe { gpu.device().create_sampler(&info, None) }
            .map_err(|result| vulkan("vkCreateSampler", result))?;
        gpu.name(sampler, "hiz nearest");
        Ok(Self { gpu: gpu.clone(), pipelines: PipelineMap::new(gpu), sampler })
    }

    /// Compiles what `plan` needs, so that recording it does not. Plans that differ only in sizes mostly share pipelines.
    pub fn prepare(&self, plan: &HizPlan) -> Result<()> {
        if plan.path() != Path::Raster {
            for step in plan.steps() {
                self.program(plan, step.kind).pipeline(&self.pipelines)?;
            }
        }
        Ok(())
    }

    /// The compute pipelines of a plan, in the order of its steps, to ask the driver about them. Empty for draws.
    pub fn pipelines(&self, plan: &HizPlan) -> Result<Vec<Arc<Pipeline>>> {
        if plan.path() == Path::Raster {
            return Ok(Vec::new());
        }
        plan.steps().iter().map(|step| self.program(plan, step.kind).pipeline(&self.pipelines)).collect()
    }

    /// Records `target`'s plan: reduces `depth` into the target's levels. Allocates nothing but descriptor sets from `arena`, and
    /// compiles nothing if the plan was prepared. [`HizPlan::access`] says which barriers belong around it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the viewport at the offset leaves the depth image; [`Error::Device`] if a pipeline or descriptor set
    /// cannot be had. The command buffer is then still in the recording state, with some commands recorded.
    ///
    /// # Safety
    /// - `commands` is being recorded on this device outside a render pass, for a queue with compute (for draws: graphics).
    /// - `depth` is as [`HizDepth`] says, and matches the plan's extent, samples and layers.
    /// - Depth view, target and arena live until the commands have run; no two recordings with the target overlap on the device.
    pub unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        target: &HizTarget,
        depth: &HizDepth,
    ) -> Result<()> {
        let plan = target.plan();
        let desc = plan.desc();
        let inside = |axis: usize| {
            depth.offset[axis]
                .checked_add(desc.extent[axis])
                .is_some_and(|end| end <= desc.source_extent[axis])
        };
        if !(inside(0) && inside(1)) {
            return Err(Error::Invalid("the viewport leaves the depth image"));
        }
        if let Some(scratch) = target.scratch() {
            // SAFETY: the caller's promise.
            unsafe { self.order_scratch(commands, plan, scratch, target.take_dirty()) };
        }
        if let Some(draws) = &target.draws {
            // SAFETY: the caller's promise; the target is this plan's.
            unsafe { draws.record(commands, target, depth, self.sampler) };
            return Ok(());
        }
        for step in plan.steps() {
            if step.depends {
                // SAFETY: the caller's promise.
                unsafe { self.order_steps(commands) };
            }
            // SAFETY: the caller's promise.
            unsafe { self.record_step(commands, arena, target, depth, step) }?;
        }
        Ok(())
    }

    /// # Safety
    /// As [`Hiz::record`].
    unsafe fn record_step(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        target: &HizTarget,
        depth: &HizDepth,
        step: &Step,
    ) -> Result<()> {
        let plan = target.plan();
        let pipeline = self.program(plan, step.kind).pipeline(&self.pipelines)?;
        let resources = self.resources(target, depth, step.kind, &pipeline);
        // SAFETY: the caller's promise; the resources are made for this kernel.
        unsafe { bind(&self.gpu, commands, arena, &pipeline, &resources) }?;
        let words = push_words(plan, step.kind, depth.offset, 0);
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let device = self.gpu.device();
        // SAFETY: the layout has a range of this size for the compute stage.
        unsafe {
            device.cmd_push_constants(commands, pipeline.layout(), vk::ShaderStageFlags::COMPUTE, 0, bytes)
        };
        let [x, y, z] = step.groups;
        // SAFETY: pipeline, descriptors and push constants are set.
        unsafe { device.cmd_dispatch(commands, x, y, z) };
        Ok(())
    }

    fn resources(
        &self,
        target: &HizTarget,
        depth: &HizDepth,
        kind: StepKind,
        pipeline: &Pipeline,
    ) -> Vec<Resource> {
        let plan = target.plan();
        let depth = Resource::Sampled(depth.view, self.sampler, depth.layout);
        let level = |level| Resource::StorageImage(target.level(level));
        let mut resources = Vec::with_capacity(pipeline.kernel().bindings.len() + MAX_LEVEL as usize);
        match kind {
            StepKind::Chain | StepKind::Tiles | StepKind::Rest => {
                if kind != StepKind::Rest {
                    resources.push(depth);
                }
                resources.extend((1..=MAX_LEVEL).map(level));
                if let Some(scratch) = target.scratch() {
                    resources.push(Resource::Buffer(scratch.handle(), 0, plan.counter_offset()));
                    if kind == StepKind::Chain {
                        resources.push(Resource::Buffer(
                            scratch.handle(),
                            plan.counter_offset(),
                            plan.counter_bytes(),
                        ));
                    }
                }
            }
            StepKind::Copy => resources.extend([depth, level(0)]),
            StepKind::Level { from: 0, to } => resources.extend([depth, level(to)]),
            StepKind::Level { from, to } | StepKind::Draw { from, to } => {
                let from = Resource::Sampled(target.level(from), self.sampler, vk::ImageLayout::GENERAL);
                resources.extend([from, level(to)]);
            }
            StepKind::SharedAtomic | StepKind::SubgroupFold => {
                resources.extend([depth, level(plan.desc().last_level)])
            }
        }
        resources
    }

    /// Makes this recording's scratch accesses wait for the last one's, and clears the counters if they are not known to be zero.
    ///
    /// # Safety
    /// As [`Hiz::record`].
    unsafe fn order_scratch(
        &self,
        commands: vk::CommandBuffer,
        plan: &HizPlan,
        scratch: &Buffer,
        clear: bool,
    ) {
        let device = self.gpu.device();
        let barrier = |from: (vk::PipelineStageFlags, vk::AccessFlags),
                       to: (vk::PipelineStageFlags, vk::AccessFlags)| {
            let barriers = [vk::BufferMemoryBarrier::default()
                .src_access_mask(from.1)
                .dst_access_mask(to.1)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .buffer(scratch.handle())
                .size(vk::WHOLE_SIZE)];
            // SAFETY: `commands` is being recorded on this device, by the caller's promise.
            unsafe {
                device.cmd_pipeline_barrier(
                    commands,
                    from.0,
                    to.0,
                    vk::DependencyFlags::empty(),
                    &[],
                    &barriers,
                    &[],
                )
            };
        };
        let shader = (
            vk::PipelineStageFlags::COMPUTE_SHADER,
            vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE,
        );
        if clear && plan.counter_bytes() > 0 {
            let transfer = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE);
            barrier(shader, transfer);
            // SAFETY: as above; the range lies in the buffer and is a multiple of 4.
            unsafe {
                device.cmd_fill_buffer(
                    commands,
                    scratch.handle(),
                    plan.counter_offset(),
                    plan.counter_bytes(),
                    0,
                )
            };
            barrier(transfer, shader);
        } else {
            barrier(shader, shader);
        }
    }

    /// # Safety
    /// As [`Hiz::record`].
    unsafe fn order_steps(&self, commands: vk::CommandBuffer) {
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_pipeline_barrier(commands, stage, stage, flags, &barriers, &[], &[]) };
    }

    fn program(&self, plan: &HizPlan, kind: StepKind) -> Program {
        Program::new(plan, kind, &self.gpu)
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for Hiz {
    fn drop(&mut self) {
        // SAFETY: made on this device; the owner promises that the device is done with what was recorded.
        unsafe { self.gpu.device().destroy_sampler(self.sampler, None) };
    }
}

pub(crate) fn vulkan(call: &'static str, result: vk::Result) -> Error {
    Error::Device(texemu_core::Error::Vulkan { call, result })
}
