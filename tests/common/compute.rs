//! An application's own compute work: 4 KiB copied between two buffers, through a set with dynamic offsets and a push
//! constant.

use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Gpu, Location};

/// Bytes that one dispatch copies.
pub(crate) const BYTES: u64 = 4096;

/// A pipeline of the application's, with everything it needs.
pub(crate) struct Compute {
    gpu: Gpu,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    pub(crate) set: vk::DescriptorSet,
    pub(crate) source: Buffer,
    pub(crate) target: Buffer,
}

impl Compute {
    /// The source holds `parts` times 4 KiB: part `n` is filled with `n + 1`. The target is zero.
    pub(crate) fn new(gpu: &Gpu, parts: u64) -> Self {
        Self::with_sets(gpu, parts, false)
    }

    /// As [`Compute::new`], for descriptors that are pushed; its own set is null.
    pub(crate) fn pushed(gpu: &Gpu, parts: u64) -> Self {
        Self::with_sets(gpu, parts, true)
    }

    fn with_sets(gpu: &Gpu, parts: u64, pushed: bool) -> Self {
        let device = gpu.device();
        let (kind, flags) = if pushed {
            (vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR)
        } else {
            (vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, vk::DescriptorSetLayoutCreateFlags::empty())
        };
        let kernel = &texemu_shaders::COPY_BYTES;
        let binding = |binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [binding(0), binding(1)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
        // SAFETY: the device is alive.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
        let layouts = [set_layout];
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 4 }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: the set layout was just made.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }.expect("a layout");
        let info = vk::ShaderModuleCreateInfo::default().code(kernel.spirv);
        // SAFETY: the words are a module of ours.
        let module = unsafe { device.create_shader_module(&info, None) }.expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        // SAFETY: module and layout were just made.
        let pipelines = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = pipelines.expect("a pipeline")[0];
        // SAFETY: pipelines do not need their modules once created.
        unsafe { device.destroy_shader_module(module, None) };
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER_DYNAMIC, descriptor_count: 2 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = if pushed {
            vk::DescriptorSet::null()
        } else {
            // SAFETY: the pool holds one set.
            unsafe { device.allocate_descriptor_sets(&info) }.expect("a set")[0]
        };
        let buffer = |name, location| {
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
            let desc = BufferDesc { name, size: parts * BYTES, usage, location };
            Buffer::new(gpu, &desc).expect("the buffer fits")
        };
        let (mut source, mut target) =
            (buffer("source", Location::Upload), buffer("target", Location::Readback));
        for (part, bytes) in
            (1u8..).zip(source.mapped_mut().expect("mapped").chunks_exact_mut(BYTES as usize))
        {
            bytes.fill(part);
        }
        target.mapped_mut().expect("mapped").fill(0);
        let infos = [&source, &target]
            .map(|buffer| [vk::DescriptorBufferInfo { buffer: buffer.handle(), offset: 0, range: BYTES }]);
        let write = |binding: u32| {
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER_DYNAMIC)
                .buffer_info(&infos[binding as usize])
        };
        if !pushed {
            // SAFETY: no command uses the set yet.
            unsafe { device.update_descriptor_sets(&[write(0), write(1)], &[]) };
        }
        Self { gpu: gpu.clone(), set_layout, layout, pipeline, pool, set, source, target }
    }

    /// A part of the source, and one of the target.
    pub(crate) fn buffers(&self, from: u64, to: u64) -> [vk::DescriptorBufferInfo; 2] {
        let part = |buffer: &Buffer, part: u64| vk::DescriptorBufferInfo {
            buffer: buffer.handle(),
            offset: part * BYTES,
            range: BYTES,
        };
        [part(&self.source, from), part(&self.target, to)]
    }

    /// Whether the target holds nothing but part `from` of the source, in part `to`.
    pub(crate) fn copied(&self, from: u8, to: usize) -> bool {
        let parts = self.target.mapped().expect("mapped").chunks_exact(BYTES as usize).enumerate();
        parts.fold(true, |right, (part, bytes)| {
            let wanted = if part == to { from + 1 } else { 0 };
            right && bytes.iter().all(|&byte| byte == wanted)
        })
    }

    /// Dispatches with whatever is bound.
    ///
    /// # Safety
    /// Pipeline, set and constants are bound.
    pub(crate) unsafe fn dispatch(&self, commands: vk::CommandBuffer) {
        // SAFETY: the caller's promise.
        unsafe { self.gpu.device().cmd_dispatch(commands, 1, 1, 1) };
    }
}

impl Drop for Compute {
    fn drop(&mut self) {
        let device = self.gpu.device();
        // SAFETY: every run was waited for.
        unsafe { device.destroy_pipeline(self.pipeline, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
    }
}
