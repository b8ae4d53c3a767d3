//! The draw a level and layer: render pass, pipelines, framebuffers and descriptor sets.

use crate::hiz::vulkan;
use crate::kernels::{Program, push_words};
use crate::target::Views;
use crate::{Hiz, HizDepth, HizImage, HizPlan, HizTarget, Result, StepKind};
use texemu_core::{Gpu, vk};
use texemu_shaders::HIZ_LEVEL_VERTEX;

/// The objects of one target's draws.
#[derive(Debug)]
pub(crate) struct Draws {
    gpu: Gpu,
    pass: vk::RenderPass,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    /// Of one layer each.
    attachments: Views,
    draws: Vec<Draw>,
    pipelines: Vec<vk::Pipeline>,
}

#[derive(Debug)]
struct Draw {
    from: u32,
    to: u32,
    extent: vk::Extent2D,
    set: vk::DescriptorSet,
    /// One a layer.
    framebuffers: Vec<vk::Framebuffer>,
    /// Index of its pipeline: the draws from the depth image, the rest.
    pipeline: usize,
}

impl Draws {
    /// # Safety
    /// As [`crate::HizTarget::new`].
    pub(crate) unsafe fn new(hiz: &Hiz, plan: &HizPlan, levels: &[HizImage]) -> Result<Self> {
        let gpu = hiz.gpu();
        // Null handles are legal to destroy, so a failure half-way leaks nothing.
        let mut draws = Self {
            gpu: gpu.clone(),
            pass: vk::RenderPass::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            attachments: Views::new(gpu),
            draws: Vec::new(),
            pipelines: Vec::new(),
        };
        draws.pass = render_pass(gpu, plan)?;
        draws.create_layouts(plan.steps().len())?;
        let mut programs: Vec<Program> = Vec::new();
        for step in plan.steps() {
            let StepKind::Draw { from, to } = step.kind else { continue };
            let program = Program::new(plan, step.kind, gpu);
            let same = |other: &Program| {
                std::ptr::eq(other.kernel, program.kernel) && other.constants == program.constants
            };
            let pipeline = match programs.iter().position(same) {
                Some(index) => index,
                None => {
                    draws.pipelines.push(draws.create_pipeline(&program)?);
                    programs.push(program);
                    programs.len() - 1
                }
            };
            let [width, height, layers] = step.groups;
            let extent = vk::Extent2D { width, height };
            let image = &levels[(to - plan.desc().first_level) as usize];
            let set = draws.create_set()?;
            draws.draws.push(Draw { from, to, extent, set, framebuffers: Vec::new(), pipeline });
            for layer in 0..layers {
                // SAFETY: the caller's promise.
                let view = unsafe { draws.attachments.add(image, plan.format(), layer, 1) }?;
                let framebuffer = draws.create_framebuffer(view, extent)?;
                draws.draws.last_mut().expect("just pushed").framebuffers.push(framebuffer);
            }
        }
        Ok(draws)
    }

