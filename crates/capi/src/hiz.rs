//! Recording depth pyramids.

use crate::arena::texemu_arena;
use crate::gpu::texemu_gpu;
use crate::hiz_plan::texemu_hiz_plan;
use crate::pointer::{get, get_mut, give, take};
use crate::status::{Answer, Failure, guard, guarded};
use crate::versioned::{Versioned, read, read_array};
use ::texemu_hiz::{Hiz, HizDepth, HizImage, HizTarget};
use texemu_core::vk;

/// The pipelines of all depth pyramids of one device. Shared between threads.
pub struct texemu_hiz(pub(crate) Hiz);

/// A plan bound to the images that it fills, with what one recording in flight needs. Frames in flight need a target each.
pub struct texemu_hiz_target(pub(crate) HizTarget);

/// Where a level lies: a mip level of an image, and as many of its array layers as the plan has.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_image {
    /// `sizeof(texemu_hiz_image)`.
    pub struct_size: u32,
    /// The mip level, of the level's extent.
    pub mip_level: u32,
    /// Of the plan's format and usages.
    pub image: vk::Image,
    /// The first array layer.
    pub array_layer: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: integers and a handle, the size first.
unsafe impl Versioned for texemu_hiz_image {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The depth buffer to reduce.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_depth {
    /// `sizeof(texemu_hiz_depth)`.
    pub struct_size: u32,
    /// The layout it is in.
    pub layout: vk::ImageLayout,
    /// A `2D_ARRAY` view of one mip level and the plan's layers, of the depth aspect or of a one-component float or normalized color
    /// format.
    pub view: vk::ImageView,
    /// The viewport's corner in it, in texels from the left.
    pub offset_x: u32,
    /// And from the top.
    pub offset_y: u32,
}

// SAFETY: integers and a handle, the size first.
unsafe impl Versioned for texemu_hiz_depth {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Makes the pipelines' home; each pipeline follows when first needed, or by `texemu_hiz_prepare`.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_create(gpu: *const texemu_gpu, hiz: *mut *mut texemu_hiz) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(hiz, "hiz") }?;
        Ok(give(slot, texemu_hiz(Hiz::new(&gpu.0)?)))
    })
}

/// Destroys the pipelines; null is ignored.
///
/// # Safety
/// `hiz` is null or from `texemu_hiz_create`, and not used afterwards. The device is done with all that it recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_destroy(hiz: *mut texemu_hiz) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(hiz) }));
}

/// Builds the pipelines that `plan` needs, so that recording it never compiles. Plans that differ in sizes mostly share them.
///
/// # Safety
/// Both pointers are valid, and of one device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_prepare(
    hiz: *const texemu_hiz,
    plan: *const texemu_hiz_plan,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let hiz = unsafe { get(hiz, "hiz") }?;
        // SAFETY: as above.
        let plan = unsafe { get(plan, "plan") }?;
        hiz.0.prepare(&plan.0)?;
        Ok(Answer::Done)
    })
}

/// Binds `plan` to its images: one entry a level, the finest first. Makes their views, and allocates the plan's scratch memory.
///
/// # Safety
/// - `hiz` and `plan` are valid and of one device.
/// - `images` holds `image_count` structures, all of one `struct_size`; the images are as `texemu_hiz_image` says and outlive the target.
/// - `target` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_target_create(
    hiz: *const texemu_hiz,
    plan: *const texemu_hiz_plan,
    image_count: u32,
    images: *const texemu_hiz_image,
    target: *mut *mut texemu_hiz_target,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let hiz = unsafe { get(hiz, "hiz") }?;
        // SAFETY: as above.
        let plan = unsafe { get(plan, "plan") }?;
        // SAFETY: as above.
        let given = unsafe { read_array(images, image_count, "images") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(target, "target") }?;
        let levels: Vec<HizImage> = given
            .iter()
            .map(|at| HizImage { image: at.image, mip_level: at.mip_level, array_layer: at.array_layer })
            .collect();
        // SAFETY: as above.
        let made = unsafe { HizTarget::new(&hiz.0, &plan.0, &levels) }?;
        Ok(give(slot, texemu_hiz_target(made)))
    })
}

/// Destroys a target and its views; null is ignored.
///
/// # Safety
/// `target` is null or from `texemu_hiz_target_create`, and not used afterwards. The device is done with all that was recorded with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_target_destroy(target: *mut texemu_hiz_target) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(target) }));
}

/// A `2D_ARRAY` view of the `index`-th level that is stored and all its layers, which lives as long as the target.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_target_get_view(
    target: *const texemu_hiz_target,
    index: u32,
    view: *mut vk::ImageView,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let views = unsafe { get(target, "target") }?.0.views();
        // SAFETY: as above.
        let slot = unsafe { get_mut(view, "view") }?;
        let Some(&found) = views.get(index as usize) else {
            let count = views.len();
            return Err(Failure::argument(format!("index is {index}, and there are {count} levels")));
        };
        *slot = found;
        Ok(Answer::Done)
    })
}

/// Says that the last recording may not have run to its end: it was never submitted, or the device was lost.
///
/// # Safety
/// `target` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_target_invalidate(target: *const texemu_hiz_target) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { get(target, "target") }?.0.invalidate();
        Ok(Answer::Done)
    })
}

/// Writes the reduction of `depth` into the target's levels to `commands`. Submits nothing, waits for nothing, and allocates nothing but
/// descriptor sets from `arena`; compiles nothing if the plan was prepared. The barriers around it are the caller's, as
/// `texemu_hiz_plan_info` says; those between its steps are its own. Disturbs the compute pipeline, set 0 of the compute bind point and
/// push constants, or for draws those of the graphics bind point. After a failure some commands may have been recorded.
///
/// # Safety
/// - `commands` is being recorded on the device outside a render pass, for a queue with compute, or with graphics for draws.
/// - All pointers are valid, and the `struct_size` of `depth` is set; its view is as `texemu_hiz_depth` says, and matches the plan.
/// - The view, the target and what `arena` holds live until the commands have run. No two recordings with a target overlap on the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_record(
    hiz: *const texemu_hiz,
    commands: vk::CommandBuffer,
    arena: *mut texemu_arena,
    target: *const texemu_hiz_target,
    depth: *const texemu_hiz_depth,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let hiz = unsafe { get(hiz, "hiz") }?;
        // SAFETY: as above.
        let arena = unsafe { get_mut(arena, "arena") }?;
        // SAFETY: as above.
        let target = unsafe { get(target, "target") }?;
        // SAFETY: as above.
        let given = unsafe { read(depth, "depth") }?;
        let depth =
            HizDepth { view: given.view, layout: given.layout, offset: [given.offset_x, given.offset_y] };
        // SAFETY: as above.
        unsafe { hiz.0.record(commands, &mut arena.0, &target.0, &depth) }?;
        Ok(Answer::Done)
    })
}
