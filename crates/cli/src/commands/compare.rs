//! `texemu compare`.

use crate::bc;
use crate::engine::{CpuEngine, Task, for_each_band};
use crate::failure::Outcome;
use crate::findings::{Place, decibels, scale};
use crate::input::{self, Profile};
use crate::part::{Part, Selection};
use crate::progress;
use crate::table;
use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use std::path::{Path, PathBuf};
use texemu_container::Texture;
use texemu_format::{Codec, Format};
use texemu_reference::{Difference, difference};
use texemu_transcode::{Options, SourceKind};

const EXAMPLES: &str = "\
Examples:
  texemu compare rock.astc rock_bc7.dds
  texemu compare a.ktx2 b.ktx2 --min-psnr 40";

/// Say how far two textures are apart: PSNR of color and alpha, the largest error, how many texels differ
///
/// ASTC, ETC2 and EAC are decoded by the CPU twins, BC by bcdec. sRGB code values are compared as they are stored. Of HDR
/// textures the bits of the 16-bit floats are compared, as whole numbers of 0 to 31743, which is about the logarithm of the
/// value: an error of one part in a hundred counts alike in the dark and in the sun. Exit code 1 if a texel differs, or,
/// with --min-psnr, if the textures are further apart than that.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The one texture
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Be content if the colors' PSNR, and alpha's, is at least this
    #[arg(long, value_name = "DB", value_parser = table::number::<f64>)]
    min_psnr: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How the blocks of both are meant, where a file does not say so
    #[command(flatten)]
    profile: Profile,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let paths = [&arguments.a, &arguments.b];
    let textures = [open(paths[0], &arguments.profile)?, open(paths[1], &arguments.profile)?];
    let mut parts = Vec::new();
    for (path, texture) in paths.iter().zip(&textures) {
        let named = || path.display().to_string();
        parts.push(Part::new(texture, &arguments.selection).with_context(named)?);
    }
    let (a, b) = (&parts[0], &parts[1]);
    let (total, texels) = compare(a, b).with_context(|| {
        let [a, b] = paths.map(|path| path.display().to_string());
        format!("{a} and {b}")
    })?;
    let good = match arguments.min_psnr {
        None => total.is_none(),
        Some(least) => {
            [Some(total.psnr_color()), total.psnr_alpha()].into_iter().flatten().all(|psnr| psnr >= least)
        }
    };
    if arguments.json {
        let finite = |psnr: f64| psnr.is_finite().then_some(psnr);
        table::print(json!({
            "texels": total.texels,
            "mismatching": total.mismatching,
            "largest": total.largest,
            "psnr_color": finite(total.psnr_color()),
            "psnr_alpha": total.psnr_alpha().and_then(finite),
            "psnr_of": if texels.codec == Codec::Rgba16f { "half-float bits" } else { "values" },
            "equal": total.is_none(),
        }))?;
    } else {
        let mut rows = vec![
            vec!["A".to_owned(), format!("{} ({})", paths[0].display(), a.shape())],
            vec!["B".to_owned(), format!("{} ({})", paths[1].display(), b.shape())],
            vec!["PSNR color".to_owned(), decibels(total.psnr_color()) + scale(texels)],
        ];
        rows.extend(total.psnr_alpha().map(|psnr| vec!["PSNR alpha".to_owned(), decibels(psnr)]));
        rows.push(vec!["largest error".to_owned(), total.largest.to_string()]);
        let first = total.first.and_then(|texel| Place::of(a.shape(), texel));
        let first = first.map(|place| format!(", the first at {place}")).unwrap_or_default();
        rows.push(vec![
            "texels differ".to_owned(),
            format!("{} of {}{first}", total.mismatching, total.texels),
        ]);
        for row in rows {
            table::print(format!("{:<14}{}", row[0], row[1]))?;
        }
    }
    Ok(Outcome::of(good))
}

