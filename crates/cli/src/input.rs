//! Finding and opening input files.

use anyhow::{Context, Error, Result, bail};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use texemu_container::{Container, Texture};
use texemu_format::{Codec, Numeric};
use texemu_reference::astc;

/// How blocks are meant where their file does not say so, or is wrong.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[group(multiple = false)]
#[command(next_help_heading = "How the blocks are meant")]
pub(crate) struct Profile {
    /// Read the colours as sRGB; .astc files do not say
    #[arg(long)]
    pub(crate) srgb: bool,
    /// Read the colours as linear (UNORM): what is taken for .astc files
    #[arg(long)]
    pub(crate) linear: bool,
    /// Read ASTC with the HDR profile (SFLOAT)
    #[arg(long)]
    pub(crate) hdr: bool,
}

impl Profile {
    fn numeric(&self) -> Option<Numeric> {
        [(self.srgb, Numeric::Srgb), (self.linear, Numeric::Unorm), (self.hdr, Numeric::Sfloat)]
            .into_iter()
            .find_map(|(given, numeric)| given.then_some(numeric))
    }
}

/// A file to work on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// Its path inside the folder that was asked for; its name, if it was itself asked for.
    pub(crate) relative: PathBuf,
}

/// The files that `paths` name, and the textures in the folders among them, also in folders of folders.
pub(crate) fn expand(paths: &[PathBuf]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = inputs.len();
            walk(path, Path::new(""), &mut inputs)?;
            if inputs.len() == before {
                let names = readable().map(|container| format!(".{container}")).collect::<Vec<_>>();
                bail!("{}: no {} file in it", path.display(), names.join(", "));
            }
        } else {
            let name = path.file_name().unwrap_or(path.as_os_str());
            inputs.push(Input { path: path.clone(), relative: name.into() });
        }
    }
    Ok(inputs)
}

fn walk(root: &Path, inside: &Path, inputs: &mut Vec<Input>) -> Result<()> {
    let folder = root.join(inside);
    let context = || folder.display().to_string();
    let mut entries =
        fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).with_context(context)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let relative = inside.join(entry.file_name());
        let path = root.join(&relative);
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // A link to a folder is not followed: it may lead in a circle.
        if entry.file_type().with_context(context)?.is_dir() {
            walk(root, &relative, inputs)?;
        } else if path.is_file()
            && Container::from_path(&path).is_some_and(|found| readable().any(|one| one == found))
        {
            inputs.push(Input { path, relative });
        }
    }
    Ok(())
}

fn readable() -> impl Iterator<Item = Container> {
    [Container::Astc, Container::Ktx, Container::Ktx2, Container::Pkm, Container::Dds].into_iter()
}

/// The error with the file's name before it, unless it says it already.
pub(crate) fn named(error: Error, file: &str) -> Error {
    match error.downcast_ref() {
        Some(texemu_container::Error::File { .. }) => error,
        _ => error.context(file.to_owned()),
    }
}

/// Reads a file and applies the profile. Errors name the file.
pub(crate) fn open(path: &Path, profile: &Profile) -> Result<Texture> {
    let name = || path.display().to_string();
    let mut texture = texemu_container::open(path).map_err(|error| named(error.into(), &name()))?;
    match profile.numeric() {
        Some(numeric) => texture.set_numeric(numeric).map_err(|error| named(error.into(), &name()))?,
        None => hint_at_hdr(path, &texture),
    }
    Ok(texture)
}

/// As [`open`], for files of any kinds together: the profile is for those that can have it.
#[cfg(feature = "view")]
pub(crate) fn open_any(path: &Path, profile: &Profile) -> Result<Texture> {
    let name = || path.display().to_string();
    let mut texture = texemu_container::open(path).map_err(|error| named(error.into(), &name()))?;
    let meant = profile.numeric().filter(|_| texture.format().is_source());
    if meant.is_none_or(|numeric| texture.set_numeric(numeric).is_err()) {
        hint_at_hdr(path, &texture);
    }
    Ok(texture)
}

/// Blocks that are looked at for the HDR profile.
const INSPECTED: usize = 1 << 16;

/// Warns of HDR blocks in a texture that is not meant to hold any: they decode as an error. Files whose container cannot say
/// that they are HDR are taken for LDR.
fn hint_at_hdr(path: &Path, texture: &Texture) {
    let format = texture.format();
    if format.codec != Codec::AstcLdr {
        return;
    }
    let (blocks, _) = texture.level(0).as_chunks::<16>();
    let blocks = &blocks[..blocks.len().min(INSPECTED)];
    let is_hdr = |block: &&[u8; 16]| astc::inspect(block, format.footprint).is_ok_and(|block| block.is_hdr());
    let found = blocks.iter().filter(is_hdr).count();
    if found > 0 {
        let (path, all) = (path.display(), blocks.len());
        log::warn!("{path}: {found} of {all} blocks are HDR, and become the error color; --hdr reads them");
    }
}
