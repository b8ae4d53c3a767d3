//! Where the picture lies: panels, zoom and what of it can be seen.

use crate::look::{Look, Mode, limited};

/// Pixels between panels.
const GAP: u32 = 4;

/// A part of the frame, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Panel {
    pub(crate) x: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The panels of a frame, from left to right.
pub(crate) fn panels(mode: Mode, [width, height]: [u32; 2]) -> Vec<Panel> {
    let count = if mode == Mode::SideBySide { 3 } else { 1 };
    let gaps = GAP * (count - 1);
    let each = (width.saturating_sub(gaps) / count).max(1);
    (0..count)
        .map(|index| Panel { x: index * (each + GAP), width: each, height })
        .filter(|panel| panel.x + panel.width <= width)
        .collect()
}

/// A picture in a panel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Placement {
    /// Pixels a texel.
    pub(crate) zoom: f64,
    /// Pixels of the whole picture.
    size: [f64; 2],
    /// The pixel of its first corner: whole, so that a texel of whole pixels covers just those.
    corner: [f64; 2],
}

/// What can be seen of a picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Seen {
    /// Pixels: left, top, right, bottom.
    pub(crate) pixels: [f64; 4],
    /// Texture coordinates at the same corners.
    pub(crate) coordinates: [f64; 4],
}

impl Placement {
    /// A picture of `extent` texels as `look` wants it in `panel`.
    pub(crate) fn new(look: &Look, panel: &Panel, extent: [u32; 2]) -> Self {
        let extent = extent.map(f64::from);
        let panel_size = [panel.width, panel.height].map(f64::from);
        let zoom = match look.zoom {
            Some(zoom) => f64::from(zoom),
            None => (panel_size[0] / extent[0]).min(panel_size[1] / extent[1]),
        };
        let size = extent.map(|texels| texels * zoom);
        let left = [f64::from(panel.x), 0.0];
        let corner = std::array::from_fn(|axis| {
            (left[axis] + panel_size[axis] / 2.0 - f64::from(look.centre[axis]) * size[axis]).round()
        });
        Self { zoom, size, corner }
    }

    /// The part of the picture inside the panel, if there is one.
    pub(crate) fn seen(&self, panel: &Panel) -> Option<Seen> {
        let low = [f64::from(panel.x), 0.0];
        let high = [f64::from(panel.x + panel.width), f64::from(panel.height)];
        let from: [f64; 2] = std::array::from_fn(|axis| self.corner[axis].max(low[axis]));
        let to: [f64; 2] = std::array::from_fn(|axis| (self.corner[axis] + self.size[axis]).min(high[axis]));
        if from[0] >= to[0] || from[1] >= to[1] {
            return None;
        }
        let place = |at: [f64; 2]| -> [f64; 2] {
            std::array::from_fn(|axis| (at[axis] - self.corner[axis]) / self.size[axis])
        };
        let (first, last) = (place(from), place(to));
        Some(Seen {
            pixels: [from[0], from[1], to[0], to[1]],
            coordinates: [first[0], first[1], last[0], last[1]],
        })
    }

    /// The first pixel.
    pub(crate) fn corner(&self) -> [f64; 2] {
        self.corner
    }
}

/// The panel under a pixel, or the nearest.
pub(crate) fn panel_at(panels: &[Panel], x: f32) -> Option<&Panel> {
    panels.iter().rev().find(|panel| panel.x as f32 <= x).or(panels.first())
}

