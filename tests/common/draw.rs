//! Images as a sampler sees them: drawn into 32-bit floats and read back.

use texemu_core::vk;
use texemu_core::{Buffer, BufferDesc, Commands, Gpu, Image, ImageDesc, Location};
use texemu_shaders::Kernel;

/// How the image is viewed, and so how its slices are addressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Array,
    Volume,
    Cube,
}

/// What to sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shot {
    pub(crate) view: vk::ImageView,
    pub(crate) kind: View,
    pub(crate) layout: vk::ImageLayout,
    pub(crate) level: u32,
    /// Texels of the level: width, height, and array layers, faces or depth slices.
    pub(crate) size: [u32; 3],
    /// Added to the texture coordinates: 1 is the whole image.
    pub(crate) origin: [f32; 2],
}

/// A render pass into one colour attachment, and the pipelines and samplers for it.
pub(crate) struct Draw {
    gpu: Gpu,
    pass: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: [vk::Pipeline; 3],
    pool: vk::DescriptorPool,
    nearest: vk::Sampler,
}

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

impl Draw {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let device = gpu.device();
        let pass = render_pass(gpu);
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }.expect("a set layout");
        let (layouts, ranges) = (
            [set_layout],
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 }],
        );
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: the set layout was just made.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }.expect("a pipeline layout");
        let fragments =
            [&texemu_shaders::SAMPLE_2D_ARRAY, &texemu_shaders::SAMPLE_3D, &texemu_shaders::SAMPLE_CUBE];
        let pipelines = fragments.map(|fragment| pipeline(gpu, pass, layout, fragment));
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::COMBINED_IMAGE_SAMPLER, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }.expect("a pool");
        let info = vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is alive.
        let nearest = unsafe { device.create_sampler(&info, None) }.expect("a sampler");
        Self { gpu: gpu.clone(), pass, set_layout, layout, pipelines, pool, nearest }
    }

    /// Every texel of the shot with nearest filtering, slice by slice, row by row.
    pub(crate) fn sample(&self, shot: &Shot) -> Vec<[f32; 4]> {
        self.sample_with(shot, self.nearest)
    }

    /// As [`Draw::sample`], through a sampler of the test's.
    pub(crate) fn sample_with(&self, shot: &Shot, sampler: vk::Sampler) -> Vec<[f32; 4]> {
        let mut commands = Commands::new(&self.gpu).expect("commands");
        let mut keep = None;
        commands
            .run(|commands| {
                // SAFETY: the pool's one set is used by this run alone, which waits.
                keep = Some(unsafe { self.record(commands, shot, sampler) });
                Ok::<_, texemu_core::Error>(())
            })
            .expect("the draw runs");
        let drawn = keep.expect("recorded");
        let bytes = drawn.buffer.mapped().expect("read-back memory is mapped");
        let texels = bytes.chunks_exact(16).map(|texel| {
            std::array::from_fn(|c| f32::from_le_bytes(texel[4 * c..4 * c + 4].try_into().expect("4 bytes")))
        });
        texels.collect()
    }

    /// # Safety
    /// The view is alive and in its layout; nothing else uses this object's set.
    unsafe fn record(&self, commands: vk::CommandBuffer, shot: &Shot, sampler: vk::Sampler) -> Drawn {
        let device = self.gpu.device();
        let [width, height, slices] = shot.size;
        let extent = vk::Extent2D { width, height: height * slices };
        let drawn = Drawn::new(&self.gpu, self.pass, extent);
        // SAFETY: the previous run was waited for.
        unsafe { device.reset_descriptor_pool(self.pool, vk::DescriptorPoolResetFlags::empty()) }
            .expect("reset");
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        // SAFETY: the pool was just reset.
        let set = unsafe { device.allocate_descriptor_sets(&info) }.expect("the pool holds one set")[0];
        let images = [vk::DescriptorImageInfo { sampler, image_view: shot.view, image_layout: shot.layout }];
        let writes = [vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .image_info(&images)];
        // SAFETY: no command uses the set yet.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(drawn.framebuffer)
            .render_area(area);
        // SAFETY: recorded outside a render pass.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: made for this render pass.
        unsafe { device.cmd_bind_pipeline(commands, point, self.pipelines[shot.kind as usize]) };
        // SAFETY: the set was made with this layout.
        unsafe { device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]) };
        for slice in 0..slices {
            let y = slice * height;
            let viewport = vk::Viewport {
                x: 0.0,
                y: y as f32,
                width: width as f32,
                height: height as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            };
            // SAFETY: the pipeline's viewport is dynamic.
            unsafe { device.cmd_set_viewport(commands, 0, &[viewport]) };
            let offset = vk::Offset2D { x: 0, y: y as i32 };
            let scissor = vk::Rect2D { offset, extent: vk::Extent2D { width, height } };
            // SAFETY: the pipeline's scissor is dynamic.
            unsafe { device.cmd_set_scissor(commands, 0, &[scissor]) };
            let slice = match shot.kind {
                View::Volume => (slice as f32 + 0.5) / slices as f32,
                View::Array | View::Cube => slice as f32,
            };
            let push: Vec<u8> = [shot.origin[0], shot.origin[1], shot.level as f32, slice]
                .iter()
                .flat_map(|value| value.to_ne_bytes())
                .collect();
            let stage = vk::ShaderStageFlags::FRAGMENT;
            // SAFETY: the layout has these 16 bytes.
            unsafe { device.cmd_push_constants(commands, self.layout, stage, 0, &push) };
            // SAFETY: everything the pipeline needs is bound.
            unsafe { device.cmd_draw(commands, 3, 1, 0, 0) };
        }
        // SAFETY: begun above.
        unsafe { device.cmd_end_render_pass(commands) };
        let copy = [vk::BufferImageCopy::default()
            .image_subresource(
                vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
            )
            .image_extent(vk::Extent3D { width: extent.width, height: extent.height, depth: 1 })];
        let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let (image, buffer) = (drawn.image.handle(), drawn.buffer.handle());
        // SAFETY: the pass leaves the image in that layout; the buffer holds it.
        unsafe { device.cmd_copy_image_to_buffer(commands, image, source, buffer, &copy) };
        let host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (transfer, reader) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let none = vk::DependencyFlags::empty();
        // SAFETY: recorded outside a render pass.
        unsafe { device.cmd_pipeline_barrier(commands, transfer, reader, none, &host, &[], &[]) };
        drawn
    }
}

