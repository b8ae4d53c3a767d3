//! Depth pyramids worked out: sizes, bytes, barriers, which queries they answer.

use crate::gpu::texemu_gpu;
use crate::hiz_choices::{answer, keep, order, path, path_number, reduction, scheme, texel};
use crate::pointer::{get, get_mut, give, take};
use crate::status::{Answer, Failure, guard, guarded};
use crate::versioned::{Versioned, read, write};
use ::texemu_hiz::{HizCaps, HizDesc, HizPlan};
use texemu_core::vk;

/// A pyramid worked out for one device. Shared between threads.
pub struct texemu_hiz_plan(pub(crate) HizPlan);

/// Which pyramid to make of what. All zero, but for its size and that of the depth image, is every level from 1 of a chained pyramid of
/// minima.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_desc {
    /// `sizeof(texemu_hiz_desc)`.
    pub struct_size: u32,
    /// Texels of the depth image across.
    pub source_width: u32,
    /// And down.
    pub source_height: u32,
    /// Texels across of the viewport in it, which is what the pyramid covers; 0 stands for all.
    pub width: u32,
    /// And down.
    pub height: u32,
    /// Array layers, or views of a multiview pass; 0 stands for 1.
    pub layers: u32,
    /// Samples of the depth image; 0 stands for 1.
    pub samples: u32,
    /// A `texemu_hiz_scheme`.
    pub scheme: u32,
    /// A `texemu_hiz_reduction`.
    pub reduction: u32,
    /// A `texemu_hiz_texel`.
    pub texel: u32,
    /// A `texemu_hiz_path`.
    pub path: u32,
    /// The first level to store; 0 stands for 1.
    pub first_level: u32,
    /// The last; 0 stands for the last there is, and so does any beyond it.
    pub last_level: u32,
    /// Level 0, a copy of the depth buffer, is stored too. `first_level` is then 0 or 1.
    pub copy_level_0: vk::Bool32,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_hiz_desc {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// `HizPyramid` of hiz_query.glsl, word for word: for push constants and uniform buffers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_query_pyramid {
    /// Pixels that the pyramid covers across.
    pub width: i32,
    /// And down.
    pub height: i32,
    /// The first level that is stored.
    pub first_level: i32,
    /// And the last.
    pub last_level: i32,
    /// The array layer to ask: 0 as it is told, the caller's to change.
    pub layer: i32,
}

/// What a plan came to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_plan_info {
    /// `sizeof(texemu_hiz_plan_info)`.
    pub struct_size: u32,
    /// The `texemu_hiz_path` that is gone.
    pub path: u32,
    /// The format of all levels.
    pub format: vk::Format,
    /// The usages that their images need; add SAMPLED for queries.
    pub level_usage: vk::ImageUsageFlags,
    /// Levels that are stored.
    pub level_count: u32,
    /// They are the mip levels of one image, whose level 0 is the first of them. Otherwise each needs an image of its own.
    pub is_mip_chain: vk::Bool32,
    /// A `texemu_hiz_answer` to queries by UV coordinates.
    pub uv_queries: u32,
    /// A `texemu_hiz_answer` to queries by integer coordinates.
    pub integer_queries: u32,
    /// Dispatches or draws of a recording.
    pub step_count: u32,
    /// Before a recording, the depth image must be visible to these stages.
    pub depth_stages: vk::PipelineStageFlags,
    /// And accesses.
    pub depth_access: vk::AccessFlags,
    /// A recording touches the levels in these stages, in layout GENERAL.
    pub level_stages: vk::PipelineStageFlags,
    /// By these accesses.
    pub level_access: vk::AccessFlags,
    /// What the queries in shaders need to know.
    pub query: texemu_hiz_query_pyramid,
    /// Bytes of all levels, tightly packed.
    pub bytes: u64,
    /// Bytes of scratch memory that a target allocates.
    pub scratch_bytes: u64,
}

