//! A render pass into one colour attachment, with the pipelines that draw images in it.

use crate::error::{Context, Result};
use texemu_core::{Gpu, Image, ImageDesc, vk};
use texemu_shaders::Kernel;

/// Draws of one recording.
const SETS: u32 = 8;

/// What a [`Pass`] is made from.
pub(crate) struct PassDesc {
    pub(crate) format: vk::Format,
    /// The layout that the attachment is left in.
    pub(crate) layout: vk::ImageLayout,
    pub(crate) vertex: &'static Kernel,
    /// For views of type `2D_ARRAY`, and for those of type `3D`.
    pub(crate) fragments: [&'static Kernel; 2],
}

/// Used for one recording at a time: the device is done with one before the next begins.
pub(crate) struct Pass {
    gpu: Gpu,
    handle: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: [vk::Pipeline; 2],
    pool: vk::DescriptorPool,
    samplers: [vk::Sampler; 2],
}

/// An image in `SHADER_READ_ONLY_OPTIMAL`, and how it is sampled.
#[derive(Clone, Copy)]
pub(crate) struct Sampled {
    pub(crate) view: vk::ImageView,
    pub(crate) linear: bool,
}

/// One draw: a strip of triangles.
pub(crate) struct Draw<'a> {
    /// Whether the views are of type `3D`.
    pub(crate) volume: bool,
    /// One a binding of the fragment shader.
    pub(crate) images: &'a [Sampled],
    pub(crate) scissor: vk::Rect2D,
    pub(crate) push: &'a [u8],
    pub(crate) vertices: u32,
}

const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

