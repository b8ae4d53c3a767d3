//! What every Vulkan program has: an instance, a device, memory, and a frame that draws one texture.

use ash::vk;
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A stage, an access and a layout: one side of a barrier.
pub(crate) type Scope = (vk::PipelineStageFlags, vk::AccessFlags, vk::ImageLayout);

pub(crate) const UNDEFINED: Scope =
    (vk::PipelineStageFlags::TOP_OF_PIPE, vk::AccessFlags::NONE, vk::ImageLayout::UNDEFINED);
pub(crate) const COPIED: Scope = (
    vk::PipelineStageFlags::TRANSFER,
    vk::AccessFlags::TRANSFER_WRITE,
    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
);
pub(crate) const SAMPLED: Scope = (
    vk::PipelineStageFlags::FRAGMENT_SHADER,
    vk::AccessFlags::SHADER_READ,
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
);

/// Level 0, layer 0, colour.
pub(crate) const COLOUR: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};
pub(crate) const LAYERS: vk::ImageSubresourceLayers = vk::ImageSubresourceLayers {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    mip_level: 0,
    base_array_layer: 0,
    layer_count: 1,
};

const VALIDATION: &CStr = c"VK_LAYER_KHRONOS_validation";
const PIXELS: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// What the validation layer said.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "system" fn hear(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a valid structure.
    let message = unsafe { (*data).p_message };
    // SAFETY: and a null-terminated string in it.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    if let Ok(mut messages) = MESSAGES.lock() {
        messages.push(text);
    }
    vk::FALSE
}

/// An instance with a device chosen, under the validation layer where it is installed.
pub(crate) struct Instance {
    entry: ash::Entry,
    pub(crate) functions: ash::Instance,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    pub(crate) physical_device: vk::PhysicalDevice,
    pub(crate) queue_family: u32,
}

impl Instance {
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: the loader library is trusted to be a Vulkan loader.
        let entry = unsafe { ash::Entry::load() }?;
        // SAFETY: no preconditions.
        let layers = unsafe { entry.enumerate_instance_layer_properties() }?;
        let validate = layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION));
        let (mut names, mut extensions) = (Vec::new(), Vec::new());
        if validate {
            names.push(VALIDATION.as_ptr());
            extensions.push(ash::ext::debug_utils::NAME.as_ptr());
        }
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let severity =
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
        let hearing = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(hear));
        let info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&names)
            .enabled_extension_names(&extensions);
        // SAFETY: every name lives on.
        let functions = unsafe { entry.create_instance(&info, None) }?;
        let messenger = if validate {
            let utils = ash::ext::debug_utils::Instance::new(&entry, &functions);
            // SAFETY: the callback is a function of this program.
            let messenger = unsafe { utils.create_debug_utils_messenger(&hearing, None) }?;
            Some((utils, messenger))
        } else {
            None
        };
        // SAFETY: the instance is alive.
        let devices = unsafe { functions.enumerate_physical_devices() }?;
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = |device: &vk::PhysicalDevice| {
            // SAFETY: the device belongs to the instance.
            let families = unsafe { functions.get_physical_device_queue_family_properties(*device) };
            families.iter().position(|family| family.queue_flags.contains(wanted))
        };
        let chosen = devices.iter().find_map(|device| Some((*device, family(device)? as u32)));
        let (physical_device, queue_family) = chosen.ok_or("no device draws and computes")?;
        Ok(Self { entry, functions, messenger, physical_device, queue_family })
    }
}

/// A device with one queue.
pub(crate) struct Host {
    pub(crate) instance: Instance,
    pub(crate) device: ash::Device,
    queue: vk::Queue,
}

/// A buffer with memory of its own, which the host can reach.
pub(crate) struct Buffer<'a> {
    host: &'a Host,
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: u64,
}

