//! Timing one row.

use super::rows::Row;
use super::scene::{Scene, device_buffer};
use anyhow::{Context, Result};
use std::time::{Duration, Instant};
use texemu_core::vk;
use texemu_core::{
    Arena, Buffer, Commands, Gpu, Pipeline, PipelineDesc, PipelineStats, Resource, Timestamps, bind,
};
use texemu_transcode::{Configuration, Transcoder};

/// How long a device is kept busy before anything is timed: its clocks rise with load.
const SPIN: Duration = Duration::from_millis(200);

/// Times rows.
pub(crate) struct Bench {
    gpu: Gpu,
    transcoder: Transcoder,
    commands: Commands,
    arena: Arena,
    copy: Pipeline,
    copied: Option<(Buffer, Buffer)>,
    runs: u32,
}

/// What a row came to.
pub(crate) struct Measured {
    pub(crate) row: Row,
    pub(crate) configuration: Configuration,
    pub(crate) kernel: &'static str,
    pub(crate) statistics: PipelineStats,
    pub(crate) dispatches: usize,
    /// Nanoseconds on the device.
    pub(crate) times: Times,
    /// Of the copy of as many bytes.
    pub(crate) copy_times: Times,
    /// Nanoseconds on the CPU that recording took.
    pub(crate) recording: Times,
}

/// Sorted nanoseconds.
pub(crate) struct Times(Vec<f64>);

impl Times {
    fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    pub(crate) fn min(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn max(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }
}

impl Bench {
    pub(crate) fn new(gpu: &Gpu, runs: u32) -> Result<Self> {
        let kernel = texemu_shaders::find("copy_bytes").context("the copy kernel is missing")?;
        let desc = PipelineDesc { kernel, constants: &[], full_subgroups: false };
        Ok(Self {
            gpu: gpu.clone(),
            transcoder: Transcoder::new(gpu)?,
            commands: Commands::new(gpu)?,
            arena: Arena::new(gpu),
            copy: Pipeline::new(gpu, &desc)?,
            copied: None,
            runs,
        })
    }

    /// Runs one row: once untimed, then timed, each run after a copy.
    pub(crate) fn measure(&mut self, row: Row) -> Result<Measured> {
        let scene = Scene::new(&self.gpu, &mut self.commands, &row)?;
        let elements = row.work.traffic(row.source, row.target).div_ceil(2 * 16);
        self.prepare_copy(elements)?;
        let (pipeline, configuration) = {
            let jobs = scene.jobs(0);
            self.transcoder.pipeline_for(&jobs[0])?
        };
        self.round(&scene, elements, 1)?;
        if !self.gpu.capabilities().is_cpu() {
            let start = Instant::now();
            while start.elapsed() < SPIN {
                self.round(&scene, elements, 4)?;
            }
        }
        let round = self.round(&scene, elements, self.runs)?;
        Ok(Measured {
            row,
            configuration,
            kernel: pipeline.kernel().name,
            statistics: pipeline.statistics(),
            dispatches: round.dispatches,
            times: Times::new(round.times),
            copy_times: Times::new(round.copy_times),
            recording: Times::new(round.recording),
        })
    }

    /// Buffers for a copy of that many elements of 16 bytes.
    fn prepare_copy(&mut self, elements: u64) -> Result<()> {
        let bytes = usize::try_from(elements * 16)?;
        if self.copied.as_ref().is_some_and(|(from, _)| from.size() >= bytes as u64) {
            return Ok(());
        }
        self.copied = None;
        let mut rng = texemu_reference::blocks::Rng::new(1);
        let some: Vec<u8> = (0..1 << 16).flat_map(|_| rng.u64().to_le_bytes()).collect();
        let contents: Vec<u8> = some.iter().copied().cycle().take(bytes).collect();
        let from = device_buffer(&self.gpu, &mut self.commands, "copied from", &contents)?;
        let to = device_buffer(&self.gpu, &mut self.commands, "copied to", &contents)?;
        self.copied = Some((from, to));
        Ok(())
    }

