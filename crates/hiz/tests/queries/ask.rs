//! One query: made at random, as the words that the kernel reads, and what the twin says.

use crate::scene::{Random, Scene, orthographic, perspective};
use texemu_hiz::{Keep, Lookup, Projection, Query, Ray, RayState, Reduction};

pub(crate) const WORDS: usize = 32;
/// Steps that a march is let go.
pub(crate) const STEPS: u32 = 4000;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    Rect { first: [i32; 2], last: [i32; 2], nearest: f32 },
    Point { pixel: [i32; 2], level: i32, depth: f32 },
    Sphere { view: Projection, center: [f32; 3], radius: f32 },
    Box { clip_from_box: [[f32; 4]; 4], low: [f32; 3], high: [f32; 3] },
    Ray { origin: [f32; 3], direction: [f32; 3] },
}

impl Ask {
    pub(crate) fn random(scene: &Scene, random: &mut Random) -> Self {
        let reduction = scene.plan.desc().reduction;
        let keeps = |keep| reduction == Reduction::MinMax || reduction == scene.order.reduction(keep);
        loop {
            match random.below(8) {
                0..=2 if keeps(Keep::Farthest) => return Self::rect(scene, random),
                3 => return Self::point(scene, random),
                4 | 5 if keeps(Keep::Farthest) => return Self::sphere(scene, random),
                6 if keeps(Keep::Farthest) => return Self::boxed(scene, random),
                7 if keeps(Keep::Nearest) => return Self::ray(scene, random),
                _ => {}
            }
        }
    }

    fn pixel(scene: &Scene, beyond: i32, random: &mut Random) -> [i32; 2] {
        scene.extent().map(|size| random.below(size + 2 * beyond as u32) as i32 - beyond)
    }

    fn rect(scene: &Scene, random: &mut Random) -> Self {
        let first = Self::pixel(scene, 5, random);
        let size = [0, 1].map(|axis| random.scaled(0.6, scene.extent()[axis] as f32 + 8.0) as i32);
        let last = [first[0] + size[0], first[1] + size[1]];
        let inside = [0, 1].map(|axis| first[axis] + random.below(size[axis] as u32 + 1) as i32);
        Self::Rect { first, last, nearest: scene.critical_depth(inside, random) }
    }

    fn point(scene: &Scene, random: &mut Random) -> Self {
        let pixel = Self::pixel(scene, 2, random);
        let desc = scene.plan.desc();
        let level = desc.first_level + random.below(desc.last_level - desc.first_level + 1);
        Self::Point { pixel, level: level as i32, depth: scene.critical_depth(pixel, random) }
    }

    fn sphere(scene: &Scene, random: &mut Random) -> Self {
        let view = match random.below(8) {
            0 => perspective(scene.order, random),
            1 => orthographic(scene.order, random),
            _ => scene.view,
        };
        let z = random.scaled(0.6, 110.0);
        let reach = if view.orthographic == 0 { z } else { 10.0 };
        let center = [random.within(-1.5, 1.5) * reach, random.within(-1.5, 1.5) * reach, z];
        let radius = if random.one_in(20) { 0.0 } else { z * random.scaled(0.001, 1.1) };
        let center = if random.one_in(20) { center.map(|at| -at) } else { center };
        Self::Sphere { view, center, radius }
    }

    /// A box anywhere, turned, before the scene's camera.
    fn boxed(scene: &Scene, random: &mut Random) -> Self {
        let Projection { scale, offset, depth_of, orthographic, .. } = scene.view;
        let z = random.scaled(0.6, 110.0);
        let reach = if orthographic == 0 { z } else { 10.0 };
        let place = [random.within(-1.5, 1.5) * reach, random.within(-1.5, 1.5) * reach, z];
        let place = if random.one_in(20) { place.map(|at| -at) } else { place };
        let (sin, cos) = random.within(0.0, 6.3).sin_cos();
        let (sin2, cos2) = random.within(0.0, 6.3).sin_cos();
        // Columns: where the box's axes and its origin lie in view space.
        let axes = [[cos, sin * cos2, sin * sin2], [-sin, cos * cos2, cos * sin2], [0.0, -sin2, cos2], place];
        let column = |(index, v): (usize, [f32; 3])| {
            let at = if index == 3 { 1.0 } else { 0.0 };
            let [x, y, z] = v;
            if orthographic == 0 {
                let [x, y] = [scale[0] * x + offset[0] * z, scale[1] * y + offset[1] * z];
                [x, y, depth_of[0] * z + depth_of[1] * at, z]
            } else {
                let [x, y] = [scale[0] * x + offset[0] * at, scale[1] * y + offset[1] * at];
                [x, y, depth_of[1] * z + depth_of[0] * at, at]
            }
        };
        let mut columns = axes.into_iter().enumerate().map(column);
        let clip_from_box = std::array::from_fn(|_| columns.next().expect("four"));
        let size: [f32; 3] = std::array::from_fn(|_| z * random.scaled(0.001, 0.5));
        Self::Box { clip_from_box, low: size.map(|size| -size), high: size }
    }

