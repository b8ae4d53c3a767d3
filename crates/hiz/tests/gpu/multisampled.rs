//! Multisampled depth: a texel's samples are reduced like neighbours.

use crate::device::{DepthImage, Device, f32_bytes, noise, transition};
use crate::paths::check;
use texemu_core::{Image, ImageDesc, vk};
use texemu_hiz::{HizDesc, Path, Reduction, Scheme, TexelFormat};
use texemu_shaders::{HIZ_LEVEL_VERTEX, HIZ_TEST_SAMPLES};

#[test]
fn samples_count_as_neighbours() {
    let mut device = Device::shared();
    let mut taken = 0;
    for samples in [2, 4, 8] {
        if !device.takes(vk::Format::D32_SFLOAT, samples) {
            eprintln!("skipped: the device has no depth images of {samples} samples");
            continue;
        }
        taken += 1;
        for (source, extent, offset) in [([131, 72], [131, 72], [0, 0]), ([90, 70], [77, 64], [13, 3])] {
            let values = noise((source[0] * source[1] * samples) as usize, samples, false);
            let depth = multisampled(&mut device, source, samples, &values);
            let combinations = [
                (Scheme::Chained, Reduction::Min, TexelFormat::Float32),
                (Scheme::Pow2Exact, Reduction::MinMax, TexelFormat::Float16),
            ];
            for (scheme, reduction, texel) in combinations {
                let desc = HizDesc {
                    source_extent: source,
                    samples,
                    texel,
                    ..HizDesc::new(extent, scheme, reduction)
                };
                let paths = check(&mut device, &desc, offset, &depth, &values);
                assert!(paths.contains(&Path::PerLevel));
            }
            let one = HizDesc {
                first_level: 4,
                last_level: 4,
                ..HizDesc::new(extent, Scheme::EdgeTexel, Reduction::Max)
            };
            let paths = check(
                &mut device,
                &HizDesc { source_extent: source, samples, ..one },
                offset,
                &depth,
                &values,
            );
            assert!(paths.contains(&Path::SharedAtomic));
        }
    }
    assert!(taken > 0, "a device has depth images of four samples");
    device.expect_silence();
}

/// A depth image whose samples hold `values`: a draw a sample, chosen by sample mask.
fn multisampled(device: &mut Device, extent: [u32; 2], samples: u32, values: &[f32]) -> DepthImage {
    let gpu = device.gpu.clone();
    let [width, height] = extent;
    let texels = (width * height) as usize;
    let planes: Vec<f32> = (0..samples as usize)
        .flat_map(|sample| (0..texels).map(move |texel| values[texel * samples as usize + sample]))
        .collect();
    let planes = device.depth_image(vk::Format::R32_SFLOAT, extent, samples, &f32_bytes(&planes));
    let format = vk::Format::D32_SFLOAT;
    let count = vk::SampleCountFlags::from_raw(samples);
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(count)
        .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
    let image = Image::new(&gpu, &ImageDesc { name: "samples", info }).expect("an image");
    let aspect = vk::ImageAspectFlags::DEPTH;
    let view = device.view(&image, format, aspect, 0, 1);
    let draw = Fill::new(device, view.handle, extent, count, planes.view.handle);
    device
        .commands
        .run(|commands| {
            use vk::{AccessFlags as A, ImageLayout as L, PipelineStageFlags as S};
            let range =
                vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
            let attachment = (
                S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS,
                A::DEPTH_STENCIL_ATTACHMENT_READ | A::DEPTH_STENCIL_ATTACHMENT_WRITE,
                L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            );
            let readable =
                (S::COMPUTE_SHADER | S::FRAGMENT_SHADER, A::SHADER_READ, L::SHADER_READ_ONLY_OPTIMAL);
            transition(
                &gpu,
                commands,
                image.handle(),
                range,
                (S::TOP_OF_PIPE, A::empty(), L::UNDEFINED),
                attachment,
            );
            draw.record(commands, extent);
            transition(&gpu, commands, image.handle(), range, attachment, readable);
            Ok::<(), texemu_core::Error>(())
        })
        .expect("a draw");
    draw.destroy();
    DepthImage::new(image, view)
}

/// The objects of the draws that fill a multisampled image.
struct Fill {
    device: texemu_core::ash::Device,
    sampler: vk::Sampler,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
    pipelines: Vec<vk::Pipeline>,
}

