//! What an application binds for compute, remembered so that copies can put it back.

use super::slice;
use crate::device::Device;
use crate::templates::Template;
use ash::vk;
use std::ffi::c_void;
use texemu_emulate::ComputeState;

impl Device {
    /// Tells the compute state of a command buffer what was bound.
    fn track(&self, commands: vk::CommandBuffer, track: impl FnOnce(&mut ComputeState)) {
        if let Some(emulation) = &self.emulation {
            emulation.commands.with(commands, |state| track(state.compute()));
        }
    }
}

/// The bind point of commands that name stages instead.
fn compute_of(stages: vk::ShaderStageFlags) -> Option<vk::PipelineBindPoint> {
    stages.contains(vk::ShaderStageFlags::COMPUTE).then_some(vk::PipelineBindPoint::COMPUTE)
}

device_hook! {
    fn cmd_bind_pipeline(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        pipeline: vk::Pipeline,
    ); |state| {
        next!(state, cmd_bind_pipeline(commands, point, pipeline));
        if point == vk::PipelineBindPoint::COMPUTE {
            state.track(commands, |compute| compute.bind_pipeline(point, pipeline));
        }
    }
}

device_hook! {
    fn cmd_bind_descriptor_sets(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        sets: *const vk::DescriptorSet,
        offset_count: u32,
        offsets: *const u32,
    ); |state| {
        next!(
            state,
            cmd_bind_descriptor_sets(commands, point, layout, first, count, sets, offset_count, offsets)
        );
        if point == vk::PipelineBindPoint::COMPUTE {
            // SAFETY: valid by Vulkan's rules.
            let (sets, offsets) = (unsafe { slice(sets, count) }, unsafe { slice(offsets, offset_count) });
            state.track(commands, |compute| compute.bind_descriptor_sets(point, layout, first, sets, offsets));
        }
    }
}

