//! Queries of a pyramid on the CPU: the twins of `hiz_query.glsl`, which says what each answers.
//!
//! Which queries a pyramid answers is in the plan's type: `HizPlan<Uv>` and `HizPlan<Integer>` alone make a [`Query`], and
//! [`HizPlan::answering`] makes those of schemes alone that are never wrong about them.

mod lookup;
mod project;
mod ray;
mod rectangle;

pub use lookup::{AnyQuery, Integer, Lookup, Uv};
pub use project::Projection;
pub use ray::{Ray, RayMarch, RayState};
pub use rectangle::Settled;

use crate::{Answer, DepthOrder, Error, HizPlan, Keep, Level, Reduction, Result, Scheme};
use std::marker::PhantomData;

/// What a query knows of a pyramid: `HizPyramid` of the header, word for word, for push constants and uniform buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct QueryPyramid {
    /// Pixels that it covers in x and y, the viewport's.
    pub extent: [i32; 2],
    /// The first level that is stored; 0 is the depth buffer.
    pub first_level: i32,
    /// The last level that is stored.
    pub last_level: i32,
    /// The array layer that is asked.
    pub layer: i32,
}

impl QueryPyramid {
    /// Its bytes, as push constants take them.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::bytes_of(self)
    }
}

impl<K> HizPlan<K> {
    /// The same plan as one that answers queries of the kind `L`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if its scheme does not: a texel could miss depths that the query asks about.
    pub fn answering<L: Lookup>(&self) -> Result<HizPlan<L>> {
        match L::answer(self.answers()) {
            Answer::Unsafe => Err(Error::Invalid(L::UNSAFE)),
            _ => Ok(self.relabelled()),
        }
    }

    /// The same plan without what is known of its queries: what recordings take.
    pub fn any(&self) -> HizPlan {
        self.relabelled()
    }

    /// What the header asks about the pyramid, for one array layer.
    pub fn query_pyramid(&self, layer: u32) -> QueryPyramid {
        let desc = self.desc();
        QueryPyramid {
            extent: desc.extent.map(|size| size as i32),
            first_level: desc.first_level as i32,
            last_level: desc.last_level as i32,
            layer: layer as i32,
        }
    }
}

impl<L: Lookup> HizPlan<L> {
    /// Asks one array layer of a pyramid on the CPU. `levels` are the plan's; `depth` the viewport's depths of that layer, row by row,
    /// which queries that need every pixel read.
    ///
    /// # Errors
    /// [`Error::Invalid`] if levels or depths are not as the plan has them.
    pub fn query<'a>(
        &self,
        order: DepthOrder,
        layer: u32,
        levels: &'a [Level],
        depth: Option<&'a [f32]>,
    ) -> Result<Query<'a, L>> {
        let desc = self.desc();
        let texels = |extent: [u32; 2]| extent[0] as usize * extent[1] as usize;
        let whole = |level: &Level| {
            level.values.len() == texels(level.extent) * (desc.layers * desc.reduction.components()) as usize
        };
        let as_planned = levels.len() == self.levels().len()
            && levels.iter().zip(self.levels()).all(|(level, planned)| {
                level.level == planned.level && level.extent == planned.extent && whole(level)
            });
        if !as_planned {
            return Err(Error::Invalid("the levels are not the plan's"));
        }
        if layer >= desc.layers {
            return Err(Error::Invalid("the plan has fewer layers"));
        }
        if depth.is_some_and(|depth| depth.len() != texels(desc.extent)) {
            return Err(Error::Invalid("there must be a depth for each pixel of the viewport"));
        }
        Ok(Query {
            pyramid: self.query_pyramid(layer),
            scheme: desc.scheme,
            reduction: desc.reduction,
            order,
            levels,
            depth,
            lookup: PhantomData,
        })
    }
}

/// Asks a pyramid on the CPU. A pyramid that does not keep the farthest depth hides nothing, and one that does not keep the nearest lets
/// no ray pass a texel.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a, L> {
    pyramid: QueryPyramid,
    scheme: Scheme,
    reduction: Reduction,
    order: DepthOrder,
    levels: &'a [Level],
    depth: Option<&'a [f32]>,
    lookup: PhantomData<L>,
}

