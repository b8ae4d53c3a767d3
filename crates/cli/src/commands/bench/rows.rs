//! Which rows a benchmark has.

use super::Arguments;
use super::configuration::{configuration_name, tuning};
use super::work::Work;
use crate::engine::dummy_job;
use crate::images::{VIEWS_OF_THE_ARENA, stores_straight};
use crate::input;
use crate::target::{granularity_name, short_name, source_name};
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::sync::Arc;
use texemu_container::{Subresource, Texture};
use texemu_core::{Gpu, targets};
use texemu_format::{Format, sources};
use texemu_transcode::{Choice, Effort, Granularity, Options, SourceKind, Transcoder};

/// The values of `--granularity`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GranularityRows {
    /// What the transcoder chooses
    Auto,
    /// One invocation a texel
    Texel,
    /// One invocation a block
    Block,
    /// A workgroup on a tile of blocks
    Tile,
    /// All of them
    All,
}

/// The values of `--source`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SourceRows {
    /// A uniform texel buffer
    TexelBuffer,
    /// A storage image with a texel a block
    StorageImage,
    /// A storage buffer
    StorageBuffer,
    /// All of them
    All,
}

/// The values of `--work`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WorkRows {
    /// One large image
    Large,
    /// All levels of one image
    Chain,
    /// Small images, one or many
    Small,
    /// All of them
    All,
}

/// Where a row's blocks come from.
#[derive(Clone)]
pub(crate) enum Blocks {
    /// Legal ones, every mode alike.
    Generated,
    /// The first image of a file.
    File(Arc<Texture>),
}

/// One line of the table.
#[derive(Clone)]
pub(crate) struct Row {
    /// What `--only` and `--compare` go by.
    pub(crate) name: String,
    pub(crate) source: &'static Format,
    pub(crate) target: &'static Format,
    pub(crate) source_kind: SourceKind,
    pub(crate) options: Options,
    pub(crate) work: Work,
    pub(crate) blocks: Blocks,
    /// BC blocks go straight into the image instead of through a buffer and a copy.
    pub(crate) straight: bool,
}

pub(crate) fn rows(arguments: &Arguments, gpu: &Gpu, size: u32) -> Result<Vec<Row>> {
    let transcoder = Transcoder::new(gpu)?;
    let mut rows = Vec::new();
    for (label, source, blocks) in block_sources(arguments)? {
        let is_generated = matches!(blocks, Blocks::Generated);
        let possible = targets(gpu.capabilities(), source);
        for target in source.targets.iter().filter(|target| possible.contains(target)) {
            let efforts: &[Effort] =
                if target.is_compressed() { &[Effort::Fast, Effort::High] } else { &[Effort::Fast] };
            for &effort in efforts {
                let is_brief = source.is_srgb() && is_generated && !arguments.srgb_rows;
                let is_thorough = source.targets.exact() == Some(target) && !is_brief;
                for work in works(arguments.work, size, is_thorough) {
                    if is_brief && work != Work::plain(size) {
                        continue;
                    }
                    for source_kind in source_kinds(&arguments.source) {
                        for choice in choices(arguments, &transcoder, source, target, source_kind, work) {
                            let high = if effort == Effort::High { " high" } else { "" };
                            let name = format!(
                                "{label} -> {}{high}, {work}, {}, {}",
                                short_name(target),
                                choice_name(&choice),
                                source_name(source_kind)
                            );
                            let options = Options { choice, effort, ..Options::default() };
                            let blocks = blocks.clone();
                            let straight = false;
                            let row =
                                Row { name, source, target, source_kind, options, work, blocks, straight };
                            if source_kind == SourceKind::TexelBuffer && stores_straight(gpu, target) {
                                let name = format!("{}, straight", row.name);
                                rows.push(Row { name, straight: true, ..row.clone() });
                            }
                            rows.push(row);
                        }
                    }
                }
            }
        }
    }
    let words: Vec<String> =
        arguments.only.iter().flat_map(|only| only.split_whitespace()).map(str::to_lowercase).collect();
    rows.retain(|row| {
        let name = row.name.to_lowercase();
        words.iter().all(|word| name.contains(word.as_str())) && exists(&transcoder, row)
    });
    Ok(rows)
}

/// Whether there is a kernel for the row; compiles nothing.
fn exists(transcoder: &Transcoder, row: &Row) -> bool {
    let mut job = dummy_job(row.source, row.target, row.source_kind, row.options);
    if row.straight {
        job.target.views = VIEWS_OF_THE_ARENA;
    }
    transcoder.configuration_for(&job).is_ok()
}

