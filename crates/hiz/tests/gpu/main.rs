//! Every path of the depth pyramids against the CPU twin, bit for bit, under validation with synchronization validation.
//!
//! `TEXEMU_HIZ_LARGE=1` adds sizes up to 8193, all combinations of scheme and reduction, and 1,000 repetitions, whose number
//! `TEXEMU_HIZ_REPETITIONS` sets by itself.
//! `TEXEMU_HIZ_VALIDATION=off` runs where there is no validation layer.

mod device;
mod multisampled;
mod paths;
mod repeats;
mod sources;
