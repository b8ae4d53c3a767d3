//! The surface of a window, its swapchain, and the frames that go there.
//!
//! One frame is drawn at a time, when something has changed, and waited for before it is presented: a viewer has no use for
//! more. What the window system takes away is made anew: a swapchain that no longer fits, or the surface with it.

use crate::error::{Context, Error, Result};
use crate::pass::{Pass, create_framebuffer, create_view};
use crate::viewer::Viewer;
use std::sync::Arc;
use texemu_core::{Gpu, vk};
use winit::raw_window_handle::{HasDisplayHandle, HasWindowHandle};
use winit::window::Window;

/// Nanoseconds that a frame waits for an image of the swapchain.
const PATIENCE: u64 = 1_000_000_000;
/// How often a frame is tried before the window is left as it is until something happens.
const ATTEMPTS: u32 = 4;

pub(super) struct Screen {
    gpu: Gpu,
    window: Arc<Window>,
    surfaces: texemu_core::ash::khr::surface::Instance,
    swapchains: texemu_core::ash::khr::swapchain::Device,
    surface: vk::SurfaceKHR,
    format: vk::SurfaceFormatKHR,
    pass: Option<Pass>,
    swapchain: Option<Swapchain>,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    acquired: vk::Semaphore,
}

struct Swapchain {
    handle: vk::SwapchainKHR,
    size: [u32; 2],
    images: Vec<SwapchainImage>,
}

struct SwapchainImage {
    view: vk::ImageView,
    framebuffer: vk::Framebuffer,
    /// Signalled when it is drawn.
    drawn: vk::Semaphore,
}

/// What has to be made anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lost {
    /// It no longer fits the surface.
    Swapchain,
    /// The surface is gone.
    Surface,
    /// No image came free in time: perhaps the window cannot be seen.
    Nothing,
}

/// What a result of acquiring or presenting says was lost; errors are those that nothing here can mend.
fn lost(call: &'static str, result: vk::Result) -> Result<Lost> {
    match result {
        vk::Result::ERROR_OUT_OF_DATE_KHR | vk::Result::SUBOPTIMAL_KHR => Ok(Lost::Swapchain),
        vk::Result::ERROR_SURFACE_LOST_KHR => Ok(Lost::Surface),
        vk::Result::TIMEOUT | vk::Result::NOT_READY => Ok(Lost::Nothing),
        result => Err(Error::Vulkan { call, result }),
    }
}

