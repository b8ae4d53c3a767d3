//! Hierarchical depth: pyramids of a depth buffer in which a coarse texel bounds every depth it stands for.
//!
//! ```text
//! depth image --(scheme, reduction, path)--> levels --(queries)--> hidden | visible | undecided
//! ```
//!
//! * [`Scheme`] says which texels a texel covers, and so which queries the pyramid answers;
//! * [`Reduction`] says what it keeps of them: least, greatest, both. A NaN counts as the extreme that keeps every answer
//!   safe, a denormal and -0 as +0; infinities are ordinary;
//! * [`Path`] says how the device makes it. All paths give the same bits, which [`Oracle`] gives on the CPU.
//!
//! [`Query`] asks on the CPU what [`QUERY_GLSL`], the include for shaders, asks on the device: rectangles, spheres, boxes, particles, rays.
//!
//! [`HizPlan`] works everything out without a device; [`Hiz`] holds the pipelines and records; a [`HizTarget`] is the images that one
//! recording in flight fills.

mod access;
pub mod bench;
mod caps;
mod error;
mod hiz;
mod kernels;
mod oracle;
mod order;
mod plan;
mod query;
mod raster;
mod scheme;
mod target;

pub use access::{Access, HizAccess};
pub use caps::HizCaps;
pub use error::{Error, Result};
pub use hiz::{Hiz, HizDepth};
pub use oracle::{DepthValues, Level, Oracle};
pub use plan::{HizDesc, HizLevel, HizPlan, MAX_EXTENT, MAX_LEVEL, Path, Step, StepKind, TexelFormat};
pub use query::{
    AnyQuery, Integer, Lookup, Projection, Query, QueryPyramid, Ray, RayMarch, RayState, Settled, Uv,
};
pub use scheme::{Answer, Answers, DepthOrder, Keep, Reduction, Scheme};
pub use target::{HizImage, HizTarget};

/// `hiz_query.glsl`: the queries for shaders, to be handed to a GLSL compiler when it asks for an include of that name. What is to be
/// defined before it is said at its top.
pub const QUERY_GLSL: &str = texemu_shaders::HIZ_QUERY;
