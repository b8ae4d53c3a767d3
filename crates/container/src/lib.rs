//! Texture containers: `.astc`, `.ktx`, `.ktx2`, `.pkm` and `.dds` in; `.ktx2`, `.dds`, `.png`, `.exr` and raw texels out.
//!
//! A file is read once into one buffer, and a [`Texture`]'s images are slices of that buffer. Sizes are checked in 64 bits
//! before anything is allocated, and every complaint names the container's own field and what it holds.
//!
//! Writers pull: they call back for each image, and what the callback writes goes straight into the file. So a caller
//! that produces texels in bands needs no copy of the whole image.
//!
//! ```
//! use texemu_container::{Container, Shape, ShapeDesc, Texture, write_ktx2};
//!
//! let format = texemu_format::by_name("ASTC_6x6_UNORM_BLOCK").unwrap();
//! let shape = Shape::new(ShapeDesc::image(format, 13, 7))?;
//! let texture = Texture::from_raw(shape, vec![0; 3 * 2 * 16])?;
//!
//! let mut file = std::io::Cursor::new(Vec::new());
//! write_ktx2(&mut file, texture.shape(), &Default::default(), |at, out| texture.write_image(at, out))?;
//!
//! let again = texemu_container::read(file.into_inner())?;
//! assert_eq!(again.container(), Container::Ktx2);
//! assert_eq!(again.level(0), texture.level(0));
//! # Ok::<(), texemu_container::Error>(())
//! ```

mod astc;
mod dds;
mod error;
mod exr;
mod fields;
mod file;
mod ktx;
mod ktx2;
mod pkm;
mod png;
mod raw;
mod shape;
mod sink;
mod texture;

use std::path::Path;

pub use dds::write_dds;
pub use error::Error;
pub use exr::write_exr;
pub use file::{Limits, write_atomically};
pub use ktx2::{Ktx2Options, write_ktx2};
pub use png::write_png;
pub use raw::write_raw;
pub use shape::{Shape, ShapeDesc, Subresource, max_levels};
pub use texture::{Notes, Supercompression, Texture};

/// A kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each variant is called like the files it stands for")]
pub enum Container {
    Astc,
    Ktx,
    Ktx2,
    Pkm,
    Dds,
    Png,
    Exr,
    Raw,
}

impl Container {
    /// Every kind, those that can be read first.
    pub const ALL: [Self; 8] =
        [Self::Astc, Self::Ktx, Self::Ktx2, Self::Pkm, Self::Dds, Self::Png, Self::Exr, Self::Raw];

    /// The usual file name extension, without the dot.
    pub fn extension(&self) -> &'static str {
        match self {
            Self::Astc => "astc",
            Self::Ktx => "ktx",
            Self::Ktx2 => "ktx2",
            Self::Pkm => "pkm",
            Self::Dds => "dds",
            Self::Png => "png",
            Self::Exr => "exr",
            Self::Raw => "raw",
        }
    }

    /// The kind that a file name's extension stands for. Readers go by [`Container::detect`] instead.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?;
        Self::ALL.into_iter().find(|container| container.extension().eq_ignore_ascii_case(extension))
    }

    /// The kind of a file by its first bytes, of those that can be read.
    pub fn detect(start: &[u8]) -> Option<Self> {
        let magics: [(&[u8], Self); 5] = [
            (&astc::MAGIC, Self::Astc),
            (&ktx::MAGIC, Self::Ktx),
            (&ktx2::MAGIC, Self::Ktx2),
            (&pkm::MAGIC, Self::Pkm),
            (&dds::MAGIC, Self::Dds),
        ];
        magics.into_iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, container)| container)
    }
}

impl std::fmt::Display for Container {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.extension())
    }
}

/// Reads the file at `path`, whatever its extension.
///
/// # Errors
/// As [`read_with`]; the file's own errors as [`Error::File`].
pub fn open(path: impl AsRef<Path>) -> Result<Texture, Error> {
    open_with(path, Limits::default())
}

/// Reads the file at `path` within `limits`.
///
/// # Errors
/// As [`read_with`]; the file's own errors as [`Error::File`].
pub fn open_with(path: impl AsRef<Path>, limits: Limits) -> Result<Texture, Error> {
    read_with(file::read_file(path.as_ref(), limits)?, limits)
}

/// Reads a file that is in memory already.
///
/// # Errors
/// As [`read_with`].
pub fn read(bytes: Vec<u8>) -> Result<Texture, Error> {
    read_with(bytes, Limits::default())
}

/// Reads a file that is in memory already, within `limits`.
///
/// # Errors
/// [`Error::UnknownContainer`] if its first bytes are no container's; [`Error::PastEnd`], [`Error::Field`] or
/// [`Error::Decompress`] if it is malformed; [`Error::Unsupported`] if it is well-formed but not read here;
/// [`Error::TooLarge`] past the limits.
pub fn read_with(bytes: Vec<u8>, limits: Limits) -> Result<Texture, Error> {
    match Container::detect(&bytes) {
        Some(Container::Astc) => astc::read(bytes),
        Some(Container::Ktx) => ktx::read(bytes),
        Some(Container::Ktx2) => ktx2::read(bytes, limits),
        Some(Container::Pkm) => pkm::read(bytes),
        Some(Container::Dds) => dds::read(bytes),
        _ => Err(Error::UnknownContainer { start: bytes[..bytes.len().min(12)].to_vec() }),
    }
}
