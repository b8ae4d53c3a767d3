//! Depth buffers as a camera sees them: things in front of things, with odd values here and there.

use texemu_hiz::{
    DepthOrder, DepthValues, HizCaps, HizDesc, HizPlan, Level, Oracle, Path, Projection, Reduction, Scheme,
    TexelFormat,
};

/// Numbers in no order, from a fixed generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    /// From 0 up to and without `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }

    pub(crate) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 8) as f32 / 16_777_216.0
    }

    /// Small numbers as often as large ones.
    pub(crate) fn scaled(&mut self, low: f32, high: f32) -> f32 {
        self.within(low.ln(), high.ln()).exp()
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }
}

/// A depth buffer, its camera, and a pyramid of it.
pub(crate) struct Scene {
    pub(crate) order: DepthOrder,
    pub(crate) view: Projection,
    pub(crate) plan: HizPlan,
    pub(crate) depth: Vec<f32>,
    pub(crate) levels: Vec<Level>,
}

const NEAR: f32 = 0.5;
const FAR: f32 = 100.0;

pub(crate) fn perspective(order: DepthOrder, random: &mut Random) -> Projection {
    let depth_of = match order {
        DepthOrder::Normal => [FAR / (FAR - NEAR), -FAR * NEAR / (FAR - NEAR)],
        DepthOrder::Reversed => [-NEAR / (FAR - NEAR), FAR * NEAR / (FAR - NEAR)],
    };
    let scale = [random.within(0.4, 3.0), random.within(0.4, 3.0) * [1.0, -1.0][random.below(2) as usize]];
    let offset = [random.within(-0.3, 0.3), random.within(-0.3, 0.3)];
    Projection { scale, offset, depth_of, near: NEAR, orthographic: 0 }
}

pub(crate) fn orthographic(order: DepthOrder, random: &mut Random) -> Projection {
    let step = 1.0 / (FAR - NEAR);
    let depth_of = match order {
        DepthOrder::Normal => [-NEAR * step, step],
        DepthOrder::Reversed => [FAR * step, -step],
    };
    let scale = [random.within(0.02, 0.1), random.within(0.02, 0.1)];
    Projection { scale, offset: [random.within(-0.3, 0.3), 0.0], depth_of, near: NEAR, orthographic: 1 }
}

impl Scene {
    pub(crate) fn new(
        scheme: Scheme,
        reduction: Reduction,
        order: DepthOrder,
        extent: [u32; 2],
        random: &mut Random,
    ) -> Self {
        let view = if random.one_in(4) { orthographic(order, random) } else { perspective(order, random) };
        let at = |z: f32| match view.orthographic {
            0 => view.depth_of[0] + view.depth_of[1] / z,
            _ => view.depth_of[0] + view.depth_of[1] * z,
        };
        let [width, height] = extent;
        let far = random.within(60.0, 99.0);
        let mut depth = vec![at(far); (width * height) as usize];
        for _ in 0..random.below(12) {
            let z = random.scaled(1.0, 60.0);
            let (x, y) = (random.below(width), random.below(height));
            let (w, h) = (1 + random.below(width), 1 + random.below(height));
            for row in y..(y + h).min(height) {
                for column in x..(x + w).min(width) {
                    depth[(row * width + column) as usize] = at(z * random.within(0.99, 1.0));
                }
            }
        }
        for _ in 0..random.below(4) {
            let pixel = random.below(width * height) as usize;
            depth[pixel] = [f32::NAN, f32::INFINITY, -0.0, 0.0, 1e-39, at(far)][random.below(6) as usize];
        }
        let mut desc = HizDesc::new(extent, scheme, reduction);
        if random.one_in(3) {
            desc.first_level = random.below(scheme.last_level(extent) + 1);
            desc.last_level = desc.first_level + random.below(4);
        }
        if random.one_in(4) {
            desc.texel = TexelFormat::Float16;
        }
        let caps = HizCaps { write_without_format: true, extended_formats: true, ..HizCaps::default() };
        let plan = HizPlan::new(&desc, Some(Path::PerLevel), &caps).expect("a plan");
        let oracle = Oracle { scheme, reduction, texel: desc.texel };
        let values = DepthValues { extent, samples: 1, layers: 1, values: &depth };
        let (first, last) = (plan.desc().first_level, plan.desc().last_level);
        let levels = oracle.levels(&values, [0, 0], extent, first, last);
        Self { order, view, plan, depth, levels }
    }

    pub(crate) fn extent(&self) -> [u32; 2] {
        self.plan.desc().extent
    }

    pub(crate) fn random_extent(random: &mut Random) -> [u32; 2] {
        match random.below(8) {
            0 => [1 + random.below(4), 1 + random.below(300)],
            1 => [1 + random.below(300), 1 + random.below(4)],
            2 => [1 << random.below(9), (1 << random.below(9)) + 1],
            _ => [8 + random.below(200), 8 + random.below(200)],
        }
    }

    /// A depth at which an answer may go either way: one of the buffer's, or a little off.
    pub(crate) fn critical_depth(&self, near: [i32; 2], random: &mut Random) -> f32 {
        let [width, height] = self.extent();
        let [x, y] = [near[0].clamp(0, width as i32 - 1), near[1].clamp(0, height as i32 - 1)];
        let there = self.depth[(y * width as i32 + x) as usize];
        match random.below(12) {
            0 => random.within(0.0, 1.0),
            1 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 2e-39][random.below(6) as usize],
            2 | 3 => there,
            _ => there * random.within(0.98, 1.02),
        }
    }
}