/// The profile is for the files that can have it: BC and uncompressed textures say what they are.
fn open(path: &Path, profile: &Profile) -> Result<Texture> {
    let plain = input::open(path, &Profile::default())?;
    if plain.format().is_source() { input::open(path, profile) } else { Ok(plain) }
}

/// The formats that a texture's texels can be compared in, the bit-exact one first.
fn texels_of(format: &'static Format) -> Vec<&'static Format> {
    if !format.is_compressed() {
        return vec![format];
    }
    let targets = format.targets.iter().filter(|target| !target.is_compressed());
    let mut found: Vec<_> = targets.chain(bc::texels_of(format)).collect();
    found.sort_by_key(|&texels| format.targets.exact() != Some(texels));
    found
}

/// What texels of the two formats can be compared as.
fn common_texels(a: &'static Format, b: &'static Format) -> Result<[&'static Format; 2]> {
    let (left, right) = (texels_of(a), texels_of(b));
    let alike = |a: &Format, b: &Format| (a.codec, a.is_snorm()) == (b.codec, b.is_snorm());
    let pairs = left.iter().flat_map(|&a| right.iter().map(move |&b| [a, b]));
    if let Some(pair) = pairs.into_iter().find(|[a, b]| alike(a, b)) {
        return Ok(pair);
    }
    let names = |texels: &[&Format]| match texels {
        [] => "nothing that is known".to_owned(),
        some => some.iter().map(|texels| texels.name).collect::<Vec<_>>().join(" or "),
    };
    bail!(
        "{} becomes {} and {} becomes {}: these cannot be compared",
        a.name,
        names(&left),
        b.name,
        names(&right)
    )
}

/// What differs, and the format of what was compared.
fn compare(a: &Part<'_>, b: &Part<'_>) -> Result<(Difference, &'static Format)> {
    let (first, second) = (a.shape(), b.shape());
    let size = |part: &Part<'_>| {
        let shape = part.shape();
        (shape.extent(), shape.levels(), shape.layers(), shape.faces())
    };
    ensure!(
        size(a) == size(b),
        "they differ in size: {first} and {second}; --level, --layer, --face and --slice choose parts"
    );
    let texels = common_texels(first.format(), second.format())?;
    let mut decoders = [Decoder::new(first.format(), texels[0]), Decoder::new(second.format(), texels[1])];
    let mut total = Difference::default();
    let bar = progress::texels(a.texels());
    for at in first.images() {
        // A band starts where blocks of both start.
        let task = Task {
            source: first.format(),
            target: second.format(),
            options: Options::default(),
            source_kind: SourceKind::TexelBuffer,
        };
        for_each_band(a, &task, at, |band| {
            let other = b.rows(at, band.slice, band.first_row, band.rows);
            let [left, right] = &mut decoders;
            let expected = left.decode(band.blocks, band.width, band.rows)?;
            let actual = right.decode(other, band.width, band.rows)?;
            total.append(&difference(texels[0], expected, actual)?);
            bar.inc(u64::from(band.width) * u64::from(band.rows));
            Ok(())
        })?;
    }
    bar.finish_and_clear();
    Ok((total, texels[0]))
}

/// Makes texels of any format's blocks.
struct Decoder {
    task: Task,
    cpu: CpuEngine,
    texels: Vec<u8>,
}

impl Decoder {
    fn new(source: &'static Format, target: &'static Format) -> Self {
        let task = Task { source, target, options: Options::default(), source_kind: SourceKind::TexelBuffer };
        Self { task, cpu: CpuEngine::default(), texels: Vec::new() }
    }

    fn decode<'a>(&'a mut self, blocks: &'a [u8], width: u32, height: u32) -> Result<&'a [u8]> {
        let format = self.task.source;
        if !format.is_compressed() {
            Ok(blocks)
        } else if format.is_source() {
            self.cpu.decode(&self.task, blocks, width, height)
        } else {
            bc::decode(format, blocks, width, height, &mut self.texels)?;
            Ok(&self.texels)
        }
    }
}
