//! What is to be done, worked out without a device: sizes, bytes, dispatches.

use crate::{Answers, AnyQuery, Error, HizCaps, Reduction, Result, Scheme};
use std::marker::PhantomData;

/// The largest depth buffer, in texels an axis.
pub const MAX_EXTENT: u32 = 16_384;
/// The last level there can be: `MAX_EXTENT` is `2^MAX_LEVEL`.
pub const MAX_LEVEL: u32 = 14;
/// Texels of an axis that a workgroup of the one-dispatch and two-dispatch paths takes at once.
pub(crate) const TILE: u32 = 64;
/// Tiles that a workgroup can take one after the other; as in glsl/hiz/chain.comp.
const MAX_TILES_ALIGNED: u32 = 8;
const MAX_TILES: u32 = 4;
/// Texels of a level that its last workgroup keeps in shared memory; the least `TAIL_CAPACITY` in glsl/hiz/chain.comp.
const TAIL_CAPACITY: u32 = 640;

/// How a texel of the pyramid is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(u32)]
pub enum TexelFormat {
    /// `R32_SFLOAT`, or `R32G32_SFLOAT` for both extremes.
    #[default]
    Float32 = 0,
    /// `R16_SFLOAT`, or `R16G16_SFLOAT`: minima rounded toward -infinity, maxima toward +infinity.
    Float16 = 1,
}

/// How a pyramid is made. All give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Path {
    /// All levels in one dispatch; workgroups count in with atomics. Needs the Vulkan memory model and a storage image a level.
    OneDispatch = 0,
    /// Two dispatches and no atomics. Needs a storage image a level.
    TwoDispatches = 1,
    /// A dispatch a level. Needs one storage image.
    PerLevel = 2,
    /// A draw a level, for devices without storage images of the format.
    Raster = 3,
    /// One level by atomics in shared memory: what the article found best.
    SharedAtomic = 4,
    /// One level by subgroup minima, no shared memory.
    SubgroupFold = 5,
}

impl Path {
    /// All paths.
    pub const ALL: [Self; 6] = [
        Self::OneDispatch,
        Self::TwoDispatches,
        Self::PerLevel,
        Self::Raster,
        Self::SharedAtomic,
        Self::SubgroupFold,
    ];
}

/// What pyramid to make of what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct HizDesc {
    /// Texels of the depth image, in x and y.
    pub source_extent: [u32; 2],
    /// Texels of the viewport inside it, which is what the pyramid covers.
    pub extent: [u32; 2],
    /// Array layers, or views of a multiview pass.
    pub layers: u32,
    /// Samples of the depth image. A texel's samples are reduced like neighbours.
    pub samples: u32,
    /// Which texels a texel covers.
    pub scheme: Scheme,
    /// What it keeps of them.
    pub reduction: Reduction,
    /// How it is stored.
    pub texel: TexelFormat,
    /// The first level to store. 0 copies the depth buffer as well.
    pub first_level: u32,
    /// The last level to store; beyond the last there is means all.
    pub last_level: u32,
}

impl HizDesc {
    /// All levels from 1 of a whole single-sampled depth image, in 32 bits.
    pub const fn new(extent: [u32; 2], scheme: Scheme, reduction: Reduction) -> Self {
        Self {
            source_extent: extent,
            extent,
            layers: 1,
            samples: 1,
            scheme,
            reduction,
            texel: TexelFormat::Float32,
            first_level: 1,
            last_level: u32::MAX,
        }
    }
}

/// One level that a plan stores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct HizLevel {
    /// Its number; 0 is the depth buffer.
    pub level: u32,
    /// Its texels, in x and y.
    pub extent: [u32; 2],
    /// Bytes of all its layers, tightly packed.
    pub bytes: u64,
}

/// What a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StepKind {
    /// Copies the viewport to level 0.
    Copy,
    /// Levels 1 to the last, with counters.
    Chain,
    /// The tiles' shares of levels 1 to 6.
    Tiles,
    /// What tiles owe each other, and levels from 7 on.
    Rest,
    /// One level from one before it.
    Level {
        /// The level read; 0 is the depth buffer.
        from: u32,
        /// The level written.
        to: u32,
    },
    /// The same as a draw into each layer.
    Draw {
        /// The level read; 0 is the depth buffer.
        from: u32,
        /// The level written.
        to: u32,
    },
    /// One level by shared-memory atomics.
    SharedAtomic,
    /// One level by subgroup minima.
    SubgroupFold,
}

/// One dispatch or draw of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// What it runs.
    pub kind: StepKind,
    /// Workgroups in x, y and z; for a draw, the pixels and the layers.
    pub groups: [u32; 3],
    /// It reads what the step before wrote, so a barrier stands between.
    pub depends: bool,
}

