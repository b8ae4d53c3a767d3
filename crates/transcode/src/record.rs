//! Writing jobs into a command buffer.

use crate::choose::Configuration;
use crate::error::{Error, Result};
use crate::job::{Job, Options, Source, Target};
use crate::kernels::{self, Selected};
use crate::plan::{DispatchLimits, Plan, Shape, plan};
use crate::tables;
use std::sync::Arc;
use texemu_core::vk;
use texemu_core::{Arena, Buffer, BufferDesc, Gpu, Location, Pipeline, PipelineDesc, PipelineMap, Resource};
use texemu_format::{Format, VkFormat};
use texemu_shaders::Granularity;

/// The transcoding pipelines of one device. Shared between threads; each thread records with an arena of its own.
#[derive(Debug)]
pub struct Transcoder {
    gpu: Gpu,
    pipelines: PipelineMap,
    tables: Buffer,
    limits: Option<DispatchLimits>,
}

/// What a recording came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// Dispatches.
    pub dispatches: usize,
    /// Source blocks.
    pub blocks: u64,
    /// Texels written.
    pub texels: u64,
}

/// A job with all that was decided before anything is recorded.
struct Prepared<'a> {
    job: &'a Job<'a>,
    pipeline: Arc<Pipeline>,
    plan: Plan,
    block_buffer: Option<BlockBuffer>,
}

/// Where a BC target's blocks wait for their copy: each region's offset in `buffer`.
struct BlockBuffer {
    buffer: vk::Buffer,
    offset: u64,
    bytes: u64,
    regions: Vec<u64>,
}

