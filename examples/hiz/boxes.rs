//! Drawing boxes into a depth buffer: a render pass that clears and one that goes on, and a pipeline without a fragment shader.

use super::host::{self, Host, Result, Scope, View};
use std::ffi::CStr;
use texemu_core::{Buffer, Gpu, Image, vk};

const FORMAT: vk::Format = vk::Format::D32_SFLOAT;
const MAIN: &CStr = c"main";
/// The layout between the passes, in which the depth is sampled.
pub(crate) const DEPTH: vk::ImageLayout = vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL;

const TESTED: Scope = (
    vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::EARLY_FRAGMENT_TESTS.as_raw()
            | vk::PipelineStageFlags::LATE_FRAGMENT_TESTS.as_raw(),
    ),
    vk::AccessFlags::from_raw(
        vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
            | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
    ),
);
/// Who reads the depth between the passes: what samples it for the pyramid, the queries, the copy.
const READ: Scope = (
    vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::COMPUTE_SHADER.as_raw()
            | vk::PipelineStageFlags::FRAGMENT_SHADER.as_raw()
            | vk::PipelineStageFlags::TRANSFER.as_raw(),
    ),
    vk::AccessFlags::from_raw(
        vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::TRANSFER_READ.as_raw(),
    ),
);

pub(crate) struct Boxes {
    gpu: Gpu,
    extent: vk::Extent2D,
    view: View,
    image: Image,
    /// Clears; goes on.
    passes: [vk::RenderPass; 2],
    framebuffer: vk::Framebuffer,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Boxes {
    pub(crate) fn new(host: &Host, extent: [u32; 2]) -> Result<Self> {
        let gpu = host.gpu.clone();
        let device = gpu.device();
        let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC;
        let image = host.image(FORMAT, extent, 1, usage)?;
        let view = host.view(&image, FORMAT, vk::ImageAspectFlags::DEPTH)?;
        let passes = [render_pass(&gpu, true)?, render_pass(&gpu, false)?];
        let extent = vk::Extent2D { width: extent[0], height: extent[1] };
        let attachments = [view.handle];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(passes[0])
            .attachments(&attachments)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: the view is the pass's one attachment.
        let framebuffer = unsafe { device.create_framebuffer(&info, None) }?;
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: 64 }];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        // SAFETY: the device is alive.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }?;
        let pipeline = pipeline(&gpu, passes[0], layout, extent)?;
        Ok(Self { gpu, extent, view, image, passes, framebuffer, layout, pipeline })
    }

    pub(crate) fn view(&self) -> vk::ImageView {
        self.view.handle
    }

    /// Begins to draw, into a cleared depth buffer or on.
    pub(crate) fn begin(&self, commands: vk::CommandBuffer, clear: bool, clip_from_world: &[u8]) {
        let device = self.gpu.device();
        let depth_stencil = vk::ClearDepthStencilValue { depth: 0.0, stencil: 0 };
        let values = [vk::ClearValue { depth_stencil }];
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.passes[usize::from(!clear)])
            .framebuffer(self.framebuffer)
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent: self.extent })
            .clear_values(&values);
        // SAFETY: recorded outside a render pass.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        // SAFETY: made for a compatible pass.
        unsafe { device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline) };
        let stage = vk::ShaderStageFlags::VERTEX;
        // SAFETY: a matrix has the range's 64 bytes.
        unsafe { device.cmd_push_constants(commands, self.layout, stage, 0, clip_from_world) };
    }

    /// Draws as many boxes as the command says.
    pub(crate) fn draw_list(&self, commands: vk::CommandBuffer, boxes: &Buffer, command: &Buffer) {
        let device = self.gpu.device();
        // SAFETY: the buffer holds instances.
        unsafe { device.cmd_bind_vertex_buffers(commands, 0, &[boxes.handle()], &[0]) };
        // SAFETY: the buffer holds one command, for at most as many instances.
        unsafe { device.cmd_draw_indirect(commands, command.handle(), 0, 1, 16) };
    }

    pub(crate) fn draw_all(&self, commands: vk::CommandBuffer, boxes: &Buffer, count: u32) {
        let device = self.gpu.device();
        // SAFETY: the buffer holds instances.
        unsafe { device.cmd_bind_vertex_buffers(commands, 0, &[boxes.handle()], &[0]) };
        // SAFETY: as many as there are.
        unsafe { device.cmd_draw(commands, 14, count, 0, 0) };
    }

    pub(crate) fn end(&self, commands: vk::CommandBuffer) {
        // SAFETY: inside the pass that `begin` began.
        unsafe { self.gpu.device().cmd_end_render_pass(commands) };
    }

    /// Copies the depth to a buffer, between passes.
    pub(crate) fn copy(&self, commands: vk::CommandBuffer, to: &Buffer) {
        let (gpu, aspect) = (&self.gpu, vk::ImageAspectFlags::DEPTH);
        let source = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        host::transition(gpu, commands, &self.image, aspect, READ, host::COPY_FROM, [DEPTH, source]);
        let vk::Extent2D { width, height } = self.extent;
        let region = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers::default().aspect_mask(aspect).layer_count(1))
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        // SAFETY: the buffer has room for all texels.
        unsafe {
            gpu.device().cmd_copy_image_to_buffer(
                commands,
                self.image.handle(),
                source,
                to.handle(),
                &[region],
            )
        };
        host::transition(gpu, commands, &self.image, aspect, host::COPY_FROM, READ, [source, DEPTH]);
    }
}