/// A pyramid worked out: levels, bytes, dispatches. Pure; makes no Vulkan call.
///
/// `L` says which queries the pyramid is known to answer: [`crate::Uv`], [`crate::Integer`], or nothing yet ([`AnyQuery`], of which
/// [`HizPlan::answering`] makes the others).
#[derive(Clone, PartialEq, Debug)]
pub struct HizPlan<L = AnyQuery> {
    desc: HizDesc,
    path: Path,
    front: Front,
    levels: Vec<HizLevel>,
    steps: Vec<Step>,
    lookup: PhantomData<L>,
}

impl HizPlan {
    /// Works out `desc` on a device of `caps`, by `path` or, without one, by the best that the device can.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the description contradicts itself, [`Error::Unsupported`] if the path cannot make it or the
    /// device lacks what the path needs.
    pub fn new(desc: &HizDesc, path: Option<Path>, caps: &HizCaps) -> Result<Self> {
        let mut desc = *desc;
        check(&desc)?;
        let last = desc.scheme.last_level(desc.extent);
        desc.last_level = desc.last_level.min(last);
        if desc.first_level > desc.last_level {
            return Err(Error::Invalid("first_level lies beyond the last level"));
        }
        let path = match path {
            Some(path) => supports(&desc, path, caps)
                .map(|()| path)
                .map_err(|reason| Error::Unsupported { path, reason })?,
            None => choose(&desc, caps)?,
        };
        let texel_bytes =
            u64::from(desc.reduction.components()) * if desc.texel == TexelFormat::Float32 { 4 } else { 2 };
        let levels = (desc.first_level..=desc.last_level).map(|level| {
            let extent = desc.extent.map(|size| desc.scheme.level_size(size, level));
            let bytes = u64::from(extent[0]) * u64::from(extent[1]) * u64::from(desc.layers) * texel_bytes;
            HizLevel { level, extent, bytes }
        });
        let mut plan = Self {
            desc,
            path,
            front: front(&desc, caps),
            levels: levels.collect(),
            steps: Vec::new(),
            lookup: PhantomData,
        };
        plan.steps = plan.work_out(caps);
        Ok(plan)
    }
}

impl<L> HizPlan<L> {
    /// The same plan, known to answer other queries.
    pub(crate) fn relabelled<M>(&self) -> HizPlan<M> {
        HizPlan {
            desc: self.desc,
            path: self.path,
            front: self.front,
            levels: self.levels.clone(),
            steps: self.steps.clone(),
            lookup: PhantomData,
        }
    }

    /// What was asked for, `last_level` being the last there is at most.
    pub fn desc(&self) -> &HizDesc {
        &self.desc
    }

    /// How it is made.
    pub fn path(&self) -> Path {
        self.path
    }

    /// Which queries the pyramid answers.
    pub fn answers(&self) -> Answers {
        self.desc.scheme.answers()
    }

    /// The levels it stores, from the finest.
    pub fn levels(&self) -> &[HizLevel] {
        &self.levels
    }

