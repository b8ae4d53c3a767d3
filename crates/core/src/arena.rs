//! What one submission needs besides pipelines: descriptor sets, views, scratch memory.

use crate::error::{Context, Result};
use crate::gpu::Gpu;
use crate::memory::{Buffer, BufferDesc, Location};
use crate::pipeline::Pipeline;
use ash::vk;

/// Sets a pool holds. Pools are added when all are full and kept across resets.
const SETS: u32 = 256;
/// Bytes a scratch buffer holds at least.
const SCRATCH_BYTES: u64 = 1 << 20;

/// Holds what recorded commands refer to until they have run. One arena serves one thread at a time; a host keeps one
/// for each submission in flight and resets it when that submission's fence has passed.
#[derive(Debug)]
pub struct Arena {
    gpu: Gpu,
    pools: Vec<vk::DescriptorPool>,
    /// The pool that sets are taken from, and how many it has given since the last reset.
    pool: usize,
    sets: u32,
    buffer_views: Vec<vk::BufferView>,
    image_views: Vec<vk::ImageView>,
    scratch: Vec<Scratch>,
}

#[derive(Debug)]
struct Scratch {
    buffer: Buffer,
    used: u64,
}

/// How much an arena holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArenaStats {
    /// Device memory of the scratch buffers, kept across resets.
    pub scratch_bytes: u64,
    /// Descriptor pools, kept across resets.
    pub descriptor_pools: usize,
    /// Buffer views made since the last reset.
    pub buffer_views: usize,
    /// Image views made since the last reset.
    pub image_views: usize,
}

impl Arena {
    /// An empty arena: it holds nothing until something is recorded.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            pools: Vec::new(),
            pool: 0,
            sets: 0,
            buffer_views: Vec::new(),
            image_views: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Takes everything back. Memory and pools are kept for the next recording.
    ///
    /// # Safety
    /// The device is done with all commands recorded with this arena since the last reset, and they are not submitted
    /// again.
    pub unsafe fn reset(&mut self) -> Result<()> {
        let device = self.gpu.device();
        for view in self.buffer_views.drain(..) {
            // SAFETY: made by this arena, no longer in use by the caller's promise.
            unsafe { device.destroy_buffer_view(view, None) };
        }
        for view in self.image_views.drain(..) {
            // SAFETY: as above.
            unsafe { device.destroy_image_view(view, None) };
        }
        for &pool in self.pools.iter().take(self.pool + 1) {
            // SAFETY: as above.
            unsafe { device.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) }
                .call("vkResetDescriptorPool")?;
        }
        self.pool = 0;
        self.sets = 0;
        for scratch in &mut self.scratch {
            scratch.used = 0;
        }
        Ok(())
    }

    /// Bytes of device memory that the arena holds.
    pub fn bytes(&self) -> u64 {
        self.scratch.iter().map(|scratch| scratch.buffer.size()).sum()
    }

    /// How much it holds of everything.
    pub fn stats(&self) -> ArenaStats {
        ArenaStats {
            scratch_bytes: self.bytes(),
            descriptor_pools: self.pools.len(),
            buffer_views: self.buffer_views.len(),
            image_views: self.image_views.len(),
        }
    }

    /// A buffer view that lives until the next reset.
    ///
    /// # Safety
    /// `info` is valid on this device, and its buffer lives as long as the view.
    #[doc(alias = "vkCreateBufferView")]
    pub unsafe fn buffer_view(&mut self, info: &vk::BufferViewCreateInfo<'_>) -> Result<vk::BufferView> {
        // SAFETY: the caller's promise.
        let view = unsafe { self.gpu.device().create_buffer_view(info, None) }.call("vkCreateBufferView")?;
        self.buffer_views.push(view);
        Ok(view)
    }

    /// An image view that lives until the next reset.
    ///
    /// # Safety
    /// `info` is valid on this device, and its image lives as long as the view.
    #[doc(alias = "vkCreateImageView")]
    pub unsafe fn image_view(&mut self, info: &vk::ImageViewCreateInfo<'_>) -> Result<vk::ImageView> {
        // SAFETY: the caller's promise.
        let view = unsafe { self.gpu.device().create_image_view(info, None) }.call("vkCreateImageView")?;
        self.image_views.push(view);
        Ok(view)
    }

    /// Device memory until the next reset: a buffer with storage, uniform-texel and transfer usage, and the offset of
    /// `size` bytes in it, a multiple of `alignment` (a power of two).
    pub fn scratch(&mut self, size: u64, alignment: u64) -> Result<(vk::Buffer, u64)> {
        for scratch in &mut self.scratch {
            let offset = scratch.used.next_multiple_of(alignment);
            if offset + size <= scratch.buffer.size() {
                scratch.used = offset + size;
                return Ok((scratch.buffer.handle(), offset));
            }
        }
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let desc = BufferDesc {
            name: "arena scratch",
            size: size.max(SCRATCH_BYTES),
            usage,
            location: Location::Device,
        };
        let buffer = Buffer::new(&self.gpu, &desc)?;
        let handle = buffer.handle();
        self.scratch.push(Scratch { buffer, used: size });
        Ok((handle, 0))
    }

    /// A set of the pipeline's layout, until the next reset.
    pub(crate) fn descriptor_set(&mut self, pipeline: &Pipeline) -> Result<vk::DescriptorSet> {
        if self.sets == SETS {
            self.pool += 1;
            self.sets = 0;
        }
        if self.pool == self.pools.len() {
            self.pools.push(create_pool(&self.gpu)?);
        }
        let layouts = [pipeline.set_layout()];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pools[self.pool])
            .set_layouts(&layouts);
        // SAFETY: pool and layout were made on this device; the pool is used by this arena alone.
        let sets = match unsafe { self.gpu.device().allocate_descriptor_sets(&info) } {
            // The pool ran out of descriptors of one kind before it ran out of sets.
            Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY) if self.sets > 0 => {
                self.sets = SETS;
                return self.descriptor_set(pipeline);
            }
            result => result.call("vkAllocateDescriptorSets")?,
        };
        self.sets += 1;
        Ok(sets[0])
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the owner promises that the device is done with what was recorded.
        if let Err(error) = unsafe { self.reset() } {
            log::warn!("dropping an arena: {error}");
        }
        for &pool in &self.pools {
            // SAFETY: made by this arena, and no set of it is in use.
            unsafe { self.gpu.device().destroy_descriptor_pool(pool, None) };
        }
    }
}

fn create_pool(gpu: &Gpu) -> Result<vk::DescriptorPool> {
    let size = |ty, count| vk::DescriptorPoolSize { ty, descriptor_count: count };
    let sizes = [
        size(vk::DescriptorType::UNIFORM_TEXEL_BUFFER, SETS),
        size(vk::DescriptorType::STORAGE_IMAGE, SETS * 8),
        size(vk::DescriptorType::STORAGE_BUFFER, SETS * 3),
        size(vk::DescriptorType::UNIFORM_BUFFER, SETS),
        size(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, SETS),
    ];
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(SETS).pool_sizes(&sizes);
    // SAFETY: the device is alive.
    let pool = unsafe { gpu.device().create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
    gpu.name(pool, "arena descriptors");
    Ok(pool)
}