impl Drop for Boxes {
    fn drop(&mut self) {
        let device = self.gpu.device();
        // SAFETY: the example waits for all it submits.
        unsafe { device.destroy_pipeline(self.pipeline, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_framebuffer(self.framebuffer, None) };
        for pass in self.passes {
            // SAFETY: as above.
            unsafe { device.destroy_render_pass(pass, None) };
        }
    }
}

fn render_pass(gpu: &Gpu, clear: bool) -> Result<vk::RenderPass> {
    let (load, from) = if clear {
        (vk::AttachmentLoadOp::CLEAR, vk::ImageLayout::UNDEFINED)
    } else {
        (vk::AttachmentLoadOp::LOAD, DEPTH)
    };
    let attachments = [vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(load)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .initial_layout(from)
        .final_layout(DEPTH)];
    let depth =
        vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL };
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .depth_stencil_attachment(&depth)];
    let dependency = |from: (u32, Scope), to: (u32, Scope)| {
        vk::SubpassDependency::default()
            .src_subpass(from.0)
            .dst_subpass(to.0)
            .src_stage_mask(from.1.0)
            .dst_stage_mask(to.1.0)
            .src_access_mask(from.1.1)
            .dst_access_mask(to.1.1)
    };
    let before = (READ.0 | TESTED.0, READ.1 | TESTED.1);
    let outside = vk::SUBPASS_EXTERNAL;
    let dependencies = [
        dependency((outside, before), (0, TESTED)),
        dependency((0, TESTED), (outside, (READ.0 | TESTED.0, READ.1))),
    ];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    // SAFETY: the device is alive.
    Ok(unsafe { gpu.device().create_render_pass(&info, None) }?)
}

fn pipeline(
    gpu: &Gpu,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
    extent: vk::Extent2D,
) -> Result<vk::Pipeline> {
    let device = gpu.device();
    let info = vk::ShaderModuleCreateInfo::default().code(texemu_shaders::EXAMPLE_BOXES.spirv);
    // SAFETY: the words are a module.
    let module = unsafe { device.create_shader_module(&info, None) }?;
    let stages = [vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::VERTEX)
        .module(module)
        .name(MAIN)];
    let bindings = [vk::VertexInputBindingDescription {
        binding: 0,
        stride: 32,
        input_rate: vk::VertexInputRate::INSTANCE,
    }];
    let attribute = |location: u32| vk::VertexInputAttributeDescription {
        location,
        binding: 0,
        format: vk::Format::R32G32B32A32_SFLOAT,
        offset: location * 16,
    };
    let attributes = [attribute(0), attribute(1)];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
    let viewports = [vk::Viewport {
        x: 0.0,
        y: 0.0,
        width: extent.width as f32,
        height: extent.height as f32,
        min_depth: 0.0,
        max_depth: 1.0,
    }];
    let scissors = [vk::Rect2D { offset: vk::Offset2D::default(), extent }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(true)
        .depth_write_enable(true)
        .depth_compare_op(vk::CompareOp::GREATER);
    let info = [vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .layout(layout)
        .render_pass(pass)];
    // SAFETY: everything was made on this device and outlives the call.
    let result = unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
    // SAFETY: pipelines do not need their modules once created.
    unsafe { device.destroy_shader_module(module, None) };
    Ok(result.map_err(|(_, error)| error)?[0])
}
