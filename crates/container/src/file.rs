//! Files on disk: read once, written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::{Container, Error};

/// What a reader may spend, so that a small hostile file cannot ask for all memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most bytes of a file, and of what its levels decompress to. Memory is taken as data arrives, never because a
    /// header says so.
    pub bytes: u64,
}

impl Default for Limits {
    /// 8 GiB, three times what a 2D texture of 16384x16384 texels in RGBA16F has with all its levels.
    fn default() -> Self {
        Self { bytes: 8 << 30 }
    }
}

/// Bytes that are read to see what a file is.
const START: u64 = 16;

/// The bytes of the file at `path`, read once into one buffer of its size; only the first of a file of no kind that is known.
pub(crate) fn read_file(path: &Path, limits: Limits) -> Result<Vec<u8>, Error> {
    let named = |problem| Error::File { path: path.to_owned(), problem };
    let file = File::open(path).map_err(named)?;
    let metadata = file.metadata().map_err(named)?;
    let too_large =
        |bytes| Error::TooLarge { what: format!("{}: the file", path.display()), bytes, limit: limits.bytes };
    if metadata.len() > limits.bytes {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    let mut file = file.take(limits.bytes.saturating_add(1));
    // What is no texture is not read on, and none is smaller than this.
    file.by_ref().take(START).read_to_end(&mut bytes).map_err(named)?;
    if Container::detect(&bytes).is_none() {
        return Ok(bytes);
    }
    reserve(&mut bytes, metadata.len().saturating_sub(START)).map_err(named)?;
    // A pipe or device has no length: the limit ends it.
    file.read_to_end(&mut bytes).map_err(named)?;
    if bytes.len() as u64 > limits.bytes {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Room for `more` bytes in `buffer`, or an error instead of an abort.
pub(crate) fn reserve(buffer: &mut Vec<u8>, more: u64) -> io::Result<()> {
    usize::try_from(more)
        .ok()
        .and_then(|more| buffer.try_reserve_exact(more).ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for {more} bytes")))
}

/// Writes a file whole or not at all: `write` fills a temporary file beside `path`, which takes `path`'s place only if
/// `write` succeeds and is removed otherwise. The writer is buffered and can seek.
///
/// # Errors
/// What `write` returns, or [`Error::File`] if the file cannot be created or put in place.
pub fn write_atomically<T, E: From<Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let path = path.as_ref();
    let named = |problem| E::from(Error::File { path: path.to_owned(), problem });
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".partial");
    // A new file has the permissions of any other new file, not tempfile's private ones.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let temporary = builder.tempfile_in(&folder).map_err(named)?;
    let (file, temporary) = temporary.into_parts();
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let value = write(&mut writer)?;
    writer.flush().map_err(named)?;
    drop(writer);
    temporary.persist(path).map_err(|error| named(error.error))?;
    Ok(value)
}
