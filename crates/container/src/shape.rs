//! The shape of a texture: what a container's header says, checked once, so that every size derived from it is right.

use texemu_format::{Format, VkFormat, level_extent};

use crate::Error;

/// What a [`Shape`] is made of. Fields that a plain 2D image does not need are preset by [`ShapeDesc::image`].
#[derive(Clone, Copy, Debug)]
pub struct ShapeDesc {
    /// The format of every image.
    pub format: &'static Format,
    /// Width, height and depth of level 0 in texels.
    pub extent: [u32; 3],
    /// Mip levels, at least 1.
    pub levels: u32,
    /// Array layers, at least 1. A cube map array of two cubes has 2 layers and 6 faces.
    pub layers: u32,
    /// 6 for cube maps, otherwise 1.
    pub faces: u32,
    /// Whether the texture is an array, even of one layer.
    pub is_array: bool,
    /// Whether the texture is 3D, even of one slice.
    pub is_3d: bool,
}

impl ShapeDesc {
    /// One 2D image of `width` x `height` texels: one level, one layer, one face.
    pub fn image(format: &'static Format, width: u32, height: u32) -> Self {
        Self {
            format,
            extent: [width, height, 1],
            levels: 1,
            layers: 1,
            faces: 1,
            is_array: false,
            is_3d: false,
        }
    }
}

/// The checked shape of a texture. All byte sizes are for tightly packed data and fit in an `i64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    format: &'static Format,
    extent: [u32; 3],
    levels: u32,
    layers: u32,
    faces: u32,
    is_array: bool,
    is_3d: bool,
}

/// One image of a texture: all slices of one face of one array layer of one mip level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Subresource {
    /// Mip level.
    pub level: u32,
    /// Array layer; a cube map array counts cubes here.
    pub layer: u32,
    /// Cube face in the order +X, -X, +Y, -Y, +Z, -Z; 0 where there are no faces.
    pub face: u32,
}

impl Shape {
    /// Checks `desc`: no empty dimension, no more levels than the extent has, cubes are square, 3D textures have one
    /// layer and one face, and all bytes together fit in an `i64`.
    ///
    /// # Errors
    /// [`Error::Shape`] names the first field that cannot be so.
    pub fn new(desc: ShapeDesc) -> Result<Self, Error> {
        let ShapeDesc { format, extent, levels, layers, faces, is_array, is_3d } = desc;
        let fail = |field, value: String, problem: String| Err(Error::Shape { field, value, problem });
        for (field, size) in ["width", "height", "depth"].into_iter().zip(extent) {
            if size == 0 {
                return fail(field, "0".to_owned(), "an image has at least one texel".to_owned());
            }
        }
        let most = max_levels(extent);
        if levels == 0 || levels > most {
            let [width, height, depth] = extent;
            let problem = format!("an image of {width}x{height}x{depth} texels has 1 to {most} levels");
            return fail("levels", levels.to_string(), problem);
        }
        if layers == 0 || (layers > 1 && !is_array) {
            let problem = if layers == 0 { "there is at least one layer" } else { "not an array" };
            return fail("layers", layers.to_string(), problem.to_owned());
        }
        if faces != 1 && faces != 6 {
            return fail("faces", faces.to_string(), "cube maps have 6 faces, all else has 1".to_owned());
        }
        if faces == 6 && (extent[0] != extent[1] || is_3d) {
            let [width, height, depth] = extent;
            return fail(
                "faces",
                "6".to_owned(),
                format!("{width}x{height}x{depth} texels are no face of a cube"),
            );
        }
        if extent[2] > 1 && !is_3d {
            return fail("depth", extent[2].to_string(), "not a 3D texture".to_owned());
        }
        if is_3d && is_array {
            return fail("layers", layers.to_string(), "there are no arrays of 3D textures".to_owned());
        }
        let shape = Self { format, extent, levels, layers, faces, is_array, is_3d };
        if shape.checked_bytes().is_none() {
            let [width, height, depth] = extent;
            let value = format!("{width}x{height}x{depth}");
            let problem = format!(
                "{levels} levels, {layers} layers and {faces} faces of {} need over 2^63 bytes",
                format.name
            );
            return fail("extent", value, problem);
        }
        Ok(shape)
    }

    fn checked_bytes(&self) -> Option<u64> {
        let images = u64::from(self.layers).checked_mul(self.faces.into())?;
        (0..self.levels)
            .try_fold(0u64, |sum, level| {
                let image = self.format.level_bytes(level_extent(self.extent, level))?;
                sum.checked_add(image.checked_mul(images)?)
            })
            .filter(|&bytes| i64::try_from(bytes).is_ok())
    }

