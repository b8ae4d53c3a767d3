//! What a recording writes to.

use crate::raster::Draws;
use crate::{Error, Hiz, HizPlan, Path, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use texemu_core::{Buffer, BufferDesc, Gpu, Location, vk};

/// A plan bound to the images it fills, with the memory that one recording in flight needs: scratch and counters, or framebuffers.
/// Recordings with the same target must not overlap on the device; frames in flight need a target each.
#[derive(Debug)]
pub struct HizTarget {
    plan: HizPlan,
    levels: Vec<vk::ImageView>,
    scratch: Option<Buffer>,
    /// The counters are not known to be zero.
    dirty: AtomicBool,
    pub(crate) draws: Option<Draws>,
}

impl HizTarget {
    /// Binds `plan` to `levels`: one `2D_ARRAY` view a level of the plan, finest first, of one mip level of the plan's format and the
    /// level's extent, with as many layers as the plan.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not as many views as levels; [`Error::Device`] if memory or objects cannot be had.
    ///
    /// # Safety
    /// The views are as said, made on `hiz`'s device from images of [`HizPlan::level_usage`], and live as long as the target.
    pub unsafe fn new(hiz: &Hiz, plan: &HizPlan, levels: &[vk::ImageView]) -> Result<Self> {
        if levels.len() != plan.levels().len() {
            return Err(Error::Invalid("a target has a view for each level of its plan"));
        }
        let draws = if plan.path() == Path::Raster {
            // SAFETY: the caller's promise.
            Some(unsafe { Draws::new(hiz, plan, levels) }?)
        } else {
            None
        };
        let scratch = match plan.scratch_bytes() {
            0 => None,
            bytes => Some(scratch(hiz.gpu(), bytes)?),
        };
        Ok(Self { plan: plan.clone(), levels: levels.to_vec(), scratch, dirty: AtomicBool::new(true), draws })
    }

    /// The plan.
    pub fn plan(&self) -> &HizPlan {
        &self.plan
    }

    /// Says that the last recording may not have run to its end: it was never submitted, or the device was lost. The next one clears
    /// the counters first, as the first one does.
    pub fn invalidate(&self) {
        self.dirty.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take_dirty(&self) -> bool {
        self.dirty.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn scratch(&self) -> Option<&Buffer> {
        self.scratch.as_ref()
    }

    /// The view of a level that is stored; of any for one that is not, which no kernel writes.
    pub(crate) fn level(&self, level: u32) -> vk::ImageView {
        let index = level.saturating_sub(self.plan.desc().first_level) as usize;
        self.levels[index.min(self.levels.len() - 1)]
    }
}

fn scratch(gpu: &Gpu, size: u64) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
    Ok(Buffer::new(gpu, &BufferDesc { name: "hiz scratch", size, usage, location: Location::Device })?)
}
