//! `texemu transcode`.

use crate::alpha;
use crate::bc;
use crate::engine::{BandOfBlocks, CPU_HINT, CpuEngine, DeviceArguments, Engine, GpuEngine, Task};
use crate::failure::{Failed, Outcome, complain, ends_everything, print};
use crate::findings::describe;
use crate::input::{self, Input, Profile};
use crate::output::{self, Output, WRITABLE, check_place};
use crate::part::{Part, Selection};
use crate::progress;
use crate::table;
use crate::target::{KernelArguments, TargetArguments};
use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use texemu_container::Container;
use texemu_reference::{Difference, difference};

const EXAMPLES: &str = "\
Examples:
  texemu transcode rock.astc -o rock.png --srgb
  texemu transcode rock.ktx2 -o rock.dds --to bc7 --effort high
  texemu transcode textures/ -o decoded/ --container ktx2
  texemu transcode sky.ktx2 -o face.png --face 2 --level 1
  texemu transcode rock.astc -o - --cpu | sha256sum";

/// Turn textures into another format
///
/// OUT goes by its extension: .ktx2 and .dds hold all of a texture, .png and .exr one picture (the first, unless told
/// otherwise), .raw all texels without a header, in the order level, layer, face, slice, row; - is .raw on standard
/// output. With several inputs, or a folder as input, OUT is a folder.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or folders
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// The file to write, a folder, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What to write into a folder
    #[arg(long, value_name = "KIND", default_value = "ktx2", value_parser = PossibleValuesParser::new(["ktx2", "dds", "png", "exr", "raw"]))]
    container: String,
    /// Compare the result with the CPU twin's decode, and say how far it is from it; exit code 1 if a target that must be
    /// exact is not
    #[arg(long)]
    verify: bool,
    /// Say nothing when all is well
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    target: TargetArguments,
    #[command(flatten)]
    profile: Profile,
    #[command(flatten)]
    selection: Selection,
    /// Use the CPU twins instead of a device
    #[arg(long, help_heading = "Where it runs", conflicts_with_all = ["granularity", "source"])]
    cpu: bool,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    kernel: KernelArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let jobs = jobs(arguments)?;
    let mut engine: Box<dyn Engine> = if arguments.cpu {
        Box::new(CpuEngine::default())
    } else {
        Box::new(GpuEngine::new(&arguments.device.open().context(CPU_HINT)?)?)
    };
    let bar = progress::texels(0);
    let mut failed = 0;
    let mut good = true;
    for (input, output) in &jobs {
        match transcode(arguments, engine.as_mut(), &input.path, output, &bar) {
            Ok(done) => {
                good &= done.good;
                if !arguments.quiet || !done.good {
                    say(&bar, output, &done.text)?;
                }
            }
            Err(error) if jobs.len() == 1 || ends_everything(&error) => {
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
    if failed > 0 && good {
        return Err(Failed { files: failed, of: jobs.len() }.into());
    }
    Ok(Outcome::of(good))
}

/// Every input with its output; checked so that no output replaces another, or an input.
fn jobs(arguments: &Arguments) -> Result<Vec<(Input, Output)>> {
    let inputs = input::expand(&arguments.inputs)?;
    let out = &arguments.output;
    let ends_as_folder = out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let one_file = arguments.inputs.len() == 1 && !arguments.inputs[0].is_dir();
    if one_file && !out.is_dir() && !ends_as_folder {
        let output = Output::parse(out)?;
        if let Output::File { path, .. } = &output {
            check_place(path)?;
        }
        let jobs: Vec<_> = inputs.into_iter().map(|input| (input, output.clone())).collect();
        refuse_to_replace_inputs(&jobs)?;
        return Ok(jobs);
    }
    if out.as_os_str() == "-" || (!out.is_dir() && !ends_as_folder && Output::parse(out).is_ok()) {
        bail!("{}: several inputs need a folder to go to: end its name in /", out.display());
    }
    let container = WRITABLE.into_iter().find(|container| container.extension() == arguments.container);
    let container = container.unwrap_or(Container::Ktx2);
    let mut from: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut jobs = Vec::new();
    for input in inputs {
        let path = out.join(&input.relative).with_extension(container.extension());
        if let Some(other) = from.insert(path.clone(), input.path.clone()) {
            bail!(
                "{} and {} would both become {}: transcode them one by one",
                other.display(),
                input.path.display(),
                path.display()
            );
        }
        jobs.push((input, Output::File { path, container }));
    }
    refuse_to_replace_inputs(&jobs)?;
    for (_, output) in &jobs {
        let Output::File { path, .. } = output else { continue };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
    }
    Ok(jobs)
}

fn refuse_to_replace_inputs(jobs: &[(Input, Output)]) -> Result<()> {
    // Compared as the system sees them, so that ./a and a are the same.
    let inputs: HashSet<PathBuf> =
        jobs.iter().filter_map(|(input, _)| input.path.canonicalize().ok()).collect();
    for (_, output) in jobs {
        let Output::File { path, .. } = output else { continue };
        if path.canonicalize().is_ok_and(|path| inputs.contains(&path)) {
            bail!("{} is an input and would be replaced: choose another name or folder", path.display());
        }
    }
    Ok(())
}

/// What became of a file.
struct Done {
    /// For people.
    text: String,
    /// Whether --verify, if given, found nothing wrong.
    good: bool,
}

/// Does one file.
fn transcode(
    arguments: &Arguments,
    engine: &mut dyn Engine,
    path: &Path,
    output: &Output,
    bar: &ProgressBar,
) -> Result<Done> {
    let start = Instant::now();
    let texture = input::open(path, &arguments.profile)?;
    let named = || path.display().to_string();
    let mut part = Part::new(&texture, &arguments.selection).with_context(named)?;
    let mut note = String::new();
    if output.is_picture() && part.pictures() > 1 {
        note = format!(
            " (the first of its {} pictures; --level, --layer, --face and --slice choose)",
            part.pictures()
        );
        part = part.first_picture()?;
    }
    let source = part.shape().format();
    let target = arguments.target.target(source).with_context(named)?;
    let task = Task {
        source,
        target,
        options: arguments.target.options(arguments.kernel.choice()),
        source_kind: arguments.kernel.source(),
    };
    bar.set_message(named());
    bar.set_position(0);
    let looks_at_alpha = alpha::is_at_risk(&task);
    bar.set_length(part.texels() * if looks_at_alpha { 2 } else { 1 });
    if looks_at_alpha {
        let warning = alpha::warning(engine, &part, &task, |texels| bar.inc(texels)).with_context(named)?;
        if let Some(warning) = warning {
            bar.suspend(|| log::warn!("{}: {warning}", path.display()));
        }
        bar.set_position(part.texels());
    }
    // What came before is not this file's, or not its result's.
    engine.take_device_time();
    let mut check = arguments.verify.then(Check::default);
    output::write(output, &part, texture.notes(), &task, engine, |band, made| {
        bar.inc(u64::from(band.width) * u64::from(band.rows));
        check.as_mut().map_or(Ok(()), |check| check.add(&task, band, made))
    })
    .with_context(named)?;
    let shape = part.shape().with_format(target)?;
    let made = match output {
        Output::Standard => table::bytes(shape.bytes()),
        Output::File { path, .. } => path.display().to_string(),
    };
    let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let mut time = milliseconds(start.elapsed());
    if let Some(on_device) = engine.take_device_time() {
        time += &format!(", {} of it", milliseconds(on_device));
    }
    let (path, engine) = (path.display(), engine.name());
    let mut text = format!("{path}: {} -> {}, {made}{note} in {time} on {engine}", part.shape(), target.name);
    let good = check.as_ref().is_none_or(|check| target.is_compressed() || check.total.is_none());
    if let Some(check) = check {
        let texels = bc::texels_of(target).unwrap_or(target);
        text += &format!("\n  against the decoded texels: {}", describe(&check.total, part.shape(), texels));
    }
    Ok(Done { text, good })
}

/// What `--verify` finds.
#[derive(Default)]
struct Check {
    cpu: CpuEngine,
    decoded: Vec<u8>,
    total: Difference,
}

impl Check {
    fn add(&mut self, task: &Task, band: &BandOfBlocks<'_>, made: &[u8]) -> Result<()> {
        let (width, rows) = (band.width, band.rows);
        let expected = self.cpu.decode(task, band.blocks, width, rows)?;
        let found = match bc::texels_of(task.target) {
            None => difference(task.target, expected, made)?,
            Some(texels) => {
                bc::decode(task.target, made, width, rows, &mut self.decoded)?;
                difference(texels, expected, &self.decoded)?
            }
        };
        self.total.append(&found);
        Ok(())
    }
}

/// One line for people: on standard output, unless the texels go there.
fn say(bar: &ProgressBar, output: &Output, line: &str) -> Result<()> {
    bar.suspend(|| match output {
        Output::Standard => {
            complain(line);
            Ok(())
        }
        Output::File { .. } => table::print(line),
    })
}
