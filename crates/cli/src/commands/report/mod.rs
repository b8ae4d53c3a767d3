//! `texemu report`: a page about files and what they become.

mod measure;
mod page;
mod thumbnail;

use crate::engine::{CPU_HINT, CpuEngine, DeviceArguments, Engine, GpuEngine};
use crate::failure::{Failed, Outcome, ends_everything, print};
use crate::input::{self, Profile};
use crate::output::{check_place, save};
use crate::part::Selection;
use crate::progress;
use crate::table;
use crate::target::{EffortName, TARGETS};
use anyhow::{Context, Result};
use askama::Template;
use clap::builder::PossibleValuesParser;
use measure::Measurer;
use page::{FileRow, Page};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  texemu report textures/ -o report.html
  texemu report textures/ --to rgba8 --to bc7 --verify
  texemu report rock.astc --srgb --cpu";

/// Write a page about files: pictures of them, of what they become, and of the differences, with all that can be measured
///
/// The page needs nothing beside it and no network. A row a file, a card a target: PSNR against the texels that the CPU
/// twin decodes, the largest error, bytes, time on the device. Files can be filtered by words, target and state. Exit code
/// 1 if a target that must be exact is not, 2 if a file could not be read; the page is written all the same.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or folders
    #[arg(required = true, value_name = "DIR")]
    inputs: Vec<PathBuf>,
    /// The page to write
    #[arg(short, long, value_name = "OUT", default_value = "report.html")]
    output: PathBuf,
    /// Only this target; may be given again. By default every one that a file can become
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(&TARGETS[1..]))]
    to: Vec<String>,
    /// How hard encoders try
    #[arg(long, value_enum, default_value_t = EffortName::Fast)]
    effort: EffortName,
    /// Encode on the CPU too, and say whether the BC blocks are the same, bit for bit; what decodes exactly always is compared
    #[arg(long)]
    verify: bool,
    /// Pixels of the pictures' longer side
    #[arg(long, value_name = "N", default_value_t = 96, value_parser = clap::value_parser!(u32).range(8..=1024))]
    thumbnail: u32,
    /// How much brighter differences are shown than they are
    #[arg(long, value_name = "FACTOR", default_value_t = 8.0, value_parser = table::factor)]
    amplify: f32,
    /// Say nothing when all is well
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    profile: Profile,
    #[command(flatten)]
    selection: Selection,
    /// Use the CPU twins instead of a device
    #[arg(long, help_heading = "Where it runs")]
    cpu: bool,
    #[command(flatten)]
    device: DeviceArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let inputs = input::expand(&arguments.inputs)?;
    // Before the work that it would be the end of.
    check_place(&arguments.output)?;
    let (gpu, mut engine): (_, Box<dyn Engine>) = if arguments.cpu {
        (None, Box::new(CpuEngine::default()))
    } else {
        let gpu = arguments.device.open().context(CPU_HINT)?;
        let engine = GpuEngine::new(&gpu)?;
        (Some(gpu), Box::new(engine))
    };
    let bar = progress::items(inputs.len());
    let mut measurer = Measurer::new(arguments, gpu.as_ref(), engine.as_mut());
    let mut files = Vec::new();
    for input in &inputs {
        let name = input.relative.display().to_string();
        let mut row = FileRow { name, ..FileRow::default() };
        match measurer.measure(&input.path, &mut row, &bar) {
            Ok(()) => {}
            Err(error) if ends_everything(&error) => {
                bar.finish_and_clear();
                return Err(error);
            }
            Err(error) => {
                bar.suspend(|| print(&error));
                row.error = Some(format!("{error:#}"));
            }
        }
        if !arguments.quiet && row.error.is_none() {
            bar.suspend(|| table::print(line(&input.path, &row)))?;
        }
        files.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let [FileRow { error: Some(_), made, .. }] = &files[..]
        && made.is_empty()
    {
        // Said above; a page would hold nothing else.
        return Err(Failed { files: 1, of: 1 }.into());
    }
    let mut targets: Vec<String> = TARGETS.iter().map(|name| (*name).to_owned()).collect();
    targets.retain(|name| files.iter().any(|file| file.made.iter().any(|card| card.to == *name)));
    let info = gpu.as_ref().map(|gpu| &gpu.capabilities().info);
    let mut page = Page {
        device: engine.name(),
        driver: info.map_or_else(|| "none: the CPU twins".to_owned(), |info| info.driver.clone()),
        version: env!("CARGO_PKG_VERSION"),
        effort: arguments.effort.name(),
        thumbnail: arguments.thumbnail,
        amplify: arguments.amplify,
        good: 0,
        wrong: 0,
        refused: 0,
        targets,
        files,
    };
    page.count();
    save(&arguments.output, &page.render()?)?;
    if !arguments.quiet {
        let Page { good, wrong, refused, .. } = page;
        let out = arguments.output.display();
        table::print(format!("{out}: {good} files as they should be, {wrong} wrong, {refused} refused"))?;
    }
    if page.refused > 0 && page.wrong == 0 {
        return Err(Failed { files: page.refused, of: inputs.len() }.into());
    }
    Ok(Outcome::of(page.wrong == 0))
}

/// What became of a file, in one line.
fn line(path: &Path, row: &FileRow) -> String {
    let made = row.made.iter().map(|card| {
        let verdict = if card.is_wrong { card.verdict.as_str() } else { &card.psnr };
        format!("{} {verdict}", card.to)
    });
    format!("{}: {}: {}", path.display(), row.shape, made.collect::<Vec<_>>().join(", "))
}