    fn ray(scene: &Scene, random: &mut Random) -> Self {
        let size = scene.extent().map(|size| size as f32);
        let place = |random: &mut Random| size.map(|size| random.within(0.0, 0.999) * size);
        let (from, to) = (place(random), place(random));
        let z = scene.critical_depth(from.map(|at| at as i32), random);
        let end = scene.critical_depth(to.map(|at| at as i32), random);
        // What is no number could not be compared, and denormals a device may round in its arithmetic.
        let [z, end] = [z, end].map(|z| if z.is_finite() && !z.is_subnormal() { z } else { 0.5 });
        let start = if random.one_in(2) { z } else { [0.0, 1.0][scene.order as usize] };
        let mut direction = [to[0] - from[0], to[1] - from[1], end - start];
        if random.one_in(8) {
            direction[random.below(3) as usize] = 0.0;
        }
        if random.one_in(8) {
            return Self::Ray { origin: [from[0].floor(), from[1].floor(), start], direction };
        }
        Self::Ray { origin: [from[0], from[1], start], direction }
    }

    pub(crate) fn words(&self) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        let mut put = |at: usize, values: &[f32]| {
            for (word, value) in words[at..].iter_mut().zip(values) {
                *word = value.to_bits();
            }
        };
        let integers = match *self {
            Self::Rect { first, last, nearest } => {
                put(5, &[nearest]);
                [0, first[0], first[1], last[0], last[1]]
            }
            Self::Point { pixel, level, depth } => {
                put(5, &[depth]);
                [1, pixel[0], pixel[1], level, 0]
            }
            Self::Sphere { view, center, radius } => {
                put(5, &[view.scale, view.offset, view.depth_of].concat());
                put(11, &[view.near, center[0], center[1], center[2], radius]);
                [2, view.orthographic as i32, 0, 0, 0]
            }
            Self::Box { clip_from_box, low, high } => {
                put(5, &clip_from_box.concat());
                put(21, &[low, high].concat());
                [3, 0, 0, 0, 0]
            }
            Self::Ray { origin, direction } => {
                put(5, &[origin, direction].concat());
                [4, STEPS as i32, 0, 0, 0]
            }
        };
        for (word, integer) in words.iter_mut().zip(integers) {
            *word = integer as u32;
        }
        words
    }

    /// What the kernel must write.
    pub(crate) fn twin<L: Lookup>(&self, query: &Query<'_, L>) -> [u32; 4] {
        match *self {
            Self::Rect { first, last, nearest } => {
                [u32::from(query.visible_rect(first, last, nearest)), 0, 0, 0]
            }
            Self::Point { pixel, level, depth } => {
                let settled = query.settle_point(level, pixel, depth) as u32;
                [settled, u32::from(query.visible_point(level, pixel, depth)), 0, 0]
            }
            Self::Sphere { view, center, radius } => {
                [u32::from(query.visible_sphere(&view, center, radius)), 0, 0, 0]
            }
            Self::Box { clip_from_box, low, high } => {
                [u32::from(query.visible_box(&clip_from_box, low, high)), 0, 0, 0]
            }
            Self::Ray { origin, direction } => {
                let ray = Ray::new(origin, direction);
                let mut march = query.march(&ray);
                let mut state = RayState::On;
                for _ in 0..STEPS {
                    state = query.march_step(&ray, &mut march);
                    if state != RayState::On {
                        break;
                    }
                }
                let pixel = (march.pixel[1] as u32) << 16 | march.pixel[0] as u32;
                [state as u32, pixel, march.t.to_bits(), march.level as u32]
            }
        }
    }
}
