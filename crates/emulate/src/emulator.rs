//! The state of one device.

use crate::budget::Budget;
use crate::cache::{Cache, Key};
use crate::copy::Pending;
use crate::error::Result;
use crate::image::EmulatedImage;
use crate::map::HandleMap;
use crate::offer::Offer;
use crate::recording::{Queue, Recording};
use crate::settings::Settings;
use crate::stats::{Statistics, Stats};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texemu_core::{Gpu, vk};
use texemu_format::{Format, VkFormat, by_vk};
use texemu_transcode::{Options, Transcoder};

/// What an [`Emulator`] is made from.
#[derive(Clone, Copy, Debug)]
pub struct EmulatorDesc<'a> {
    /// The device, owned or the host's.
    pub gpu: &'a Gpu,
    /// What the embedder chooses.
    pub settings: &'a Settings,
    /// The families of all queues that the device was created with. Compressed planes are shared between them, so that an
    /// image's ownership transfers need not name them. If one of them cannot compute, images keep their blocks for it.
    pub queue_families: &'a [u32],
}

/// Emulated images of one device. All methods may be called from any threads at once, as far as Vulkan allows for the
/// handles they are given.
#[derive(Debug)]
pub struct Emulator {
    pub(crate) gpu: Gpu,
    pub(crate) offer: Offer,
    pub(crate) transcoder: Transcoder,
    pub(crate) queue_families: Vec<u32>,
    /// Families whose queues cannot compute.
    pub(crate) copy_families: Vec<u32>,
    pub(crate) pending: Mutex<Vec<Pending>>,
    pub(crate) images: HandleMap<EmulatedImage>,
    pub(crate) notes: HandleMap<Note>,
    pub(crate) recordings: HandleMap<Mutex<Recording>>,
    pub(crate) budget: Budget,
    pub(crate) stats: Stats,
    pub(crate) cache: Option<Cache>,
    /// For the cache, what the kernels of a source format and a target are.
    versions: Mutex<HashMap<(VkFormat, VkFormat), Key>>,
    idle: Mutex<Vec<Recording>>,
    retired: Mutex<Vec<(u64, Arc<EmulatedImage>)>>,
}

/// What has to be known of an image that is not emulated when it meets one that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    pub(crate) footprint: [u32; 2],
    pub(crate) image_type: vk::ImageType,
    pub(crate) extent: [u32; 3],
    pub(crate) layers: u32,
}

/// An emulated image, as reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ImageReport {
    /// What the application asked for.
    pub format: &'static Format,
    /// What the device stores.
    pub target: &'static Format,
    /// Bytes of the decoded plane.
    pub decoded_bytes: u64,
    /// Bytes of the compressed plane; 0 if the blocks are not kept.
    pub compressed_bytes: u64,
    /// Bytes that `R8G8B8A8` would need.
    pub rgba8_bytes: u64,
}

impl Emulator {
    /// Makes the tables and counters; pipelines follow when images ask for them.
    pub fn new(desc: &EmulatorDesc<'_>) -> Result<Self> {
        let offer = Offer::of_gpu(desc.gpu, desc.settings);
        let mut queue_families = desc.queue_families.to_vec();
        queue_families.push(desc.gpu.queue_family());
        queue_families.sort_unstable();
        queue_families.dedup();
        // SAFETY: the physical device belongs to the instance.
        let families = unsafe {
            desc.gpu.instance().get_physical_device_queue_family_properties(desc.gpu.physical_device())
        };
        let computes = |family: u32| {
            families.get(family as usize).is_some_and(|one| one.queue_flags.contains(vk::QueueFlags::COMPUTE))
        };
        let mut copy_families: Vec<u32> =
            queue_families.iter().copied().filter(|&family| !computes(family)).collect();
        copy_families.extend(&desc.settings.transfer_families);
        Ok(Self {
            gpu: desc.gpu.clone(),
            copy_families,
            pending: Mutex::default(),
            cache: Cache::new(&desc.settings.cache),
            versions: Mutex::default(),
            budget: Budget::new(&offer),
            offer,
            transcoder: Transcoder::new(desc.gpu)?,
            queue_families,
            images: HandleMap::default(),
            notes: HandleMap::default(),
            recordings: HandleMap::default(),
            stats: Stats::new(),
            idle: Mutex::default(),
            retired: Mutex::default(),
        })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// What the device offers.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Whether this is an image of ours. Costs one load if there is none.
    pub fn is_emulated(&self, image: vk::Image) -> bool {
        self.images.contains(image)
    }

    /// What stands behind an image of ours.
    pub fn describe(&self, image: vk::Image) -> Option<ImageReport> {
        let image = self.images.get(image)?;
        Some(ImageReport {
            format: image.format,
            target: image.target,
            decoded_bytes: image.decoded_bytes(),
            compressed_bytes: image.plane.map_or(0, |plane| plane.bytes),
            rgba8_bytes: image.rgba8_bytes(),
        })
    }

    /// Remembers an image that is not emulated, so that it can be copied from and to emulated ones. Images that cannot
    /// meet one are not kept, so this may be called with all.
    pub fn note_image(&self, image: vk::Image, info: &vk::ImageCreateInfo<'_>) {
        let transfer = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if !info.usage.intersects(transfer) || info.samples != vk::SampleCountFlags::TYPE_1 {
            return;
        }
        let note = Note {
            footprint: by_vk(VkFormat(info.format.as_raw())).map_or([1, 1], |format| format.footprint),
            image_type: info.image_type,
            extent: [info.extent.width, info.extent.height, info.extent.depth],
            layers: info.array_layers,
        };
        self.notes.insert(image, Arc::new(note));
    }

    /// Forgets what [`Emulator::note_image`] remembered; for when the image is destroyed.
    pub fn forget_image(&self, image: vk::Image) {
        self.notes.remove(image);
    }

    /// A recording from the pool, or a new one: see [`Recording`].
    pub fn recording(&self, queue: Queue) -> Recording {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut recording = idle.unwrap_or_else(|| Recording::new(&self.gpu));
        recording.queue = queue;
        recording
    }

    /// Gives a recording back to the pool.
    ///
    /// # Safety
    /// The device is done with every command recorded with it, and they are not submitted again.
    pub unsafe fn recycle(&self, mut recording: Recording) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { recording.reset(&self.stats, self.cache.as_ref()) }?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(recording);
        Ok(())
    }