    /// Records and runs `runs` copies and jobs in turn.
    fn round(&mut self, scene: &Scene, elements: u64, runs: u32) -> Result<Round> {
        let timestamps = Timestamps::new(&self.gpu, 2 * runs + 1)?;
        // SAFETY: `Commands::run` waited for everything recorded before.
        unsafe { self.arena.reset() }?;
        let Self { gpu, transcoder, commands, arena, copy, copied, .. } = self;
        let (from, to) = copied.as_ref().context("the copy was not prepared")?;
        let mut round = Round::default();
        commands.run(|commands| {
            // SAFETY: `commands` is being recorded, outside a render pass.
            unsafe { timestamps.reset(commands) };
            full_barrier(gpu, commands);
            // SAFETY: as above.
            unsafe { timestamps.write(commands, 0) };
            for run in 0..runs {
                record_copy(gpu, commands, arena, copy, [from, to], elements)?;
                full_barrier(gpu, commands);
                // SAFETY: as above; there are 2 * runs + 1 queries.
                unsafe { timestamps.write(commands, 2 * run + 1) };
                let jobs = scene.jobs(run as usize);
                let start = Instant::now();
                // SAFETY: the scene lives until `run` has waited.
                let recorded = unsafe { transcoder.record(commands, arena, &jobs) }?;
                round.recording.push(start.elapsed().as_secs_f64() * 1e9);
                round.dispatches = recorded.dispatches;
                full_barrier(gpu, commands);
                // SAFETY: as above.
                unsafe { timestamps.write(commands, 2 * run + 2) };
            }
            Ok::<_, texemu_transcode::Error>(())
        })?;
        let times = timestamps.nanoseconds()?;
        round.copy_times = times.iter().copied().step_by(2).collect();
        round.times = times.iter().copied().skip(1).step_by(2).collect();
        Ok(round)
    }
}

#[derive(Default)]
struct Round {
    times: Vec<f64>,
    copy_times: Vec<f64>,
    recording: Vec<f64>,
    dispatches: usize,
}

/// Invocations a workgroup of the copy kernel.
const COPY_WORKGROUP: u64 = 256;

fn record_copy(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    arena: &mut Arena,
    copy: &Pipeline,
    [from, to]: [&Buffer; 2],
    elements: u64,
) -> Result<(), texemu_transcode::Error> {
    let limits = &gpu.capabilities().limits;
    // A device with small limits copies less than asked in one dispatch, so several do it.
    let most = (u64::from(limits.max_compute_work_group_count[0]) * COPY_WORKGROUP)
        .min(u64::from(limits.max_storage_buffer_range / 16) / COPY_WORKGROUP * COPY_WORKGROUP);
    let mut first = 0;
    while first < elements {
        let count = most.min(elements - first);
        let range = |buffer: &Buffer| Resource::Buffer(buffer.handle(), first * 16, count * 16);
        // SAFETY: the buffers live until the commands have run, and hold the range.
        unsafe { bind(gpu, commands, arena, copy, &[range(from), range(to)]) }?;
        let push = (count as u32).to_ne_bytes();
        let stage = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: the layout has a range of four bytes for compute.
        unsafe { gpu.device().cmd_push_constants(commands, copy.layout(), stage, 0, &push) };
        // SAFETY: everything the pipeline needs is bound.
        unsafe { gpu.device().cmd_dispatch(commands, count.div_ceil(COPY_WORKGROUP) as u32, 1, 1) };
        first += count;
    }
    Ok(())
}

/// Everything before is done and visible before anything after begins.
fn full_barrier(gpu: &Gpu, commands: vk::CommandBuffer) {
    let memory = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let flags = vk::DependencyFlags::empty();
    // SAFETY: recorded outside a render pass.
    unsafe { gpu.device().cmd_pipeline_barrier(commands, all, all, flags, &[memory], &[], &[]) };
}
