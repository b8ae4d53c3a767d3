//! The `texemu` program.

fn main() {}