impl Host {
    pub(crate) fn new(instance: Instance, info: &vk::DeviceCreateInfo<'_>) -> Result<Self> {
        // SAFETY: the structure is valid for this device.
        let device = unsafe { instance.functions.create_device(instance.physical_device, info, None) }?;
        // SAFETY: the family has one queue.
        let queue = unsafe { device.get_device_queue(instance.queue_family, 0) };
        Ok(Self { instance, device, queue })
    }

    pub(crate) fn get_instance_proc_addr(&self) -> vk::PFN_vkGetInstanceProcAddr {
        self.instance.entry.static_fn().get_instance_proc_addr
    }

    /// Memory of the first type that fits.
    pub(crate) fn allocate(
        &self,
        needed: vk::MemoryRequirements,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory> {
        let Instance { functions, physical_device, .. } = &self.instance;
        // SAFETY: the device belongs to the instance.
        let memory = unsafe { functions.get_physical_device_memory_properties(*physical_device) };
        let fits = |&index: &u32| {
            let flags = memory.memory_types[index as usize].property_flags;
            needed.memory_type_bits & 1 << index != 0 && flags.contains(properties)
        };
        let index = (0..memory.memory_type_count).find(fits).ok_or("no memory type fits")?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(index);
        // SAFETY: the type is among those that fit.
        Ok(unsafe { self.device.allocate_memory(&info, None) }?)
    }

    fn buffer(&self, usage: vk::BufferUsageFlags, bytes: u64) -> Result<Buffer<'_>> {
        let info = vk::BufferCreateInfo::default().size(bytes).usage(usage);
        // SAFETY: the device is alive.
        let buffer = unsafe { self.device.create_buffer(&info, None) }?;
        // SAFETY: just created.
        let needed = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let reach = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let memory = self.allocate(needed, reach)?;
        // SAFETY: the memory meets the requirements.
        unsafe { self.device.bind_buffer_memory(buffer, memory, 0) }?;
        Ok(Buffer { host: self, buffer, memory, bytes })
    }

    /// A buffer that holds `bytes`.
    pub(crate) fn buffer_with(&self, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Result<Buffer<'_>> {
        let buffer = self.buffer(usage, bytes.len() as u64)?;
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory is the host's to reach.
        let mapped = unsafe { self.device.map_memory(buffer.memory, 0, buffer.bytes, flags) }?;
        // SAFETY: the mapping is as long as the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped.cast::<u8>(), bytes.len()) };
        // SAFETY: mapped above.
        unsafe { self.device.unmap_memory(buffer.memory) };
        Ok(buffer)
    }

    pub(crate) fn barrier(&self, commands: vk::CommandBuffer, image: vk::Image, from: Scope, to: Scope) {
        let barrier = vk::ImageMemoryBarrier::default()
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(COLOUR)
            .src_access_mask(from.1)
            .dst_access_mask(to.1)
            .old_layout(from.2)
            .new_layout(to.2);
        let none = vk::DependencyFlags::empty();
        // SAFETY: recorded outside a render pass.
        unsafe { self.device.cmd_pipeline_barrier(commands, from.0, to.0, none, &[], &[], &[barrier]) };
    }

