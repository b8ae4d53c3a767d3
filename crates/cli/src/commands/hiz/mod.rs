//! `texemu hiz`.

mod depth;
mod device;
mod output;
mod picture;

use crate::engine::DeviceArguments;
use crate::failure::Outcome;
use crate::{interrupt, table};
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use depth::Depth;
use output::Output;
use std::path::{Path, PathBuf};
use std::time::Instant;
use texemu_hiz::{DepthValues, HizCaps, HizDesc, HizPlan, Level, Oracle, Path as HizPath, Reduction, Scheme};

const EXAMPLES: &str = "\
Examples:
  texemu hiz depth.exr -o pyramid.ktx2
  texemu hiz depth.f32 --size 1920x1080 -o pyramid.ktx2 --reduction max --picture levels.png
  texemu hiz depth.png -o level4.exr --scheme edge-texel --reduction minmax --level 4
  texemu hiz depth.exr -o pyramid.ktx2 --scheme pow2-exact --path per-level --validation";

/// Make a depth pyramid: levels in which a coarse texel bounds every depth it stands for
///
/// DEPTH is an .exr (the channel Z, depth, Y or R, or its only one), a gray .png of 16 bits, or an .f32: little-endian
/// 32-bit floats, row by row, whose --size has to be told. OUT takes the pyramid as .ktx2, in R32_SFLOAT, or R32G32_SFLOAT
/// with minimum and maximum, or with --level one level as .ktx2, .exr, .png (16 bits; minima rounded down, maxima up) or
/// .f32. What the schemes answer is in docs/hiz.md.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The depth buffer
    #[arg(value_name = "DEPTH")]
    input: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Which depths a texel stands for
    #[arg(long, value_name = "SCHEME", default_value = "chained")]
    scheme: SchemeName,
    /// What it keeps of them: the least, the greatest, or both
    #[arg(long, value_name = "KIND", default_value = "min")]
    reduction: ReductionName,
    /// How the device makes it: in one dispatch, in two, in one a level, or in a draw a level. All give the same bits
    #[arg(long, value_name = "PATH", default_value = "auto")]
    path: PathName,
    /// Write this level alone; 0 is the depth buffer
    #[arg(long, value_name = "K")]
    level: Option<u32>,
    /// Begin the .ktx2 with the depth buffer itself rather than with level 1
    #[arg(long, conflicts_with = "level")]
    copy_level_0: bool,
    /// Texels of an .f32, across and down
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Also show all that was made in one picture, from the least depth in black to the greatest in white
    #[arg(long, value_name = "OUT.png")]
    picture: Option<PathBuf>,
    /// Say nothing when all is well
    #[arg(short, long)]
    quiet: bool,
    /// Use the CPU twin instead of a device
    #[arg(long, help_heading = "Where it runs", conflicts_with = "path")]
    cpu: bool,
    #[command(flatten)]
    device: DeviceArguments,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum SchemeName {
    /// 2 texels an axis of the level before, 3 where its size is odd: answers every query
    Chained,
    /// Aligned blocks, the last one with the rest: integer coordinates, tightly
    EdgeTexel,
    /// A power of two of texels: UV coordinates, tightly
    Pow2Exact,
}

