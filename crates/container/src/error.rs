//! What can go wrong with a container: the file's fault (named by the container's own field), the caller's, or I/O.

use std::io;

use crate::Container;

/// Everything that reading or writing a container can fail with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file starts like no container that is read here.
    #[error("not a .astc, .ktx, .ktx2, .pkm or .dds file: {}", describe(.start))]
    UnknownContainer {
        /// The first bytes of the file, at most 12.
        start: Vec<u8>,
    },
    /// A header field, or what it points at, lies past the end of the file.
    #[error("{container}: {field} = {end} lies past the end of the file ({file_bytes} bytes)")]
    PastEnd {
        /// The container being read.
        container: Container,
        /// The field, or the sum of fields, in the container's own words.
        field: String,
        /// Its value: where the data would end, in bytes from the start of the file.
        end: u64,
        /// The file's size in bytes.
        file_bytes: u64,
    },
    /// A header field holds a value that the container's specification forbids, or that contradicts another.
    #[error("{container}: {field} = {value}: {problem}")]
    Field {
        /// The container being read.
        container: Container,
        /// The field in the container's own words.
        field: String,
        /// What it holds.
        value: String,
        /// Why it cannot be so.
        problem: String,
    },
    /// A well-formed file that this crate does not read.
    #[error("{container}: {field} = {value} is not supported: {reason}")]
    Unsupported {
        /// The container being read.
        container: Container,
        /// The field in the container's own words.
        field: String,
        /// What it holds.
        value: String,
        /// What is not supported, and where there is a way out, which.
        reason: String,
    },
    /// A level's supercompressed bytes do not decompress to what the header promises.
    #[error("{container}: level {level}: {scheme} data of {compressed_bytes} bytes: {problem}")]
    Decompress {
        /// The container being read.
        container: Container,
        /// The level whose data is bad.
        level: u32,
        /// The supercompression scheme.
        scheme: &'static str,
        /// Bytes of compressed data.
        compressed_bytes: u64,
        /// What the decompressor met.
        problem: String,
    },
    /// The image is larger than the caller's limit.
    #[error("{what} needs {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// What needs the bytes.
        what: String,
        /// Bytes needed.
        bytes: u64,
        /// The limit that was set, see [`Limits`](crate::Limits).
        limit: u64,
    },
    /// A shape that no image can have.
    #[error("{field} = {value}: {problem}")]
    Shape {
        /// The field of [`ShapeDesc`](crate::ShapeDesc).
        field: &'static str,
        /// What it holds.
        value: String,
        /// Why it cannot be so.
        problem: String,
    },
    /// A texture that the chosen container cannot store.
    #[error("{container} cannot store {what}")]
    CannotStore {
        /// The container chosen for writing.
        container: Container,
        /// What it has no way to express.
        what: String,
    },
    /// The caller delivered more or fewer bytes for an image than its shape says.
    #[error("level {level}, layer {layer}, face {face}: {delivered} bytes delivered, {expected} expected")]
    ImageBytes {
        /// Mip level.
        level: u32,
        /// Array layer.
        layer: u32,
        /// Cube face.
        face: u32,
        /// Bytes delivered.
        delivered: u64,
        /// Bytes that the image has.
        expected: u64,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Reading or writing a named file failed.
    #[error("{}: {problem}", .path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        problem: io::Error,
    },
}

/// What a file that starts like this is, if it is something that people take for a texture.
fn describe(start: &[u8]) -> String {
    const KNOWN: [(&[u8], &str); 11] = [
        (b"\x89PNG", "a PNG picture"),
        (b"\xFF\xD8\xFF", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"BM", "a BMP picture"),
        (b"\x76\x2F\x31\x01", "an OpenEXR picture"),
        (b"PVR\x03", "a PVR texture"),
        (b"sB", "a .basis texture: Basis Universal must be transcoded to ASTC or ETC2 first"),
        (b"\x28\xB5\x2F\xFD", "compressed with Zstandard"),
        (b"\x1F\x8B", "compressed with gzip"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"version https://git-lfs", "a pointer to a file in Git LFS"),
    ];
    if start.is_empty() {
        return "it is empty".to_owned();
    }
    let hex = start.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    // An error keeps no more than the first bytes of a long name.
    let is_like = |magic: &[u8]| start.starts_with(magic) || (start.len() >= 12 && magic.starts_with(start));
    match KNOWN.iter().find(|(magic, _)| is_like(magic)) {
        Some((_, name)) => format!("it starts with {hex}, like {name}"),
        None => format!("it starts with {hex}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, read};

    #[test]
    fn what_is_no_texture_is_called_what_it_is() {
        let text = |start: &[u8]| match read(start.to_vec()) {
            Err(error @ Error::UnknownContainer { .. }) => error.to_string(),
            other => panic!("{start:x?}: {other:?}"),
        };
        assert!(text(b"").ends_with("it is empty"), "{}", text(b""));
        assert!(text(b"\x89PNG\r\n\x1A\n").ends_with("like a PNG picture"));
        assert!(text(b"version https://git-lfs.github.com/spec/v1").ends_with("in Git LFS"));
        assert!(text(b"nothing known").ends_with("it starts with 6e 6f 74 68 69 6e 67 20 6b 6e 6f 77"));
    }
}