device_hook! {
    fn cmd_bind_descriptor_sets2(
        commands: vk::CommandBuffer,
        info: *const vk::BindDescriptorSetsInfoKHR<'_>,
    ); |state| {
        next!(state, cmd_bind_descriptor_sets2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        if let Some(point) = compute_of(info.stage_flags) {
            // SAFETY: as above.
            let sets = unsafe { slice(info.p_descriptor_sets, info.descriptor_set_count) };
            // SAFETY: as above.
            let offsets = unsafe { slice(info.p_dynamic_offsets, info.dynamic_offset_count) };
            state.track(commands, |compute| {
                compute.bind_descriptor_sets(point, info.layout, info.first_set, sets, offsets);
            });
        }
    }
}

device_hook! {
    fn cmd_push_constants(
        commands: vk::CommandBuffer,
        layout: vk::PipelineLayout,
        stages: vk::ShaderStageFlags,
        offset: u32,
        size: u32,
        values: *const c_void,
    ); |state| {
        next!(state, cmd_push_constants(commands, layout, stages, offset, size, values));
        // SAFETY: valid by Vulkan's rules.
        let bytes = unsafe { slice(values.cast::<u8>(), size) };
        state.track(commands, |compute| compute.push_constants(layout, stages, offset, bytes));
    }
}

device_hook! {
    fn cmd_push_constants2(commands: vk::CommandBuffer, info: *const vk::PushConstantsInfoKHR<'_>); |state| {
        next!(state, cmd_push_constants2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        // SAFETY: as above.
        let bytes = unsafe { slice(info.p_values.cast::<u8>(), info.size) };
        state.track(commands, |compute| {
            compute.push_constants(info.layout, info.stage_flags, info.offset, bytes);
        });
    }
}

device_hook! {
    fn cmd_push_descriptor_set(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        count: u32,
        writes: *const vk::WriteDescriptorSet<'_>,
    ); |state| {
        next!(state, cmd_push_descriptor_set(commands, point, layout, set, count, writes));
        if point == vk::PipelineBindPoint::COMPUTE {
            // SAFETY: valid by Vulkan's rules.
            let writes = unsafe { slice(writes, count) };
            // SAFETY: as above.
            unsafe { track_pushed(state, commands, layout, set, writes) };
        }
    }
}

device_hook! {
    fn cmd_push_descriptor_set2(
        commands: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetInfoKHR<'_>,
    ); |state| {
        next!(state, cmd_push_descriptor_set2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        if compute_of(info.stage_flags).is_some() {
            // SAFETY: as above.
            let writes = unsafe { slice(info.p_descriptor_writes, info.descriptor_write_count) };
            // SAFETY: as above.
            unsafe { track_pushed(state, commands, info.layout, info.set, writes) };
        }
    }
}

device_hook! {
    fn cmd_push_descriptor_set_with_template(
        commands: vk::CommandBuffer,
        template: vk::DescriptorUpdateTemplate,
        layout: vk::PipelineLayout,
        set: u32,
        data: *const c_void,
    ); |state| {
        next!(state, cmd_push_descriptor_set_with_template(commands, template, layout, set, data));
        // SAFETY: valid by Vulkan's rules.
        unsafe { track_template(state, commands, template, layout, set, data) };
    }
}

device_hook! {
    fn cmd_push_descriptor_set_with_template2(
        commands: vk::CommandBuffer,
        info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
    ); |state| {
        next!(state, cmd_push_descriptor_set_with_template2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        let (template, layout) = (info.descriptor_update_template, info.layout);
        // SAFETY: as above.
        unsafe { track_template(state, commands, template, layout, info.set, info.p_data) };
    }
}

/// # Safety
/// `data` holds what the template describes.
unsafe fn track_template(
    state: &Device,
    commands: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) {
    let Some(template) = state.emulation.as_ref().and_then(|one| one.templates.get(template)) else { return };
    // SAFETY: the caller's promise.
    let values = unsafe { template.values(data) };
    let mut structures = values.structures();
    let writes = values.writes(&mut structures);
    // SAFETY: the writes point into `values` and `structures`.
    unsafe { track_pushed(state, commands, layout, set, &writes) };
}

/// # Safety
/// The arrays that `writes` point to are valid.
unsafe fn track_pushed(
    state: &Device,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    set: u32,
    writes: &[vk::WriteDescriptorSet<'_>],
) {
    let (function, point) = (state.next.cmd_push_descriptor_set, vk::PipelineBindPoint::COMPUTE);
    state.track(commands, |compute| {
        if let Some(function) = function {
            compute.push_with(function);
        }
        // SAFETY: the caller's promise.
        unsafe { compute.push_descriptor_set(point, layout, set, writes) };
    });
}

device_hook! {
    fn create_descriptor_update_template(
        device: vk::Device,
        info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
        allocator: *const vk::AllocationCallbacks<'_>,
        template: *mut vk::DescriptorUpdateTemplate,
    ) -> vk::Result; |state| {
        let result = next!(state, create_descriptor_update_template(device, info, allocator, template));
        if let (vk::Result::SUCCESS, Some(emulation)) = (result, &state.emulation) {
            // SAFETY: valid by Vulkan's rules.
            let info = unsafe { &*info };
            // SAFETY: as above.
            if let Some(known) = unsafe { Template::of(info) } {
                // SAFETY: written by the call.
                emulation.templates.add(unsafe { *template }, known);
            }
        }
        result
    }
}

device_hook! {
    fn destroy_descriptor_update_template(
        device: vk::Device,
        template: vk::DescriptorUpdateTemplate,
        allocator: *const vk::AllocationCallbacks<'_>,
    ); |state| {
        if let Some(emulation) = &state.emulation {
            emulation.templates.remove(template);
        }
        next!(state, destroy_descriptor_update_template(device, template, allocator));
    }
}

device_hook! {
    fn cmd_bind_shaders(
        commands: vk::CommandBuffer,
        count: u32,
        stages: *const vk::ShaderStageFlags,
        shaders: *const vk::ShaderEXT,
    ); |state| {
        next!(state, cmd_bind_shaders(commands, count, stages, shaders));
        if let Some(function) = state.next.cmd_bind_shaders {
            // SAFETY: valid by Vulkan's rules; the second may be null.
            let (stages, shaders) = (unsafe { slice(stages, count) }, unsafe { slice(shaders, count) });
            state.track(commands, |compute| compute.bind_shaders(function, stages, shaders));
        }
    }
}

device_hook! {
    fn cmd_bind_descriptor_buffers(
        commands: vk::CommandBuffer,
        count: u32,
        buffers: *const vk::DescriptorBufferBindingInfoEXT<'_>,
    ); |state| {
        next!(state, cmd_bind_descriptor_buffers(commands, count, buffers));
        state.track(commands, ComputeState::bind_descriptor_buffers);
    }
}

device_hook! {
    fn cmd_set_descriptor_buffer_offsets(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        first: u32,
        count: u32,
        buffers: *const u32,
        offsets: *const vk::DeviceSize,
    ); |state| {
        next!(state, cmd_set_descriptor_buffer_offsets(commands, point, layout, first, count, buffers, offsets));
        if point == vk::PipelineBindPoint::COMPUTE {
            // SAFETY: valid by Vulkan's rules.
            let (buffers, offsets) = (unsafe { slice(buffers, count) }, unsafe { slice(offsets, count) });
            track_offsets(state, commands, layout, first, buffers, offsets);
        }
    }
}

device_hook! {
    fn cmd_set_descriptor_buffer_offsets2(
        commands: vk::CommandBuffer,
        info: *const vk::SetDescriptorBufferOffsetsInfoEXT<'_>,
    ); |state| {
        next!(state, cmd_set_descriptor_buffer_offsets2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        if compute_of(info.stage_flags).is_some() {
            // SAFETY: as above.
            let buffers = unsafe { slice(info.p_buffer_indices, info.set_count) };
            // SAFETY: as above.
            let offsets = unsafe { slice(info.p_offsets, info.set_count) };
            track_offsets(state, commands, info.layout, info.first_set, buffers, offsets);
        }
    }
}

fn track_offsets(
    state: &Device,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    first: u32,
    buffers: &[u32],
    offsets: &[vk::DeviceSize],
) {
    let Some(function) = state.next.cmd_set_descriptor_buffer_offsets else { return };
    let point = vk::PipelineBindPoint::COMPUTE;
    state.track(commands, |compute| {
        compute.set_descriptor_buffer_offsets(function, point, layout, first, buffers, offsets);
    });
}

device_hook! {
    fn cmd_bind_descriptor_buffer_embedded_samplers(
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
    ); |state| {
        next!(state, cmd_bind_descriptor_buffer_embedded_samplers(commands, point, layout, set));
        if point == vk::PipelineBindPoint::COMPUTE {
            track_samplers(state, commands, layout, set);
        }
    }
}

device_hook! {
    fn cmd_bind_descriptor_buffer_embedded_samplers2(
        commands: vk::CommandBuffer,
        info: *const vk::BindDescriptorBufferEmbeddedSamplersInfoEXT<'_>,
    ); |state| {
        next!(state, cmd_bind_descriptor_buffer_embedded_samplers2(commands, info));
        // SAFETY: valid by Vulkan's rules.
        let info = unsafe { &*info };
        if compute_of(info.stage_flags).is_some() {
            track_samplers(state, commands, info.layout, info.set);
        }
    }
}

fn track_samplers(state: &Device, commands: vk::CommandBuffer, layout: vk::PipelineLayout, set: u32) {
    let Some(function) = state.next.cmd_bind_descriptor_buffer_embedded_samplers else { return };
    let point = vk::PipelineBindPoint::COMPUTE;
    state.track(commands, |compute| compute.bind_embedded_samplers(function, point, layout, set));
}

device_hook! {
    fn cmd_begin_conditional_rendering(
        commands: vk::CommandBuffer,
        info: *const vk::ConditionalRenderingBeginInfoEXT<'_>,
    ); |state| {
        next!(state, cmd_begin_conditional_rendering(commands, info));
        if let Some(emulation) = &state.emulation {
            // SAFETY: valid by Vulkan's rules.
            let info = unsafe { &*info };
            // SAFETY: the command buffer was just given it.
            state.track(commands, |compute| unsafe {
                compute.begin_conditional_rendering(&emulation.conditional, info);
            });
        }
    }
}

device_hook! {
    fn cmd_end_conditional_rendering(commands: vk::CommandBuffer); |state| {
        next!(state, cmd_end_conditional_rendering(commands));
        state.track(commands, ComputeState::end_conditional_rendering);
    }
}
