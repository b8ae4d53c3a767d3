//! Spheres and boxes: their rectangle and nearest depth, rounded to the safe side.
//!
//! Every operation is rounded once, in the order of the header, so that the bits are the device's.

use super::{Lookup, Query};

/// 2^-20: more than a few operations' rounding, also of a device's 1 / x and sqrt, whose errors Vulkan bounds by 2.5 and 4 units.
const ROUNDING: f32 = 9.536_743e-7;
/// Pixels; a rasterizer snaps vertices by half of it at most (`subPixelPrecisionBits` is at least 4).
const SNAPPING: f32 = 0.0625;

/// Where a viewport of depths 0 to 1 is put: x right, y down. `HizProjection` of the header.
///
/// * perspective: `ndc = scale * xy / z + offset`, `depth = depth_of[0] + depth_of[1] / z`;
/// * orthographic: `ndc = scale * xy + offset`, `depth = depth_of[0] + depth_of[1] * z`.
///
/// `z` grows away from the viewer, and is its distance from the eye's plane.
#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Projection {
    /// Of x and y.
    pub scale: [f32; 2],
    /// Of x and y, in normalized device coordinates.
    pub offset: [f32; 2],
    /// The depth's two coefficients.
    pub depth_of: [f32; 2],
    /// `z` of the near plane; what reaches in front of it is visible.
    pub near: f32,
    /// 0 or 1.
    pub orthographic: u32,
}

fn pair(of: impl Fn(usize) -> f32) -> [f32; 2] {
    [of(0), of(1)]
}

