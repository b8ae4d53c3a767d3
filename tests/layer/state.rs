//! What an application has bound stays bound across copies, however it was bound.

use crate::app::{App, Texture, Wish};
use crate::below::{CALLS, DESCRIPTORS, Layer};
use crate::common::compute::{BYTES, Compute};
use crate::common::draw::View;
use crate::common::texture::TextureDesc;
use crate::format;
use crate::launch::{ABOVE_VALIDATION, NAME, VALIDATION, own_file, told_under};
use crate::validate::numbers;
use std::sync::atomic::Ordering;
use texemu_core::ash::vk::Handle;
use texemu_core::ash::{self, vk};

const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const STAGE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;

/// Words that one dispatch copies, as its push constant.
fn count() -> [u8; 4] {
    (BYTES as u32 / 16).to_ne_bytes()
}

fn desc() -> TextureDesc {
    TextureDesc::new(format("ASTC_5x4_UNORM_BLOCK"), View::Array, [25, 25, 1], 2, 1)
}

fn bind_pipeline(app: &App, commands: vk::CommandBuffer, compute: &Compute) {
    // SAFETY: both are alive.
    unsafe { app.device.cmd_bind_pipeline(commands, COMPUTE, compute.pipeline) };
}

fn push_count(app: &App, commands: vk::CommandBuffer, compute: &Compute) {
    // SAFETY: the layout has these bytes.
    unsafe { app.device.cmd_push_constants(commands, compute.layout, STAGE, 0, &count()) };
}

fn dispatch(app: &App, commands: vk::CommandBuffer, compute: &Compute) {
    // SAFETY: the tests bind what it needs.
    unsafe { compute.dispatch(commands) };
    let barriers = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::SHADER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ)];
    let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
    let none = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { app.device.cmd_pipeline_barrier(commands, from, to, none, &barriers, &[], &[]) };
}

/// Two writes of a pushed set.
fn writes(buffers: &[[vk::DescriptorBufferInfo; 1]; 2]) -> [vk::WriteDescriptorSet<'_>; 2] {
    let write = |binding: u32| {
        vk::WriteDescriptorSet::default()
            .dst_binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .buffer_info(&buffers[binding as usize])
    };
    [write(0), write(1)]
}

/// A template for the same, over an array of two structures.
fn template(app: &App, compute: &Compute) -> vk::DescriptorUpdateTemplate {
    let size = size_of::<vk::DescriptorBufferInfo>();
    let entry = |binding: u32| vk::DescriptorUpdateTemplateEntry {
        dst_binding: binding,
        dst_array_element: 0,
        descriptor_count: 1,
        descriptor_type: vk::DescriptorType::STORAGE_BUFFER,
        offset: binding as usize * size,
        stride: size,
    };
    let entries = [entry(0), entry(1)];
    let info = vk::DescriptorUpdateTemplateCreateInfo::default()
        .descriptor_update_entries(&entries)
        .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
        .pipeline_bind_point(COMPUTE)
        .pipeline_layout(compute.layout)
        .set(0);
    // SAFETY: valid.
    unsafe { app.device.create_descriptor_update_template(&info, None) }.expect("a template")
}

/// Runs a test whose decodes the layer compares too: `decodes` regions, and none differs.
fn validated(test: &str, decodes: u64, layers: &str, body: impl FnOnce()) {
    let file = own_file(test, "statistics.json");
    let environment = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    let Some(text) = told_under(test, layers, &environment, body) else { return };
    assert!(!text.contains("texemu layer: error"), "{test}: the layer complains");
    if !text.contains("skipped: ") {
        assert_eq!((numbers(&file, "compared"), numbers(&file, "different")), (vec![decodes], vec![0]));
    }
}

