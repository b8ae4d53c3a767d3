//! Raw bytes: no header, the images in the order level, layer, face, slice, row, texel.

use std::io::{self, Write};

use crate::sink::deliver;
use crate::{Error, Shape, Subresource};

/// Writes the images of `shape` to `out` one after the other: level, then layer, then face.
///
/// `image` is called once for each image and writes its bytes, in as many pieces as it likes.
///
/// # Errors
/// [`Error::ImageBytes`] if `image` writes too much or too little, [`Error::Io`] if it or `out` fails.
pub fn write_raw(
    mut out: impl Write,
    shape: &Shape,
    mut image: impl FnMut(Subresource, &mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    for at in shape.images() {
        deliver(&mut out, shape, at, |out| image(at, out))?;
    }
    out.flush()?;
    Ok(())
}