/// Label, format and origin of the blocks.
fn block_sources(arguments: &Arguments) -> Result<Vec<(String, &'static Format, Blocks)>> {
    if arguments.input.is_empty() {
        let row = |format: &'static Format| (plain_name(format), format, Blocks::Generated);
        return Ok(sources().map(row).collect());
    }
    let mut found = Vec::new();
    for path in &arguments.input {
        let texture = input::open(path, &arguments.profile)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let format = texture.format();
        let context = || format!("{}: {} is neither ASTC nor ETC2 nor EAC", path.display(), format.name);
        format.targets.exact().with_context(context)?;
        found.push((format!("{name} {}", plain_name(format)), format, Blocks::File(Arc::new(texture))));
    }
    Ok(found)
}

fn plain_name(format: &Format) -> String {
    format.name.trim_end_matches("_BLOCK").to_owned()
}

fn works(rows: WorkRows, size: u32, is_thorough: bool) -> Vec<Work> {
    let large = vec![Work::plain(size)];
    let chain = vec![Work::chain(size), Work::chain(64)];
    let small = vec![Work::plain(64), Work::plain(256), Work::many(256, 256.min(size))];
    match rows {
        WorkRows::Large => large,
        WorkRows::Chain => chain,
        WorkRows::Small => small,
        // The other targets, and the other numeric types, behave alike.
        WorkRows::All if !is_thorough => large,
        WorkRows::All => {
            let mut all = [large, chain, small].concat();
            // A small --size makes some of them the same.
            let mut seen = Vec::new();
            all.retain(|work| {
                !seen.contains(work) && {
                    seen.push(*work);
                    true
                }
            });
            all
        }
    }
}

fn source_kinds(wanted: &[SourceRows]) -> Vec<SourceKind> {
    let all = [
        (SourceRows::TexelBuffer, SourceKind::TexelBuffer),
        (SourceRows::StorageImage, SourceKind::StorageImage),
        (SourceRows::StorageBuffer, SourceKind::StorageBuffer),
    ];
    let is_wanted = |row| wanted.contains(&row) || wanted.contains(&SourceRows::All);
    all.into_iter().filter(|&(row, _)| is_wanted(row)).map(|(_, kind)| kind).collect()
}

fn choices(
    arguments: &Arguments,
    transcoder: &Transcoder,
    source: &'static Format,
    target: &'static Format,
    source_kind: SourceKind,
    work: Work,
) -> Vec<Choice> {
    let exactly = arguments.configurations.iter().map(|&configuration| Choice::Exactly(configuration));
    if arguments.tune {
        return tuning(transcoder, source, target, source_kind, work).into_iter().chain(exactly).collect();
    }
    let all = [
        (GranularityRows::Auto, Choice::Auto),
        (GranularityRows::Texel, Choice::Granularity(Granularity::PerTexel)),
        (GranularityRows::Block, Choice::Granularity(Granularity::PerBlock)),
        (GranularityRows::Tile, Choice::Granularity(Granularity::Tile)),
    ];
    let wanted = &arguments.granularity;
    let is_wanted = |row| wanted.contains(&row) || wanted.contains(&GranularityRows::All);
    all.into_iter().filter(|&(row, _)| is_wanted(row)).map(|(_, choice)| choice).chain(exactly).collect()
}

pub(crate) fn choice_name(choice: &Choice) -> String {
    match choice {
        Choice::Auto => "auto".to_owned(),
        Choice::Granularity(granularity) => granularity_name(*granularity).to_owned(),
        Choice::Exactly(configuration) => configuration_name(configuration),
    }
}

impl Blocks {
    /// `columns` x `rows` blocks, row by row.
    pub(crate) fn fill(&self, format: &Format, columns: u32, rows: u32, seed: u64) -> Vec<u8> {
        /// Distinct blocks; more would be no different, and take their time.
        const DISTINCT: usize = 1 << 16;
        let bytes = format.block_bytes as usize;
        let count = columns as usize * rows as usize;
        match self {
            Self::Generated => {
                let class = texemu_reference::blocks::Class::Legal;
                let some = texemu_reference::blocks::generate(format, class, count.min(DISTINCT), seed);
                some.iter().copied().cycle().take(count * bytes).collect()
            }
            Self::File(texture) => {
                let [width, height, _] = texture.shape().extent();
                let [have_columns, have_rows, _] = format.blocks([width, height, 1]);
                let slice = texture.slice(Subresource::default(), 0);
                let row_bytes = have_columns as usize * bytes;
                let mut filled = Vec::with_capacity(count * bytes);
                for row in 0..rows {
                    let row = &slice[(row % have_rows) as usize * row_bytes..][..row_bytes];
                    filled.extend(row.iter().cycle().take(columns as usize * bytes));
                }
                filled
            }
        }
    }
}
