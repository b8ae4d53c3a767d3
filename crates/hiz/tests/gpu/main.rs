//! Every path of the depth pyramids against the CPU twin, bit for bit, under validation with synchronization validation.
//!
//! `TEXEMU_HIZ_LARGE=1` adds the sizes up to 8193 and 1,000 repetitions.

mod device;
mod paths;
