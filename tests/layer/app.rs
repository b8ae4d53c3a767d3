//! An application's device, with the extensions that a test needs and nothing of this project's in its making.

use crate::common::texture::{COPY_DST, SAMPLE, TextureDesc, UNDEFINED, barrier};
use std::ffi::CStr;
use std::mem::ManuallyDrop;
use texemu_core::ash::{self, vk};
use texemu_core::{Buffer, BufferDesc, CacheLocation, Features, Gpu, HostDevice, Image, ImageDesc, Location};
use texemu_reference::blocks::Class;

/// A device with one queue.
pub(crate) struct App {
    /// For the helpers that take one.
    pub(crate) gpu: ManuallyDrop<Gpu>,
    pub(crate) instance: ash::Instance,
    pub(crate) device: ash::Device,
    pub(crate) pool: vk::CommandPool,
    _entry: ash::Entry,
}

/// What an application wants of its device.
pub(crate) struct Wish<'a> {
    pub(crate) extensions: &'a [&'a CStr],
    /// A chain of feature structures.
    pub(crate) features: *const std::ffi::c_void,
}

impl App {
    /// Through the loader; `None`, with the reason, if the device lacks an extension.
    pub(crate) fn new(wish: &Wish<'_>) -> Option<Self> {
        // SAFETY: the library is a Vulkan loader.
        let entry = unsafe { ash::Entry::load() }.expect("a loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: valid.
        let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
        // SAFETY: the instance is alive.
        let physical_device = unsafe { instance.enumerate_physical_devices() }.expect("devices")[0];
        for name in wish.extensions {
            // SAFETY: the device belongs to the instance.
            let known = unsafe { instance.enumerate_device_extension_properties(physical_device) };
            let known = known.expect("extensions");
            if !known.iter().any(|one| one.extension_name_as_c_str() == Ok(name)) {
                println!("skipped: the device has no {}", name.to_string_lossy());
                // SAFETY: nothing was made of it.
                unsafe { instance.destroy_instance(None) };
                return None;
            }
        }
        let create = |info: &vk::DeviceCreateInfo<'_>| {
            // SAFETY: valid.
            unsafe { instance.create_device(physical_device, info, None) }.expect("a device")
        };
        let get = entry.static_fn().get_instance_proc_addr;
        Some(Self::with(entry, get, instance.clone(), physical_device, wish, create))
    }

    /// Of an instance that is there; `get` finds its functions.
    pub(crate) fn with(
        entry: ash::Entry,
        get: vk::PFN_vkGetInstanceProcAddr,
        instance: ash::Instance,
        physical_device: vk::PhysicalDevice,
        wish: &Wish<'_>,
        create: impl FnOnce(&vk::DeviceCreateInfo<'_>) -> ash::Device,
    ) -> Self {
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
        let names: Vec<_> = wish.extensions.iter().map(|name| name.as_ptr()).collect();
        let mut info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        info.p_next = wish.features;
        let device = create(&info);
        let host = HostDevice {
            get_instance_proc_addr: get,
            instance: instance.handle(),
            physical_device,
            device: device.handle(),
            queue_family_index: 0,
            // SAFETY: valid.
            features: unsafe { Features::from_create_info(&info, vk::API_VERSION_1_3) },
            extensions: wish.extensions,
            cache: CacheLocation::Off,
        };
        // SAFETY: the handles belong together; the device is destroyed after it.
        let gpu = unsafe { Gpu::borrow_host(&host) }.expect("borrowed");
        let info =
            vk::CommandPoolCreateInfo::default().flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device is alive.
        let pool = unsafe { device.create_command_pool(&info, None) }.expect("a pool");
        let gpu = ManuallyDrop::new(gpu);
        Self { gpu, instance, device, pool, _entry: entry }
    }

    pub(crate) fn commands(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool is alive.
        unsafe { self.device.allocate_command_buffers(&info) }.expect("a command buffer")[0]
    }

    pub(crate) fn record(&self, commands: vk::CommandBuffer, record: impl FnOnce(vk::CommandBuffer)) {
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default().inheritance_info(&inheritance);
        // SAFETY: the tests wait for what they submit.
        unsafe { self.device.begin_command_buffer(commands, &info) }.expect("begun");
        record(commands);
        // SAFETY: begun above.
        unsafe { self.device.end_command_buffer(commands) }.expect("ended");
    }

    /// Submits and waits.
    pub(crate) fn submit(&self, commands: vk::CommandBuffer) {
        // SAFETY: the device was made with it.
        let queue = unsafe { self.device.get_device_queue(0, 0) };
        let buffers = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: recorded.
        unsafe { self.device.queue_submit(queue, &submits, vk::Fence::null()) }.expect("submitted");
        // SAFETY: the queue is this thread's.
        unsafe { self.device.queue_wait_idle(queue) }.expect("done");
    }

    /// Records, submits, waits, frees.
    pub(crate) fn run(&self, record: impl FnOnce(vk::CommandBuffer)) {
        let commands = self.commands(vk::CommandBufferLevel::PRIMARY);
        self.record(commands, record);
        self.submit(commands);
        // SAFETY: it was waited for.
        unsafe { self.device.free_command_buffers(self.pool, &[commands]) };
    }

    pub(crate) fn buffer(&self, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Buffer {
        let desc = BufferDesc { name: "buffer", size: bytes.len() as u64, usage, location: Location::Upload };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("the buffer fits");
        buffer.mapped_mut().expect("mapped").copy_from_slice(bytes);
        buffer
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // SAFETY: everything that was submitted was waited for.
        unsafe { self.device.destroy_command_pool(self.pool, None) };
        // SAFETY: not used again; what the tests made from it is gone.
        unsafe { ManuallyDrop::drop(&mut self.gpu) };
        // SAFETY: as above.
        unsafe { self.device.destroy_device(None) };
        // SAFETY: as above.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// A texture, and what it is filled from.
pub(crate) struct Texture<'a> {
    app: &'a App,
    pub(crate) desc: TextureDesc,
    pub(crate) image: Image,
    pub(crate) levels: Vec<Vec<u8>>,
    buffer: Buffer,
}

impl<'a> Texture<'a> {
    pub(crate) fn new(app: &'a App, desc: TextureDesc) -> Self {
        let levels = desc.blocks(Class::Mixed, 7);
        let buffer = app.buffer(vk::BufferUsageFlags::TRANSFER_SRC, &levels.concat());
        let image = Image::new(&app.gpu, &ImageDesc { name: "texture", info: desc.info() });
        Self { app, desc, image: image.expect("the image fits"), levels, buffer }
    }

    /// Copies every level, from whatever the image holds, and leaves it to be sampled.
    pub(crate) fn copy(&self, commands: vk::CommandBuffer) {
        let (gpu, image) = (&self.app.gpu, self.image.handle());
        barrier(gpu, commands, image, UNDEFINED, COPY_DST);
        let mut offset = 0;
        let mut regions = Vec::new();
        for level in 0..self.desc.levels {
            regions.push(self.desc.whole(level, offset));
            offset += self.desc.level_bytes(level);
        }
        let (device, buffer, layout) = (&self.app.device, self.buffer.handle(), COPY_DST.2);
        // SAFETY: image and buffer are alive and in place.
        unsafe { device.cmd_copy_buffer_to_image(commands, buffer, image, layout, &regions) };
        barrier(gpu, commands, image, COPY_DST, SAMPLE);
    }
}
