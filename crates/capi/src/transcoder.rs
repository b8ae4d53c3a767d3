//! The transcoder by itself, for hosts that keep their own images: blocks from a buffer into an image of a target format.

use crate::arena::texemu_arena;
use crate::choices::{effort, error_color, source_kind, texemu_source_kind};
use crate::format::row;
use crate::gpu::texemu_gpu;
use crate::pointer::{array, get, get_mut, give, take};
use crate::status::{Answer, Outcome, guard, guarded};
use crate::versioned::{Versioned, read_array, write};
use texemu_core::vk;
use texemu_transcode::{Job, Options, Region, Source, Target, Transcoder};

/// The transcoding pipelines of one device. Any threads may use it at once, each with an arena of its own.
pub struct texemu_transcoder(pub(crate) Transcoder);

/// One copy's worth of work.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_job {
    /// `sizeof(texemu_job)`.
    pub struct_size: u32,
    /// What the blocks are.
    pub source_format: vk::Format,
    /// Where they are. What wrote them must be visible to TRANSFER, as for any copy.
    pub source_buffer: vk::Buffer,
    /// A `texemu_source_kind`.
    pub source_kind: u32,
    /// For `TEXEMU_SOURCE_KIND_STORAGE_IMAGE`: as many as the target has levels.
    pub source_view_count: u32,
    /// Storage views in layout GENERAL, one a target level, `2D_ARRAY` (`3D` for 3D images), of R32G32_UINT for blocks of 8 bytes and
    /// R32G32B32A32_UINT for 16: one texel a block.
    pub source_views: *const vk::ImageView,
    /// Takes the texels. An uncompressed format needs STORAGE usage and the flags MUTABLE_FORMAT and EXTENDED_USAGE, a BC format
    /// TRANSFER_DST usage.
    pub target_image: vk::Image,
    /// What it stores: one of the source format's targets.
    pub target_format: vk::Format,
    /// 2D or 3D.
    pub image_type: vk::ImageType,
    /// Of level 0.
    pub extent: vk::Extent3D,
    /// Its levels.
    pub levels: u32,
    /// Its array layers; six a cube.
    pub layers: u32,
    /// The layout that the touched levels and layers are in, and will be in again.
    pub layout: vk::ImageLayout,
    /// They may be in any layout before, and their texels are lost. For jobs that write whole levels.
    pub discard: vk::Bool32,
    /// Elements of `target_views`; may be 0.
    pub target_view_count: u32,
    /// Storage views of the target through its UINT format, one a region, `2D_ARRAY` of the region's level and layers or `3D` of its
    /// level; where null or missing, the arena makes them.
    pub target_views: *const vk::ImageView,
    /// What is copied, in texels of the source format, as `vkCmdCopyBufferToImage` has it.
    pub regions: *const vk::BufferImageCopy,
    /// How many.
    pub region_count: u32,
    /// A `texemu_error_color`.
    pub error_color: u32,
    /// A `texemu_effort`.
    pub effort: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: integers, handles and pointers that may be null, the size first.
unsafe impl Versioned for texemu_job {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// What a recording came to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_recorded {
    /// `sizeof(texemu_recorded)`.
    pub struct_size: u32,
    /// Dispatches.
    pub dispatches: u32,
    /// Source blocks.
    pub blocks: u64,
    /// Texels written.
    pub texels: u64,
}

// SAFETY: integers, the size first.
unsafe impl Versioned for texemu_recorded {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// Makes a transcoder; pipelines follow when first needed, or by `texemu_transcoder_prepare`.
///
/// # Safety
/// Both pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_transcoder_create(
    gpu: *const texemu_gpu,
    transcoder: *mut *mut texemu_transcoder,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let gpu = unsafe { get(gpu, "gpu") }?;
        // SAFETY: as above.
        let slot = unsafe { get_mut(transcoder, "transcoder") }?;
        Ok(give(slot, texemu_transcoder(Transcoder::new(&gpu.0)?)))
    })
}

/// Destroys a transcoder; null is ignored.
///
/// # Safety
/// `transcoder` is null or from `texemu_transcoder_create`, and not used afterwards. The device is done with all that it recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_transcoder_destroy(transcoder: *mut texemu_transcoder) {
    // SAFETY: the caller's promise.
    guarded((), || drop(unsafe { take(transcoder) }));
}