    /// One frame: what `upload` records, then a triangle over the whole target that shows `view`. Returns the target's pixels
    /// when all of it has run.
    pub(crate) fn frame(
        &self,
        size: [u32; 2],
        view: vk::ImageView,
        upload: impl FnOnce(vk::CommandBuffer) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let device = &self.device;
        let target = Target::new(self, size)?;
        let pixels = self.buffer(vk::BufferUsageFlags::TRANSFER_DST, u64::from(size[0] * size[1] * 4))?;
        let picture = Picture::new(self, target.pass, view)?;
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.instance.queue_family);
        // SAFETY: the family is the device's.
        let pool = unsafe { device.create_command_pool(&info, None) }?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let commands = unsafe { device.allocate_command_buffers(&info) }?[0];
        // SAFETY: just allocated.
        unsafe { device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()) }?;
        upload(commands)?;
        // SAFETY: everything lives until the queue is idle below.
        unsafe { picture.draw(commands, &target, size) };
        let region = [vk::BufferImageCopy::default().image_subresource(LAYERS).image_extent(vk::Extent3D {
            width: size[0],
            height: size[1],
            depth: 1,
        })];
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: the pass left the image in that layout; the buffer holds it.
        unsafe { device.cmd_copy_image_to_buffer(commands, target.image, layout, pixels.buffer, &region) };
        // SAFETY: begun above.
        unsafe { device.end_command_buffer(commands) }?;
        let buffers = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the queue is this program's alone.
        unsafe { device.queue_submit(self.queue, &submit, vk::Fence::null()) }?;
        // SAFETY: as above.
        unsafe { device.queue_wait_idle(self.queue) }?;
        // SAFETY: the queue is idle.
        unsafe { device.destroy_command_pool(pool, None) };
        pixels.read()
    }

    /// Destroys the device and says what validation said.
    pub(crate) fn close(self) -> Result<()> {
        // SAFETY: everything made on it is gone.
        unsafe { self.device.destroy_device(None) };
        if let Some((utils, messenger)) = &self.instance.messenger {
            // SAFETY: made by this instance.
            unsafe { utils.destroy_debug_utils_messenger(*messenger, None) };
        }
        // SAFETY: its device is gone.
        unsafe { self.instance.functions.destroy_instance(None) };
        let messages = MESSAGES.lock().map_err(|_| "a thread panicked")?;
        if messages.is_empty() { Ok(()) } else { Err(messages.join("\n").into()) }
    }
}

impl Buffer<'_> {
    fn read(&self) -> Result<Vec<u8>> {
        let device = &self.host.device;
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory is the host's to reach, and the device is done with it.
        let mapped = unsafe { device.map_memory(self.memory, 0, self.bytes, flags) }?;
        // SAFETY: the mapping is as long.
        let bytes = unsafe { std::slice::from_raw_parts(mapped.cast::<u8>(), self.bytes as usize) }.to_vec();
        // SAFETY: mapped above.
        unsafe { device.unmap_memory(self.memory) };
        Ok(bytes)
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: every frame was waited for.
        unsafe { self.host.device.destroy_buffer(self.buffer, None) };
        // SAFETY: as above.
        unsafe { self.host.device.free_memory(self.memory, None) };
    }
}

/// What a frame is drawn into.
struct Target<'a> {
    host: &'a Host,
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl<'a> Target<'a> {
    fn new(host: &'a Host, [width, height]: [u32; 2]) -> Result<Self> {
        let device = &host.device;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(PIXELS)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: the structure is valid.
        let image = unsafe { device.create_image(&info, None) }?;
        // SAFETY: just created.
        let needed = unsafe { device.get_image_memory_requirements(image) };
        let memory = host.allocate(needed, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        // SAFETY: the memory meets the requirements.
        unsafe { device.bind_image_memory(image, memory, 0) }?;
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(PIXELS)
            .subresource_range(COLOUR);
        // SAFETY: the image is bound.
        let view = unsafe { device.create_image_view(&info, None) }?;
        let attachments = [vk::AttachmentDescription::default()
            .format(PIXELS)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::DONT_CARE)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)];
        let colours =
            [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
        let subpasses = [vk::SubpassDescription::default().color_attachments(&colours)];
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
        // SAFETY: the structure is valid.
        let pass = unsafe { device.create_render_pass(&info, None) }?;
        let views = [view];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: pass and view were just made.
        let framebuffer = unsafe { device.create_framebuffer(&info, None) }?;
        Ok(Self { host, image, memory, view, pass, framebuffer })
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        let device = &self.host.device;
        // SAFETY: every frame was waited for.
        unsafe { device.destroy_framebuffer(self.framebuffer, None) };
        // SAFETY: as above.
        unsafe { device.destroy_render_pass(self.pass, None) };
        // SAFETY: as above.
        unsafe { device.destroy_image_view(self.view, None) };
        // SAFETY: as above.
        unsafe { device.destroy_image(self.image, None) };
        // SAFETY: nothing is bound to it any more.
        unsafe { device.free_memory(self.memory, None) };
    }
}