    /// Reads the timestamps of a recording, takes everything back, and leaves it ready for the next command buffer.
    ///
    /// # Safety
    /// As [`Emulator::recycle`].
    pub unsafe fn reset(&self, recording: &mut Recording) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { recording.reset(&self.stats, self.cache.as_ref()) }
    }

    /// Compiles the pipelines that images of these formats need, so that no copy has to. Takes a while; call it from a
    /// thread of its own. Formats that are not emulated are passed over.
    pub fn prepare(&self, formats: &[vk::Format]) -> Result<()> {
        for &format in formats {
            let Some(format) = by_vk(VkFormat(format.as_raw())) else { continue };
            let policy = self.offer.settings.policy_for(format.vk);
            if let Some(target) = self.offer.ladder(format, policy).first() {
                self.transcoder.prepare(&[(format, target)], self.options())?;
            }
        }
        Ok(())
    }

    /// What was emulated so far, and what it cost.
    pub fn statistics(&self) -> Statistics {
        let cache = self.cache.as_ref().map(Cache::statistics);
        self.stats.report(self.offer.formats_asked(), self.budget.used(), cache)
    }

    pub(crate) fn versions(&self) -> MutexGuard<'_, HashMap<(VkFormat, VkFormat), Key>> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn options(&self) -> Options {
        let settings = &self.offer.settings;
        Options { error_color: settings.error_color, effort: settings.effort, ..Options::default() }
    }

    /// Destroys an emulated image; `false` if it is not one, and the driver is to be called.
    ///
    /// # Safety
    /// As `vkDestroyImage`; `allocator` is compatible with the one it was created with.
    #[doc(alias = "vkDestroyImage")]
    pub unsafe fn destroy_image(
        &self,
        image: vk::Image,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) -> bool {
        let Some(image) = self.images.remove(image) else { return false };
        // SAFETY: the caller's promise.
        unsafe { self.finish(&image, allocator) };
        true
    }

    /// Destroys an emulated image once the device has passed `value` on a timeline of the caller's choosing: see
    /// [`Emulator::collect`]. From now on the image is unknown here. `false` if it is not emulated.
    ///
    /// # Safety
    /// All work with the image was submitted; it ends by the time that the timeline reaches `value`. The image was created
    /// without allocation callbacks.
    pub unsafe fn retire_image(&self, image: vk::Image, value: u64) -> bool {
        let Some(image) = self.images.remove(image) else { return false };
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).push((value, image));
        true
    }

    /// Destroys the images that were retired with values up to `reached`. Their memory is the caller's to free, after this.
    /// Returns how many are left.
    ///
    /// # Safety
    /// The device is done with all work up to `reached`.
    pub unsafe fn collect(&self, reached: u64) -> usize {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, left) = retired.drain(..).partition(|&(value, _)| value <= reached);
        *retired = left;
        let left = retired.len();
        drop(retired);
        let done: Vec<(u64, Arc<EmulatedImage>)> = done;
        for (_, image) in done {
            // SAFETY: the caller's promise.
            unsafe { self.finish(&image, None) };
        }
        left
    }

    /// # Safety
    /// As [`Emulator::destroy_image`].
    unsafe fn finish(&self, image: &EmulatedImage, allocator: Option<&vk::AllocationCallbacks<'_>>) {
        self.stats.destroyed(image);
        self.forget_copies(image.handle);
        self.budget.release(image.requirements.size, image.is_bound());
        // SAFETY: the device is done with the image by the caller's promise.
        unsafe { image.destroy(&self.gpu) };
        // SAFETY: as above.
        unsafe { self.gpu.device().destroy_image(image.handle, allocator) };
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // SAFETY: the owner is done with the device, or nearly so.
        unsafe { self.collect(u64::MAX) };
        for image in self.images.drain() {
            log::warn!("image {:?} ({}) was never destroyed", image.handle, image.format.name);
            // SAFETY: as above. The image itself may need callbacks that are not known here.
            unsafe { image.destroy(&self.gpu) };
        }
    }
}