/// Builds the pipelines that jobs from `source` to `target` need, so that recording never compiles. Takes a while; call it from a
/// thread of its own. `effort` is a `texemu_effort`.
///
/// # Safety
/// `transcoder` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_transcoder_prepare(
    transcoder: *const texemu_transcoder,
    source: vk::Format,
    target: vk::Format,
    effort: u32,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let transcoder = unsafe { get(transcoder, "transcoder") }?;
        let options = Options { effort: self::effort(effort)?, ..Options::default() };
        transcoder.0.prepare(&[(row(source)?, row(target)?)], options)?;
        Ok(Answer::Done)
    })
}

/// Writes the jobs into `commands`: one barrier, the dispatches of all jobs, one barrier. Submits nothing and waits for nothing. Before and
/// after, a job looks like a copy: sources are read, and targets written, as by TRANSFER. Between jobs there is no barrier; no two may
/// write the same texels. Disturbs the compute pipeline, set 0 of the compute bind point, and push constants. On failure nothing was
/// recorded. `recorded` may be null.
///
/// # Safety
/// - `commands` is being recorded on the device, for a queue with compute, outside a render pass.
/// - `jobs` holds `job_count` structures, all of one `struct_size`; their handles are valid, made as `texemu_job` says, and stay so
///   until the commands have run; source buffers hold what the regions address.
/// - `arena` is not reset before the commands have run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_transcoder_record(
    transcoder: *const texemu_transcoder,
    commands: vk::CommandBuffer,
    arena: *mut texemu_arena,
    job_count: u32,
    jobs: *const texemu_job,
    recorded: *mut texemu_recorded,
) -> vk::Result {
    guard(|| {
        // SAFETY: the caller's promise.
        let transcoder = unsafe { get(transcoder, "transcoder") }?;
        // SAFETY: as above.
        let arena = unsafe { get_mut(arena, "arena") }?;
        // SAFETY: as above.
        let given = unsafe { read_array(jobs, job_count, "jobs") }?;
        let mut regions = Vec::with_capacity(given.len());
        for job in &given {
            // SAFETY: as above.
            let copies = unsafe { array(job.regions, job.region_count, "regions") }?;
            regions.push(copies.iter().map(Region::from).collect::<Vec<_>>());
        }
        let mut all = Vec::with_capacity(given.len());
        for (job, regions) in given.iter().zip(&regions) {
            // SAFETY: as above.
            all.push(unsafe { self::job(job, regions) }?);
        }
        // SAFETY: as above.
        let done = unsafe { transcoder.0.record(commands, &mut arena.0, &all) }?;
        if recorded.is_null() {
            return Ok(Answer::Done);
        }
        let told = texemu_recorded {
            struct_size: 0,
            dispatches: done.dispatches as u32,
            blocks: done.blocks,
            texels: done.texels,
        };
        // SAFETY: as above.
        unsafe { write(recorded, told, "recorded") }?;
        Ok(Answer::Done)
    })
}

/// # Safety
/// The job's arrays are valid.
unsafe fn job<'a>(given: &texemu_job, regions: &'a [Region]) -> Outcome<Job<'a>> {
    let source = match source_kind(given.source_kind)? {
        texemu_source_kind::TexelBuffer => Source::TexelBuffer(given.source_buffer),
        texemu_source_kind::StorageBuffer => Source::StorageBuffer(given.source_buffer),
        texemu_source_kind::StorageImage => {
            // SAFETY: the caller's promise.
            Source::StorageImage(unsafe {
                array(given.source_views, given.source_view_count, "source_views")
            }?)
        }
    };
    // SAFETY: the caller's promise.
    let views = unsafe { array(given.target_views, given.target_view_count, "target_views") }?;
    let target = Target {
        image: given.target_image,
        format: row(given.target_format)?,
        image_type: given.image_type,
        extent: [given.extent.width, given.extent.height, given.extent.depth],
        levels: given.levels,
        layers: given.layers,
        layout: given.layout,
        discard: given.discard != vk::FALSE,
        views,
    };
    let options = Options {
        error_color: error_color(given.error_color)?,
        effort: effort(given.effort)?,
        ..Options::default()
    };
    Ok(Job { format: row(given.source_format)?, source, target, regions, options })
}