#[test]
fn pushed_descriptors_survive() {
    validated("state::pushed_descriptors_survive", 2, ABOVE_VALIDATION, || {
        let wish = Wish { extensions: &[ash::khr::push_descriptor::NAME], features: std::ptr::null() };
        let Some(app) = App::new(&wish) else { return };
        let compute = Compute::pushed(&app.gpu, 4);
        let texture = Texture::new(&app, desc());
        let push = ash::khr::push_descriptor::Device::new(&app.instance, &app.device);
        let buffers = compute.buffers(2, 1).map(|buffer| [buffer]);
        app.run(|commands| {
            bind_pipeline(&app, commands, &compute);
            push_count(&app, commands, &compute);
            // SAFETY: the layout is for these.
            unsafe { push.cmd_push_descriptor_set(commands, COMPUTE, compute.layout, 0, &writes(&buffers)) };
            texture.copy(commands);
            dispatch(&app, commands, &compute);
        });
        assert!(compute.copied(2, 1), "part 2 of the source, in part 1 of the target");
    });
}

#[test]
fn descriptors_pushed_by_a_template_survive() {
    validated("state::descriptors_pushed_by_a_template_survive", 2, ABOVE_VALIDATION, || {
        let wish = Wish { extensions: &[ash::khr::push_descriptor::NAME], features: std::ptr::null() };
        let Some(app) = App::new(&wish) else { return };
        let compute = Compute::pushed(&app.gpu, 4);
        let texture = Texture::new(&app, desc());
        let push = ash::khr::push_descriptor::Device::new(&app.instance, &app.device);
        let template = template(&app, &compute);
        let buffers = compute.buffers(3, 0);
        app.run(|commands| {
            bind_pipeline(&app, commands, &compute);
            push_count(&app, commands, &compute);
            let data = buffers.as_ptr().cast();
            // SAFETY: the template describes the array.
            unsafe {
                push.cmd_push_descriptor_set_with_template(commands, template, compute.layout, 0, data);
            }
            texture.copy(commands);
            dispatch(&app, commands, &compute);
        });
        assert!(compute.copied(3, 0), "part 3 of the source, in part 0 of the target");
        // SAFETY: the commands were waited for.
        unsafe { app.device.destroy_descriptor_update_template(template, None) };
    });
}

#[test]
fn what_the_second_versions_bind_survives() {
    validated("state::what_the_second_versions_bind_survives", 2, VALIDATION, || {
        let layer = Layer::new();
        let wish = Wish { extensions: &[ash::khr::maintenance6::NAME], features: std::ptr::null() };
        let app = layer.app(&wish);
        let maintenance6 = ash::khr::maintenance6::Device::new(&app.instance, &app.device);
        let texture = Texture::new(&app, desc());

        let compute = Compute::new(&app.gpu, 4);
        app.run(|commands| {
            bind_pipeline(&app, commands, &compute);
            let (values, sets) = (count(), [compute.set]);
            let info =
                vk::PushConstantsInfoKHR::default().layout(compute.layout).stage_flags(STAGE).values(&values);
            // SAFETY: the layout has these bytes.
            unsafe { maintenance6.cmd_push_constants2(commands, &info) };
            let offsets = [BYTES as u32, 3 * BYTES as u32];
            let info = vk::BindDescriptorSetsInfoKHR::default()
                .stage_flags(STAGE)
                .layout(compute.layout)
                .descriptor_sets(&sets)
                .dynamic_offsets(&offsets);
            // SAFETY: everything is alive and of one layout.
            unsafe { maintenance6.cmd_bind_descriptor_sets2(commands, &info) };
            texture.copy(commands);
            dispatch(&app, commands, &compute);
        });
        assert!(compute.copied(1, 3), "part 1 of the source, in part 3 of the target");
        assert_eq!(CALLS.load(Ordering::Relaxed), 2, "both commands got below the layer, once");
    });
}