    /// Bytes of all levels, tightly packed.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().map(|level| level.bytes).sum()
    }

    /// The dispatches or draws, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The levels are what Vulkan calls the mip levels of one image, whose level 0 is the first of them.
    pub fn is_mip_chain(&self) -> bool {
        self.levels.windows(2).all(|pair| pair[1].extent == pair[0].extent.map(|size| (size >> 1).max(1)))
    }

    /// Bytes of scratch memory that a recording uses: what tiles leave for each other, and counters. 0 for most paths.
    pub fn scratch_bytes(&self) -> u64 {
        match self.path {
            Path::OneDispatch | Path::TwoDispatches => self.counter_offset() + self.counter_bytes(),
            _ => 0,
        }
    }

    /// Where the counters start in the scratch memory. They must be zero before the first use and reset themselves.
    pub(crate) fn counter_offset(&self) -> u64 {
        let key = 4 * u64::from(self.desc.reduction.components());
        (u64::from(self.scratch_stride()) * u64::from(self.desc.layers) * key).next_multiple_of(256)
    }

    pub(crate) fn counter_bytes(&self) -> u64 {
        match self.path {
            Path::OneDispatch => u64::from(self.tile_count() + 1) * u64::from(self.desc.layers) * 4,
            _ => 0,
        }
    }

    pub(crate) fn front(&self) -> Front {
        self.front
    }

    fn aligned(&self) -> bool {
        self.front == Front::Aligned
    }

    /// The size whose halving gives the levels: the viewport's, or twice that of level 1 under `Pow2Exact`.
    pub(crate) fn virtual_extent(&self) -> [u32; 2] {
        virtual_extent(&self.desc)
    }

    /// Keys of scratch memory a layer: edge slots and four planes of level 6, then levels too large for shared memory.
    pub(crate) fn scratch_stride(&self) -> u32 {
        let slots = if self.aligned() { 32 } else { 128 };
        let mut stride = self.tile_count() * (slots + 4);
        for level in 7..=self.desc.last_level {
            let [width, height] = self.desc.extent.map(|size| self.desc.scheme.level_size(size, level));
            if width * height > TAIL_CAPACITY {
                stride += width * height;
            }
        }
        stride
    }

    fn tile_count(&self) -> u32 {
        tile_count(&self.desc)
    }

    fn work_out(&self, caps: &HizCaps) -> Vec<Step> {
        let desc = &self.desc;
        let mut steps = Vec::new();
        let over = |extent: [u32; 2], by: u32| [extent[0].div_ceil(by), extent[1].div_ceil(by), desc.layers];
        let extent_of = |level| desc.extent.map(|size| desc.scheme.level_size(size, level));
        if desc.first_level == 0 && self.path != Path::Raster {
            steps.push(Step { kind: StepKind::Copy, groups: over(desc.extent, LEVEL_GROUP), depends: false });
        }
        let tiles = self.tile_count();
        match self.path {
            _ if desc.last_level == 0 && self.path != Path::Raster => {}
            Path::OneDispatch => {
                let most = if self.aligned() { MAX_TILES_ALIGNED } else { MAX_TILES };
                let groups = caps.resident_groups.div_ceil(desc.layers).clamp(tiles.div_ceil(most), tiles);
                steps.push(Step { kind: StepKind::Chain, groups: [groups, 1, desc.layers], depends: false });
            }
            Path::TwoDispatches => {
                steps.push(Step { kind: StepKind::Tiles, groups: [tiles, 1, desc.layers], depends: false });
                let edges =
                    if self.exchanges() { tiles.div_ceil(if self.aligned() { 16 } else { 4 }) } else { 0 };
                if edges > 0 || desc.last_level > 6 {
                    steps.push(Step {
                        kind: StepKind::Rest,
                        groups: [1 + edges, 1, desc.layers],
                        depends: true,
                    });
                }
            }
            Path::PerLevel | Path::Raster => {
                let draws = self.path == Path::Raster;
                let mut from = 0;
                for to in desc.first_level.max(u32::from(!draws))..=desc.last_level {
                    let (kind, groups) = if draws {
                        let [width, height] = extent_of(to);
                        (StepKind::Draw { from, to }, [width, height, desc.layers])
                    } else {
                        (StepKind::Level { from, to }, over(extent_of(to), LEVEL_GROUP))
                    };
                    steps.push(Step { kind, groups, depends: from > 0 });
                    from = to;
                }
            }
            Path::SharedAtomic => {
                let [width, height] = extent_of(desc.last_level);
                steps.push(Step {
                    kind: StepKind::SharedAtomic,
                    groups: [width, height, desc.layers],
                    depends: false,
                });
            }
            Path::SubgroupFold => {
                let groups = over(extent_of(desc.last_level), fold_texels(desc.last_level));
                steps.push(Step { kind: StepKind::SubgroupFold, groups, depends: false });
            }
        }
        steps
    }

    /// Some tile's levels reach into the next tile.
    fn exchanges(&self) -> bool {
        self.virtual_extent().iter().any(|size| size % TILE != 0 && *size > TILE)
    }
}

/// Texels of an axis that a workgroup of the dispatch a level writes; also `local_size` in glsl/hiz/level.comp.
const LEVEL_GROUP: u32 = 16;

/// Texels of an axis that a workgroup of the subgroup fold writes; as in glsl/hiz/fold.comp.
const fn fold_texels(level: u32) -> u32 {
    match level {
        2 => 16,
        3 => 8,
        4 => 4,
        _ => 2,
    }
}

fn virtual_extent(desc: &HizDesc) -> [u32; 2] {
    match desc.scheme {
        Scheme::Pow2Exact => desc.extent.map(|size| 2 * desc.scheme.level_size(size, 1)),
        _ => desc.extent,
    }
}

fn tile_count(desc: &HizDesc) -> u32 {
    virtual_extent(desc).iter().map(|size| size.div_ceil(TILE)).product()
}

/// How a tile's lowest levels are made: the front ends of glsl/hiz/chain.comp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Front {
    /// Levels 1 to 3 in registers: sizes are multiples of 8.
    Aligned,
    /// Levels 1 and 2 in registers, by shuffles or through shared memory: any size.
    Rows {
        /// Through shared memory.
        shared: bool,
    },
    /// Level 1 from up to 3x3 texels, read as often as they are needed: any size, any source.
    Any,
}

