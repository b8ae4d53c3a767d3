//! Writing what an engine makes, in the container that the output's name asks for.

use crate::engine::{BandOfBlocks, Engine, Task, for_each_band};
use crate::input;
use crate::part::Part;
use anyhow::{Error, Result, bail};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use texemu_container::{
    Container, Ktx2Options, Notes, Shape, Subresource, write_atomically, write_dds, write_exr, write_ktx2,
    write_png, write_raw,
};

/// Containers that can be written.
pub(crate) const WRITABLE: [Container; 5] =
    [Container::Ktx2, Container::Dds, Container::Png, Container::Exr, Container::Raw];

/// Where a result goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Standard output, raw.
    Standard,
    File {
        path: PathBuf,
        container: Container,
    },
}

impl Output {
    /// What `-o PATH` says.
    pub(crate) fn parse(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::Standard);
        }
        match Container::from_path(path).filter(|container| WRITABLE.contains(container)) {
            Some(container) => Ok(Self::File { path: path.to_owned(), container }),
            None => {
                let names: Vec<_> = WRITABLE.iter().map(|container| format!(".{container}")).collect();
                bail!(
                    "{}: the name must end in {}, or be that of a folder, or - for standard output",
                    path.display(),
                    names.join(", ")
                )
            }
        }
    }

    /// Whether it holds one picture alone.
    pub(crate) fn is_picture(&self) -> bool {
        matches!(self, Self::File { container: Container::Png | Container::Exr, .. })
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Standard => f.write_str("standard output"),
            Self::File { path, .. } => write!(f, "{}", path.display()),
        }
    }
}

/// Whether a file can be put there; asked before the work whose result it is to hold.
pub(crate) fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("{} is a folder: name a file", path.display());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("{}: there is no folder {}", path.display(), folder.display());
    }
    Ok(())
}

/// Writes a text whole or not at all.
pub(crate) fn save(path: &Path, text: &str) -> Result<()> {
    write_atomically(path, |out| out.write_all(text.as_bytes()).map_err(texemu_container::Error::Io))
        .map_err(|error| input::named(error.into(), &path.display().to_string()))
}

/// Runs `task` on `part` and writes the result whole or not at all; `each` sees every band and what became of it.
pub(crate) fn write(
    output: &Output,
    part: &Part<'_>,
    notes: &Notes,
    task: &Task,
    engine: &mut dyn Engine,
    each: impl FnMut(&BandOfBlocks<'_>, &[u8]) -> Result<()>,
) -> Result<()> {
    let shape = part.shape().with_format(task.target)?;
    let mut work = Work { part, task, engine, each, failure: None };
    let result = match output {
        Output::Standard => {
            if io::stdout().is_terminal() {
                bail!("raw texels would garble the terminal: redirect standard output, or name a file");
            }
            let out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
            write_raw(out, &shape, |at, out| work.image(at, out)).map_err(Error::new)
        }
        Output::File { path, container } => {
            write_atomically(path, |out| work.file(out, *container, &shape, notes).map_err(Wrapped::Here))
                .map_err(Wrapped::into_inner)
        }
    };
    // What the callback returned passed through the container's writer as an I/O error; this is the original.
    match work.failure {
        Some(failure) => Err(failure),
        None => result.map_err(|error| input::named(error, &output.to_string())),
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

impl Wrapped {
    fn into_inner(self) -> Error {
        match self {
            Self::Here(error) => error,
            Self::Container(error) => error.into(),
        }
    }
}

struct Work<'a, F> {
    part: &'a Part<'a>,
    task: &'a Task,
    engine: &'a mut dyn Engine,
    each: F,
    failure: Option<Error>,
}

impl<F: FnMut(&BandOfBlocks<'_>, &[u8]) -> Result<()>> Work<'_, F> {
    fn file(
        &mut self,
        out: &mut BufWriter<File>,
        container: Container,
        shape: &Shape,
        notes: &Notes,
    ) -> Result<()> {
        let [width, height, _] = shape.extent();
        let mut image = |at: Subresource, out: &mut dyn Write| self.image(at, out);
        let mut picture = |out: &mut dyn Write| image(Subresource::default(), out);
        match container {
            Container::Png => write_png(out, shape.format(), width, height, &mut picture)
                .map_err(|error| advise(error, shape)),
            Container::Exr => write_exr(out, shape.format(), width, height, &mut picture)
                .map_err(|error| advise(error, shape)),
            Container::Dds => write_dds(out, shape, image).map_err(Error::new),
            Container::Ktx2 => {
                let options = Ktx2Options {
                    orientation: notes.orientation.as_deref(),
                    premultiplied: notes.premultiplied,
                    ..Ktx2Options::default()
                };
                write_ktx2(out, shape, &options, image).map_err(Error::new)
            }
            _ => write_raw(out, shape, image).map_err(Error::new),
        }
    }

    /// Writes one image, band by band.
    fn image(&mut self, at: Subresource, out: &mut dyn Write) -> io::Result<()> {
        let Self { part, task, engine, each, failure } = self;
        for_each_band(part, task, at, |band| {
            let made = engine.run(task, band.blocks, band.width, band.rows)?;
            out.write_all(made)?;
            each(&band, made)
        })
        .map_err(|error| {
            // The sink's own errors come back from the container's writer with more to say.
            match error.downcast::<io::Error>() {
                Ok(error) => error,
                Err(error) => {
                    let text = io::Error::other(format!("{error:#}"));
                    *failure = Some(error);
                    text
                }
            }
        })
    }
}

/// Says which container holds what a picture cannot.
fn advise(error: texemu_container::Error, shape: &Shape) -> Error {
    let advice = match error {
        texemu_container::Error::CannotStore { .. } if shape.format().is_compressed() => {
            "write .ktx2 or .dds"
        }
        texemu_container::Error::CannotStore { container: Container::Png, .. } => "write .exr or .ktx2",
        texemu_container::Error::CannotStore { .. } => "write .png or .ktx2",
        _ => return error.into(),
    };
    Error::msg(format!("{error}: {advice}"))
}