impl Fill {
    fn new(
        device: &Device,
        target: vk::ImageView,
        [width, height]: [u32; 2],
        count: vk::SampleCountFlags,
        planes: vk::ImageView,
    ) -> Self {
        let device = device.gpu.device().clone();
        // SAFETY: the device is alive, here and below.
        let sampler =
            unsafe { device.create_sampler(&vk::SamplerCreateInfo::default(), None) }.expect("a sampler");
        let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: as above.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a layout");
        let set_layouts = [set_layout];
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 4 }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
        // SAFETY: as above.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }.expect("a layout");
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: as above.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
        // SAFETY: as above.
        let set = unsafe { device.allocate_descriptor_sets(&info) }.expect("a set")[0];
        let images = [vk::DescriptorImageInfo {
            sampler,
            image_view: planes,
            image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        }];
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(kind).image_info(&images);
        // SAFETY: the set is new.
        unsafe { device.update_descriptor_sets(&[write], &[]) };
        let pass = render_pass(&device, count);
        let attachments = [target];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&attachments)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: as above.
        let framebuffer = unsafe { device.create_framebuffer(&info, None) }.expect("a framebuffer");
        let mut fill =
            Self { device, sampler, set_layout, layout, pool, set, pass, framebuffer, pipelines: Vec::new() };
        fill.pipelines = (0..count.as_raw()).map(|sample| fill.pipeline(count, 1 << sample)).collect();
        fill
    }

    fn pipeline(&self, count: vk::SampleCountFlags, mask: u32) -> vk::Pipeline {
        let module = |code: &'static [u32]| {
            // SAFETY: the device is alive; the words are a module.
            unsafe {
                self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(code), None)
            }
            .expect("a module")
        };
        let modules = [module(HIZ_LEVEL_VERTEX.spirv), module(HIZ_TEST_SAMPLES.spirv)];
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, modules[0]),
            stage(vk::ShaderStageFlags::FRAGMENT, modules[1]),
        ];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewports = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let masks = [mask];
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(count)
            .sample_mask(&masks);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::ALWAYS);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.pass)];
        // SAFETY: everything was made on this device.
        let pipelines =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) }
                .expect("a pipeline");
        for module in modules {
            // SAFETY: pipelines do not need their modules once created.
            unsafe { self.device.destroy_shader_module(module, None) };
        }
        pipelines[0]
    }

    fn record(&self, commands: vk::CommandBuffer, [width, height]: [u32; 2]) {
        let device = &self.device;
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(self.framebuffer)
            .render_area(area);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let viewport = vk::Viewport {
            width: width as f32,
            height: height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        // SAFETY: recording on this device, with this fill's own objects, here and below.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        for (&pipeline, sample) in self.pipelines.iter().zip(0i32..) {
            // SAFETY: as above.
            unsafe { device.cmd_bind_pipeline(commands, graphics, pipeline) };
            // SAFETY: as above.
            unsafe { device.cmd_bind_descriptor_sets(commands, graphics, self.layout, 0, &[self.set], &[]) };
            // SAFETY: as above.
            unsafe {
                device.cmd_push_constants(
                    commands,
                    self.layout,
                    vk::ShaderStageFlags::FRAGMENT,
                    0,
                    &sample.to_ne_bytes(),
                )
            };
            // SAFETY: as above.
            unsafe { device.cmd_set_viewport(commands, 0, &[viewport]) };
            // SAFETY: as above.
            unsafe { device.cmd_set_scissor(commands, 0, &[area]) };
            // SAFETY: as above.
            unsafe { device.cmd_draw(commands, 3, 1, 0, 0) };
        }
        // SAFETY: as above.
        unsafe { device.cmd_end_render_pass(commands) };
    }

    fn destroy(self) {
        let device = &self.device;
        for pipeline in self.pipelines {
            // SAFETY: `Commands::run` has waited, here and below.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_framebuffer(self.framebuffer, None) };
        // SAFETY: as above.
        unsafe { device.destroy_render_pass(self.pass, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_sampler(self.sampler, None) };
    }
}

fn render_pass(device: &texemu_core::ash::Device, count: vk::SampleCountFlags) -> vk::RenderPass {
    let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    let attachments = [vk::AttachmentDescription::default()
        .format(vk::Format::D32_SFLOAT)
        .samples(count)
        .load_op(vk::AttachmentLoadOp::DONT_CARE)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .initial_layout(layout)
        .final_layout(layout)];
    let depth = vk::AttachmentReference { attachment: 0, layout };
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .depth_stencil_attachment(&depth)];
    let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
    // SAFETY: the device is alive.
    unsafe { device.create_render_pass(&info, None) }.expect("a pass")
}
