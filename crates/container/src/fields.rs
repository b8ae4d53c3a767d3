//! Reading header fields by name, so that every error says which field of which container is wrong.

use std::fmt::Display;
use std::ops::Range;

use texemu_format::Format;

use crate::{Container, Error, Limits, Shape, ShapeDesc};

/// A file's bytes with the name of its container for the errors.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub(crate) container: Container,
    pub(crate) bytes: &'a [u8],
    /// KTX 1 files may be big-endian.
    pub(crate) big_endian: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(container: Container, bytes: &'a [u8]) -> Self {
        Self { container, bytes, big_endian: false }
    }

    /// The bytes `offset..offset + length`, which `field` claims to exist.
    pub(crate) fn range(&self, offset: u64, length: u64, field: impl Display) -> Result<Range<usize>, Error> {
        let file_bytes = self.bytes.len() as u64;
        match offset.checked_add(length) {
            // Both ends are at most the length of a slice, so they fit in a usize.
            Some(end) if end <= file_bytes => Ok(offset as usize..end as usize),
            end => Err(Error::PastEnd {
                container: self.container,
                field: field.to_string(),
                end: end.unwrap_or(u64::MAX),
                file_bytes,
            }),
        }
    }

    fn array<const N: usize>(&self, offset: u64, field: impl Display) -> Result<[u8; N], Error> {
        let range = self.range(offset, N as u64, format_args!("the end of {field}"))?;
        let mut array = [0; N];
        array.copy_from_slice(&self.bytes[range]);
        Ok(array)
    }

    pub(crate) fn u8(&self, offset: u64, field: impl Display) -> Result<u8, Error> {
        Ok(self.array::<1>(offset, field)?[0])
    }

    pub(crate) fn u16(&self, offset: u64, field: impl Display) -> Result<u16, Error> {
        let bytes = self.array(offset, field)?;
        Ok(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(crate) fn u32(&self, offset: u64, field: impl Display) -> Result<u32, Error> {
        let bytes = self.array(offset, field)?;
        Ok(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub(crate) fn u64(&self, offset: u64, field: impl Display) -> Result<u64, Error> {
        let bytes = self.array(offset, field)?;
        Ok(if self.big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// The error of a field that holds what it must not.
    pub(crate) fn bad<T>(
        &self,
        field: impl Display,
        value: impl Display,
        problem: impl Display,
    ) -> Result<T, Error> {
        Err(Error::Field {
            container: self.container,
            field: field.to_string(),
            value: value.to_string(),
            problem: problem.to_string(),
        })
    }

    /// The error of a field that asks for what this crate does not do.
    pub(crate) fn unsupported<T>(
        &self,
        field: impl Display,
        value: impl Display,
        reason: impl Display,
    ) -> Result<T, Error> {
        Err(Error::Unsupported {
            container: self.container,
            field: field.to_string(),
            value: value.to_string(),
            reason: reason.to_string(),
        })
    }

    /// The checked shape, with [`ShapeDesc`]'s fields called as this container calls them.
    pub(crate) fn shape(&self, desc: ShapeDesc, names: &ShapeNames) -> Result<Shape, Error> {
        Shape::new(desc).map_err(|error| match error {
            Error::Shape { field, value, problem } => {
                Error::Field { container: self.container, field: names.of(field).to_owned(), value, problem }
            }
            other => other,
        })
    }

    /// The shape in a KTX header of either version: six numbers from `offset` on, in one order and with one meaning, under
    /// different names.
    pub(crate) fn khronos_shape(
        &self,
        offset: u64,
        format: &'static Format,
        names: &ShapeNames,
    ) -> Result<Shape, Error> {
        let field = |index: u64, name| self.u32(offset + 4 * index, name);
        let width = field(0, names.width)?;
        let height = field(1, names.height)?;
        let depth = field(2, names.depth)?;
        let layers = field(3, names.layers)?;
        let faces = field(4, names.faces)?;
        // 0 asks the loader to make the levels; level 0 is what the file has.
        let levels = field(5, names.levels)?.max(1);
        if height == 0 && width != 0 {
            return self.unsupported(names.height, 0, "1D textures");
        }
        if layers > 0 && depth > 0 {
            let reason = format_args!("an array of 3D textures ({} = {depth})", names.depth);
            return self.unsupported(names.layers, layers, reason);
        }
        let desc = ShapeDesc {
            format,
            extent: [width, height, depth.max(1)],
            levels,
            layers: layers.max(1),
            faces,
            is_array: layers > 0,
            is_3d: depth > 0,
        };
        self.shape(desc, names)
    }

    /// Whether decompressing `bytes` is allowed.
    pub(crate) fn within(&self, limits: Limits, bytes: u64, what: impl Display) -> Result<(), Error> {
        if bytes > limits.bytes {
            let what = format!("{}: {what}", self.container);
            return Err(Error::TooLarge { what, bytes, limit: limits.bytes });
        }
        Ok(())
    }
}

/// What a container calls the fields of a shape.
pub(crate) struct ShapeNames {
    pub(crate) width: &'static str,
    pub(crate) height: &'static str,
    pub(crate) depth: &'static str,
    pub(crate) levels: &'static str,
    pub(crate) layers: &'static str,
    pub(crate) faces: &'static str,
    pub(crate) extent: &'static str,
}

impl ShapeNames {
    fn of(&self, field: &'static str) -> &'static str {
        match field {
            "width" => self.width,
            "height" => self.height,
            "depth" => self.depth,
            "levels" => self.levels,
            "layers" => self.layers,
            "faces" => self.faces,
            "extent" => self.extent,
            other => other,
        }
    }
}