/// Multiplies the zoom of `look`; what lies under the pixel `at` stays there.
pub(crate) fn zoom(look: &mut Look, factor: f32, at: Option<[f32; 2]>, frame: [u32; 2], extent: [u32; 2]) {
    let panels = panels(look.mode, frame);
    let middle = [frame[0] as f32 / 2.0, frame[1] as f32 / 2.0];
    let at = at.unwrap_or(middle);
    let Some(panel) = panel_at(&panels, at[0]) else { return };
    let before = Placement::new(look, panel, extent).zoom as f32;
    let after = limited(before * factor);
    let from_middle = [at[0] - panel.x as f32 - panel.width as f32 / 2.0, at[1] - panel.height as f32 / 2.0];
    for axis in 0..2 {
        let texels = from_middle[axis] / before - from_middle[axis] / after;
        look.centre[axis] = within(look.centre[axis] + texels / extent[axis] as f32);
    }
    look.zoom = Some(after);
}

/// Moves the picture by pixels.
pub(crate) fn pan(look: &mut Look, by: [f32; 2], frame: [u32; 2], extent: [u32; 2]) {
    let panels = panels(look.mode, frame);
    let Some(panel) = panels.first() else { return };
    let zoom = Placement::new(look, panel, extent).zoom as f32;
    for axis in 0..2 {
        look.centre[axis] = within(look.centre[axis] - by[axis] / (zoom * extent[axis] as f32));
    }
}

/// The middle of the window stays on the picture, so that it is never lost.
fn within(centre: f32) -> f32 {
    centre.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: [u32; 2] = [800, 600];

    fn look(zoom: Option<f32>) -> Look {
        Look { zoom, ..Look::default() }
    }

    #[test]
    fn a_picture_that_fits_touches_two_edges() {
        let panel = panels(Mode::One, FRAME)[0];
        let seen = Placement::new(&look(None), &panel, [100, 50]).seen(&panel).expect("in sight");
        assert_eq!(seen.pixels, [0.0, 100.0, 800.0, 500.0]);
        assert_eq!(seen.coordinates, [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn what_lies_outside_is_cut_and_texels_stay_on_whole_pixels() {
        let panel = panels(Mode::One, FRAME)[0];
        let seen = Placement::new(&look(Some(16.0)), &panel, [100, 75]).seen(&panel).expect("in sight");
        assert_eq!(seen.pixels, [0.0, 0.0, 800.0, 600.0]);
        assert_eq!(seen.coordinates, [0.25, 0.25, 0.75, 0.75], "half of 1600 x 1200 pixels");
        let odd = Placement::new(&look(Some(1.0)), &panel, [101, 75]);
        assert_eq!(odd.corner(), [350.0, 263.0]);
    }

    #[test]
    fn panels_share_the_frame() {
        let three = panels(Mode::SideBySide, FRAME);
        assert_eq!(
            three.iter().map(|panel| (panel.x, panel.width)).collect::<Vec<_>>(),
            [(0, 264), (268, 264), (536, 264)]
        );
        assert_eq!(panels(Mode::SideBySide, [1, 1]).len(), 1, "no room for more");
        assert_eq!(panel_at(&three, 300.0).map(|panel| panel.x), Some(268));
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let extent = [400, 300];
        let panel = panels(Mode::One, FRAME)[0];
        let at = [200.0, 450.0];
        let under = |look: &Look| {
            let placement = Placement::new(look, &panel, extent);
            let corner = placement.corner();
            [0, 1].map(|axis| (f64::from(at[axis]) - corner[axis]) / placement.size[axis])
        };
        let mut look = look(None);
        let before = under(&look);
        zoom(&mut look, 4.0, Some(at), FRAME, extent);
        let after = under(&look);
        assert_eq!(look.zoom, Some(8.0), "twice as large as the frame shows, four times");
        for axis in 0..2 {
            assert!((before[axis] - after[axis]).abs() < 1e-3, "{before:?} became {after:?}");
        }
    }

    #[test]
    fn panning_follows_the_pointer_and_ends_at_the_edge() {
        let mut look = look(Some(2.0));
        pan(&mut look, [-100.0, 30.0], FRAME, [400, 300]);
        assert_eq!(look.centre, [0.625, 0.45]);
        pan(&mut look, [-1e6, 0.0], FRAME, [400, 300]);
        assert_eq!(look.centre[0], 1.0);
    }
}
