//! What is shown of a texture, and how; and what changes it.

use crate::error::{Error, Result};
use crate::filter::Filter;
use texemu_container::Shape;
use texemu_format::Policy;

/// Which components are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Channel {
    /// Colours, over a checkerboard where alpha is below 1.
    #[default]
    Colour,
    /// Colours, alpha left aside.
    Rgb,
    /// Red, as grey.
    Red,
    /// Green, as grey.
    Green,
    /// Blue, as grey.
    Blue,
    /// Alpha, as grey.
    Alpha,
}

/// What is shown beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// What one policy makes of the texture.
    #[default]
    One,
    /// What Exact, Quality and Size make of it, from left to right.
    SideBySide,
    /// How far what the policy makes of it is from Exact; Quality stands in for Exact itself.
    Difference,
}

/// What is shown of a texture, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Look {
    /// The mip level.
    pub level: u32,
    /// The array layer.
    pub layer: u32,
    /// The face of a cube, in Vulkan's order.
    pub face: u32,
    /// The depth slice of the level.
    pub slice: u32,
    /// Which components.
    pub channel: Channel,
    /// Stops: colours are multiplied by two to the power of this.
    pub exposure: f32,
    /// What the texture is held as.
    pub policy: Policy,
    /// What is shown beside each other.
    pub mode: Mode,
    /// What differences are multiplied by.
    pub amplification: f32,
    /// Pixels a texel of the level; `None`: as large as fits.
    pub zoom: Option<f32>,
    /// The place of the level that lies in the middle, from 0 to 1.
    pub centre: [f32; 2],
    /// What compute shaders make of the level first.
    pub filter: Option<Filter>,
    /// Texels that are larger than pixels run into one another.
    pub smooth: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            level: 0,
            layer: 0,
            face: 0,
            slice: 0,
            channel: Channel::default(),
            exposure: 0.0,
            policy: Policy::Exact,
            mode: Mode::default(),
            amplification: 8.0,
            zoom: None,
            centre: [0.5; 2],
            filter: None,
            smooth: false,
        }
    }
}

/// What a person does. Steps go through what there is in a circle.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// To another file, by so many.
    File(i32),
    /// To another level; the picture stays as large.
    Level(i32),
    /// To another array layer.
    Layer(i32),
    /// To another face.
    Face(i32),
    /// To another depth slice.
    Slice(i32),
    /// Shows these components.
    Channel(Channel),
    /// Adds so many stops.
    Exposure(f32),
    /// Multiplies the amplification of differences.
    Amplify(f32),
    /// Shows what one policy makes of the texture, or its difference, if that is shown.
    Policy(Policy),
    /// Shows this beside each other.
    Mode(Mode),
    /// Multiplies the zoom; the place under the pixel stays there, or that in the middle.
    Zoom(f32, Option<[f32; 2]>),
    /// As large as fits.
    Fit,
    /// A pixel a texel.
    Actual,
    /// Moves the picture by so many pixels.
    Pan([f32; 2]),
    /// To the next filter, or none.
    Filter,
    /// Smooth, or not.
    Smooth,
    /// Reads the file again.
    Reload,
}

/// The most pixels a texel is shown with, and the fewest.
const ZOOM: std::ops::RangeInclusive<f32> = 1.0 / 256.0..=256.0;

impl Look {
    /// An error if `shape` does not have what is to be shown.
    pub(crate) fn check(&self, shape: &Shape) -> Result<()> {
        let counts = counts(self, shape);
        for ((what, count), index) in counts.into_iter().zip([self.level, self.layer, self.face, self.slice])
        {
            if index >= count {
                return Err(Error::Outside { what, index, count });
            }
        }
        Ok(())
    }

    /// Goes to the nearest that `shape` has.
    pub(crate) fn keep_within(&mut self, shape: &Shape) {
        self.level = self.level.min(shape.levels() - 1);
        let [_, layer, face, slice] = counts(self, shape).map(|(_, count)| count - 1);
        self.layer = self.layer.min(layer);
        self.face = self.face.min(face);
        self.slice = self.slice.min(slice);
    }

    /// What does not need to know where the picture lies. `false` for the actions that do, and for those of files.
    pub(crate) fn apply(&mut self, action: Action, shape: &Shape) -> bool {
        let [levels, layers, faces, slices] = counts(self, shape).map(|(_, count)| count);
        match action {
            Action::Level(by) => {
                let level = stepped(self.level, by, levels);
                let halvings = level as i32 - self.level as i32;
                self.zoom = self.zoom.map(|zoom| limited(zoom * 2f32.powi(halvings)));
                self.level = level;
            }
            Action::Layer(by) => self.layer = stepped(self.layer, by, layers),
            Action::Face(by) => self.face = stepped(self.face, by, faces),
            Action::Slice(by) => self.slice = stepped(self.slice, by, slices),
            Action::Channel(channel) => self.channel = channel,
            Action::Exposure(stops) => self.exposure = (self.exposure + stops).clamp(-24.0, 24.0),
            Action::Amplify(factor) => {
                self.amplification = (self.amplification * factor).clamp(1.0, 256.0);
            }
            Action::Policy(policy) => {
                self.policy = policy;
                if self.mode == Mode::SideBySide {
                    self.mode = Mode::One;
                }
            }
            Action::Mode(mode) => self.mode = mode,
            Action::Fit => (self.zoom, self.centre) = (None, [0.5; 2]),
            Action::Actual => self.zoom = Some(1.0),
            Action::Filter => {
                let next = match self.filter {
                    None => Filter::all().next(),
                    Some(filter) => Filter::all().skip_while(|other| *other != filter).nth(1),
                };
                self.filter = next;
            }
            Action::Smooth => self.smooth = !self.smooth,
            _ => return false,
        }
        self.keep_within(shape);
        true
    }