#[test]
fn what_the_second_versions_push_survives() {
    validated("state::what_the_second_versions_push_survives", 4, VALIDATION, || {
        let layer = Layer::new();
        // Not asked for by the extension: in Vulkan 1.4, devices have it without.
        let wish = Wish { extensions: &[ash::khr::maintenance6::NAME], features: std::ptr::null() };
        if !layer.has(ash::khr::push_descriptor::NAME) {
            println!("skipped: the device has no VK_KHR_push_descriptor");
            return;
        }
        let app = layer.app(&wish);
        let maintenance6 = ash::khr::maintenance6::Device::new(&app.instance, &app.device);
        let texture = Texture::new(&app, desc());
        // Pushed directly, and by template.
        for round in 0..2 {
            let compute = Compute::pushed(&app.gpu, 4);
            let template = template(&app, &compute);
            let buffers = compute.buffers(round, 2);
            let apart = buffers.map(|buffer| [buffer]);
            let writes = writes(&apart);
            app.run(|commands| {
                bind_pipeline(&app, commands, &compute);
                push_count(&app, commands, &compute);
                let layout = compute.layout;
                if round == 0 {
                    let info = vk::PushDescriptorSetInfoKHR::default()
                        .stage_flags(STAGE)
                        .layout(layout)
                        .descriptor_writes(&writes);
                    // SAFETY: the layout is for these.
                    unsafe { maintenance6.cmd_push_descriptor_set2(commands, &info) };
                } else {
                    let mut info = vk::PushDescriptorSetWithTemplateInfoKHR::default()
                        .descriptor_update_template(template)
                        .layout(layout);
                    info.p_data = buffers.as_ptr().cast();
                    // SAFETY: the template describes the array.
                    unsafe { maintenance6.cmd_push_descriptor_set_with_template2(commands, &info) };
                }
                texture.copy(commands);
                dispatch(&app, commands, &compute);
            });
            assert!(compute.copied(round as u8, 2), "round {round}");
            // SAFETY: the commands were waited for.
            unsafe { app.device.destroy_descriptor_update_template(template, None) };
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 2, "both commands got below the layer, once");
    });
}

#[test]
fn copies_run_whatever_the_condition_and_dispatches_by_it() {
    validated("state::copies_run_whatever_the_condition_and_dispatches_by_it", 4, ABOVE_VALIDATION, || {
        let mut feature =
            vk::PhysicalDeviceConditionalRenderingFeaturesEXT::default().conditional_rendering(true);
        let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut feature);
        let wish = Wish {
            extensions: &[ash::ext::conditional_rendering::NAME],
            features: (&raw const features).cast(),
        };
        let Some(app) = App::new(&wish) else { return };
        let conditional = ash::ext::conditional_rendering::Device::new(&app.instance, &app.device);
        let texture = Texture::new(&app, desc());
        let words = [0u32, 1].map(u32::to_ne_bytes).concat();
        let condition = app.buffer(vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT, &words);
        for holds in [false, true] {
            let compute = Compute::new(&app.gpu, 4);
            app.run(|commands| {
                bind_pipeline(&app, commands, &compute);
                push_count(&app, commands, &compute);
                let (sets, offsets) = ([compute.set], [2 * BYTES as u32, BYTES as u32]);
                // SAFETY: everything is alive and of one layout.
                unsafe {
                    let (device, layout) = (&app.device, compute.layout);
                    device.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &sets, &offsets);
                }
                let begin = vk::ConditionalRenderingBeginInfoEXT::default()
                    .buffer(condition.handle())
                    .offset(if holds { 4 } else { 0 });
                // SAFETY: the buffer holds the word.
                unsafe { (conditional.fp().cmd_begin_conditional_rendering_ext)(commands, &begin) };
                texture.copy(commands);
                dispatch(&app, commands, &compute);
                // SAFETY: begun above.
                unsafe { (conditional.fp().cmd_end_conditional_rendering_ext)(commands) };
            });
            assert_eq!(compute.copied(2, 1), holds, "the dispatch runs if the condition holds");
        }
    });
}