impl Transcoder {
    /// Makes the tables; pipelines are made when first needed, or by [`Transcoder::prepare`].
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let words: &[u8] = bytemuck::cast_slice(&tables::ASTC);
        let mut buffer = Buffer::new(
            gpu,
            &BufferDesc {
                name: "ASTC tables",
                size: words.len() as u64,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                location: Location::Upload,
            },
        )?;
        if let Some(mapped) = buffer.mapped_mut() {
            mapped.copy_from_slice(words);
        }
        Ok(Self { gpu: gpu.clone(), pipelines: PipelineMap::new(gpu), tables: buffer, limits: None })
    }

    /// Replaces the device's limits by tighter ones: how tests reach the paths of devices with small ones.
    pub fn with_limits(mut self, limits: DispatchLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Builds the pipelines that jobs with these formats and options would need, for images of any size, so that
    /// recording never compiles. Takes a while; call it from a thread of its own.
    pub fn prepare(&self, pairs: &[(&'static Format, &'static Format)], options: Options) -> Result<()> {
        for &(format, target) in pairs {
            for image_type in [vk::ImageType::TYPE_2D, vk::ImageType::TYPE_3D] {
                for blocks in [1, u64::from(u32::MAX)] {
                    let target = Target {
                        image: vk::Image::null(),
                        format: target,
                        image_type,
                        extent: [1; 3],
                        levels: 1,
                        layers: 1,
                        layout: vk::ImageLayout::GENERAL,
                        discard: false,
                        views: &[],
                    };
                    let source = Source::TexelBuffer(vk::Buffer::null());
                    let job = Job { format, source, target, regions: &[], options };
                    let selected = kernels::select(&self.gpu, &job, blocks)?;
                    self.pipeline(&job, &selected)?;
                }
            }
        }
        Ok(())
    }

    /// The pipeline and configuration that a job would run with: for listings and benchmarks.
    pub fn pipeline_for(&self, job: &Job<'_>) -> Result<(Arc<Pipeline>, Configuration)> {
        let selected = kernels::select(&self.gpu, job, blocks(job))?;
        Ok((self.pipeline(job, &selected)?, selected.configuration))
    }

    fn pipeline(&self, job: &Job<'_>, selected: &Selected) -> Result<Arc<Pipeline>> {
        let constants = kernels::constants(job, &selected.configuration);
        let used: Vec<_> =
            constants.into_iter().filter(|(id, _)| selected.kernel.spec_constants.contains(id)).collect();
        let desc = PipelineDesc { kernel: selected.kernel, constants: &used, full_subgroups: false };
        Ok(self.pipelines.get(&desc)?)
    }

    /// Writes the jobs into `commands`: one barrier, the dispatches of all jobs, one barrier.
    ///
    /// Before and after, the jobs look like copies: sources are read, and targets written, as by
    /// `VK_PIPELINE_STAGE_TRANSFER_BIT`, so the barriers that a caller places around a copy are right here too. Between
    /// jobs there is no barrier; no two may write the same texels.
    ///
    /// Disturbed state of `commands`: the compute pipeline, set 0 of the compute bind point, push constants.
    ///
    /// May compile a pipeline unless [`Transcoder::prepare`] did. On error nothing was recorded.
    ///
    /// # Safety
    /// - `commands` is being recorded on this transcoder's device, for a queue with compute, outside a render pass.
    /// - The jobs' handles are valid, made as [`Source`] and [`Target`] say, and stay so until the commands have run; the
    ///   source buffers hold what the regions address.
    /// - `arena` is of the same device and is not reset before the commands have run.
    pub unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        jobs: &[Job<'_>],
    ) -> Result<Recorded> {
        let mut prepared = Vec::with_capacity(jobs.len());
        for job in jobs.iter().filter(|job| !job.regions.is_empty()) {
            prepared.push(self.prepare_job(arena, job)?);
        }
        let mut bound = Vec::with_capacity(prepared.len());
        for job in &prepared {
            // SAFETY: the job's handles are valid by the caller's promise.
            bound.push(unsafe { self.make_views(arena, job) }?);
        }
        // SAFETY: the caller records `commands`; the images are valid by its promise.
        unsafe { self.barrier(commands, &prepared, Side::Before) };
        let mut recorded = Recorded::default();
        for (job, views) in prepared.iter().zip(&bound) {
            // SAFETY: as above; the views were made for this job.
            unsafe { self.dispatch(commands, arena, job, views) }?;
            recorded.dispatches += job.plan.dispatches.len();
            for region in job.job.regions {
                let texels = region.extent.iter().map(|&size| u64::from(size)).product::<u64>();
                recorded.texels += texels * u64::from(region.layer_count);
            }
            recorded.blocks += blocks(job.job);
        }
        // SAFETY: as above.
        unsafe { self.copy_blocks(commands, &prepared) };
        // SAFETY: as above.
        unsafe { self.barrier(commands, &prepared, Side::After) };
        Ok(recorded)
    }

    fn prepare_job<'a>(&self, arena: &mut Arena, job: &'a Job<'a>) -> Result<Prepared<'a>> {
        let selected = kernels::select(&self.gpu, job, blocks(job))?;
        let kind = job.source.kind();
        let limits = self
            .limits
            .unwrap_or_else(|| DispatchLimits::of(self.gpu.capabilities(), kind, job.format.block_bytes));
        let plan = plan(job, &shape(job, &selected.configuration), &limits)?;
        let pipeline = self.pipeline(job, &selected)?;
        let block_buffer =
            if job.target.format.is_compressed() { Some(block_buffer(&self.gpu, arena, job)?) } else { None };
        Ok(Prepared { job, pipeline, plan, block_buffer })
    }

    /// The source's views, one a window, and the target's, one a level; empty where buffers or the caller's views serve.
    ///
    /// # Safety
    /// The job's handles are valid.
    unsafe fn make_views(&self, arena: &mut Arena, prepared: &Prepared<'_>) -> Result<Views> {
        let job = prepared.job;
        let mut views = Views::default();
        if let Source::TexelBuffer(buffer) = job.source {
            for window in &prepared.plan.windows {
                let info = vk::BufferViewCreateInfo::default()
                    .buffer(buffer)
                    .format(texemu_core::vk_format(job.format.storage_view()))
                    .offset(window.offset)
                    .range(window.bytes);
                // SAFETY: the buffer is valid by the caller's promise, and holds the window.
                views.source.push(unsafe { arena.buffer_view(&info) }?);
            }
        }
        if prepared.block_buffer.is_none() && job.target.views.is_empty() {
            views.target = vec![vk::ImageView::null(); job.target.levels as usize];
            for region in job.regions {
                let view = &mut views.target[region.level as usize];
                if *view == vk::ImageView::null() {
                    // SAFETY: the image is valid by the caller's promise.
                    *view = unsafe { storage_view(arena, &job.target, region.level) }?;
                }
            }
        }
        Ok(views)
    }

    /// # Safety
    /// As [`Transcoder::record`].
    unsafe fn dispatch(
        &self,
        commands: vk::CommandBuffer,
        arena: &mut Arena,
        prepared: &Prepared<'_>,
        views: &Views,
    ) -> Result<()> {
        let (job, device) = (prepared.job, self.gpu.device());
        let pipeline = &prepared.pipeline;
        let tables = kernels::needs_tables(pipeline.kernel());
        let mut bound = None;
        for dispatch in &prepared.plan.dispatches {
            let region = &job.regions[dispatch.region];
            if bound != Some((region.level, dispatch.window)) {
                let mut resources =
                    vec![source_resource(job, prepared, views, dispatch.window, region.level)];
                resources.push(match &prepared.block_buffer {
                    Some(blocks) => Resource::Buffer(blocks.buffer, blocks.offset, blocks.bytes),
                    None if job.target.views.is_empty() => {
                        Resource::StorageImage(views.target[region.level as usize])
                    }
                    None => Resource::StorageImage(job.target.views[region.level as usize]),
                });
                if tables {
                    resources.push(Resource::Buffer(self.tables.handle(), 0, self.tables.size()));
                }
                // SAFETY: the caller records `commands`; the resources live until they have run.
                unsafe { texemu_core::bind(&self.gpu, commands, arena, pipeline, &resources) }?;
                bound = Some((region.level, dispatch.window));
            }
            let mut push = dispatch.push;
            if let Some(blocks) = &prepared.block_buffer {
                // The block-buffer store counts in target blocks: the first, a row's, a slice's.
                let [columns, rows, _] = job.target.format.blocks(region.extent);
                let base =
                    (blocks.regions[dispatch.region] / u64::from(job.target.format.block_bytes)) as u32;
                let slice = push.target_offset[2] - region.first_slice();
                let row = (push.target_offset[1] - region.offset[1]) / job.target.format.footprint[1];
                push.target_offset = [base + slice * columns * rows + row * columns, columns, columns * rows];
            }
            let stage = vk::ShaderStageFlags::COMPUTE;
            let bytes = bytemuck::bytes_of(&push);
            // SAFETY: the layout was made from the kernel's own description of its push constants.
            unsafe { device.cmd_push_constants(commands, pipeline.layout(), stage, 0, bytes) };
            // SAFETY: pipeline and resources are bound; the count is within the device's limit.
            unsafe { device.cmd_dispatch(commands, dispatch.workgroups, 1, 1) };
        }
        Ok(())
    }

    /// Copies the block buffers into their BC images.
    ///
    /// # Safety
    /// As [`Transcoder::record`].
    unsafe fn copy_blocks(&self, commands: vk::CommandBuffer, prepared: &[Prepared<'_>]) {
        let device = self.gpu.device();
        if !prepared.iter().any(|job| job.block_buffer.is_some()) {
            return;
        }
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
        // SAFETY: the caller records `commands` outside a render pass.
        unsafe {
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::PipelineStageFlags::TRANSFER,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
        }
        for prepared in prepared {
            let (job, Some(blocks)) = (prepared.job, &prepared.block_buffer) else { continue };
            let copies: Vec<_> = job
                .regions
                .iter()
                .zip(&blocks.regions)
                .map(|(region, &offset)| {
                    let [x, y, z] = region.offset.map(|value| value as i32);
                    vk::BufferImageCopy::default()
                        .buffer_offset(blocks.offset + offset)
                        .image_subresource(
                            vk::ImageSubresourceLayers::default()
                                .aspect_mask(vk::ImageAspectFlags::COLOR)
                                .mip_level(region.level)
                                .base_array_layer(region.base_layer)
                                .layer_count(region.layer_count),
                        )
                        .image_offset(vk::Offset3D { x, y, z })
                        .image_extent(vk::Extent3D {
                            width: region.extent[0],
                            height: region.extent[1],
                            depth: region.extent[2],
                        })
                })
                .collect();
            let layout = working_layout(&job.target);
            // SAFETY: the image has TRANSFER_DST usage and is in that layout since the first barrier.
            unsafe {
                device.cmd_copy_buffer_to_image(commands, blocks.buffer, job.target.image, layout, &copies);
            }
        }
    }

    /// # Safety
    /// As [`Transcoder::record`].
    unsafe fn barrier(&self, commands: vk::CommandBuffer, prepared: &[Prepared<'_>], side: Side) {
        let images: Vec<_> = prepared.iter().flat_map(|job| image_barriers(job, side)).collect();
        let (transfer, compute) = (
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
        );
        let memory = vk::MemoryBarrier::default();
        let (source_stage, target_stage, memory) = match side {
            Side::Before => (
                transfer,
                compute,
                memory
                    .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ),
            ),
            Side::After => (
                compute,
                transfer,
                memory
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE),
            ),
        };
        if prepared.is_empty() {
            return;
        }
        // SAFETY: the caller records `commands` outside a render pass; the images are valid by its promise.
        unsafe {
            self.gpu.device().cmd_pipeline_barrier(
                commands,
                source_stage,
                target_stage,
                vk::DependencyFlags::empty(),
                &[memory],
                &[],
                &images,
            );
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

#[derive(Default)]
struct Views {
    source: Vec<vk::BufferView>,
    target: Vec<vk::ImageView>,
}

/// The layout a target is in while it is written.
fn working_layout(target: &Target<'_>) -> vk::ImageLayout {
    match (target.format.is_compressed(), target.layout) {
        (true, vk::ImageLayout::GENERAL) | (false, _) => vk::ImageLayout::GENERAL,
        (true, _) => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    }
}

/// One barrier a touched range: the levels and layers of each region, and nothing else of the image.
fn image_barriers(prepared: &Prepared<'_>, side: Side) -> Vec<vk::ImageMemoryBarrier<'static>> {
    let target = &prepared.job.target;
    let working = working_layout(target);
    let write = if prepared.block_buffer.is_some() {
        vk::AccessFlags::TRANSFER_WRITE
    } else {
        vk::AccessFlags::SHADER_WRITE
    };
    let outside = vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE;
    let mut ranges: Vec<(u32, u32, u32)> = Vec::new();
    for region in prepared.job.regions {
        let (first, end) = (region.base_layer, region.base_layer + region.layer_count);
        match ranges.iter_mut().find(|range| range.0 == region.level) {
            // A range may hold layers between two regions that neither touches: unless their content may be
            // discarded, moving them to the working layout and back changes nothing.
            Some(range) if !target.discard => {
                (range.1, range.2) = (range.1.min(first), range.2.max(end));
            }
            _ => ranges.push((region.level, first, end)),
        }
    }
    ranges
        .into_iter()
        .map(|(level, first, end)| {
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .base_mip_level(level)
                .level_count(1)
                .base_array_layer(first)
                .layer_count(end - first);
            let barrier = vk::ImageMemoryBarrier::default()
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(target.image)
                .subresource_range(range);
            match side {
                Side::Before => barrier
                    .old_layout(if target.discard { vk::ImageLayout::UNDEFINED } else { target.layout })
                    .new_layout(working)
                    .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .dst_access_mask(write),
                Side::After => barrier
                    .old_layout(working)
                    .new_layout(target.layout)
                    .src_access_mask(write)
                    .dst_access_mask(outside),
            }
        })
        .collect()
}

fn source_resource(
    job: &Job<'_>,
    prepared: &Prepared<'_>,
    views: &Views,
    window: usize,
    level: u32,
) -> Resource {
    match job.source {
        Source::TexelBuffer(_) => Resource::TexelBuffer(views.source[window]),
        Source::StorageBuffer(buffer) => {
            let window = prepared.plan.windows[window];
            Resource::Buffer(buffer, window.offset, window.bytes)
        }
        Source::StorageImage(levels) => Resource::StorageImage(levels[level as usize]),
    }
}

/// # Safety
/// The target's image is valid.
unsafe fn storage_view(arena: &mut Arena, target: &Target<'_>, level: u32) -> Result<vk::ImageView> {
    let view_type = if target.image_type == vk::ImageType::TYPE_3D {
        vk::ImageViewType::TYPE_3D
    } else {
        vk::ImageViewType::TYPE_2D_ARRAY
    };
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .base_mip_level(level)
        .level_count(1)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::STORAGE);
    let info = vk::ImageViewCreateInfo::default()
        .image(target.image)
        .view_type(view_type)
        .format(texemu_core::vk_format(target.format.storage_view()))
        .subresource_range(range)
        .push_next(&mut usage);
    // SAFETY: the image is valid by the caller's promise.
    Ok(unsafe { arena.image_view(&info) }?)
}

fn block_buffer(gpu: &Gpu, arena: &mut Arena, job: &Job<'_>) -> Result<BlockBuffer> {
    let target = job.target.format;
    let mut bytes = 0;
    let mut regions = Vec::with_capacity(job.regions.len());
    for (index, region) in job.regions.iter().enumerate() {
        region.check(index, job)?;
        let aligned = (0..2).all(|axis| region.offset[axis].is_multiple_of(target.footprint[axis]));
        if !aligned {
            let what = format!("offset {:?} lies inside a {} block", region.offset, target.name);
            return Err(Error::Region { index, what });
        }
        regions.push(bytes);
        let layer = target.level_bytes(region.extent).unwrap_or(u64::MAX);
        bytes = layer.saturating_mul(region.layer_count.into()).saturating_add(bytes);
    }
    let alignment = gpu.capabilities().limits.min_storage_buffer_offset_alignment.max(16);
    let (buffer, offset) = arena.scratch(bytes, alignment)?;
    Ok(BlockBuffer { buffer, offset, bytes, regions })
}

/// Blocks of all regions.
fn blocks(job: &Job<'_>) -> u64 {
    let of = |region: &crate::job::Region| {
        let [columns, rows, slices] = job.format.blocks(region.extent).map(u64::from);
        columns * rows * slices * u64::from(region.layer_count)
    };
    job.regions.iter().map(of).sum()
}

/// How many units a workgroup takes.
fn shape(job: &Job<'_>, configuration: &Configuration) -> Shape {
    let unit = job.format.footprint;
    let texels = u64::from(unit[0] * unit[1]);
    let (units, workgroups) = match configuration.granularity {
        Granularity::Tile => (u64::from(configuration.blocks), 1),
        Granularity::PerBlock => (u64::from(configuration.threads), 1),
        Granularity::PerTexel => (u64::from(configuration.threads), texels),
    };
    Shape { unit, units, workgroups }
}

impl Transcoder {
    /// The format of the storage views that [`Target::views`] must have.
    pub fn view_format(target: &Format) -> VkFormat {
        target.storage_view()
    }
}
