//! Binding resources to a pipeline: push descriptors where the device has them, else a set from the arena.

use crate::arena::Arena;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::pipeline::{Pipeline, descriptor_type};
use ash::vk;

/// What stands behind one binding. Storage images are in `GENERAL`.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    /// A uniform texel buffer.
    TexelBuffer(vk::BufferView),
    /// A storage image.
    StorageImage(vk::ImageView),
    /// A storage or uniform buffer: handle, offset and bytes.
    Buffer(vk::Buffer, u64, u64),
    /// A sampled image with its sampler, in the given layout.
    Sampled(vk::ImageView, vk::Sampler, vk::ImageLayout),
}

/// Binds `pipeline` for compute, and `resources` to it: one entry a binding of the kernel, in the kernel's order; an
/// array binding takes as many entries as it has elements, in a row.
///
/// # Safety
/// `commands` is being recorded on this device, outside a render pass; the resources are of the kinds the kernel names,
/// and stay alive until the commands have run.
pub unsafe fn bind(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    arena: &mut Arena,
    pipeline: &Pipeline,
    resources: &[Resource],
) -> Result<()> {
    // SAFETY: the caller records `commands` on this device.
    unsafe { gpu.device().cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline.handle()) };
    let set = match gpu.push_descriptor() {
        Some(_) => vk::DescriptorSet::null(),
        None => arena.descriptor_set(pipeline)?,
    };
    let mut images = Vec::with_capacity(resources.len());
    let mut buffers = Vec::with_capacity(resources.len());
    let mut views = Vec::with_capacity(resources.len());
    for resource in resources {
        let (mut image, mut buffer, mut view) = Default::default();
        match *resource {
            Resource::TexelBuffer(handle) => view = handle,
            Resource::StorageImage(handle) => {
                image = vk::DescriptorImageInfo::default()
                    .image_view(handle)
                    .image_layout(vk::ImageLayout::GENERAL);
            }
            Resource::Buffer(handle, offset, range) => {
                buffer = vk::DescriptorBufferInfo { buffer: handle, offset, range };
            }
            Resource::Sampled(handle, sampler, layout) => {
                image = vk::DescriptorImageInfo { sampler, image_view: handle, image_layout: layout };
            }
        }
        images.push(image);
        buffers.push(buffer);
        views.push(view);
    }
    let mut writes = Vec::with_capacity(pipeline.kernel().bindings.len());
    let mut first = 0;
    for binding in pipeline.kernel().bindings {
        let range = first..first + binding.count as usize;
        first = range.end;
        writes.push(
            vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding.binding)
                .descriptor_type(descriptor_type(binding.kind))
                .image_info(&images[range.clone()])
                .buffer_info(&buffers[range.clone()])
                .texel_buffer_view(&views[range]),
        );
    }
    debug_assert_eq!(first, resources.len(), "{}: one resource a descriptor", pipeline.kernel().name);
    let point = vk::PipelineBindPoint::COMPUTE;
    if let Some(push) = gpu.push_descriptor() {
        // SAFETY: the writes' arrays live until the call returns; the layout's set 0 is a push-descriptor set.
        unsafe { push.cmd_push_descriptor_set(commands, point, pipeline.layout(), 0, &writes) };
    } else {
        // SAFETY: the set is fresh from the arena, so no command uses it yet.
        unsafe { gpu.device().update_descriptor_sets(&writes, &[]) };
        // SAFETY: set and layout were made from the same kernel.
        unsafe {
            gpu.device().cmd_bind_descriptor_sets(commands, point, pipeline.layout(), 0, &[set], &[]);
        }
    }
    Ok(())
}
