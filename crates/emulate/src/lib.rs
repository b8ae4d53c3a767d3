//! ASTC, ETC2 and EAC images on devices that lack them.
mod chain;
mod error;
mod features;
mod offer;
mod query;
mod settings;
mod structures;
pub use error::{Error, Result};
pub use features::DeviceCreateInfo;
pub use offer::{Families, Offer};
pub use settings::{KeepBlocks, Policy, Pressure, Rule, Settings};