fn front(desc: &HizDesc, caps: &HizCaps) -> Front {
    let stretched = virtual_extent(desc) != desc.extent;
    let aligned = desc.extent.iter().all(|size| size % 8 == 0);
    if desc.samples > 1 || stretched {
        Front::Any
    } else if aligned && caps.shuffles_of_16 {
        Front::Aligned
    } else if desc.reduction.components() == 1 {
        Front::Rows { shared: !caps.shuffles_of_32 }
    } else {
        Front::Any
    }
}

fn check(desc: &HizDesc) -> Result<()> {
    let sizes = || desc.extent.iter().zip(&desc.source_extent);
    if !sizes().all(|(&size, &source)| size > 0 && size <= source) {
        return Err(Error::Invalid("the viewport must have at least a texel and lie within the depth image"));
    }
    if desc.source_extent.iter().any(|&size| size > MAX_EXTENT) {
        return Err(Error::Invalid("a depth image has at most 16384 texels an axis"));
    }
    if desc.layers == 0 || desc.layers > 2048 {
        return Err(Error::Invalid("between 1 and 2048 layers"));
    }
    if !desc.samples.is_power_of_two() || desc.samples > 16 {
        return Err(Error::Invalid("1, 2, 4, 8 or 16 samples"));
    }
    Ok(())
}

/// Why `path` cannot make `desc` on such a device.
fn supports(desc: &HizDesc, path: Path, caps: &HizCaps) -> Result<(), &'static str> {
    let storage = || match (desc.reduction.components(), desc.texel) {
        (1, TexelFormat::Float32) => caps.write_without_format || caps.typed_r32f,
        _ => caps.write_without_format && caps.extended_formats,
    };
    match path {
        Path::Raster if !caps.graphics => return Err("the queue draws nothing"),
        Path::Raster => return Ok(()),
        Path::PerLevel => {
            return if storage() { Ok(()) } else { Err("the device stores no image of the format") };
        }
        _ => {}
    }
    if !caps.write_without_format || !storage() {
        return Err("the device lacks shaderStorageImageWriteWithoutFormat or the format");
    }
    match path {
        Path::OneDispatch | Path::TwoDispatches => {
            if desc.scheme == Scheme::RoundedUp {
                Err("rounded-up sizes are made a level at a time")
            } else if caps.storage_images < MAX_LEVEL {
                Err("the device binds too few storage images to a stage")
            } else if desc.extent != desc.source_extent && desc.samples == 1 && desc.extent.contains(&1) {
                Err("a viewport of one row or column inside a larger image is made a level at a time")
            } else if path == Path::OneDispatch && !caps.memory_model {
                Err("the device lacks vulkanMemoryModel")
            } else {
                Ok(())
            }
        }
        _ if desc.first_level != desc.last_level || !(2..=6).contains(&desc.last_level) => {
            Err("this path makes one level, from 2 to 6")
        }
        _ if !matches!(desc.scheme, Scheme::EdgeTexel | Scheme::RoundedUp) => {
            Err("this path makes the edge-texel and rounded-up schemes")
        }
        Path::SubgroupFold if !caps.subgroup_fold => {
            Err("the device lacks full subgroups with arithmetic and shuffles")
        }
        Path::SubgroupFold if desc.samples > 1 => Err("this path takes single-sampled depth"),
        _ => Ok(()),
    }
}

/// Tiles of all layers from which on two dispatches are faster than one at sizes that are no multiples of 8.
const MANY_TILES: u32 = 512;

/// The measured best of the paths that can: docs/hiz.md has the table.
fn choose(desc: &HizDesc, caps: &HizCaps) -> Result<Path> {
    let uneven = front(desc, caps) != Front::Aligned;
    let many = tile_count(desc).saturating_mul(desc.layers) >= MANY_TILES;
    let order: &[Path] = if caps.cpu {
        &[
            Path::SubgroupFold,
            Path::PerLevel,
            Path::SharedAtomic,
            Path::TwoDispatches,
            Path::OneDispatch,
            Path::Raster,
        ]
    } else if uneven && many {
        &[
            Path::SubgroupFold,
            Path::SharedAtomic,
            Path::TwoDispatches,
            Path::OneDispatch,
            Path::PerLevel,
            Path::Raster,
        ]
    } else {
        &[
            Path::SubgroupFold,
            Path::SharedAtomic,
            Path::OneDispatch,
            Path::TwoDispatches,
            Path::PerLevel,
            Path::Raster,
        ]
    };
    let found = order.iter().find(|&&path| supports(desc, path, caps).is_ok());
    found.copied().ok_or(Error::Invalid("the device neither stores nor draws images of the format"))
}