// SAFETY: integers and flags, the size first.
unsafe impl Versioned for texemu_hiz_plan_info {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// One level that a plan stores.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_hiz_level {
    /// `sizeof(texemu_hiz_level)`.
    pub struct_size: u32,
    /// Its number; 0 is the depth buffer.
    pub level: u32,
    /// Its texels across.
    pub width: u32,
    /// And down.
    pub height: u32,
    /// Bytes of all its layers, tightly packed.
    pub bytes: u64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_hiz_level {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The `texemu_hiz_reduction` that keeps what a `texemu_hiz_keep` says, where near is 0, or with `reversed` 1. `UINT32_MAX` if it is none.
#[unsafe(no_mangle)]
pub extern "C" fn texemu_hiz_reduction_of(keep: u32, reversed: vk::Bool32) -> u32 {
    guarded(u32::MAX, || self::keep(keep).map_or(u32::MAX, |keep| order(reversed).reduction(keep) as u32))
}

/// Works a pyramid out. Makes no Vulkan object. `VK_ERROR_FEATURE_NOT_PRESENT` if the device cannot go the path that is asked for.
///
/// # Safety
/// All pointers are valid, and the `struct_size` of `desc` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_plan_create(
    gpu: *const texemu_gpu,
    desc: *const texemu_hiz_desc,
    plan: *mut *mut texemu_hiz_plan,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        // SAFETY: as above.
        let given = unsafe { read(desc, "desc") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(plan, "plan") }?;
        let copies = given.copy_level_0 != vk::FALSE;
        if copies && given.first_level > 1 {
            return Err(Failure::argument("copy_level_0 is set, and first_level is neither 0 nor 1"));
        }
        let or = |value: u32, otherwise: u32| if value == 0 { otherwise } else { value };
        let source_extent = [given.source_width, given.source_height];
        let desc = HizDesc {
            source_extent,
            extent: [or(given.width, source_extent[0]), or(given.height, source_extent[1])],
            layers: or(given.layers, 1),
            samples: or(given.samples, 1),
            scheme: scheme(given.scheme)?,
            reduction: reduction(given.reduction)?,
            texel: texel(given.texel)?,
            first_level: if copies { 0 } else { or(given.first_level, 1) },
            last_level: or(given.last_level, u32::MAX),
        };
        let made = HizPlan::new(&desc, path(given.path)?, &HizCaps::of(&gpu.0))?;
        Ok(give(slot, texemu_hiz_plan(made)))
    })
}

/// Destroys a plan; null is ignored. Targets made from it stay.
///
/// # Safety
/// `plan` is null or from `texemu_hiz_plan_create`, and not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_plan_destroy(plan: *mut texemu_hiz_plan) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(plan) }));
}

/// What a plan came to.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `info` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_plan_get_info(
    plan: *const texemu_hiz_plan,
    info: *mut texemu_hiz_plan_info,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let plan = &unsafe { get(plan, "plan") }?.0;
        let (access, answers, query) = (plan.access(), plan.answers(), plan.query_pyramid(0));
        let told = texemu_hiz_plan_info {
            struct_size: 0,
            path: path_number(plan.path()),
            format: plan.format(),
            level_usage: plan.level_usage(),
            level_count: plan.levels().len() as u32,
            is_mip_chain: plan.is_mip_chain().into(),
            uv_queries: answer(answers.uv),
            integer_queries: answer(answers.integer),
            step_count: plan.steps().len() as u32,
            depth_stages: access.depth.stages,
            depth_access: access.depth.access,
            level_stages: access.levels.stages,
            level_access: access.levels.access,
            query: texemu_hiz_query_pyramid {
                width: query.extent[0],
                height: query.extent[1],
                first_level: query.first_level,
                last_level: query.last_level,
                layer: query.layer,
            },
            bytes: plan.bytes(),
            scratch_bytes: plan.scratch_bytes(),
        };
        // SAFETY: the caller's promise.
        unsafe { write(info, told, "info") }?;
        Ok(Answer::Done)
    })
}

/// The `index`-th level that a plan stores, the finest first.
///
/// # Safety
/// Both pointers are valid, and the `struct_size` of `level` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_hiz_plan_get_level(
    plan: *const texemu_hiz_plan,
    index: u32,
    level: *mut texemu_hiz_level,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let plan = &unsafe { get(plan, "plan") }?.0;
        let Some(found) = plan.levels().get(index as usize) else {
            let count = plan.levels().len();
            return Err(Failure::argument(format!("index is {index}, and there are {count} levels")));
        };
        let [width, height] = found.extent;
        let told = texemu_hiz_level { struct_size: 0, level: found.level, width, height, bytes: found.bytes };
        // SAFETY: the caller's promise.
        unsafe { write(level, told, "level") }?;
        Ok(Answer::Done)
    })
}