/// An integer of a depth's order. -0, +0 and denormals are one.
fn ordered(depth: f32) -> i32 {
    let magnitude = (depth.to_bits() & 0x7fff_ffff) as i32;
    match magnitude {
        ..0x0080_0000 => 0,
        _ if depth.is_sign_negative() => -magnitude,
        _ => magnitude,
    }
}

impl<L: Lookup> Query<'_, L> {
    /// What is known of the pyramid.
    pub fn pyramid(&self) -> QueryPyramid {
        self.pyramid
    }

    /// Whether `a` is strictly farther than `b`; false if either is a NaN.
    pub fn farther(&self, a: f32, b: f32) -> bool {
        if a.is_nan() || b.is_nan() {
            return false;
        }
        let (a, b) = (ordered(a), ordered(b));
        if self.order == DepthOrder::Reversed { a < b } else { a > b }
    }

    fn reversed(&self) -> bool {
        self.order == DepthOrder::Reversed
    }

    fn level_size(&self, level: i32) -> [i32; 2] {
        self.pyramid.extent.map(|size| self.scheme.level_size(size as u32, level as u32) as i32)
    }

    /// The finest level that can be read: the depth buffer, if it is there.
    fn finest(&self) -> i32 {
        if self.depth.is_some() { 0 } else { self.pyramid.first_level }
    }

    fn finer(&self, level: i32) -> i32 {
        if level > self.pyramid.first_level { level - 1 } else { self.finest() }
    }

    fn coarser(&self, level: i32) -> i32 {
        if level < self.pyramid.first_level {
            self.pyramid.first_level
        } else {
            (level + 1).min(self.pyramid.last_level)
        }
    }

    /// The texel of a level that holds the depths around a pixel of the viewport.
    fn texel(&self, level: i32, pixel: [i32; 2]) -> [i32; 2] {
        let size = self.level_size(level);
        std::array::from_fn(|axis| L::texel(self.pyramid.extent[axis], size[axis], level, pixel[axis]))
    }

    /// The pixels whose texel it is: from the first, up to and without the second.
    fn cell(&self, level: i32, texel: [i32; 2]) -> [[i32; 2]; 2] {
        let size = self.level_size(level);
        let ranges: [[i32; 2]; 2] =
            std::array::from_fn(|axis| L::cell(self.pyramid.extent[axis], size[axis], level, texel[axis]));
        [[ranges[0][0], ranges[1][0]], [ranges[0][1], ranges[1][1]]]
    }

    /// The farthest depth that a texel covers.
    fn farthest(&self, level: i32, texel: [i32; 2]) -> f32 {
        let unknown = if self.reversed() { f32::NEG_INFINITY } else { f32::INFINITY };
        self.kept(level, texel, Keep::Farthest).unwrap_or(unknown)
    }

    /// The nearest depth that a texel covers.
    fn nearest(&self, level: i32, texel: [i32; 2]) -> f32 {
        let unknown = if self.reversed() { f32::INFINITY } else { f32::NEG_INFINITY };
        self.kept(level, texel, Keep::Nearest).unwrap_or(unknown)
    }

    fn kept(&self, level: i32, texel: [i32; 2], keep: Keep) -> Option<f32> {
        let [x, y] = texel.map(|at| at as usize);
        if let (0, Some(depth)) = (level, self.depth) {
            return Some(depth[y * self.pyramid.extent[0] as usize + x]);
        }
        let wanted = self.order.reduction(keep);
        let component = match self.reduction {
            Reduction::MinMax => usize::from(wanted == Reduction::Max),
            reduction if reduction == wanted => 0,
            _ => return None,
        };
        let stored = &self.levels[(level - self.pyramid.first_level) as usize];
        let [width, height] = stored.extent.map(|size| size as usize);
        let at = (self.pyramid.layer as usize * height + y) * width + x;
        Some(stored.values[at * self.reduction.components() as usize + component])
    }
}
