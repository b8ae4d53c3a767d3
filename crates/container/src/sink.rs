//! Between the caller, who writes the bytes of an image in pieces of any size, and a container's encoder.

use std::io::{self, Write};

use crate::{Error, Shape, Subresource};

/// Lets `image` write to `out`, and checks that it writes exactly the bytes of `at`.
pub(crate) fn deliver(
    out: &mut dyn Write,
    shape: &Shape,
    at: Subresource,
    image: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    deliver_bytes(out, shape.image_bytes(at.level), at, image)
}

/// Lets `image` write to `out`, and checks that it writes exactly `expected` bytes.
pub(crate) fn deliver_bytes(
    out: &mut dyn Write,
    expected: u64,
    at: Subresource,
    image: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let mut metered = Metered { out, delivered: 0, expected };
    let result = image(&mut metered);
    let delivered = metered.delivered;
    let Subresource { level, layer, face } = at;
    // Too many bytes end in an error of the sink, too; this one says more.
    if delivered > expected || (result.is_ok() && delivered < expected) {
        return Err(Error::ImageBytes { level, layer, face, delivered, expected });
    }
    Ok(result?)
}

/// A sink that takes `expected` bytes and no more.
struct Metered<'a> {
    out: &'a mut dyn Write,
    delivered: u64,
    expected: u64,
}

impl Write for Metered<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.expected.saturating_sub(self.delivered) {
            self.delivered += bytes.len() as u64;
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "more bytes than the image has"));
        }
        let written = self.out.write(bytes)?;
        self.delivered += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Collects bytes into rows of `row_bytes` and hands each whole row to `take`.
pub(crate) struct Rows<F> {
    row: Vec<u8>,
    row_bytes: usize,
    take: F,
}

impl<F: FnMut(&[u8]) -> io::Result<()>> Rows<F> {
    pub(crate) fn new(row_bytes: usize, take: F) -> Self {
        Self { row: Vec::new(), row_bytes, take }
    }
}

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for Rows<F> {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len();
        if !self.row.is_empty() {
            let (head, rest) = bytes.split_at(bytes.len().min(self.row_bytes - self.row.len()));
            self.row.extend_from_slice(head);
            bytes = rest;
            if self.row.len() < self.row_bytes {
                return Ok(written);
            }
            (self.take)(&self.row)?;
            self.row.clear();
        }
        let whole = bytes.chunks_exact(self.row_bytes);
        self.row.extend_from_slice(whole.remainder());
        for row in whole {
            (self.take)(row)?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