/// A pipeline that shows one texture, and what it binds.
struct Picture<'a> {
    host: &'a Host,
    sampler: vk::Sampler,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl<'a> Picture<'a> {
    fn new(host: &'a Host, pass: vk::RenderPass, view: vk::ImageView) -> Result<Self> {
        let device = &host.device;
        // SAFETY: the structure is valid.
        let sampler = unsafe { device.create_sampler(&vk::SamplerCreateInfo::default(), None) }?;
        let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the structure is valid.
        let set_layout = unsafe { device.create_descriptor_set_layout(&info, None) }?;
        let set_layouts = [set_layout];
        let ranges =
            [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: 0, size: 16 }];
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts).push_constant_ranges(&ranges);
        // SAFETY: the structure is valid.
        let layout = unsafe { device.create_pipeline_layout(&info, None) }?;
        let pipeline = pipeline(device, pass, layout)?;
        let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the structure is valid.
        let pool = unsafe { device.create_descriptor_pool(&info, None) }?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
        // SAFETY: the pool holds one set.
        let set = unsafe { device.allocate_descriptor_sets(&info) }?[0];
        let images = [vk::DescriptorImageInfo { sampler, image_view: view, image_layout: SAMPLED.2 }];
        let writes =
            [vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(kind).image_info(&images)];
        // SAFETY: no command uses the set yet.
        unsafe { device.update_descriptor_sets(&writes, &[]) };
        Ok(Self { host, sampler, set_layout, layout, pipeline, pool, set })
    }

    /// # Safety
    /// `commands` is being recorded, and everything lives until it has run.
    unsafe fn draw(&self, commands: vk::CommandBuffer, target: &Target<'_>, [width, height]: [u32; 2]) {
        let device = &self.host.device;
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(target.pass)
            .framebuffer(target.framebuffer)
            .render_area(area);
        // SAFETY: the caller's promise.
        unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the caller's promise.
        unsafe { device.cmd_bind_pipeline(commands, point, self.pipeline) };
        // SAFETY: the caller's promise.
        unsafe { device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]) };
        let viewport =
            vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
        // SAFETY: the caller's promise.
        unsafe { device.cmd_set_viewport(commands, 0, &[viewport]) };
        // SAFETY: the caller's promise.
        unsafe { device.cmd_set_scissor(commands, 0, &[area]) };
        let stage = vk::ShaderStageFlags::FRAGMENT;
        // SAFETY: the caller's promise. Origin, level and slice: all 0.
        unsafe { device.cmd_push_constants(commands, self.layout, stage, 0, &[0; 16]) };
        // SAFETY: the caller's promise.
        unsafe { device.cmd_draw(commands, 3, 1, 0, 0) };
        // SAFETY: begun above.
        unsafe { device.cmd_end_render_pass(commands) };
    }
}

impl Drop for Picture<'_> {
    fn drop(&mut self) {
        let device = &self.host.device;
        // SAFETY: every frame was waited for.
        unsafe { device.destroy_descriptor_pool(self.pool, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline(self.pipeline, None) };
        // SAFETY: as above.
        unsafe { device.destroy_pipeline_layout(self.layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.set_layout, None) };
        // SAFETY: as above.
        unsafe { device.destroy_sampler(self.sampler, None) };
    }
}

fn pipeline(device: &ash::Device, pass: vk::RenderPass, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
    let module = |spirv: &[u32]| {
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the words are a module of texemu's.
        unsafe { device.create_shader_module(&info, None) }
    };
    let modules =
        [module(texemu_shaders::SAMPLE_VERTEX.spirv)?, module(texemu_shaders::SAMPLE_2D_ARRAY.spirv)?];
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let triangles =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let masks =
        [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&masks);
    let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&triangles)
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
    Ok(result.map_err(|(_, error)| error)?[0])
}
