//! Writing pyramids and levels, whole or not at all.

use super::Pyramid;
use anyhow::{Context, Error, Result, bail};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use texemu_container::{Ktx2Options, Shape, ShapeDesc, write_atomically, write_exr, write_ktx2, write_png};
use texemu_format::{Codec, Format, Numeric, find};
use texemu_hiz::{Level, Reduction};

pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Ktx2,
    Exr,
    Png,
    Raw,
}

/// Where the levels go.
pub(super) struct Output {
    path: PathBuf,
    kind: Kind,
}

impl Output {
    /// What `-o PATH` says. All kinds but .ktx2 hold one level.
    pub(super) fn parse(path: &Path, level: Option<u32>) -> Result<Self> {
        let kinds = [("ktx2", Kind::Ktx2), ("exr", Kind::Exr), ("png", Kind::Png), ("f32", Kind::Raw)];
        let found = kinds.into_iter().find(|(extension, _)| has_extension(path, extension));
        match found {
            None => {
                bail!("{}: the name must end in .ktx2, or with --level in .exr, .png or .f32", path.display())
            }
            Some((extension, kind)) if kind != Kind::Ktx2 && level.is_none() => {
                bail!("{}: a .{extension} holds one level; add --level K, or name a .ktx2", path.display())
            }
            Some((_, kind)) => Ok(Self { path: path.to_owned(), kind }),
        }
    }
}

/// `write_atomically` wants an error that its own converts into.
enum Wrapped {
    Here(Error),
    Container(texemu_container::Error),
}

impl From<texemu_container::Error> for Wrapped {
    fn from(error: texemu_container::Error) -> Self {
        Self::Container(error)
    }
}

/// Writes a file with `write`, or none.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let written = write_atomically(path, |out| write(out).map_err(Wrapped::Here));
    let error = |error| match error {
        Wrapped::Here(error) => error,
        Wrapped::Container(error) => error.into(),
    };
    written.map_err(error).with_context(|| path.display().to_string())
}

pub(super) fn write(output: &Output, pyramid: &Pyramid) -> Result<()> {
    let both = pyramid.reduction == Reduction::MinMax;
    let floats = if both { Codec::Rg32f } else { Codec::R32f };
    let floats = find(floats, [1, 1], Numeric::Sfloat).context("the format table lacks 32-bit floats")?;
    let first = pyramid.levels.first().context("there are no levels")?;
    write_file(&output.path, |out| match output.kind {
        Kind::Ktx2 => write_pyramid(out, floats, &pyramid.levels),
        Kind::Exr => {
            let [width, height] = first.extent;
            Ok(write_exr(out, floats, width, height, |out| write_floats(out, &first.values))?)
        }
        Kind::Raw => Ok(write_floats(out, &first.values)?),
        Kind::Png => {
            let codec = if both { Codec::Rg16 } else { Codec::R16 };
            let format = find(codec, [1, 1], Numeric::Unorm).context("the format table lacks 16 bits")?;
            let [width, height] = first.extent;
            let texels = sixteen_bits(first, pyramid.reduction);
            Ok(write_png(out, format, width, height, |out| out.write_all(&texels))?)
        }
    })
}

fn write_pyramid(out: &mut BufWriter<File>, format: &'static Format, levels: &[Level]) -> Result<()> {
    let [width, height] = levels[0].extent;
    let desc = ShapeDesc { levels: levels.len() as u32, ..ShapeDesc::image(format, width, height) };
    let shape = Shape::new(desc)?;
    write_ktx2(out, &shape, &Ktx2Options::default(), |at, out| {
        write_floats(out, &levels[at.level as usize].values)
    })?;
    Ok(())
}

fn write_floats(out: &mut (impl Write + ?Sized), values: &[f32]) -> io::Result<()> {
    for values in values.chunks(4096) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Depths as 16-bit normalized numbers on the safe side: no minimum above what it stands for, no maximum below.
fn sixteen_bits(level: &Level, reduction: Reduction) -> Vec<u8> {
    let number = |(index, &value): (usize, &f32)| {
        let max = match reduction {
            Reduction::Min => false,
            Reduction::Max => true,
            Reduction::MinMax => index % 2 == 1,
        };
        // Compared as the float that a reader makes of it, so that what came from 16 bits goes back into them.
        let read = |number: f64| (number as f32) / 65_535.0;
        let scaled = f64::from(value) * 65_535.0; // exact: 24 bits times 16
        let rounded = match max {
            false if read(scaled.floor() + 1.0) <= value => scaled.floor() + 1.0,
            false => scaled.floor(),
            true if read(scaled.ceil() - 1.0) >= value => scaled.ceil() - 1.0,
            true => scaled.ceil(),
        };
        (rounded.clamp(0.0, 65_535.0) as u16).to_le_bytes()
    };
    level.values.iter().enumerate().flat_map(number).collect()
}
