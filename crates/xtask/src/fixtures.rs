//! `cargo xtask fixtures`.

use anyhow::{Result, bail};

use crate::options::Options;

pub(crate) fn run(_options: &Options) -> Result<bool> {
    bail!("tests/data has no pictures yet")
}
