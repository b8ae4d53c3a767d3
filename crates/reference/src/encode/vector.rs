//! Small integer vectors and the arithmetic every encoder shares. Everything stays inside 32 bits, so that the shaders in
//! `glsl/encode` compute the same values.

use std::ops::{Add, Mul, Shl, Shr, Sub};

/// `N` signed integers, one a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Vector<const N: usize>(pub(super) [i32; N]);

pub(super) type Rgb = Vector<3>;
pub(super) type Rgba = Vector<4>;

impl<const N: usize> Vector<N> {
    pub(super) const ZERO: Self = Self([0; N]);

    pub(super) const fn of(channels: [i32; N]) -> Self {
        Self(channels)
    }

    pub(super) fn splat(value: i32) -> Self {
        Self([value; N])
    }

    pub(super) fn map(self, f: impl FnMut(i32) -> i32) -> Self {
        Self(self.0.map(f))
    }

    pub(super) fn zip(self, other: Self, mut f: impl FnMut(i32, i32) -> i32) -> Self {
        Self(std::array::from_fn(|channel| f(self.0[channel], other.0[channel])))
    }

    pub(super) fn dot(self, other: Self) -> i32 {
        (0..N).map(|channel| self.0[channel] * other.0[channel]).sum()
    }

    pub(super) fn clamp(self, low: i32, high: i32) -> Self {
        self.map(|value| value.clamp(low, high))
    }

    pub(super) fn max_abs(self) -> i32 {
        self.0.into_iter().fold(0, |most, value| most.max(value.abs()))
    }

    /// The channels of an RGBA8 texel, red in the low byte.
    pub(super) fn unpack(texel: u32) -> Self {
        Self(std::array::from_fn(|channel| (texel >> (8 * channel) & 255) as i32))
    }
}

impl Rgba {
    /// Alpha exchanged with channel `rotation` - 1; as it is for 0.
    pub(super) fn rotated(mut self, rotation: u32) -> Self {
        if rotation > 0 {
            self.0.swap(3, rotation as usize - 1);
        }
        self
    }
}

impl<const N: usize> Add for Vector<N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<const N: usize> Sub for Vector<N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<const N: usize> Mul for Vector<N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl<const N: usize> Mul<i32> for Vector<N> {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        self.map(|value| value * factor)
    }
}

impl<const N: usize> Shl<i32> for Vector<N> {
    type Output = Self;
    fn shl(self, bits: i32) -> Self {
        self.map(|value| value << bits)
    }
}

impl<const N: usize> Shr<i32> for Vector<N> {
    type Output = Self;
    fn shr(self, bits: i32) -> Self {
        self.map(|value| value >> bits)
    }
}

/// Right shift that brings `most` below 2^14.
pub(super) fn scale_shift(most: i32) -> i32 {
    (31 - (most | 1).leading_zeros() as i32 - 13).max(0)
}

/// Least squares: `numerator / determinant`, a value of 0..=255, in sixteenths. `reciprocal` is 2^24 / determinant.
pub(super) fn sixteenths(numerator: i32, determinant: i32, reciprocal: u32) -> i32 {
    let n = numerator.clamp(0, 255 * determinant) as u32;
    ((n * reciprocal + 0x8_0000) >> 20) as i32
}

/// Second moments of some texels: the diagonal and, row by row, what stands right of it.
#[derive(Clone, Copy)]
pub(super) struct Moments<const N: usize> {
    pub(super) count: i32,
    pub(super) sum: Vector<N>,
    pub(super) square: Vector<N>,
    pub(super) cross: [i32; 6],
}

impl<const N: usize> Moments<N> {
    pub(super) const ZERO: Self = Self { count: 0, sum: Vector::ZERO, square: Vector::ZERO, cross: [0; 6] };

    /// One texel more.
    pub(super) fn with(mut self, texel: Vector<N>) -> Self {
        self.count += 1;
        self.sum = self.sum + texel;
        self.square = self.square + texel * texel;
        let mut slot = 0;
        for row in 0..N {
            for column in row + 1..N {
                self.cross[slot] += texel.0[row] * texel.0[column];
                slot += 1;
            }
        }
        self
    }

    /// The moments of these texels and `factor` times others.
    pub(super) fn plus(&self, other: &Self, factor: i32) -> Self {
        Self {
            count: self.count + other.count * factor,
            sum: self.sum + other.sum * factor,
            square: self.square + other.square * factor,
            cross: std::array::from_fn(|slot| self.cross[slot] + other.cross[slot] * factor),
        }
    }

    /// The covariance matrix times the square of the count.
    pub(super) fn covariance(&self) -> [Vector<N>; N] {
        let mut rows = [Vector::ZERO; N];
        let mut slot = 0;
        for row in 0..N {
            rows[row].0[row] = self.square.0[row] * self.count - self.sum.0[row] * self.sum.0[row];
            for column in row + 1..N {
                let value = self.cross[slot] * self.count - self.sum.0[row] * self.sum.0[column];
                rows[row].0[column] = value;
                rows[column].0[row] = value;
                slot += 1;
            }
        }
        rows
    }
}

/// The principal axis of a covariance matrix, by power iteration from its heaviest row.
pub(super) fn principal_axis<const N: usize>(rows: [Vector<N>; N], rounds: u32) -> Vector<N> {
    let diagonal: Vector<N> = Vector(std::array::from_fn(|row| rows[row].0[row]));
    let shift = scale_shift(diagonal.max_abs());
    let rows = rows.map(|row| row >> shift);
    let mut heaviest = 0;
    for row in 1..N {
        if rows[row].0[row] > rows[heaviest].0[heaviest] {
            heaviest = row;
        }
    }
    let mut axis = rows[heaviest];
    for _ in 0..rounds {
        axis = Vector(rows.map(|row| row.dot(axis)));
        axis = axis >> scale_shift(axis.max_abs());
    }
    axis
}
