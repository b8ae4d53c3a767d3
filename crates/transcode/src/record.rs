//! Writing jobs into a command buffer.

use crate::barrier::{self, Side};
use crate::block_buffer::{self, BlockBuffer};
use crate::choose::{self, Configuration};
use crate::error::Result;
use crate::job::{Job, Options, Source, Target};
use crate::kernels::{self, Selected};
use crate::plan::{DispatchLimits, Plan, Shape, plan};
use crate::tables::TABLES;
use crate::views::{self, Views};
use std::sync::Arc;
use texemu_core::vk;
use texemu_core::{Arena, Buffer, BufferDesc, Gpu, Location, Pipeline, PipelineDesc, PipelineMap, Resource};
use texemu_format::Format;
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
pub(crate) struct Prepared<'a> {
    pub(crate) job: &'a Job<'a>,
    pipeline: Arc<Pipeline>,
    pub(crate) plan: Plan,
    pub(crate) block_buffer: Option<BlockBuffer>,
}

impl Transcoder {
    /// Makes the tables; pipelines are made when first needed, or by [`Transcoder::prepare`].
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let words: &[u8] = bytemuck::cast_slice(&TABLES);
        let mut buffer = Buffer::new(
            gpu,
            &BufferDesc {
                name: "transcoding tables",
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
                self.prepare_for(format, target, image_type, options)?;
            }
        }
        Ok(())
    }

    /// As [`Transcoder::prepare`], for images of one type.
    pub fn prepare_for(
        &self,
        format: &'static Format,
        target: &'static Format,
        image_type: vk::ImageType,
        options: Options,
    ) -> Result<()> {
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
        Ok(())
    }

    /// The pipeline and configuration that a job would run with: for listings and benchmarks.
    pub fn pipeline_for(&self, job: &Job<'_>) -> Result<(Arc<Pipeline>, Configuration)> {
        let selected = kernels::select(&self.gpu, job, blocks(job))?;
        Ok((self.pipeline(job, &selected)?, selected.configuration))
    }

    /// The configuration that a job would run with; compiles nothing.
    pub fn configuration_for(&self, job: &Job<'_>) -> Result<Configuration> {
        Ok(kernels::select(&self.gpu, job, blocks(job))?.configuration)
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
            bound.push(unsafe { views::make(arena, job) }?);
        }
        // SAFETY: the caller records `commands`; the images are valid by its promise.
        unsafe { barrier::record(&self.gpu, commands, &prepared, Side::Before) };
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
        unsafe { block_buffer::copy(&self.gpu, commands, &prepared) };
        // SAFETY: as above.
        unsafe { barrier::record(&self.gpu, commands, &prepared, Side::After) };
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
        let block_buffer = if !job.target.format.is_compressed() {
            None
        } else if job.target.stores_straight() {
            block_buffer::check_straight(job)?;
            None
        } else {
            Some(block_buffer::reserve(&self.gpu, arena, job)?)
        };
        Ok(Prepared { job, pipeline, plan, block_buffer })
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
            let target = views.target.get(dispatch.region);
            let wanted = (region.level, target.map(|view| view.handle), dispatch.window);
            if bound != Some(wanted) {
                let mut resources =
                    vec![views::source_resource(job, prepared, views, dispatch.window, region.level)];
                resources.extend(target.map(|view| Resource::StorageImage(view.handle)));
                resources.extend(
                    prepared
                        .block_buffer
                        .as_ref()
                        .map(|blocks| Resource::Buffer(blocks.buffer, blocks.offset, blocks.bytes)),
                );
                if tables {
                    resources.push(Resource::Buffer(self.tables.handle(), 0, self.tables.size()));
                }
                // SAFETY: the caller records `commands`; the resources live until they have run.
                unsafe { texemu_core::bind(&self.gpu, commands, arena, pipeline, &resources) }?;
                bound = Some(wanted);
            }
            let mut push = dispatch.push;
            push.target_offset[2] -= target.map_or(0, |view| view.base_layer);
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
}

/// Blocks of all regions.
fn blocks(job: &Job<'_>) -> u64 {
    let of = |region: &crate::job::Region| {
        let [columns, rows, slices] = job.format.blocks(region.extent).map(u64::from);
        columns * rows * slices * u64::from(region.layer_count)
    };
    job.regions.iter().map(of).sum()
}

/// What a kernel numbers, and how many of them a workgroup takes.
fn shape(job: &Job<'_>, configuration: &Configuration) -> Shape {
    let unit = if job.target.format.is_compressed() {
        choose::unit(job.format.footprint, configuration.granularity == Granularity::Tile)
    } else {
        job.format.footprint
    };
    let (units, workgroups) = match configuration.granularity {
        Granularity::Tile => (u64::from(configuration.blocks), 1),
        Granularity::PerBlock => (u64::from(configuration.threads), 1),
        Granularity::PerTexel => (u64::from(configuration.threads), u64::from(unit[0] * unit[1])),
    };
    Shape { unit, units, workgroups }
}