#[test]
fn shader_objects_and_descriptor_buffers_survive() {
    validated("state::shader_objects_and_descriptor_buffers_survive", 8, VALIDATION, || {
        let layer = Layer::new();
        let wish = Wish {
            extensions: &[
                ash::khr::maintenance6::NAME,
                ash::ext::shader_object::NAME,
                ash::ext::descriptor_buffer::NAME,
            ],
            features: std::ptr::null(),
        };
        let app = layer.app(&wish);
        let objects = ash::ext::shader_object::Device::new(&app.instance, &app.device);
        let buffers = ash::ext::descriptor_buffer::Device::new(&app.instance, &app.device);
        let maintenance6 = ash::khr::maintenance6::Device::new(&app.instance, &app.device);
        let texture = Texture::new(&app, desc());
        for round in 0..4 {
            let compute = Compute::new(&app.gpu, 4);
            DESCRIPTORS.store(compute.set.as_raw(), Ordering::Relaxed);
            let (layout, part) = (compute.layout, BYTES);
            app.run(|commands| {
                push_count(&app, commands, &compute);
                let stages = [vk::ShaderStageFlags::FRAGMENT, STAGE];
                let shaders = [vk::ShaderEXT::null(), vk::ShaderEXT::from_raw(compute.pipeline.as_raw())];
                // SAFETY: below the layer, it is a pipeline.
                unsafe { objects.cmd_bind_shaders(commands, &stages, &shaders) };
                // SAFETY: below the layer, there are none.
                unsafe { buffers.cmd_bind_descriptor_buffers(commands, &[]) };
                let (indices, offsets) = ([0], [(2 * part) | (part << 32)]);
                match round {
                    // SAFETY: below the layer, it binds the set.
                    0 => unsafe {
                        buffers.cmd_set_descriptor_buffer_offsets(
                            commands, COMPUTE, layout, 0, &indices, &offsets,
                        );
                    },
                    1 => {
                        let info = vk::SetDescriptorBufferOffsetsInfoEXT::default()
                            .stage_flags(STAGE)
                            .layout(layout)
                            .buffer_indices(&indices)
                            .offsets(&offsets);
                        // SAFETY: as above.
                        unsafe { maintenance6.cmd_set_descriptor_buffer_offsets2(commands, &info) };
                    }
                    // SAFETY: as above.
                    2 => unsafe {
                        buffers.cmd_bind_descriptor_buffer_embedded_samplers(commands, COMPUTE, layout, 0);
                    },
                    _ => {
                        let info = vk::BindDescriptorBufferEmbeddedSamplersInfoEXT::default()
                            .stage_flags(STAGE)
                            .layout(layout);
                        // SAFETY: as above.
                        unsafe {
                            maintenance6.cmd_bind_descriptor_buffer_embedded_samplers2(commands, &info)
                        };
                    }
                }
                texture.copy(commands);
                dispatch(&app, commands, &compute);
            });
            let (from, to) = if round < 2 { (2, 1) } else { (3, 2) };
            assert!(compute.copied(from, to), "round {round}");
        }
    });
}

#[test]
fn shader_objects_of_the_driver_survive() {
    // Validation layers may be older than the extension.
    validated("state::shader_objects_of_the_driver_survive", 2, NAME, || {
        let mut feature = vk::PhysicalDeviceShaderObjectFeaturesEXT::default().shader_object(true);
        let features = vk::PhysicalDeviceFeatures2::default().push_next(&mut feature);
        let wish =
            Wish { extensions: &[ash::ext::shader_object::NAME], features: (&raw const features).cast() };
        let Some(app) = App::new(&wish) else { return };
        let objects = ash::ext::shader_object::Device::new(&app.instance, &app.device);
        let (compute, texture) = (Compute::new(&app.gpu, 4), Texture::new(&app, desc()));
        let (layouts, ranges) =
            ([compute.set_layout], [vk::PushConstantRange { stage_flags: STAGE, offset: 0, size: 4 }]);
        let words = texemu_shaders::COPY_BYTES.spirv;
        // SAFETY: words are bytes.
        let code = unsafe { std::slice::from_raw_parts(words.as_ptr().cast::<u8>(), 4 * words.len()) };
        let info = vk::ShaderCreateInfoEXT::default()
            .stage(STAGE)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .code(code)
            .name(c"main")
            .set_layouts(&layouts)
            .push_constant_ranges(&ranges);
        // SAFETY: valid.
        let shader = unsafe { objects.create_shaders(&[info], None) }.expect("a shader")[0];
        app.run(|commands| {
            push_count(&app, commands, &compute);
            // SAFETY: the shader is alive.
            unsafe { objects.cmd_bind_shaders(commands, &[STAGE], &[shader]) };
            let (sets, offsets) = ([compute.set], [2 * BYTES as u32, BYTES as u32]);
            let (device, layout) = (&app.device, compute.layout);
            // SAFETY: everything is alive and of one layout.
            unsafe { device.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &sets, &offsets) };
            texture.copy(commands);
            dispatch(&app, commands, &compute);
        });
        assert!(compute.copied(2, 1), "part 2 of the source, in part 1 of the target");
        // SAFETY: the commands were waited for.
        unsafe { objects.destroy_shader(shader, None) };
    });
}