    /// The policies whose pictures are shown, from left to right; for a difference, Exact and the other.
    pub(crate) fn policies(&self) -> Vec<Policy> {
        match (self.mode, self.policy) {
            (Mode::One, policy) => vec![policy],
            (Mode::SideBySide, _) => vec![Policy::Exact, Policy::Quality, Policy::Size],
            (Mode::Difference, Policy::Exact) => vec![Policy::Exact, Policy::Quality],
            (Mode::Difference, policy) => vec![Policy::Exact, policy],
        }
    }

    /// The array layer as Vulkan counts it: faces are layers.
    pub(crate) fn array_layer(&self, shape: &Shape) -> u32 {
        self.layer * shape.faces() + self.face
    }
}

/// `zoom` as near as it may be.
pub(crate) fn limited(zoom: f32) -> f32 {
    zoom.clamp(*ZOOM.start(), *ZOOM.end())
}

fn counts(look: &Look, shape: &Shape) -> [(&'static str, u32); 4] {
    let slices = if shape.is_3d() { shape.level_extent(look.level.min(shape.levels() - 1))[2] } else { 1 };
    [("level", shape.levels()), ("layer", shape.layers()), ("face", shape.faces()), ("slice", slices)]
}

/// `by` steps on from `index` in a circle of `count`.
pub(crate) fn stepped(index: u32, by: i32, count: u32) -> u32 {
    (i64::from(index) + i64::from(by)).rem_euclid(i64::from(count)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_container::ShapeDesc;

    fn shape(change: impl FnOnce(&mut ShapeDesc)) -> Shape {
        let format = texemu_format::by_name("ASTC_8x8_UNORM_BLOCK").expect("in the table");
        let mut desc = ShapeDesc::image(format, 64, 32);
        change(&mut desc);
        Shape::new(desc).expect("a shape")
    }

    #[test]
    fn steps_go_in_a_circle() {
        let shape = shape(|desc| (desc.levels, desc.layers, desc.is_array) = (3, 2, true));
        let mut look = Look { zoom: Some(1.0), ..Look::default() };
        let mut seen = Vec::new();
        for _ in 0..4 {
            assert!(look.apply(Action::Level(1), &shape));
            seen.push((look.level, look.zoom));
        }
        assert_eq!(
            seen,
            [(1, Some(2.0)), (2, Some(4.0)), (0, Some(1.0)), (1, Some(2.0))],
            "as large on the screen"
        );
        look.apply(Action::Layer(-1), &shape);
        look.apply(Action::Face(1), &shape);
        assert_eq!((look.layer, look.face, look.slice), (1, 0, 0));
    }

    #[test]
    fn a_smaller_level_has_fewer_slices() {
        let shape = shape(|desc| (desc.extent[2], desc.is_3d, desc.levels) = (8, true, 3));
        let mut look = Look { slice: 7, ..Look::default() };
        assert!(look.check(&shape).is_ok());
        look.apply(Action::Level(2), &shape);
        assert_eq!((look.level, look.slice), (2, 1));
        let outside = Look { level: 2, slice: 2, ..Look::default() };
        let error = outside.check(&shape).expect_err("two slices");
        assert_eq!(error.to_string(), "slice 2: there are 2, counted from 0");
    }

    #[test]
    fn policies_follow_the_mode() {
        let shape = shape(|_| {});
        let mut look = Look::default();
        look.apply(Action::Mode(Mode::SideBySide), &shape);
        assert_eq!(look.policies(), [Policy::Exact, Policy::Quality, Policy::Size]);
        look.apply(Action::Policy(Policy::Size), &shape);
        assert_eq!((look.mode, look.policies()), (Mode::One, vec![Policy::Size]));
        look.apply(Action::Mode(Mode::Difference), &shape);
        assert_eq!(look.policies(), [Policy::Exact, Policy::Size]);
    }

    #[test]
    fn filters_take_turns() {
        let shape = shape(|_| {});
        let mut look = Look::default();
        let mut names = Vec::new();
        for _ in 0..=Filter::all().count() {
            look.apply(Action::Filter, &shape);
            names.push(look.filter.map(Filter::name));
        }
        let expected: Vec<_> = Filter::all().map(|filter| Some(filter.name())).chain([None]).collect();
        assert_eq!(names, expected, "each once, and none again");
        assert!(names.contains(&Some("edges")));
    }
}
