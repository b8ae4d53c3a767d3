//! The queries: the twins against brute force over the full depth buffer, and the header against the twins, bit for bit.
//!
//! `TEXEMU_HIZ_QUERIES` sets how many queries are held against brute force; the full count is 1000000.
//! `TEXEMU_HIZ_VALIDATION=off` runs where there is no validation layer.

mod ask;
mod brute;
mod device;
mod fuzz;
mod scene;