    /// # Safety
    /// As [`Hiz::record`].
    pub(crate) unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        target: &HizTarget,
        depth: &HizDepth,
        sampler: vk::Sampler,
    ) {
        let device = self.gpu.device();
        for draw in &self.draws {
            let (view, layout) = match draw.from {
                0 => (depth.view, depth.layout),
                level => (target.level(level), vk::ImageLayout::GENERAL),
            };
            let images = [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: layout }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(draw.set)
                .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
                .image_info(&images);
            // SAFETY: the set is this target's own, and no recording with the target is in flight.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
            if draw.from > 0 {
                let barriers = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ)];
                let (from, to) = (
                    vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                    vk::PipelineStageFlags::FRAGMENT_SHADER,
                );
                // SAFETY: the caller records `commands` on this device.
                unsafe {
                    device.cmd_pipeline_barrier(
                        commands,
                        from,
                        to,
                        vk::DependencyFlags::empty(),
                        &barriers,
                        &[],
                        &[],
                    )
                };
            }
            for layer in 0u32.. {
                let Some(&framebuffer) = draw.framebuffers.get(layer as usize) else { break };
                let kind = StepKind::Draw { from: draw.from, to: draw.to };
                let words = push_words(target.plan(), kind, depth.offset, layer);
                // SAFETY: as above.
                unsafe { self.record_draw(commands, draw, framebuffer, &words) };
            }
        }
    }

    /// # Safety
    /// As [`Draws::record`].
    unsafe fn record_draw(
        &self,
        commands: vk::CommandBuffer,
        draw: &Draw,
        framebuffer: vk::Framebuffer,
        words: &[u32],
    ) {
        let device = self.gpu.device();
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: draw.extent };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass)
            .framebuffer(framebuffer)
            .render_area(area);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let (width, height) = (draw.extent.width as f32, draw.extent.height as f32);
        let viewport = vk::Viewport { width, height, max_depth: 1.0, ..vk::Viewport::default() };
        let bytes: &[u8] = bytemuck::cast_slice(words);
        // SAFETY: pass and framebuffer fit, and no pass is open.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        // SAFETY: made for this pass.
        unsafe { device.cmd_bind_pipeline(commands, graphics, self.pipelines[draw.pipeline]) };
        // SAFETY: made for this layout.
        unsafe { device.cmd_bind_descriptor_sets(commands, graphics, self.layout, 0, &[draw.set], &[]) };
        // SAFETY: the layout has a range of this size for the fragment stage.
        unsafe { device.cmd_push_constants(commands, self.layout, vk::ShaderStageFlags::FRAGMENT, 0, bytes) };
        // SAFETY: dynamic in the pipeline.
        unsafe { device.cmd_set_viewport(commands, 0, &[viewport]) };
        // SAFETY: dynamic in the pipeline.
        unsafe { device.cmd_set_scissor(commands, 0, &[area]) };
        // SAFETY: everything the pipeline reads is bound.
        unsafe { device.cmd_draw(commands, 3, 1, 0, 0) };
        // SAFETY: a pass is open.
        unsafe { device.cmd_end_render_pass(commands) };
    }

    fn create_layouts(&mut self, sets: usize) -> Result<()> {
        let device = self.gpu.device();
        let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device is alive.
        self.set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }
            .map_err(|result| vulkan("vkCreateDescriptorSetLayout", result))?;
        let set_layouts = [self.set_layout];
        let size = texemu_shaders::HIZ_DRAW.push_constant_bytes;
        let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
        // SAFETY: the set layout was just made.
        self.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(|result| vulkan("vkCreatePipelineLayout", result))?;
        let count = u32::try_from(sets).unwrap_or(u32::MAX);
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: count }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(count).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        self.pool = unsafe { device.create_descriptor_pool(&info, None) }
            .map_err(|result| vulkan("vkCreateDescriptorPool", result))?;
        Ok(())
    }

    fn create_set(&self) -> Result<vk::DescriptorSet> {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        // SAFETY: the pool holds a set a draw and is used here alone.
        let sets = unsafe { self.gpu.device().allocate_descriptor_sets(&info) }
            .map_err(|result| vulkan("vkAllocateDescriptorSets", result))?;
        Ok(sets[0])
    }

    fn create_framebuffer(&self, view: vk::ImageView, extent: vk::Extent2D) -> Result<vk::Framebuffer> {
        let attachments = [view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(self.pass)
            .attachments(&attachments)
            .width(extent.width)
            .height(extent.height)
            .layers(1);
        // SAFETY: the view has the pass's format and this extent, by the caller's promise.
        unsafe { self.gpu.device().create_framebuffer(&info, None) }
            .map_err(|result| vulkan("vkCreateFramebuffer", result))
    }

    fn create_pipeline(&self, program: &Program) -> Result<vk::Pipeline> {
        let device = self.gpu.device();
        let module = |code: &'static [u32]| {
            let info = vk::ShaderModuleCreateInfo::default().code(code);
            // SAFETY: the words are a module that shaderc made.
            unsafe { device.create_shader_module(&info, None) }
                .map_err(|result| vulkan("vkCreateShaderModule", result))
        };
        let vertex = module(HIZ_LEVEL_VERTEX.spirv)?;
        let fragment = module(program.kernel.spirv);
        let result = fragment.and_then(|fragment| {
            let result = self.compile(program, vertex, fragment);
            // SAFETY: made above; pipelines do not need their modules once created.
            unsafe { device.destroy_shader_module(fragment, None) };
            result
        });
        // SAFETY: as above.
        unsafe { device.destroy_shader_module(vertex, None) };
        result
    }

    fn compile(
        &self,
        program: &Program,
        vertex: vk::ShaderModule,
        fragment: vk::ShaderModule,
    ) -> Result<vk::Pipeline> {
        let constants: Vec<_> =
            program.constants.iter().filter(|(id, _)| program.kernel.spec_constants.contains(id)).collect();
        let entry = |(index, (id, _)): (u32, &&(u32, u32))| vk::SpecializationMapEntry {
            constant_id: *id,
            offset: index * 4,
            size: 4,
        };
        let entries: Vec<_> = (0u32..).zip(&constants).map(entry).collect();
        let data: Vec<u8> = constants.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, vertex),
            stage(vk::ShaderStageFlags::FRAGMENT, fragment).specialization_info(&specialization),
        ];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewports = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let attachments =
            [vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&rasterization)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .render_pass(self.pass)];
        // SAFETY: modules, layout and pass were made on this device, and fit.
        let result =
            unsafe { self.gpu.device().create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        let pipelines = result.map_err(|(_, result)| vulkan("vkCreateGraphicsPipelines", result))?;
        self.gpu.name(pipelines[0], program.kernel.name);
        Ok(pipelines[0])
    }
}

fn render_pass(gpu: &Gpu, plan: &HizPlan) -> Result<vk::RenderPass> {
    let attachments = [vk::AttachmentDescription::default()
        .format(plan.format())
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::DONT_CARE)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
        .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
        .initial_layout(vk::ImageLayout::GENERAL)
        .final_layout(vk::ImageLayout::GENERAL)];
    let color = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::GENERAL }];
    let subpasses = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&color)];
    let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
    // SAFETY: the device is alive.
    unsafe { gpu.device().create_render_pass(&info, None) }
        .map_err(|result| vulkan("vkCreateRenderPass", result))
}

impl Drop for Draws {
    fn drop(&mut self) {
        let device = self.gpu.device();
        for &framebuffer in self.draws.iter().flat_map(|draw| &draw.framebuffers) {
            // SAFETY: made on this device; the target's owner promises that the device is done with it.
            unsafe { device.destroy_framebuffer(framebuffer, None) };
        }
        for &pipeline in &self.pipelines {
            // SAFETY: as above.
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: as above; the sets go with their pool.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_render_pass(self.pass, None) };
    }
}