impl Drop for Draw {
    fn drop(&mut self) {
        let device = self.gpu.device();
        for pipeline in self.pipelines {
            // SAFETY: every run was waited for.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_render_pass(self.pass, None) };
        // SAFETY: as above.
        unsafe { device.destroy_sampler(self.nearest, None) };
    }
}

/// What one run draws into.
struct Drawn {
    gpu: Gpu,
    image: Image,
    view: vk::ImageView,
    framebuffer: vk::Framebuffer,
    buffer: Buffer,
}

impl Drawn {
    fn new(gpu: &Gpu, pass: vk::RenderPass, extent: vk::Extent2D) -> Self {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: extent.width, height: extent.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        let image = Image::new(gpu, &ImageDesc { name: "drawn", info }).expect("the attachment fits");
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle())
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(FORMAT)
            .subresource_range(range);
        // SAFETY: the image was just made.
        let view = unsafe { gpu.device().create_image_view(&info, None) }.expect("a view");
        let views = [view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: pass and view were made on this device.
        let framebuffer = unsafe { gpu.device().create_framebuffer(&info, None) }.expect("a framebuffer");
        let desc = BufferDesc {
            name: "drawn texels",
            size: u64::from(extent.width) * u64::from(extent.height) * 16,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: Location::Readback,
        };
        let buffer = Buffer::new(gpu, &desc).expect("the buffer fits");
        Self { gpu: gpu.clone(), image, view, framebuffer, buffer }
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        // SAFETY: the run was waited for.
        unsafe { self.gpu.device().destroy_framebuffer(self.framebuffer, None) };
        // SAFETY: as above.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}

fn render_pass(gpu: &Gpu) -> vk::RenderPass {
    let attachments = [vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::DONT_CARE)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)];
    let references =
        [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references)];
    let dependencies = [vk::SubpassDependency::default()
        .src_subpass(0)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: the device is alive.
    unsafe { gpu.device().create_render_pass(&info, None) }.expect("a render pass")
}

fn pipeline(gpu: &Gpu, pass: vk::RenderPass, layout: vk::PipelineLayout, fragment: &Kernel) -> vk::Pipeline {
    let device = gpu.device();
    let module = |kernel: &Kernel| {
        let info = vk::ShaderModuleCreateInfo::default().code(kernel.spirv);
        // SAFETY: the words are a module of ours.
        unsafe { device.create_shader_module(&info, None) }.expect("a module")
    };
    let modules = [module(&texemu_shaders::SAMPLE_VERTEX), module(fragment)];
    let stage = |flags, module| {
        vk::PipelineShaderStageCreateInfo::default().stage(flags).module(module).name(c"main")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(pass);
    // SAFETY: everything was made on this device.
    let result = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    for module in modules {
        // SAFETY: pipelines do not need their modules once created.
        unsafe { device.destroy_shader_module(module, None) };
    }
    result.expect("a pipeline")[0]
}
