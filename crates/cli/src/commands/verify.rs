//! `texemu verify`.

use crate::bc;
use crate::difference::{Place, Total};
use crate::engine::{BandOfBlocks, CpuEngine, DeviceArguments, Engine, GpuEngine, Task, for_each_band};
use crate::failure::{Failed, Outcome, ends_everything, print};
use crate::input::{self, Profile};
use crate::part::{Part, Selection};
use crate::table;
use crate::target::{KernelArguments, TargetArguments, granularity_name, source_name};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::path::PathBuf;
use texemu_transcode::{Choice, Error, Granularity, SourceKind};

const EXAMPLES: &str = "\
Examples:
  texemu verify textures/
  texemu verify rock.astc --srgb --to bc7 --effort high
  texemu verify rock.astc --every-kernel";

/// Compare what the GPU makes of files with what the CPU twins make of them
///
/// The twins are written apart from the kernels, from the specification. Not one bit may differ: exit code 1 if one does.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or folders
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    profile: Profile,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    kernel: KernelArguments,
    /// Use each granularity and each source that there is a kernel for, one after the other
    #[arg(long, conflicts_with_all = ["granularity", "source"], help_heading = "Which kernel")]
    every_kernel: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let inputs = input::expand(&arguments.inputs)?;
    let gpu = arguments.device.open()?;
    let mut engines = Engines { gpu: GpuEngine::new(&gpu)?, cpu: CpuEngine::default() };
    let mut equal = true;
    let mut failed = 0;
    let bar = ProgressBar::with_draw_target(Some(inputs.len() as u64), ProgressDrawTarget::stderr());
    for input in &inputs {
        match verify(arguments, &mut engines, input, &bar) {
            Ok(is_equal) => equal &= is_equal,
            Err(error) if inputs.len() == 1 || ends_everything(&error) => {
                bar.finish_and_clear();
                return Err(error);
            }
            Err(error) => {
                bar.suspend(|| print(&error));
                failed += 1;
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let messages = gpu.validation_log().count();
    if messages > 0 {
        eprintln!("texemu: the validation layer said {messages} things");
        equal = false;
    }
    if failed > 0 && equal {
        return Err(Failed { files: failed, of: inputs.len() }.into());
    }
    Ok(Outcome::of(equal))
}

struct Engines {
    gpu: GpuEngine,
    cpu: CpuEngine,
}

/// Verifies one file with every kernel that is asked for; whether all agree with the twin.
fn verify(
    arguments: &Arguments,
    engines: &mut Engines,
    input: &input::Input,
    bar: &ProgressBar,
) -> Result<bool> {
    let named = || input.path.display().to_string();
    let texture = input::open(&input.path, &arguments.profile)?;
    let part = Part::new(&texture, &arguments.selection).with_context(named)?;
    let source = part.shape().format();
    let target = arguments.target.target(source).with_context(named)?;
    let mut equal = true;
    for (choice, source_kind) in kernels(arguments) {
        let task = Task { source, target, options: arguments.target.options(choice), source_kind };
        let found = match compare(engines, &part, &task) {
            Ok(found) => found,
            Err(error) if arguments.every_kernel && is_missing(&error) => continue,
            Err(error) => return Err(error).with_context(named),
        };
        equal &= found.is_none();
        let kernel = match choice {
            Choice::Granularity(granularity) => granularity_name(granularity),
            _ => "auto",
        };
        let line = format!(
            "{}: {} -> {}, {kernel} from {}: {found}",
            input.path.display(),
            part.shape(),
            target.name,
            source_name(source_kind)
        );
        bar.suspend(|| table::print(line))?;
    }
    Ok(equal)
}

fn is_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NoVariant { .. }))
}

fn kernels(arguments: &Arguments) -> Vec<(Choice, SourceKind)> {
    if !arguments.every_kernel {
        return vec![(arguments.kernel.choice(), arguments.kernel.source())];
    }
    let granularities = [Granularity::PerTexel, Granularity::PerBlock, Granularity::Tile];
    let sources = [SourceKind::TexelBuffer, SourceKind::StorageImage, SourceKind::StorageBuffer];
    let of = |granularity| sources.map(|source| (Choice::Granularity(granularity), source));
    granularities.into_iter().flat_map(of).collect()
}

/// What differs between the two engines' results.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Bytes were compared; this says what they mean.
    total: Total,
    /// Blocks of a BC target of which a byte differs, even if it decodes alike.
    blocks: u64,
}

impl Found {
    pub(crate) fn is_none(&self) -> bool {
        self.blocks == 0 && self.total.is_none()
    }

    /// Adds a band of the target's bytes.
    pub(crate) fn add(
        &mut self,
        task: &Task,
        band: &BandOfBlocks<'_>,
        expected: &[u8],
        actual: &[u8],
    ) -> Result<()> {
        let start = Place { at: band.at, slice: band.slice, x: 0, y: band.first_row };
        if !task.target.is_compressed() {
            return self.total.add(task.target, expected, actual, start, band.width);
        }
        if expected == actual {
            self.total.texels += u64::from(band.width) * u64::from(band.rows);
            return Ok(());
        }
        let size = task.target.block_bytes as usize;
        let pairs = expected.chunks(size).zip(actual.chunks(size));
        self.blocks += pairs.filter(|(expected, actual)| expected != actual).count() as u64;
        let mut texels = [Vec::new(), Vec::new()];
        for (blocks, texels) in [expected, actual].into_iter().zip(&mut texels) {
            bc::decode(task.target, blocks, band.width, band.rows, texels)?;
        }
        let format = bc::texels_of(task.target).context("not a BC format")?;
        self.total.add(format, &texels[0], &texels[1], start, band.width)
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.blocks > 0 {
            write!(f, "{} blocks differ; ", self.blocks)?;
        }
        self.total.fmt(f)
    }
}

fn compare(engines: &mut Engines, part: &Part<'_>, task: &Task) -> Result<Found> {
    let mut found = Found::default();
    for at in part.shape().images() {
        for_each_band(part, task, at, |band| {
            let expected = engines.cpu.run(task, band.blocks, band.width, band.rows)?;
            let actual = engines.gpu.run(task, band.blocks, band.width, band.rows)?;
            found.add(task, &band, expected, actual)
        })?;
    }
    Ok(found)
}