impl<L: Lookup> Query<'_, L> {
    /// Whether a sphere can show. `center` in view space, as [`Projection`] has it; `radius >= 0`.
    pub fn visible_sphere(&self, view: &Projection, center: [f32; 3], radius: f32) -> bool {
        let [x, y, depth] = center;
        let around = (depth.abs() + radius) * ROUNDING;
        let (z, back) = ((depth - radius) - around, (depth + radius) + around);
        let orthographic = view.orthographic != 0;
        let near = if orthographic { view.near } else { view.near.max(0.0) };
        if back < near {
            return false;
        }
        if z <= near || z.is_nan() || near.is_nan() {
            return true;
        }
        let (a, b, slack, term);
        if orthographic {
            a = pair(|axis| view.scale[axis] * (center[axis] - radius) + view.offset[axis]);
            b = pair(|axis| view.scale[axis] * (center[axis] + radius) + view.offset[axis]);
            slack = pair(|axis| {
                (view.scale[axis].abs() * (center[axis].abs() + radius) + view.offset[axis].abs()) * ROUNDING
            });
            term = view.depth_of[1] * z;
        } else {
            let (Some(across), Some(down)) = (slopes(x, depth, radius), slopes(y, depth, radius)) else {
                return true;
            };
            let (low, high) = ([across[0], down[0]], [across[1], down[1]]);
            a = pair(|axis| view.scale[axis] * low[axis] + view.offset[axis]);
            b = pair(|axis| view.scale[axis] * high[axis] + view.offset[axis]);
            slack = pair(|axis| {
                (view.scale[axis].abs() * low[axis].abs().max(high[axis].abs()) + view.offset[axis].abs())
                    * ROUNDING
            });
            term = view.depth_of[1] * (1.0 / z);
        }
        let away = (view.depth_of[0].abs() + term.abs()) * ROUNDING;
        let depth = view.depth_of[0] + term;
        let nearest = if self.reversed() { depth + away } else { depth - away };
        self.visible_ndc(pair(|axis| a[axis].min(b[axis])), pair(|axis| a[axis].max(b[axis])), slack, nearest)
    }

    /// Whether a box can show, which `clip_from_box`, column by column, takes to Vulkan's clip space. A box that reaches behind the eye is
    /// visible, unless all of it lies there.
    pub fn visible_box(&self, clip_from_box: &[[f32; 4]; 4], low: [f32; 3], high: [f32; 3]) -> bool {
        let m = clip_from_box;
        let transformed = |m: &dyn Fn(usize, usize) -> f32, v: [f32; 3]| -> [f32; 4] {
            std::array::from_fn(|row| m(0, row) * v[0] + m(1, row) * v[1] + m(2, row) * v[2] + m(3, row))
        };
        let reach = std::array::from_fn(|axis| low[axis].abs().max(high[axis].abs()));
        let bound = transformed(&|column, row| m[column][row].abs(), reach);
        let all_of_it = bound[0] + bound[1] + bound[2] + bound[3];
        if all_of_it >= 1e30 || all_of_it.is_nan() {
            return true;
        }
        let slack = bound.map(|bound| bound * ROUNDING);
        let (mut least, mut greatest, mut most) = ([3e38f32; 3], [-3e38f32; 3], 0.0f32);
        let limit = 2.0 * slack[3] + 1e-30;
        let (mut behind, mut before) = (0, 0);
        for corner in 0..8 {
            let corner: [f32; 3] =
                std::array::from_fn(|axis| if corner >> axis & 1 != 0 { high[axis] } else { low[axis] });
            let clip = transformed(&|column, row| m[column][row], corner);
            behind += u32::from(clip[3] < -limit);
            if clip[3] <= limit || clip[3].is_nan() {
                continue;
            }
            before += 1;
            let inverse = 1.0 / clip[3];
            for axis in 0..3 {
                let ndc = clip[axis] * inverse;
                least[axis] = least[axis].min(ndc);
                greatest[axis] = greatest[axis].max(ndc);
            }
            most = most.max(inverse);
        }
        if behind == 8 {
            return false;
        }
        if before < 8 {
            return true;
        }
        let wide: [f32; 3] = std::array::from_fn(|axis| {
            let size = least[axis].abs().max(greatest[axis].abs());
            (slack[axis] + size * slack[3]) * (2.0 * most) + size * ROUNDING
        });
        let nearest = if self.reversed() { greatest[2] + wide[2] } else { least[2] - wide[2] };
        self.visible_ndc([least[0], least[1]], [greatest[0], greatest[1]], [wide[0], wide[1]], nearest)
    }

    /// From normalized device coordinates known to `slack`.
    fn visible_ndc(&self, low: [f32; 2], high: [f32; 2], slack: [f32; 2], nearest: f32) -> bool {
        let extent = self.pyramid.extent.map(|size| size as f32);
        let wide = pair(|axis| slack[axis] + (low[axis].abs().max(high[axis].abs()) + 1.0) * ROUNDING);
        if wide.iter().any(|&wide| wide >= 1e30 || wide.is_nan()) {
            return true;
        }
        let pixel = |at: f32, extent: f32| at.clamp(-1.0, extent).floor() as i32;
        let first = [0, 1].map(|axis| {
            pixel(((low[axis] - wide[axis]) * 0.5 + 0.5) * extent[axis] - SNAPPING, extent[axis])
        });
        let last = [0, 1].map(|axis| {
            pixel(((high[axis] + wide[axis]) * 0.5 + 0.5) * extent[axis] + SNAPPING, extent[axis])
        });
        self.visible_rect(first, last, nearest)
    }
}

/// Slopes `x / z` between which a sphere at `(x, z)` lies, `z > radius`. None if that cannot be made sure of.
fn slopes(x: f32, z: f32, radius: f32) -> Option<[f32; 2]> {
    let tangent = (x * x + (z - radius) * (z + radius)).sqrt();
    let low = (tangent * x - radius * z) * (1.0 / (tangent * z + radius * x));
    let high = (tangent * x + radius * z) * (1.0 / (tangent * z - radius * x));
    let low = low - (1.0 + low.abs()) * 6.103_515_6e-5;
    let high = high + (1.0 + high.abs()) * 6.103_515_6e-5;
    // A line lies beside the sphere if it is a radius or more away from its center.
    let left = x - low * z - (x.abs() + (low * z).abs()) * ROUNDING;
    let right = high * z - x - (x.abs() + (high * z).abs()) * ROUNDING;
    let reach = |slope: f32| radius * (1.0 + slope * slope).sqrt() * (1.0 + ROUNDING);
    (left >= reach(low) && right >= reach(high)).then_some([low, high])
}
