//! Rays that march over the pyramid of nearest depths.

use super::{Lookup, Query};

const NEVER: f32 = 3e38;
/// 2^-20, as in the header.
const LAG: f32 = 9.536_743e-7;

/// `origin + t * direction`, in pixels and depth: under perspective too a straight line. `HizRay` of the header.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ray {
    /// Pixels in x and y, and depth.
    pub origin: [f32; 3],
    /// The same, for each unit of `t`.
    pub direction: [f32; 3],
    inverse: [f32; 2],
}

impl Ray {
    /// A ray.
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        let inverse = |d: f32| if d == 0.0 { 0.0 } else { 1.0 / d };
        Self { origin, direction, inverse: [inverse(direction[0]), inverse(direction[1])] }
    }
}

/// Where a march is: it has come to this pixel at `t`, without touching anything. `HizMarch` of the header.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RayMarch {
    /// The pixel that it has come to.
    pub pixel: [i32; 2],
    /// Where on the ray.
    pub t: f32,
    /// The level that the next step looks at.
    pub level: i32,
}

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum RayState {
    /// There are steps to come.
    On = 0,
    /// In the march's pixel the ray is at the depth or behind.
    Hit = 1,
    /// The ray left the viewport.
    Out = 2,
}

impl<L: Lookup> Query<'_, L> {
    /// A march from the ray's origin, which must lie in the viewport.
    pub fn march(&self, ray: &Ray) -> RayMarch {
        let pixel =
            [0, 1].map(|axis| (ray.origin[axis].floor() as i32).clamp(0, self.pyramid.extent[axis] - 1));
        RayMarch { pixel, t: 0.0, level: self.coarser(self.finest()) }
    }

    /// One step: past the level's texel if the ray stays in front of all it covers, otherwise to a finer level, and on the finest it is a
    /// hit. No pixel on the ray's way is left out.
    pub fn march_step(&self, ray: &Ray, march: &mut RayMarch) -> RayState {
        let (o, d) = (ray.origin, ray.direction);
        let texel = self.texel(march.level, march.pixel);
        let [low, end] = self.cell(march.level, texel);
        let leaves_at = |axis: usize| {
            let edge = if d[axis] > 0.0 { end[axis] } else { low[axis] } as f32;
            if d[axis] == 0.0 { NEVER } else { (edge - o[axis]) * ray.inverse[axis] }
        };
        let (tx, ty) = (leaves_at(0), leaves_at(1));
        let leave = if tx <= ty { tx } else { ty };
        let leave = if leave > march.t { leave } else { march.t };
        let enters = o[2] + d[2] * march.t;
        let leaves = o[2] + d[2] * leave;
        let slack = (o[2].abs() + d[2].abs() * leave) * LAG;
        let reached = if self.reversed() { enters.min(leaves) - slack } else { enters.max(leaves) + slack };
        if !self.farther(self.nearest(march.level, texel), reached) {
            if march.level == self.finest() {
                return RayState::Hit;
            }
            march.level = self.finer(march.level);
            return RayState::On;
        }
        if leave >= NEVER {
            return RayState::Out;
        }
        // A pixel too early is put right by a step of no length; a pixel too late would be left out.
        let mut next = [0, 1].map(|axis| {
            let lag = (o[axis].abs() + d[axis].abs() * leave) * LAG;
            let sign = if d[axis] == 0.0 { 0.0 } else { d[axis].signum() };
            let at = o[axis] + d[axis] * leave - sign * lag;
            let next = at.clamp(low[axis] as f32, (end[axis] - 1) as f32).floor() as i32;
            if d[axis] > 0.0 { next.max(march.pixel[axis]) } else { next.min(march.pixel[axis]) }
        });
        let across = if tx <= ty { 0 } else { 1 };
        next[across] = if d[across] > 0.0 { end[across] } else { low[across] - 1 };
        if (0..2).any(|axis| !(0..self.pyramid.extent[axis]).contains(&next[axis])) {
            return RayState::Out;
        }
        *march = RayMarch { pixel: next, t: leave, level: self.coarser(march.level) };
        RayState::On
    }
}
