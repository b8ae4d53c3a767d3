//! Textures as an emulated GPU samples them: in a window, or in a picture.
//!
//! A [`Viewer`] uploads a texture through the emulated image of `texemu-emulate`, once for each policy that is shown, and draws
//! it on a quad with the shaders of `glsl/present`. [`Viewer::frame`] draws into a picture; the window (feature
//! `window`, on by default) draws the same. A [`Filter`] is what compute shaders make of a level before it is drawn.

mod error;
mod filter;
mod filtered;
mod frame;
mod look;
mod pass;
mod picture;
mod placement;
mod viewer;
#[cfg(feature = "window")]
mod window;

pub use error::{Error, Result};
pub use filter::Filter;
pub use look::{Action, Channel, Look, Mode};
pub use viewer::{Open, Viewer};
#[cfg(feature = "window")]
pub use window::Desktop;
