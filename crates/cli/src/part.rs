//! The part of a texture that a command works on.

use anyhow::{Result, bail};
use clap::Args;
use texemu_container::{Shape, ShapeDesc, Subresource, Texture};

/// Which images of a texture.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[command(next_help_heading = "Which part of the texture")]
pub(crate) struct Selection {
    /// Only this mip level
    #[arg(long, value_name = "N")]
    pub(crate) level: Option<u32>,
    /// Only this array layer
    #[arg(long, value_name = "N")]
    pub(crate) layer: Option<u32>,
    /// Only this cube face: 0 to 5 for +X, -X, +Y, -Y, +Z, -Z
    #[arg(long, value_name = "N")]
    pub(crate) face: Option<u32>,
    /// Only this depth slice; of level 0 unless --level says otherwise
    #[arg(long, value_name = "N")]
    pub(crate) slice: Option<u32>,
}

/// Some images of a texture, seen as a texture of their own.
pub(crate) struct Part<'a> {
    texture: &'a Texture,
    shape: Shape,
    base: Subresource,
    base_slice: u32,
}

impl<'a> Part<'a> {
    /// What `selection` leaves of `texture`.
    pub(crate) fn new(texture: &'a Texture, selection: &Selection) -> Result<Self> {
        let whole = *texture.shape();
        let within = |what: &str, wanted: Option<u32>, count: u32| match wanted {
            Some(index) if index >= count => {
                bail!("--{what} {index}: there are {count}, counted from 0, in {whole}")
            }
            index => Ok(index),
        };
        let slice_level = selection.slice.map(|_| 0);
        let level = within("level", selection.level.or(slice_level), whole.levels())?;
        let layer = within("layer", selection.layer, whole.layers())?;
        let face = within("face", selection.face, whole.faces())?;
        let extent = whole.level_extent(level.unwrap_or(0));
        let slice = within("slice", selection.slice, extent[2])?;
        let mut desc = ShapeDesc { extent, ..whole.desc() };
        if level.is_some() {
            desc.levels = 1;
        }
        if layer.is_some() {
            (desc.layers, desc.is_array) = (1, false);
        }
        if face.is_some() {
            desc.faces = 1;
        }
        if slice.is_some() {
            (desc.extent[2], desc.is_3d) = (1, false);
        }
        Ok(Self {
            texture,
            shape: Shape::new(desc)?,
            base: Subresource {
                level: level.unwrap_or(0),
                layer: layer.unwrap_or(0),
                face: face.unwrap_or(0),
            },
            base_slice: slice.unwrap_or(0),
        })
    }

    /// The first slice of the first image: what a file of one picture holds.
    pub(crate) fn first_picture(&self) -> Result<Self> {
        let [width, height, _] = self.shape.extent();
        let shape = Shape::new(ShapeDesc::image(self.shape.format(), width, height))?;
        Ok(Self { shape, ..*self })
    }

    /// How many pictures there are: slices of images.
    pub(crate) fn pictures(&self) -> u64 {
        self.shape.images().map(|at| u64::from(self.shape.level_extent(at.level)[2])).sum()
    }

    /// Its shape, in the texture's format.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The blocks of one slice.
    pub(crate) fn slice(&self, at: Subresource, slice: u32) -> &'a [u8] {
        let at = Subresource {
            level: self.base.level + at.level,
            layer: self.base.layer + at.layer,
            face: self.base.face + at.face,
        };
        self.texture.slice(at, self.base_slice + slice)
    }

    /// The blocks of some rows of texels of a slice; a row of blocks starts at `first_row`.
    pub(crate) fn rows(&self, at: Subresource, slice: u32, first_row: u32, rows: u32) -> &'a [u8] {
        let row_bytes = self.shape.row_bytes(at.level) as usize;
        let height = self.shape.format().footprint[1];
        let (first, count) = ((first_row / height) as usize, rows.div_ceil(height) as usize);
        &self.slice(at, slice)[first * row_bytes..][..count * row_bytes]
    }

    /// Texels of all its images.
    pub(crate) fn texels(&self) -> u64 {
        let texels = |level| self.shape.level_extent(level).map(u64::from).iter().product::<u64>();
        let images = u64::from(self.shape.layers()) * u64::from(self.shape.faces());
        (0..self.shape.levels()).map(|level| texels(level) * images).sum()
    }
}
