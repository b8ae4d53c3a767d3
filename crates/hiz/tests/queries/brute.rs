//! What every pixel of the depth buffer says, in double precision.

use crate::ask::Ask;
use crate::scene::Scene;
use texemu_hiz::{DepthOrder, RayState};

/// Denormals count as 0.
fn flushed(depth: f32) -> f64 {
    if depth.is_subnormal() { 0.0 } else { f64::from(depth) }
}

impl Scene {
    fn strictly_farther(&self, a: f64, b: f64) -> bool {
        match self.order {
            DepthOrder::Normal => a > b,
            DepthOrder::Reversed => a < b,
        }
    }

    fn depth_at(&self, pixel: [i32; 2]) -> f64 {
        flushed(self.depth[(pixel[1] * self.extent()[0] as i32 + pixel[0]) as usize])
    }

    fn contains(&self, pixel: [i32; 2]) -> bool {
        (0..2).all(|axis| (0..self.extent()[axis] as i32).contains(&pixel[axis]))
    }

    /// Whether no pixel of the rectangle shows something at `nearest`.
    fn hides_rect(&self, first: [i32; 2], last: [i32; 2], nearest: f64) -> bool {
        let [width, height] = self.extent().map(|size| size as i32);
        (first[1].max(0)..=last[1].min(height - 1)).all(|y| {
            (first[0].max(0)..=last[0].min(width - 1))
                .all(|x| self.strictly_farther(nearest, self.depth_at([x, y])))
        })
    }

    fn hides_ndc(&self, low: [f64; 2], high: [f64; 2], nearest: f64) -> bool {
        let pixel = |at: f64, axis: usize| ((at * 0.5 + 0.5) * f64::from(self.extent()[axis])).floor() as i32;
        self.hides_rect(
            [0, 1].map(|axis| pixel(low[axis], axis)),
            [0, 1].map(|axis| pixel(high[axis], axis)),
            nearest,
        )
    }

    /// Whether the depth buffer hides it all. None for rays.
    pub(crate) fn hides(&self, ask: &Ask) -> Option<bool> {
        match *ask {
            Ask::Rect { first, last, nearest } => Some(self.hides_rect(first, last, flushed(nearest))),
            Ask::Point { pixel, depth, .. } => Some(self.hides_rect(pixel, pixel, flushed(depth))),
            Ask::Sphere { view, center, radius } => {
                let [x, y, z] = center.map(f64::from);
                let radius = f64::from(radius);
                let orthographic = view.orthographic != 0;
                let nearest = z - radius;
                if nearest <= f64::from(view.near) {
                    return Some(z + radius < f64::from(view.near));
                }
                // The angles to either side of the one to the center.
                let bounds = |at: f64, axis: usize| {
                    let [low, high] = if orthographic {
                        [at - radius, at + radius]
                    } else {
                        let (middle, half) = (at.atan2(z), (radius / at.hypot(z)).asin());
                        [(middle - half).tan(), (middle + half).tan()]
                    };
                    let to = |at: f64| f64::from(view.scale[axis]) * at + f64::from(view.offset[axis]);
                    [to(low).min(to(high)), to(low).max(to(high))]
                };
                let [across, down] = [bounds(x, 0), bounds(y, 1)];
                let term = if orthographic { nearest } else { 1.0 / nearest };
                let depth = f64::from(view.depth_of[0]) + f64::from(view.depth_of[1]) * term;
                Some(self.hides_ndc([across[0], down[0]], [across[1], down[1]], depth))
            }
            Ask::Box { clip_from_box, low, high } => {
                let mut behind = 0;
                let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
                for corner in 0..8 {
                    let corner: [f64; 3] = std::array::from_fn(|axis| {
                        f64::from(if corner >> axis & 1 != 0 { high[axis] } else { low[axis] })
                    });
                    let clip: [f64; 4] = std::array::from_fn(|row| {
                        let at = |column: usize| f64::from(clip_from_box[column][row]);
                        at(0) * corner[0] + at(1) * corner[1] + at(2) * corner[2] + at(3)
                    });
                    behind += u32::from(clip[3] <= 0.0);
                    for (bound, at) in bounds.iter_mut().zip(clip) {
                        *bound = [bound[0].min(at / clip[3]), bound[1].max(at / clip[3])];
                    }
                }
                if behind > 0 {
                    return Some(behind == 8);
                }
                let [x, y, z] = bounds;
                let nearest = z[self.order as usize];
                Some(self.hides_ndc([x[0], y[0]], [x[1], y[1]], nearest))
            }
            Ask::Ray { .. } => None,
        }
    }

    /// What is wrong with the answer of a march.
    pub(crate) fn ray_fault(&self, ask: &Ask, answer: [u32; 4]) -> Option<String> {
        let Ask::Ray { origin, direction } = *ask else { return None };
        let (o, d) = (origin.map(f64::from), direction.map(f64::from));
        let (pixel, t) =
            ([(answer[1] & 0xffff) as i32, (answer[1] >> 16) as i32], f64::from(f32::from_bits(answer[2])));
        let hit = answer[0] == RayState::Hit as u32;
        if answer[0] == RayState::On as u32 {
            return Some("it does not end".into());
        }
        let along = |t: f64| o[2] + d[2] * t;
        let reaches = |from: f64, to: f64, depth: f64, slack: f64| {
            depth.is_nan()
                || match self.order {
                    DepthOrder::Normal => along(from).max(along(to)) + slack >= depth,
                    DepthOrder::Reversed => along(from).min(along(to)) - slack <= depth,
                }
        };
        // Every crossing of a line between pixels, up to where the ray leaves the viewport.
        let mut crossings = vec![0.0];
        for axis in 0..2 {
            if d[axis] != 0.0 {
                let lines = (0..=self.extent()[axis]).map(|line| (f64::from(line) - o[axis]) / d[axis]);
                crossings.extend(lines.filter(|&t| t > 0.0));
            }
        }
        crossings.sort_by(f64::total_cmp);
        if d[0] == 0.0 && d[1] == 0.0 {
            crossings.push(1e9);
        }
        for pair in crossings.windows(2) {
            let middle = (pair[0] + pair[1]) / 2.0;
            let at = [0, 1].map(|axis| (o[axis] + d[axis] * middle).floor() as i32);
            if !self.contains(at) {
                break;
            }
            // What is shorter than this is between two pixels.
            if pair[1] - pair[0] > 1e-9 * pair[1] && reaches(pair[0], pair[1], self.depth_at(at), 0.0) {
                if !hit || t > pair[1] * (1.0 + 1e-4) {
                    return Some(format!("it passes {at:?} at {middle}"));
                }
                break;
            }
        }
        if hit {
            let leaves = |axis: usize| {
                let edge = f64::from(if d[axis] > 0.0 { pixel[axis] + 1 } else { pixel[axis] });
                if d[axis] == 0.0 { 1e9 } else { (edge - o[axis]) / d[axis] }
            };
            let end = leaves(0).min(leaves(1)).max(t);
            let slack = (o[2].abs() + d[2].abs() * end) * 1e-5;
            if !reaches(t, end, self.depth_at(pixel), slack) {
                return Some("it hits nothing".into());
            }
            let beside = |axis: usize| {
                let at = o[axis] + d[axis] * t;
                (at - at.clamp(f64::from(pixel[axis]), f64::from(pixel[axis] + 1))).abs()
            };
            if beside(0).max(beside(1)) > 0.05 {
                return Some("it hits beside its way".into());
            }
        }
        None
    }
}