impl Pass {
    pub(crate) fn new(gpu: &Gpu, desc: &PassDesc) -> Result<Self> {
        let device = gpu.device();
        // Null handles are legal to destroy, so a failure half-way leaks nothing.
        let mut pass = Self {
            gpu: gpu.clone(),
            handle: render_pass(gpu, desc)?,
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipelines: [vk::Pipeline::null(); 2],
            pool: vk::DescriptorPool::null(),
            samplers: [vk::Sampler::null(); 2],
        };
        let count = desc.fragments[0].bindings.len() as u32;
        let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings: Vec<_> = (0..count)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::FRAGMENT)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive.
        pass.set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let layouts = [pass.set_layout];
        let size = desc.vertex.push_constant_bytes.max(desc.fragments[0].push_constant_bytes);
        let ranges = [vk::PushConstantRange { stage_flags: STAGES, offset: 0, size }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
        // SAFETY: the set layout was just made.
        pass.layout = unsafe { device.create_pipeline_layout(&info, None) }.call("vkCreatePipelineLayout")?;
        for (pipeline, fragment) in pass.pipelines.iter_mut().zip(desc.fragments) {
            *pipeline = create_pipeline(gpu, pass.handle, pass.layout, [desc.vertex, fragment])?;
        }
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: SETS * count }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        pass.pool = unsafe { device.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        for (sampler, filter) in pass.samplers.iter_mut().zip([vk::Filter::NEAREST, vk::Filter::LINEAR]) {
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(filter)
                .min_filter(filter)
                .address_mode_u(vk::SamplerAddressMode::CLAMP_TO_EDGE)
                .address_mode_v(vk::SamplerAddressMode::CLAMP_TO_EDGE)
                .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE)
                .max_lod(vk::LOD_CLAMP_NONE);
            // SAFETY: the device is alive.
            *sampler = unsafe { device.create_sampler(&info, None) }.call("vkCreateSampler")?;
        }
        Ok(pass)
    }

    /// The render pass.
    #[cfg(feature = "window")]
    pub(crate) fn handle(&self) -> vk::RenderPass {
        self.handle
    }

    /// Records the pass with its draws over `background`.
    ///
    /// # Safety
    /// `commands` is being recorded, and the device is done with the last recording; framebuffer and images live until it has
    /// run.
    pub(crate) unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        framebuffer: vk::Framebuffer,
        [width, height]: [u32; 2],
        background: [f32; 4],
        draws: &[Draw<'_>],
    ) -> Result<()> {
        let device = self.gpu.device();
        // SAFETY: the caller's promise.
        unsafe { device.reset_descriptor_pool(self.pool, vk::DescriptorPoolResetFlags::empty()) }
            .call("vkResetDescriptorPool")?;
        let sets = draws.iter().map(|draw| self.descriptor_set(draw)).collect::<Result<Vec<_>>>()?;
        let clears = [vk::ClearValue { color: vk::ClearColorValue { float32: background } }];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.handle)
            .framebuffer(framebuffer)
            .render_area(vk::Rect2D {
                offset: vk::Offset2D::default(),
                extent: vk::Extent2D { width, height },
            })
            .clear_values(&clears);
        // SAFETY: the caller's promise.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        let viewport =
            vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
        // SAFETY: the viewport is dynamic.
        unsafe { device.cmd_set_viewport(commands, 0, &[viewport]) };
        let point = vk::PipelineBindPoint::GRAPHICS;
        for (draw, set) in draws.iter().zip(sets) {
            let pipeline = self.pipelines[usize::from(draw.volume)];
            // SAFETY: made for this render pass.
            unsafe { device.cmd_bind_pipeline(commands, point, pipeline) };
            // SAFETY: the set was made with this layout.
            unsafe { device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]) };
            // SAFETY: the scissor is dynamic.
            unsafe { device.cmd_set_scissor(commands, 0, &[draw.scissor]) };
            // SAFETY: the layout has a range of that size.
            unsafe { device.cmd_push_constants(commands, self.layout, STAGES, 0, draw.push) };
            // SAFETY: everything the pipeline needs is bound.
            unsafe { device.cmd_draw(commands, draw.vertices, 1, 0, 0) };
        }
        // SAFETY: begun above.
        unsafe { device.cmd_end_render_pass(commands) };
        Ok(())
    }

    fn descriptor_set(&self, draw: &Draw<'_>) -> Result<vk::DescriptorSet> {
        let device = self.gpu.device();
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        // SAFETY: the pool is used here alone.
        let set = unsafe { device.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?[0];
        for (binding, image) in (0..).zip(draw.images) {
            let images = [vk::DescriptorImageInfo {
                sampler: self.samplers[usize::from(image.linear)],
                image_view: image.view,
                image_layout: vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
            }];
            let writes = [vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .image_info(&images)];
            // SAFETY: no command uses the set yet.
            unsafe { device.update_descriptor_sets(&writes, &[]) };
        }
        Ok(set)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let device = self.gpu.device();
        for sampler in self.samplers {
            // SAFETY: the owner waited for every recording; null handles are legal, here and below.
            unsafe { device.destroy_sampler(sampler, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        for pipeline in self.pipelines {
            // SAFETY: as above.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_render_pass(self.handle, None) };
    }
}

/// What comes before may still read the attachment, and what comes behind may read what was drawn, in any way.
fn render_pass(gpu: &Gpu, desc: &PassDesc) -> Result<vk::RenderPass> {
    let attachments = [vk::AttachmentDescription::default()
        .format(desc.format)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(desc.layout)];
    let references =
        [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&references)];
    let output = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
    let readers = vk::PipelineStageFlags::TRANSFER
        | vk::PipelineStageFlags::COMPUTE_SHADER
        | vk::PipelineStageFlags::FRAGMENT_SHADER;
    let reads = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::SHADER_READ;
    let dependencies = [
        vk::SubpassDependency::default()
            .src_subpass(vk::SUBPASS_EXTERNAL)
            .dst_subpass(0)
            .src_stage_mask(readers | output)
            .dst_stage_mask(output)
            .dst_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE),
        vk::SubpassDependency::default()
            .src_subpass(0)
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(output)
            .dst_stage_mask(readers)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(reads),
    ];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: the device is alive.
    unsafe { gpu.device().create_render_pass(&info, None) }.call("vkCreateRenderPass")
}

fn create_pipeline(
    gpu: &Gpu,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
    kernels: [&Kernel; 2],
) -> Result<vk::Pipeline> {
    let device = gpu.device();
    let mut modules = [vk::ShaderModule::null(); 2];
    let mut result = Ok(());
    for (module, kernel) in modules.iter_mut().zip(kernels) {
        let info = vk::ShaderModuleCreateInfo::default().code(kernel.spirv);
        // SAFETY: the words are a module of ours.
        match unsafe { device.create_shader_module(&info, None) } {
            Ok(made) => *module = made,
            Err(error) => result = Err(error),
        }
    }
    let stage = |flags, module| {
        vk::PipelineShaderStageCreateInfo::default().stage(flags).module(module).name(c"main")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
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
    let pipelines = result.call("vkCreateShaderModule").and_then(|()| {
        // SAFETY: everything was made on this device.
        unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) }
            .map_err(|(_, result)| result)
            .call("vkCreateGraphicsPipelines")
    });
    for module in modules {
        // SAFETY: pipelines do not need their modules once created.
        unsafe { device.destroy_shader_module(module, None) };
    }
    Ok(pipelines?[0])
}

/// An image that a pass draws into.
pub(crate) struct Attachment {
    gpu: Gpu,
    pub(crate) image: Image,
    /// Of type `2D`.
    pub(crate) view: vk::ImageView,
    pub(crate) framebuffer: vk::Framebuffer,
}

impl Attachment {
    pub(crate) fn new(
        gpu: &Gpu,
        pass: &Pass,
        format: vk::Format,
        [width, height]: [u32; 2],
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let info = plain_image(format, [width, height], usage | vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let image = Image::new(gpu, &ImageDesc { name: "attachment", info })?;
        let mut attachment = Self {
            gpu: gpu.clone(),
            image,
            view: vk::ImageView::null(),
            framebuffer: vk::Framebuffer::null(),
        };
        attachment.view = create_view(gpu, attachment.image.handle(), vk::ImageViewType::TYPE_2D, format, 1)?;
        attachment.framebuffer = create_framebuffer(gpu, pass.handle, attachment.view, [width, height])?;
        Ok(attachment)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: the owner waited for every recording.
        unsafe { self.gpu.device().destroy_framebuffer(self.framebuffer, None) };
        // SAFETY: as above.
        unsafe { self.gpu.device().destroy_image_view(self.view, None) };
    }
}

/// A 2D image of one level and one layer.
pub(crate) fn plain_image(
    format: vk::Format,
    [width, height]: [u32; 2],
    usage: vk::ImageUsageFlags,
) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format)
        .extent(vk::Extent3D { width, height, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(usage)
}

/// A view of all levels and of `layers` layers.
pub(crate) fn create_view(
    gpu: &Gpu,
    image: vk::Image,
    view_type: vk::ImageViewType,
    format: vk::Format,
    layers: u32,
) -> Result<vk::ImageView> {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(layers);
    let info = vk::ImageViewCreateInfo::default()
        .image(image)
        .view_type(view_type)
        .format(format)
        .subresource_range(range);
    // SAFETY: the image is alive.
    unsafe { gpu.device().create_image_view(&info, None) }.call("vkCreateImageView")
}

pub(crate) fn create_framebuffer(
    gpu: &Gpu,
    pass: vk::RenderPass,
    view: vk::ImageView,
    [width, height]: [u32; 2],
) -> Result<vk::Framebuffer> {
    let views = [view];
    let info = vk::FramebufferCreateInfo::default()
        .render_pass(pass)
        .attachments(&views)
        .width(width)
        .height(height)
        .layers(1);
    // SAFETY: pass and view were made on this device.
    unsafe { gpu.device().create_framebuffer(&info, None) }.call("vkCreateFramebuffer")
}

/// A barrier for a whole image.
pub(crate) fn image_barrier(
    image: vk::Image,
    layouts: [vk::ImageLayout; 2],
    accesses: [vk::AccessFlags; 2],
) -> vk::ImageMemoryBarrier<'static> {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    vk::ImageMemoryBarrier::default()
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(range)
        .old_layout(layouts[0])
        .new_layout(layouts[1])
        .src_access_mask(accesses[0])
        .dst_access_mask(accesses[1])
}
