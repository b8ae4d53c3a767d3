//! `texemu verify`.

use crate::bc;
use crate::engine::{CpuEngine, DeviceArguments, Engine, GpuEngine, Task, for_each_band};
use crate::failure::{Failed, Outcome, complain, ends_everything, print};
use crate::findings::describe;
use crate::input::{self, Profile};
use crate::part::{Part, Selection};
use crate::progress;
use crate::table;
use crate::target::{KernelArguments, TargetArguments, granularity_name, source_name};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::path::PathBuf;
use texemu_container::Shape;
use texemu_format::Format;
use texemu_reference::{Difference, difference};
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
    let bar = progress::texels(0);
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
    }
    bar.finish_and_clear();
    let messages = gpu.validation_log().count();
    if messages > 0 {
        complain(format_args!("texemu: the validation layer said {messages} things"));
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
        bar.set_message(named());
        bar.set_position(0);
        bar.set_length(part.texels());
        let found = match compare(engines, &part, &task, bar) {
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
            "{}: {} -> {}, {kernel} from {}: {}",
            input.path.display(),
            part.shape(),
            target.name,
            source_name(source_kind),
            found.describe(part.shape(), target)
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
    /// Of the texels; for a BC target of what the blocks decode to.
    texels: Difference,
    /// Blocks of a BC target of which a byte differs, even if it decodes alike.
    blocks: u64,
}

impl Found {
    pub(crate) fn is_none(&self) -> bool {
        self.blocks == 0 && self.texels.is_none()
    }

    /// Adds a band of the target's bytes.
    pub(crate) fn add(
        &mut self,
        target: &Format,
        width: u32,
        rows: u32,
        expected: &[u8],
        actual: &[u8],
    ) -> Result<()> {
        let Some(format) = bc::texels_of(target) else {
            self.texels.append(&difference(target, expected, actual)?);
            return Ok(());
        };
        if expected == actual {
            let texels = u64::from(width) * u64::from(rows);
            self.texels.append(&Difference::nothing(format, texels)?);
            return Ok(());
        }
        let size = target.block_bytes as usize;
        let pairs = expected.chunks(size).zip(actual.chunks(size));
        self.blocks += pairs.filter(|(expected, actual)| expected != actual).count() as u64;
        let mut texels = [Vec::new(), Vec::new()];
        for (blocks, texels) in [expected, actual].into_iter().zip(&mut texels) {
            bc::decode(target, blocks, width, rows, texels)?;
        }
        self.texels.append(&difference(format, &texels[0], &texels[1])?);
        Ok(())
    }

    /// For people: `shape` became `target`.
    pub(crate) fn describe(&self, shape: &Shape, target: &Format) -> String {
        let texels = describe(&self.texels, shape, bc::texels_of(target).unwrap_or(target));
        match self.blocks {
            0 => texels,
            1 => format!("1 block differs; {texels}"),
            blocks => format!("{blocks} blocks differ; {texels}"),
        }
    }
}

fn compare(engines: &mut Engines, part: &Part<'_>, task: &Task, bar: &ProgressBar) -> Result<Found> {
    let mut found = Found::default();
    for at in part.shape().images() {
        for_each_band(part, task, at, |band| {
            let expected = engines.cpu.run(task, band.blocks, band.width, band.rows)?;
            let actual = engines.gpu.run(task, band.blocks, band.width, band.rows)?;
            found.add(task.target, band.width, band.rows, expected, actual)?;
            bar.inc(u64::from(band.width) * u64::from(band.rows));
            Ok(())
        })?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> &'static Format {
        texemu_format::by_name(name).expect("in the table")
    }

    /// Every target that there is, of the least one bit.
    #[test]
    fn one_bit_is_enough() {
        let mut targets: Vec<_> = texemu_format::sources()
            .flat_map(|source| source.targets.iter())
            .map(|target| target.name)
            .collect();
        targets.sort();
        targets.dedup();
        assert!(targets.len() >= 16, "{targets:?}");
        for target in targets.into_iter().map(format) {
            let bytes = target.level_bytes([8, 4, 1]).expect("small") as usize;
            let expected: Vec<u8> = (0..bytes).map(|n| (n * 37 + 11) as u8).collect();
            for bit in 0..8 * bytes {
                let mut actual = expected.clone();
                actual[bit / 8] ^= 1 << (bit % 8);
                let mut found = Found::default();
                found.add(target, 8, 4, &expected, &expected).expect("sizes match");
                assert!(found.is_none(), "{}", target.name);
                found.add(target, 8, 4, &expected, &actual).expect("sizes match");
                assert!(!found.is_none(), "{}: bit {bit}", target.name);
            }
        }
    }

    #[test]
    fn blocks_that_decode_alike_still_differ() {
        let target = format("BC7_UNORM_BLOCK");
        // An illegal block is transparent black whatever its other bits are.
        let (expected, mut actual) = ([0; 16], [0; 16]);
        actual[15] = 1;
        let mut found = Found::default();
        found.add(target, 4, 4, &expected, &actual).expect("sizes match");
        assert!(!found.is_none() && found.texels.is_none(), "{found:?}");
        let shape = Shape::new(texemu_container::ShapeDesc::image(format("ASTC_4x4_UNORM_BLOCK"), 4, 4));
        let text = found.describe(&shape.expect("small"), target);
        assert_eq!(text, "1 block differs; 16 texels, all equal");
    }
}
