//! What one timed run does.

use texemu_container::max_levels;
use texemu_format::{Format, level_extent};

/// Images to transcode in one recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Work {
    /// Texels of level 0.
    pub(crate) extent: [u32; 2],
    pub(crate) levels: u32,
    pub(crate) images: u32,
}

impl Work {
    /// One level of one image.
    pub(crate) fn plain(size: u32) -> Self {
        Self { extent: [size, size], levels: 1, images: 1 }
    }

    /// All levels of one image.
    pub(crate) fn chain(size: u32) -> Self {
        Self { levels: max_levels([size, size, 1]), ..Self::plain(size) }
    }

    /// Many images.
    pub(crate) fn many(images: u32, size: u32) -> Self {
        Self { images, ..Self::plain(size) }
    }

    pub(crate) fn level(&self, level: u32) -> [u32; 3] {
        level_extent([self.extent[0], self.extent[1], 1], level)
    }

    pub(crate) fn texels(&self) -> u64 {
        let texels = |level| self.level(level).map(u64::from).iter().product::<u64>();
        u64::from(self.images) * (0..self.levels).map(texels).sum::<u64>()
    }

    /// Bytes of all images in `format`, tightly packed.
    pub(crate) fn bytes(&self, format: &Format) -> u64 {
        let bytes = |level| format.level_bytes(self.level(level)).unwrap_or(0);
        u64::from(self.images) * (0..self.levels).map(bytes).sum::<u64>()
    }
}

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.extent;
        match (self.images, self.levels) {
            (1, 1) => write!(f, "{width}x{height}"),
            (1, _) => write!(f, "chain {width}"),
            (images, _) => write!(f, "{images} x {width}x{height}"),
        }
    }
}
