//! What a file becomes, and how far that is from what it should be.

use super::Arguments;
use super::page::{Card, FileRow};
use super::thumbnail::{DifferencePicture, Thumbnail};
use crate::bc;
use crate::engine::{CpuEngine, Engine, Task, for_each_band};
use crate::findings::decibels;
use crate::input;
use crate::part::Part;
use crate::table;
use crate::target::short_name;
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use texemu_container::Subresource;
use texemu_core::{Gpu, targets};
use texemu_format::{Format, VkFormat};
use texemu_reference::{Difference, difference};
use texemu_transcode::{Options, SourceKind, has_kernel};

/// Measures one file after the other.
pub(crate) struct Measurer<'a> {
    arguments: &'a Arguments,
    gpu: Option<&'a Gpu>,
    engine: &'a mut dyn Engine,
    cpu: CpuEngine,
    /// Encodes for comparison, while `cpu` holds the decoded texels.
    twin: CpuEngine,
    decoded: Vec<u8>,
    /// Pairs of formats whose kernel has run: the first run would time the driver's compiler.
    warm: HashSet<(VkFormat, VkFormat)>,
}

impl<'a> Measurer<'a> {
    pub(crate) fn new(arguments: &'a Arguments, gpu: Option<&'a Gpu>, engine: &'a mut dyn Engine) -> Self {
        let (cpu, twin) = (CpuEngine::default(), CpuEngine::default());
        Self { arguments, gpu, engine, cpu, twin, decoded: Vec::new(), warm: HashSet::new() }
    }

    /// Fills in the row of a file as far as it gets.
    pub(crate) fn measure(&mut self, path: &Path, row: &mut FileRow, bar: &ProgressBar) -> Result<()> {
        bar.set_message(path.display().to_string());
        let named = || path.display().to_string();
        let texture = input::open(path, &self.arguments.profile)?;
        let part = Part::new(&texture, &self.arguments.selection).with_context(named)?;
        row.shape = part.shape().to_string();
        row.bytes = format!("{} of blocks", table::bytes(part.shape().bytes()));
        for target in self.targets(part.shape().format()).with_context(named)? {
            // The bit-exact target comes first.
            let wants_picture = row.picture.is_none();
            let (card, picture) = self.make(&part, target, wants_picture, bar).with_context(named)?;
            row.picture = row.picture.take().or(picture);
            row.made.push(card);
        }
        Ok(())
    }

    /// What a file of this format becomes.
    fn targets(&self, source: &'static Format) -> Result<Vec<&'static Format>> {
        if !source.is_source() {
            bail!("{} is not a format to transcode: it is neither ASTC nor ETC2 nor EAC", source.name);
        }
        let names = &self.arguments.to;
        let possible = self.gpu.map(|gpu| targets(gpu.capabilities(), source));
        let is_possible = |target: &&'static Format| {
            possible.as_ref().is_none_or(|all| all.contains(target) && has_kernel(source, target))
        };
        let is_wanted = |target: &&'static Format| names.is_empty() || names.contains(&short_name(target));
        let found: Vec<_> = source.targets.iter().filter(is_wanted).filter(is_possible).collect();
        if found.is_empty() {
            bail!("{} cannot become {} here", source.name, names.join(" or "));
        }
        Ok(found)
    }

    /// The card of one target, and the source's picture if that is wanted.
    fn make(
        &mut self,
        part: &Part<'_>,
        target: &'static Format,
        wants_picture: bool,
        bar: &ProgressBar,
    ) -> Result<(Card, Option<String>)> {
        let source = part.shape().format();
        let options = Options { effort: self.arguments.effort.effort(), ..Options::default() };
        let task = Task { source, target, options, source_kind: SourceKind::TexelBuffer };
        let texels = bc::texels_of(target).unwrap_or(target);
        let longest = self.arguments.thumbnail;
        let [width, height, _] = part.shape().extent();
        let is_hdr = source.targets.exact() == Some(texels) && texels.block_bytes == 8;
        let thumbnail = || Thumbnail::new(texels, [width, height], longest, is_hdr);
        let (mut before, mut after) = (wants_picture.then(thumbnail).transpose()?, thumbnail()?);
        let mut off = DifferencePicture::new(texels, [width, height], longest)?;
        let mut total = Difference::default();
        let mut wrong_blocks = None;
        let mut on_cpu = Duration::ZERO;
        let (all, mut done) = (part.texels(), 0);
        for at in part.shape().images() {
            for_each_band(part, &task, at, |band| {
                let (width, rows) = (band.width, band.rows);
                if self.warm.insert((source.vk, target.vk)) {
                    self.engine.run(&task, band.blocks, width, rows)?;
                    self.engine.take_device_time();
                }
                let start = Instant::now();
                let made = self.engine.run(&task, band.blocks, width, rows)?;
                on_cpu += start.elapsed();
                let expected = self.cpu.decode(&task, band.blocks, width, rows)?;
                let actual = if target.is_compressed() {
                    bc::decode(target, made, width, rows, &mut self.decoded)?;
                    &self.decoded
                } else {
                    made
                };
                total.append(&difference(texels, expected, actual)?);
                if at == Subresource::default() && band.slice == 0 {
                    if let Some(before) = &mut before {
                        before.add(band.first_row, expected);
                    }
                    after.add(band.first_row, actual);
                    off.add(band.first_row, expected, actual);
                }
                if self.arguments.verify && target.is_compressed() {
                    let wanted = self.twin.run(&task, band.blocks, width, rows)?;
                    let size = target.block_bytes as usize;
                    let pairs = made.chunks(size).zip(wanted.chunks(size));
                    let wrong = pairs.filter(|(made, wanted)| made != wanted).count();
                    *wrong_blocks.get_or_insert(0) += wrong;
                }
                done += u64::from(width) * u64::from(rows);
                bar.set_message(format!("{} {}%", self.message(part, target), 100 * done / all.max(1)));
                Ok(())
            })?;
        }
        let on_device = self.engine.take_device_time();
        let (verdict, is_wrong) = match (target.is_compressed(), wrong_blocks) {
            (false, _) if total.is_none() => ("equal".to_owned(), false),
            (false, _) => (format!("{} texels differ", total.mismatching), true),
            (true, Some(0)) => ("same blocks".to_owned(), false),
            (true, Some(wrong)) => (format!("{wrong} blocks differ"), true),
            (true, None) => (String::new(), false),
        };
        let time = on_device.unwrap_or(on_cpu);
        let card = Card {
            to: short_name(target),
            picture: after.url()?,
            difference: off.url(self.arguments.amplify)?,
            verdict,
            is_wrong,
            psnr: decibels(total.psnr_color()),
            psnr_alpha: total.psnr_alpha().map(decibels),
            largest: total.largest.to_string(),
            bytes: table::bytes(part.shape().with_format(target)?.bytes()),
            time: table::duration(time) + if on_device.is_some() { "" } else { " (CPU)" },
            rate: on_device.filter(|time| !time.is_zero()).map(|time| table::rate(all, time)),
        };
        Ok((card, before.map(|before| before.url()).transpose()?))
    }

    fn message(&self, part: &Part<'_>, target: &Format) -> String {
        format!("{} -> {}", part.shape(), short_name(target))
    }
}
