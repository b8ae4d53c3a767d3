//! The twins of the image filters in `glsl/filter`: rows first, then columns; texels beyond the edge are those at the edge.

/// Four components, linear.
pub type Texel = [f32; 4];

/// The difference of the right and the left neighbour, along rows and then along columns.
///
/// `texels` are rows of `width`; so are those returned.
pub fn edges(texels: &[Texel], width: usize) -> Vec<Texel> {
    separable(texels, width, |near| std::array::from_fn(|c| near(1)[c] - near(-1)[c]))
}

/// Five texels with the weights 1, 4, 6, 4, 1 of 16, along rows and then along columns.
///
/// `texels` are rows of `width`; so are those returned.
pub fn blur(texels: &[Texel], width: usize) -> Vec<Texel> {
    separable(texels, width, |near| {
        let sum = |c: usize| {
            let weighted = |offset: isize, weight: f32| near(offset)[c] * weight;
            weighted(-2, 1.0) + weighted(-1, 4.0) + weighted(0, 6.0) + weighted(1, 4.0) + weighted(2, 1.0)
        };
        std::array::from_fn(|c| sum(c) / 16.0)
    })
}

/// `filter` is given a look at the neighbours of a texel, by their distance in the direction of the pass.
fn separable(
    texels: &[Texel],
    width: usize,
    filter: impl Fn(&dyn Fn(isize) -> Texel) -> Texel,
) -> Vec<Texel> {
    if width == 0 || texels.is_empty() {
        return Vec::new();
    }
    let height = texels.len() / width;
    let mut rows = Vec::with_capacity(texels.len());
    for row in texels.chunks_exact(width) {
        rows.extend((0..width).map(|x| filter(&|offset| row[beside(x, offset, width)])));
    }
    let mut result = Vec::with_capacity(rows.len());
    for y in 0..height {
        result.extend((0..width).map(|x| filter(&|offset| rows[beside(y, offset, height) * width + x])));
    }
    result
}

/// The place `offset` away from `at`, kept below `count`.
fn beside(at: usize, offset: isize, count: usize) -> usize {
    at.saturating_add_signed(offset).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(values: &[f32]) -> Vec<Texel> {
        values.iter().map(|&value| [value; 4]).collect()
    }

    #[test]
    fn edges_are_differences_of_differences() {
        // h = right - left: rows (1, 3, 2), (4, 4, 0), (-1, 4, 5); then below minus above.
        let picture = grey(&[1., 2., 4., 2., 6., 6., 1., 0., 5.]);
        let expected = grey(&[3., 1., -2., -2., 1., 3., -5., 0., 5.]);
        assert_eq!(edges(&picture, 3), expected, "worked out by hand");
        assert_eq!(edges(&grey(&[7.]), 1), grey(&[0.]), "a texel alone has no edge");
        assert!(edges(&[], 0).is_empty(), "nor has nothing");
    }

    #[test]
    fn blurring_spreads_a_point_and_keeps_what_is_even() {
        let mut point = vec![0.0; 49];
        point[24] = 256.0;
        let blurred = blur(&grey(&point), 7);
        let row = |y: usize| (0..7).map(|x| blurred[7 * y + x][0]).collect::<Vec<_>>();
        assert_eq!(row(3), [0., 6., 24., 36., 24., 6., 0.]);
        assert_eq!(row(1), [0., 1., 4., 6., 4., 1., 0.]);
        assert_eq!(blur(&grey(&[3.0; 6]), 2), grey(&[3.0; 6]), "also at the edges");
    }
}
