//! A texture in memory: its shape, its bytes, and what its container said about them.

use std::io::{self, Write};

use texemu_format::{Codec, Format, Numeric};

use crate::{Container, Error, Shape, ShapeDesc, Subresource};

/// How the bytes of the levels were stored in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Supercompression {
    /// As they are.
    #[default]
    None,
    /// Zstandard, one frame a level.
    Zstd,
    /// zlib (RFC 1950), one stream a level.
    Zlib,
}

impl Supercompression {
    /// The scheme's name in the KTX 2 specification.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zstd => "Zstandard",
            Self::Zlib => "ZLIB",
        }
    }
}

/// What a container says about its texels besides their shape. All of it is optional and none of it changes a byte.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Notes {
    /// `KTXorientation`: the direction of increasing coordinates, for instance `rd` (right, down) or `ru`.
    /// KTX 1's `S=r,T=d` is stored in this form too.
    pub orientation: Option<String>,
    /// `KTXswizzle`: the components a sampler should see, for instance `rrr1`.
    pub swizzle: Option<String>,
    /// `KTXwriter`: the program that wrote the file.
    pub writer: Option<String>,
    /// Whether the colours are premultiplied by alpha.
    pub premultiplied: bool,
    /// Whether the data format descriptor names primaries other than BT.709, by their Khronos number.
    pub primaries: Option<u8>,
    /// Whether the format was declared as ETC1, of which every block is an ETC2 block too.
    pub etc1: bool,
}

/// A texture of one of the formats of [`texemu_format::FORMATS`].
///
/// The bytes of an image are tightly packed blocks: slice after slice, row of blocks after row of blocks. The images of a
/// level lie one after the other: layer after layer, and inside a layer face after face. They are slices of the buffer
/// that the file was read into, unless the container stores them in another order, padded or supercompressed.
#[derive(Clone, Debug)]
pub struct Texture {
    shape: Shape,
    data: Vec<u8>,
    /// Where each level starts in `data`.
    offsets: Vec<usize>,
    container: Container,
    supercompression: Supercompression,
    notes: Notes,
}

impl Texture {
    /// A texture of `data` in the order of raw output: level, layer, face, slice, row.
    ///
    /// # Errors
    /// [`Error::Shape`] if `data` is not exactly as long as `shape` says.
    pub fn from_raw(shape: Shape, data: Vec<u8>) -> Result<Self, Error> {
        if data.len() as u64 != shape.bytes() {
            let problem = format!("{shape} has {} bytes", shape.bytes());
            return Err(Error::Shape { field: "data", value: format!("{} bytes", data.len()), problem });
        }
        Ok(Self::from_levels(shape, data, packed_offsets(&shape), Container::Raw))
    }

    /// A texture whose level `n` lies in `data` at `offsets[n]`. The caller has checked that it does.
    pub(crate) fn from_levels(
        shape: Shape,
        data: Vec<u8>,
        offsets: Vec<usize>,
        container: Container,
    ) -> Self {
        debug_assert_eq!(offsets.len(), shape.levels() as usize, "one offset a level");
        debug_assert!(
            (0..shape.levels())
                .zip(&offsets)
                .all(|(level, &offset)| offset as u64 + shape.level_bytes(level) <= data.len() as u64),
            "levels lie inside the data"
        );
        let supercompression = Supercompression::None;
        Self { shape, data, offsets, container, supercompression, notes: Notes::default() }
    }

    pub(crate) fn with_supercompression(self, supercompression: Supercompression) -> Self {
        Self { supercompression, ..self }
    }

    pub(crate) fn with_notes(self, notes: Notes) -> Self {
        Self { notes, ..self }
    }

