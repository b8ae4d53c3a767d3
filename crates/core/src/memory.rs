//! Buffers and images of our own, in memory from gpu-allocator.

use crate::error::{Context, Error, Result};
use crate::gpu::Gpu;
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

/// Where memory lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// The device's own.
    Device,
    /// Written by the host, read by the device; the device's own where the host can map that.
    Upload,
    /// Written by the device, read by the host.
    Readback,
}

impl Location {
    fn memory(self) -> MemoryLocation {
        match self {
            Self::Device => MemoryLocation::GpuOnly,
            Self::Upload => MemoryLocation::CpuToGpu,
            Self::Readback => MemoryLocation::GpuToCpu,
        }
    }
}

/// What a [`Buffer`] is made from.
#[derive(Clone, Copy, Debug)]
pub struct BufferDesc<'a> {
    /// Debug name.
    pub name: &'a str,
    /// Bytes; at least 1.
    pub size: u64,
    /// What it is used for.
    pub usage: vk::BufferUsageFlags,
    /// Where it lies.
    pub location: Location,
}

/// A buffer with its memory; both go when it is dropped, by when the device must be done with it.
#[derive(Debug)]
pub struct Buffer {
    gpu: Gpu,
    handle: vk::Buffer,
    size: u64,
    allocation: Option<Allocation>,
}

impl Buffer {
    /// Creates, allocates and binds.
    #[doc(alias = "vkCreateBuffer")]
    pub fn new(gpu: &Gpu, desc: &BufferDesc<'_>) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(desc.size).usage(desc.usage);
        // SAFETY: the device is alive.
        let handle = unsafe { gpu.device().create_buffer(&info, None) }.call("vkCreateBuffer")?;
        let mut buffer = Self { gpu: gpu.clone(), handle, size: desc.size, allocation: None };
        gpu.name(handle, desc.name);
        // SAFETY: just created on this device.
        let requirements = unsafe { gpu.device().get_buffer_memory_requirements(handle) };
        let allocation = allocate(gpu, desc.name, requirements, desc.location, true)?;
        // SAFETY: the allocation lives as long as the buffer: `allocation` is freed after it in Drop.
        let memory = unsafe { allocation.memory() };
        let offset = allocation.offset();
        buffer.allocation = Some(allocation);
        // SAFETY: memory and offset meet the requirements just asked for.
        unsafe { gpu.device().bind_buffer_memory(handle, memory, offset) }.call("vkBindBufferMemory")?;
        Ok(buffer)
    }

    /// The handle.
    pub fn handle(&self) -> vk::Buffer {
        self.handle
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The mapped bytes; `None` for [`Location::Device`]. Reading is meaningful once the device's writes were waited
    /// for.
    pub fn mapped(&self) -> Option<&[u8]> {
        let bytes = self.allocation.as_ref()?.mapped_slice()?;
        bytes.get(..usize::try_from(self.size).ok()?)
    }

    /// The mapped bytes, to write before the device reads them; `None` for [`Location::Device`].
    pub fn mapped_mut(&mut self) -> Option<&mut [u8]> {
        let size = usize::try_from(self.size).ok()?;
        self.allocation.as_mut()?.mapped_slice_mut()?.get_mut(..size)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: created on this device; the owner promises that the device is done with it.
        unsafe { self.gpu.device().destroy_buffer(self.handle, None) };
        free(&self.gpu, self.allocation.take());
    }
}

/// What an [`Image`] is made from: Vulkan's own structure and a name.
#[derive(Clone, Copy, Debug)]
pub struct ImageDesc<'a> {
    /// Debug name.
    pub name: &'a str,
    /// All that Vulkan wants to know, `pNext` included.
    pub info: vk::ImageCreateInfo<'a>,
}

/// An image with its memory, in the device's own.
#[derive(Debug)]
pub struct Image {
    gpu: Gpu,
    handle: vk::Image,
    allocation: Option<Allocation>,
}

impl Image {
    /// Creates, allocates and binds.
    #[doc(alias = "vkCreateImage")]
    pub fn new(gpu: &Gpu, desc: &ImageDesc<'_>) -> Result<Self> {
        // SAFETY: the structure's pointers live as long as desc.
        let handle = unsafe { gpu.device().create_image(&desc.info, None) }.call("vkCreateImage")?;
        let mut image = Self { gpu: gpu.clone(), handle, allocation: None };
        gpu.name(handle, desc.name);
        // SAFETY: just created on this device.
        let requirements = unsafe { gpu.device().get_image_memory_requirements(handle) };
        let linear = desc.info.tiling == vk::ImageTiling::LINEAR;
        let allocation = allocate(gpu, desc.name, requirements, Location::Device, linear)?;
        // SAFETY: the allocation lives as long as the image: `allocation` is freed after it in Drop.
        let memory = unsafe { allocation.memory() };
        let offset = allocation.offset();
        image.allocation = Some(allocation);
        // SAFETY: memory and offset meet the requirements just asked for.
        unsafe { gpu.device().bind_image_memory(handle, memory, offset) }.call("vkBindImageMemory")?;
        Ok(image)
    }

    /// The handle.
    pub fn handle(&self) -> vk::Image {
        self.handle
    }

    /// Bytes of memory behind it.
    pub fn bytes(&self) -> u64 {
        self.allocation.as_ref().map_or(0, Allocation::size)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: created on this device; the owner promises that the device is done with it.
        unsafe { self.gpu.device().destroy_image(self.handle, None) };
        free(&self.gpu, self.allocation.take());
    }
}

fn allocate(
    gpu: &Gpu,
    name: &str,
    requirements: vk::MemoryRequirements,
    location: Location,
    linear: bool,
) -> Result<Allocation> {
    gpu.with_allocator(|allocator| {
        allocator.allocate(&AllocationCreateDesc {
            name,
            requirements,
            location: location.memory(),
            linear,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        })
    })
    .map_err(|source| Error::Allocation { what: name.to_owned(), source })
}

fn free(gpu: &Gpu, allocation: Option<Allocation>) {
    let Some(allocation) = allocation else { return };
    if let Err(error) = gpu.with_allocator(|allocator| allocator.free(allocation)) {
        log::warn!("cannot free memory: {error}");
    }
}