    /// The same shape in another format, for instance that of the decoded texture.
    ///
    /// # Errors
    /// [`Error::Shape`] if the bytes no longer fit in an `i64`.
    pub fn with_format(&self, format: &'static Format) -> Result<Self, Error> {
        Self::new(ShapeDesc { format, ..self.desc() })
    }

    /// The fields as a description that can be altered and checked again.
    pub fn desc(&self) -> ShapeDesc {
        let Self { format, extent, levels, layers, faces, is_array, is_3d } = *self;
        ShapeDesc { format, extent, levels, layers, faces, is_array, is_3d }
    }

    /// The format of every image.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Width, height and depth of level 0 in texels.
    pub fn extent(&self) -> [u32; 3] {
        self.extent
    }

    /// Width, height and depth of `level` in texels.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        level_extent(self.extent, level)
    }

    /// Mip levels, at least 1.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Array layers, at least 1.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// 6 for cube maps, otherwise 1.
    pub fn faces(&self) -> u32 {
        self.faces
    }

    /// Whether the texture is an array, even of one layer.
    pub fn is_array(&self) -> bool {
        self.is_array
    }

    /// Whether the texture is 3D, even of one slice.
    pub fn is_3d(&self) -> bool {
        self.is_3d
    }

    /// Bytes of one image of `level`: all its slices.
    pub fn image_bytes(&self, level: u32) -> u64 {
        self.format.level_bytes(self.level_extent(level)).unwrap_or(u64::MAX)
    }

    /// Bytes of one slice of one image of `level`.
    pub fn slice_bytes(&self, level: u32) -> u64 {
        let [width, height, _] = self.level_extent(level);
        self.format.level_bytes([width, height, 1]).unwrap_or(u64::MAX)
    }

    /// Bytes of one row of blocks (of texels, for uncompressed formats) of `level`.
    pub fn row_bytes(&self, level: u32) -> u64 {
        let [columns, _, _] = self.format.blocks(self.level_extent(level));
        u64::from(columns) * u64::from(self.format.block_bytes)
    }

    /// Bytes of all layers and faces of `level`.
    pub fn level_bytes(&self, level: u32) -> u64 {
        self.image_bytes(level) * u64::from(self.layers) * u64::from(self.faces)
    }

    /// Bytes of the whole texture.
    pub fn bytes(&self) -> u64 {
        (0..self.levels).map(|level| self.level_bytes(level)).sum()
    }

    /// Whether `at` names an image of this texture.
    pub fn contains(&self, at: Subresource) -> bool {
        at.level < self.levels && at.layer < self.layers && at.face < self.faces
    }

    /// Every image in the order of raw output: level, then layer, then face.
    pub fn images(&self) -> impl Iterator<Item = Subresource> + use<> {
        let Self { levels, layers, faces, .. } = *self;
        (0..levels).flat_map(move |level| {
            (0..layers).flat_map(move |layer| (0..faces).map(move |face| Subresource { level, layer, face }))
        })
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height, depth] = self.extent;
        write!(f, "{} {width}x{height}", self.format.name)?;
        if self.is_3d {
            write!(f, "x{depth}")?;
        }
        if self.faces == 6 {
            f.write_str(" cube map")?;
        }
        if self.is_array {
            write!(f, ", {} layers", self.layers)?;
        }
        if self.levels > 1 {
            write!(f, ", {} levels", self.levels)?;
        }
        Ok(())
    }
}

/// The most mip levels that an image of `extent` texels has (Vulkan specification, "Image Mip Level Sizing").
pub fn max_levels(extent: [u32; 3]) -> u32 {
    extent.into_iter().max().map_or(0, |size| u32::BITS - size.leading_zeros())
}

/// The name of a `VkFormat`, also of those that the format table lacks but that users meet: ASTC with 3D blocks.
pub(crate) fn vk_name(vk: i64) -> String {
    /// `VK_EXT_texture_compression_astc_3d`'s footprints, in the order of their numbers.
    const FOOTPRINTS_3D: [&str; 10] =
        ["3x3x3", "4x3x3", "4x4x3", "4x4x4", "5x4x4", "5x5x4", "5x5x5", "6x5x5", "6x6x5", "6x6x6"];
    const FIRST_3D: i64 = 1000288000;
    if vk == 0 {
        return "VK_FORMAT_UNDEFINED".to_owned();
    }
    if let Some(format) = i32::try_from(vk).ok().and_then(|vk| texemu_format::by_vk(VkFormat(vk))) {
        return format.name.to_owned();
    }
    if let Some(index) = usize::try_from(vk - FIRST_3D).ok().filter(|&index| index < 3 * FOOTPRINTS_3D.len())
    {
        let numeric = ["UNORM", "SRGB", "SFLOAT"][index % 3];
        return format!("VK_FORMAT_ASTC_{}_{numeric}_BLOCK_EXT", FOOTPRINTS_3D[index / 3]);
    }
    format!("VkFormat {vk}")
}