    /// Format, extent, levels, layers and faces.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The format of every image.
    pub fn format(&self) -> &'static Format {
        self.shape.format()
    }

    /// The container that the texture was read from.
    pub fn container(&self) -> Container {
        self.container
    }

    /// How its levels were stored there.
    pub fn supercompression(&self) -> Supercompression {
        self.supercompression
    }

    /// What the container said besides.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// The bytes of all layers and faces of `level`.
    ///
    /// # Panics
    /// If there is no such level.
    pub fn level(&self, level: u32) -> &[u8] {
        assert!(level < self.shape.levels(), "level {level} of {}", self.shape);
        let start = self.offsets[level as usize];
        &self.data[start..start + self.shape.level_bytes(level) as usize]
    }

    /// The bytes of one image: all its slices.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn image(&self, at: Subresource) -> &[u8] {
        assert!(self.shape.contains(at), "{at:?} of {}", self.shape);
        let bytes = self.shape.image_bytes(at.level) as usize;
        let index = at.layer as usize * self.shape.faces() as usize + at.face as usize;
        &self.level(at.level)[index * bytes..][..bytes]
    }

    /// The bytes of one slice of one image.
    ///
    /// # Panics
    /// If there is no such slice.
    pub fn slice(&self, at: Subresource, slice: u32) -> &[u8] {
        assert!(slice < self.shape.level_extent(at.level)[2], "slice {slice} of {at:?} of {}", self.shape);
        let bytes = self.shape.slice_bytes(at.level) as usize;
        &self.image(at)[slice as usize * bytes..][..bytes]
    }

    /// Writes the bytes of one image to `out`: what the writers of this crate ask for.
    ///
    /// # Errors
    /// What `out` returns.
    pub fn write_image(&self, at: Subresource, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.image(at))
    }

    /// Reads the same blocks as another numeric type, where the container could not tell (.astc says neither sRGB nor HDR,
    /// KTX 1 does not say HDR) or is known to be wrong.
    ///
    /// # Errors
    /// [`Error::Shape`] if the format has no sibling of that type.
    pub fn set_numeric(&mut self, numeric: Numeric) -> Result<(), Error> {
        let format = sibling(self.format(), numeric).ok_or_else(|| Error::Shape {
            field: "numeric",
            value: format!("{numeric:?}"),
            problem: format!("{} has no such sibling", self.format().name),
        })?;
        self.shape = Shape::new(ShapeDesc { format, ..self.shape.desc() })?;
        Ok(())
    }
}

/// The format with the same blocks and another numeric type. ASTC blocks are the same for the LDR and the HDR profile.
fn sibling(format: &Format, numeric: Numeric) -> Option<&'static Format> {
    let codec = match (format.codec, numeric) {
        (Codec::AstcLdr, Numeric::Sfloat) => Codec::AstcHdr,
        (Codec::AstcHdr, Numeric::Unorm | Numeric::Srgb) => Codec::AstcLdr,
        (codec, _) => codec,
    };
    texemu_format::find(codec, format.footprint, numeric)
}

/// Where each level starts when all lie one after the other.
pub(crate) fn packed_offsets(shape: &Shape) -> Vec<usize> {
    offsets((0..shape.levels()).map(|level| shape.level_bytes(level)))
}

/// Where each of several runs of bytes starts when they lie one after the other.
pub(crate) fn offsets(sizes: impl Iterator<Item = u64>) -> Vec<usize> {
    sizes.scan(0, |next, bytes| Some(std::mem::replace(next, *next + bytes as usize))).collect()
}

impl Notes {
    /// Keeps what one entry of a KTX file's key/value data says: key, NUL, value. Unknown keys are skipped.
    pub(crate) fn note(&mut self, entry: &[u8]) {
        let Some(end) = entry.iter().position(|&byte| byte == 0) else { return };
        let (key, value) = (&entry[..end], &entry[end + 1..]);
        // Strings end in NUL, and some writers forget it.
        let value = value.split(|&byte| byte == 0).next().unwrap_or_default();
        let Ok(value) = std::str::from_utf8(value) else { return };
        match key {
            // KTX 1 writes `S=r,T=d,R=i`, KTX 2 `rdi`.
            b"KTXorientation" => {
                let axes = value.split(',').map(|axis| axis.split_once('=').map_or(axis, |(_, way)| way));
                self.orientation = Some(axes.collect());
            }
            b"KTXswizzle" => self.swizzle = Some(value.to_owned()),
            b"KTXwriter" => self.writer = Some(value.to_owned()),
            _ => {}
        }
    }
}