impl Screen {
    pub(super) fn new(gpu: &Gpu, window: Arc<Window>) -> Result<Self> {
        let entry = gpu.entry().ok_or_else(|| Error::Window("the device is a host's".into()))?;
        let device = gpu.device();
        let mut screen = Self {
            gpu: gpu.clone(),
            window,
            surfaces: texemu_core::ash::khr::surface::Instance::new(entry, gpu.instance()),
            swapchains: texemu_core::ash::khr::swapchain::Device::new(gpu.instance(), device),
            surface: vk::SurfaceKHR::null(),
            format: vk::SurfaceFormatKHR::default(),
            pass: None,
            swapchain: None,
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            fence: vk::Fence::null(),
            acquired: vk::Semaphore::null(),
        };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.queue_family());
        // SAFETY: the family is the device's.
        screen.pool = unsafe { device.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(screen.pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        screen.commands =
            unsafe { device.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?[0];
        // SAFETY: the device is alive.
        screen.fence =
            unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }.call("vkCreateFence")?;
        screen.acquired = screen.create_semaphore()?;
        screen.create_surface()?;
        Ok(screen)
    }

    fn create_semaphore(&self) -> Result<vk::Semaphore> {
        let info = vk::SemaphoreCreateInfo::default();
        // SAFETY: the device is alive.
        unsafe { self.gpu.device().create_semaphore(&info, None) }.call("vkCreateSemaphore")
    }

    fn create_surface(&mut self) -> Result<()> {
        let no_handle = |error| Error::Window(format!("{error}"));
        let display = self.window.display_handle().map_err(no_handle)?.as_raw();
        let window = self.window.window_handle().map_err(no_handle)?.as_raw();
        let entry = self.gpu.entry().ok_or_else(|| Error::Window("the device is a host's".into()))?;
        let (instance, physical) = (self.gpu.instance(), self.gpu.physical_device());
        // SAFETY: the handles belong together; this object keeps the window, and is dropped before its connection.
        self.surface = unsafe { ash_window::create_surface(entry, instance, display, window, None) }
            .call("vkCreateSurfaceKHR")?;
        let family = self.gpu.queue_family();
        // SAFETY: the surface was made by the device's instance, here and below.
        let supported =
            unsafe { self.surfaces.get_physical_device_surface_support(physical, family, self.surface) }
                .call("vkGetPhysicalDeviceSurfaceSupportKHR")?;
        if !supported {
            let name = &self.gpu.capabilities().info.name;
            return Err(Error::Window(format!("{name} cannot draw into windows of this system")));
        }
        // SAFETY: as above.
        let formats = unsafe { self.surfaces.get_physical_device_surface_formats(physical, self.surface) }
            .call("vkGetPhysicalDeviceSurfaceFormatsKHR")?;
        let format = choose(&formats).ok_or_else(|| Error::Window("the surface has no format".into()))?;
        if self.pass.is_none() || self.format.format != format.format {
            let layout = vk::ImageLayout::PRESENT_SRC_KHR;
            self.pass = Some(Viewer::create_pass(&self.gpu, format.format, layout)?);
        }
        self.format = format;
        Ok(())
    }

    /// The window's size has changed: the next frame makes a swapchain that fits.
    pub(super) fn resize(&mut self) {
        self.destroy_swapchain();
    }

    /// Makes surface and swapchain anew.
    pub(super) fn renew(&mut self) -> Result<()> {
        self.destroy_swapchain();
        let surface = std::mem::replace(&mut self.surface, vk::SurfaceKHR::null());
        // SAFETY: its swapchain is gone; null handles are legal.
        unsafe { self.surfaces.destroy_surface(surface, None) };
        self.create_surface()
    }

    /// Draws what the viewer has prepared. `false` if there was nothing to draw on: a minimised window, or one that gives no
    /// image for now.
    pub(super) fn draw(&mut self, viewer: &Viewer) -> Result<bool> {
        for _ in 0..ATTEMPTS {
            let what = match self.try_draw(viewer)? {
                None => return Ok(true),
                Some(what) => what,
            };
            match what {
                Lost::Swapchain => self.destroy_swapchain(),
                Lost::Surface => self.renew()?,
                Lost::Nothing => return Ok(false),
            }
        }
        Ok(false)
    }

    fn try_draw(&mut self, viewer: &Viewer) -> Result<Option<Lost>> {
        if self.swapchain.is_none() {
            match self.create_swapchain() {
                Ok(None) => return Ok(Some(Lost::Nothing)),
                Ok(made) => self.swapchain = made,
                Err(Error::Vulkan { call, result }) => return lost(call, result).map(Some),
                Err(error) => return Err(error),
            }
        }
        let (Some(swapchain), Some(pass)) = (&self.swapchain, &self.pass) else {
            return Ok(Some(Lost::Nothing));
        };
        let (device, none) = (self.gpu.device(), vk::Fence::null());
        // SAFETY: the semaphore is not signalled: every frame waits for it.
        let acquired =
            unsafe { self.swapchains.acquire_next_image(swapchain.handle, PATIENCE, self.acquired, none) };
        let (index, mut misfits) = match acquired {
            Ok(acquired) => acquired,
            Err(result) => return lost("vkAcquireNextImageKHR", result).map(Some),
        };
        let image = &swapchain.images[index as usize];
        // SAFETY: the last frame was waited for.
        unsafe { device.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty()) }
            .call("vkResetCommandPool")?;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: just reset.
        unsafe { device.begin_command_buffer(self.commands, &begin) }.call("vkBeginCommandBuffer")?;
        let encodes = encodes(self.format.format);
        // SAFETY: the frame is waited for below, before anything changes.
        unsafe { viewer.record(self.commands, pass, image.framebuffer, swapchain.size, encodes) }?;
        // SAFETY: begun above.
        unsafe { device.end_command_buffer(self.commands) }.call("vkEndCommandBuffer")?;
        let (waits, signals, buffers) = ([self.acquired], [image.drawn], [self.commands]);
        let stages = [vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT];
        let submits = [vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&buffers)
            .signal_semaphores(&signals)];
        let queue = self.gpu.queue()?;
        // SAFETY: the queue is locked; everything submitted is this object's own.
        unsafe { device.queue_submit(*queue, &submits, self.fence) }.call("vkQueueSubmit")?;
        let fences = [self.fence];
        // SAFETY: the fence was just submitted.
        unsafe { device.wait_for_fences(&fences, true, u64::MAX) }.call("vkWaitForFences")?;
        // SAFETY: it has passed.
        unsafe { device.reset_fences(&fences) }.call("vkResetFences")?;
        let (handles, indices) = ([swapchain.handle], [index]);
        let present = vk::PresentInfoKHR::default()
            .wait_semaphores(&signals)
            .swapchains(&handles)
            .image_indices(&indices);
        // SAFETY: the queue is locked; the image was acquired and drawn.
        match unsafe { self.swapchains.queue_present(*queue, &present) } {
            Ok(suboptimal) => misfits |= suboptimal,
            Err(result) => return lost("vkQueuePresentKHR", result).map(Some),
        }
        drop(queue);
        if misfits {
            // It was shown; the next frame fits again.
            self.destroy_swapchain();
        }
        Ok(None)
    }

    /// A swapchain as large as the window; `None` if that is minimised.
    fn create_swapchain(&self) -> Result<Option<Swapchain>> {
        let physical = self.gpu.physical_device();
        // SAFETY: the surface was made by the device's instance.
        let caps = unsafe { self.surfaces.get_physical_device_surface_capabilities(physical, self.surface) }
            .call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR")?;
        let mut extent = caps.current_extent;
        if extent.width == u32::MAX {
            let size = self.window.inner_size();
            extent.width = size.width.clamp(caps.min_image_extent.width, caps.max_image_extent.width);
            extent.height = size.height.clamp(caps.min_image_extent.height, caps.max_image_extent.height);
        }
        if extent.width == 0 || extent.height == 0 {
            return Ok(None);
        }
        let most = if caps.max_image_count == 0 { u32::MAX } else { caps.max_image_count };
        let alphas = [
            vk::CompositeAlphaFlagsKHR::OPAQUE,
            vk::CompositeAlphaFlagsKHR::INHERIT,
            vk::CompositeAlphaFlagsKHR::PRE_MULTIPLIED,
            vk::CompositeAlphaFlagsKHR::POST_MULTIPLIED,
        ];
        let alpha = alphas.into_iter().find(|&alpha| caps.supported_composite_alpha.contains(alpha));
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count((caps.min_image_count + 1).min(most))
            .image_format(self.format.format)
            .image_color_space(self.format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(caps.current_transform)
            .composite_alpha(alpha.unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE))
            .present_mode(vk::PresentModeKHR::FIFO)
            .clipped(true);
        // SAFETY: the surface has no other swapchain; all values are of its capabilities.
        let handle = unsafe { self.swapchains.create_swapchain(&info, None) }.call("vkCreateSwapchainKHR")?;
        let mut swapchain = Swapchain { handle, size: [extent.width, extent.height], images: Vec::new() };
        let filled = self.fill(&mut swapchain);
        if let Err(error) = filled {
            self.destroy(swapchain);
            return Err(error);
        }
        Ok(Some(swapchain))
    }

    fn fill(&self, swapchain: &mut Swapchain) -> Result<()> {
        let Some(pass) = &self.pass else { return Ok(()) };
        // SAFETY: the swapchain is alive.
        let images = unsafe { self.swapchains.get_swapchain_images(swapchain.handle) }
            .call("vkGetSwapchainImagesKHR")?;
        for image in images {
            let drawn = self.create_semaphore()?;
            let made =
                SwapchainImage { view: vk::ImageView::null(), framebuffer: vk::Framebuffer::null(), drawn };
            swapchain.images.push(made);
            let Some(made) = swapchain.images.last_mut() else { continue };
            made.view = create_view(&self.gpu, image, vk::ImageViewType::TYPE_2D, self.format.format, 1)?;
            made.framebuffer = create_framebuffer(&self.gpu, pass.handle(), made.view, swapchain.size)?;
        }
        Ok(())
    }

    fn destroy_swapchain(&mut self) {
        if let Some(swapchain) = self.swapchain.take() {
            self.destroy(swapchain);
        }
    }

    fn destroy(&self, swapchain: Swapchain) {
        let device = self.gpu.device();
        // The presentation engine may still wait for the semaphores.
        // SAFETY: the queue is this process's, and used from this thread alone.
        if let Err(result) = unsafe { device.device_wait_idle() } {
            log::warn!("vkDeviceWaitIdle: {result}");
        }
        for image in swapchain.images {
            // SAFETY: the device is idle; null handles are legal, here and below.
            unsafe { device.destroy_framebuffer(image.framebuffer, None) };
            // SAFETY: as above.
            unsafe { device.destroy_image_view(image.view, None) };
            // SAFETY: as above.
            unsafe { device.destroy_semaphore(image.drawn, None) };
        }
        // SAFETY: as above.
        unsafe { self.swapchains.destroy_swapchain(swapchain.handle, None) };
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.destroy_swapchain();
        let device = self.gpu.device();
        // SAFETY: every frame was waited for; null handles are legal, here and below.
        unsafe { device.destroy_semaphore(self.acquired, None) };
        // SAFETY: as above.
        unsafe { device.destroy_fence(self.fence, None) };
        // SAFETY: as above.
        unsafe { device.destroy_command_pool(self.pool, None) };
        // SAFETY: its swapchain is gone.
        unsafe { self.surfaces.destroy_surface(self.surface, None) };
    }
}