impl SchemeName {
    fn scheme(self) -> Scheme {
        match self {
            Self::Chained => Scheme::Chained,
            Self::EdgeTexel => Scheme::EdgeTexel,
            Self::Pow2Exact => Scheme::Pow2Exact,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ReductionName {
    Min,
    Max,
    Minmax,
}

impl ReductionName {
    fn reduction(self) -> Reduction {
        match self {
            Self::Min => Reduction::Min,
            Self::Max => Reduction::Max,
            Self::Minmax => Reduction::MinMax,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum PathName {
    Auto,
    Single,
    Two,
    PerLevel,
    Raster,
}

impl PathName {
    fn path(self) -> Option<HizPath> {
        match self {
            Self::Auto => None,
            Self::Single => Some(HizPath::OneDispatch),
            Self::Two => Some(HizPath::TwoDispatches),
            Self::PerLevel => Some(HizPath::PerLevel),
            Self::Raster => Some(HizPath::Raster),
        }
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("{text} is not a width and a height like 1920x1080");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
    Ok([width.parse().map_err(|_| wrong())?, height.parse().map_err(|_| wrong())?])
}

/// A pyramid, or one level of it.
struct Pyramid {
    reduction: Reduction,
    levels: Vec<Level>,
    /// How and where it was made, for people.
    made: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let output = Output::parse(&arguments.output, arguments.level)?;
    if let Some(picture) = &arguments.picture {
        ensure!(output::has_extension(picture, "png"), "{}: --picture writes a .png", picture.display());
        ensure!(!same(picture, &arguments.output), "--picture and -o name the same file");
    }
    for path in [Some(&arguments.output), arguments.picture.as_ref()].into_iter().flatten() {
        ensure!(
            !same(path, &arguments.input),
            "{} is the input and would be replaced: choose another name",
            path.display()
        );
    }
    let named = || arguments.input.display().to_string();
    let start = Instant::now();
    let depth = depth::read(&arguments.input, arguments.size)?;
    let desc = describe(arguments, depth.extent).with_context(named)?;
    let (pyramid, messages) = if arguments.cpu {
        (on_the_cpu(&desc, &depth), 0)
    } else {
        let gpu = arguments.device.open()?;
        let plan = HizPlan::new(&desc, arguments.path.path(), &HizCaps::of(&gpu)).with_context(named)?;
        let levels = device::make(&gpu, &plan, &depth).with_context(named)?;
        let made = format!("{} on {}", words(plan.path()), gpu.capabilities().info.name);
        let messages = gpu.validation_log().count();
        (Pyramid { reduction: desc.reduction, levels, made }, messages)
    };
    interrupt::check()?;
    output::write(&output, &pyramid)?;
    if let Some(path) = &arguments.picture {
        interrupt::check()?;
        picture::write(path, &pyramid)?;
    }
    if !arguments.quiet {
        table::print(summary(arguments, &depth, &pyramid, start))?;
    }
    if messages > 0 {
        eprintln!("texemu: the validation layer said {messages} things");
    }
    Ok(Outcome::of(messages == 0))
}

fn describe(arguments: &Arguments, extent: [u32; 2]) -> Result<HizDesc> {
    let scheme = arguments.scheme.scheme();
    let mut desc = HizDesc::new(extent, scheme, arguments.reduction.reduction());
    let last = scheme.last_level(extent);
    if let Some(level) = arguments.level {
        ensure!(level <= last, "--level {level}: the last level is {last}");
        (desc.first_level, desc.last_level) = (level, level);
    }
    if arguments.copy_level_0 {
        if matches!(scheme, Scheme::Pow2Exact) {
            bail!(
                "--copy-level-0: the levels of pow2-exact are no mip chain of the depth buffer; take --level 0 for a copy"
            );
        }
        desc.first_level = 0;
        if extent == [1, 1] {
            // Level 1 has one texel too, which no mip chain has twice.
            desc.last_level = 0;
        }
    }
    Ok(desc)
}

fn on_the_cpu(desc: &HizDesc, depth: &Depth) -> Pyramid {
    let oracle = Oracle { scheme: desc.scheme, reduction: desc.reduction, texel: desc.texel };
    let values = DepthValues { extent: depth.extent, samples: 1, layers: 1, values: &depth.values };
    let last = desc.last_level.min(desc.scheme.last_level(depth.extent));
    let levels = oracle.levels(&values, [0, 0], depth.extent, desc.first_level, last);
    Pyramid { reduction: desc.reduction, levels, made: "by the CPU twin".to_owned() }
}

fn words(path: HizPath) -> &'static str {
    match path {
        HizPath::OneDispatch => "in one dispatch",
        HizPath::TwoDispatches => "in two dispatches",
        HizPath::PerLevel => "in a dispatch a level",
        HizPath::Raster => "in a draw a level",
        HizPath::SharedAtomic => "in one dispatch of shared-memory atomics",
        HizPath::SubgroupFold => "in one dispatch of subgroup minima",
    }
}

fn summary(arguments: &Arguments, depth: &Depth, pyramid: &Pyramid, start: Instant) -> String {
    let size = |[width, height]: [u32; 2]| format!("{width}x{height}");
    let (first, last) = match &pyramid.levels[..] {
        [first, .., last] => (first, Some(last)),
        [only] => (only, None),
        [] => return String::new(),
    };
    let levels = match last {
        Some(last) => format!(
            "levels {} to {} ({} to {})",
            first.level,
            last.level,
            size(first.extent),
            size(last.extent)
        ),
        None => format!("level {} ({})", first.level, size(first.extent)),
    };
    format!(
        "{}: {} -> {levels}, {} in {:.1} ms {}",
        arguments.input.display(),
        size(depth.extent),
        arguments.output.display(),
        start.elapsed().as_secs_f64() * 1e3,
        pyramid.made
    )
}

/// Whether both are one file, as the system sees them; they need not exist.
fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}
