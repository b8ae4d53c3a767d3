//! Rectangles and points.

use super::{Lookup, Query};
use crate::Keep;

/// What one texel says about a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Settled {
    /// The depth buffer hides it, or it lies outside the viewport.
    Hidden = 0,
    /// The depth buffer does not hide it.
    Visible = 1,
    /// The depth buffer has to be asked.
    Undecided = 2,
}

impl<L: Lookup> Query<'_, L> {
    /// Whether something whose nearest depth is `nearest` can show in the pixels `first..=last`. Pixels outside the viewport show nothing.
    pub fn visible_rect(&self, first: [i32; 2], last: [i32; 2], nearest: f32) -> bool {
        let first = first.map(|at| at.max(0));
        let last = [0, 1].map(|axis| last[axis].min(self.pyramid.extent[axis] - 1));
        if first[0] > last[0] || first[1] > last[1] {
            return false;
        }
        let longest = (last[0] - first[0]).max(last[1] - first[1]);
        let wished = if longest < 2 { 0 } else { (longest - 1).ilog2() as i32 };
        let mut level = if wished <= self.finest() {
            self.finest()
        } else {
            wished.clamp(self.pyramid.first_level, self.pyramid.last_level)
        };
        let (mut a, mut b) = (self.texel(level, first), self.texel(level, last));
        while level < self.pyramid.last_level && (b[0] - a[0] > 1 || b[1] - a[1] > 1) {
            level = self.coarser(level);
            (a, b) = (self.texel(level, first), self.texel(level, last));
        }
        (a[1]..=b[1]).any(|y| (a[0]..=b[0]).any(|x| !self.farther(nearest, self.farthest(level, [x, y]))))
    }

    /// What one texel of a stored level says about a point. Hidden and visible are what the depth buffer would say.
    pub fn settle_point(&self, level: i32, pixel: [i32; 2], depth: f32) -> Settled {
        if (0..2).any(|axis| !(0..self.pyramid.extent[axis]).contains(&pixel[axis])) {
            return Settled::Hidden;
        }
        let texel = self.texel(level, pixel);
        if self.farther(depth, self.farthest(level, texel)) {
            Settled::Hidden
        } else if self.kept(level, texel, Keep::Nearest).is_some_and(|nearest| !self.farther(depth, nearest))
        {
            Settled::Visible
        } else {
            Settled::Undecided
        }
    }

    /// Whether a point shows: asks `level` first, and the depth buffer only if that leaves it undecided. Exact if the query has the depth
    /// buffer; without it an undecided point is visible.
    pub fn visible_point(&self, level: i32, pixel: [i32; 2], depth: f32) -> bool {
        match self.settle_point(level, pixel, depth) {
            Settled::Undecided if self.depth.is_some() => !self.farther(depth, self.farthest(0, pixel)),
            settled => settled != Settled::Hidden,
        }
    }
}
