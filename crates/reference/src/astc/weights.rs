//! From the stored weight grid to a weight a texel (KDFS 1.4, "Weight Infill").

use super::{MAX_TEXELS, MAX_WEIGHTS};

/// The weights of one plane, 0..64, as stored: `width` columns, `height` rows.
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) weights: [u8; MAX_WEIGHTS],
}

/// A texel's place in the grid along one axis: the grid point before it and the 16ths past that point.
#[derive(Clone, Copy, Default)]
struct Place {
    point: usize,
    fraction: u32,
}

/// Places of the texels of an axis of `texels` texels over `points` grid points.
fn places(texels: usize, points: usize) -> [Place; 12] {
    let scale = (1024 + texels / 2) / (texels - 1);
    let mut places = [Place::default(); 12];
    for (texel, place) in places[..texels].iter_mut().enumerate() {
        let position = (scale * texel * (points - 1) + 32) >> 6;
        *place = Place { point: position >> 4, fraction: position as u32 & 15 };
    }
    places
}

impl Grid {
    /// Writes a weight for each texel of the footprint, row by row.
    pub(crate) fn infill(&self, footprint: [usize; 2], texels: &mut [u8; MAX_TEXELS]) {
        if [self.width, self.height] == footprint {
            // Every texel falls on a grid point.
            let count = self.width * self.height;
            texels[..count].copy_from_slice(&self.weights[..count]);
            return;
        }
        let columns = places(footprint[0], self.width);
        let rows = places(footprint[1], self.height);
        let columns = &columns[..footprint[0]];
        for (row, texels) in rows.iter().zip(texels.chunks_mut(footprint[0])).take(footprint[1]) {
            for (column, texel) in columns.iter().zip(texels) {
                let (fs, ft) = (column.fraction, row.fraction);
                let w11 = (fs * ft + 8) >> 4;
                let (w10, w01, w00) = (ft - w11, fs - w11, 16 + w11 - fs - ft);
                // Points past the grid's end have a factor of 0; any value will do there.
                let first = row.point * self.width + column.point;
                let p = |index: usize| u32::from(self.weights[index & (MAX_WEIGHTS - 1)]);
                let sum = p(first) * w00
                    + p(first + 1) * w01
                    + p(first + self.width) * w10
                    + p(first + self.width + 1) * w11;
                *texel = ((sum + 8) >> 4) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_grid_needs_no_infill() {
        for texels in [4, 5, 6, 8, 10, 12] {
            for (texel, place) in places(texels, texels)[..texels].iter().enumerate() {
                assert_eq!((place.point, place.fraction), (texel, 0), "texel {texel} of {texels}");
            }
        }
    }

    #[test]
    fn factors_past_the_grid_are_zero() {
        for texels in [4, 5, 6, 8, 10, 12] {
            for points in 2..=texels {
                let last = places(texels, points)[texels - 1];
                assert_eq!(
                    (last.point, last.fraction),
                    (points - 1, 0),
                    "{points} points over {texels} texels"
                );
            }
        }
    }

    #[test]
    fn a_flat_grid_stays_flat() {
        let grid = Grid { width: 3, height: 5, weights: [41; MAX_WEIGHTS] };
        let mut texels = [0; MAX_TEXELS];
        grid.infill([10, 8], &mut texels);
        assert!(texels[..80].iter().all(|&weight| weight == 41), "{:?}", &texels[..80]);
        assert!(texels[80..].iter().all(|&weight| weight == 0), "nothing past the footprint is written");
    }
}