/// Whether attachments of `format` turn linear light into sRGB.
fn encodes(format: vk::Format) -> bool {
    matches!(format, vk::Format::B8G8R8A8_SRGB | vk::Format::R8G8B8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32)
}

/// The format whose bytes are what the shader makes; else one that encodes, which the shader can undo.
fn choose(formats: &[vk::SurfaceFormatKHR]) -> Option<vk::SurfaceFormatKHR> {
    let plain = [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM, vk::Format::A8B8G8R8_UNORM_PACK32];
    let on_screen = |format: &&vk::SurfaceFormatKHR| format.color_space == vk::ColorSpaceKHR::SRGB_NONLINEAR;
    let find = |wanted: &dyn Fn(vk::Format) -> bool| {
        formats.iter().filter(on_screen).find(|format| wanted(format.format)).copied()
    };
    find(&|format| plain.contains(&format)).or_else(|| find(&encodes)).or_else(|| formats.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_mended_is_told_from_what_cannot() {
        let after = |result| lost("call", result).ok();
        assert_eq!(after(vk::Result::ERROR_OUT_OF_DATE_KHR), Some(Lost::Swapchain));
        assert_eq!(after(vk::Result::ERROR_SURFACE_LOST_KHR), Some(Lost::Surface));
        assert_eq!(after(vk::Result::TIMEOUT), Some(Lost::Nothing));
        assert_eq!(after(vk::Result::ERROR_DEVICE_LOST), None);
    }

    #[test]
    fn a_format_without_conversion_is_preferred() {
        let format = |format| vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR };
        let (srgb, plain, other) = (
            format(vk::Format::B8G8R8A8_SRGB),
            format(vk::Format::B8G8R8A8_UNORM),
            format(vk::Format::R5G6B5_UNORM_PACK16),
        );
        assert_eq!(choose(&[srgb, plain]).map(|chosen| chosen.format), Some(plain.format));
        assert_eq!(choose(&[other, srgb]).map(|chosen| chosen.format), Some(srgb.format));
        assert_eq!(choose(&[other]).map(|chosen| chosen.format), Some(other.format));
        assert_eq!(choose(&[]).map(|chosen| chosen.format), None);
    }
}
