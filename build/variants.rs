//! What is compiled: entry points under `glsl/` and the definitions each variant gets. One function a folder.

/// The environment a module is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// SPIR-V 1.3: the baseline.
    Vulkan11,
    /// SPIR-V 1.4: what VK_KHR_workgroup_memory_explicit_layout asks for.
    #[allow(dead_code, reason = "used as soon as a variant asks for it")]
    Vulkan12,
}

#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// The kernel's name, unique.
    pub(crate) name: String,
    /// The entry point, relative to `glsl/`.
    pub(crate) file: &'static str,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) target: Target,
    /// The Rust expression of its `TranscodeKey`, for kernels that are looked up by what they do.
    pub(crate) transcode_key: Option<String>,
}

impl Variant {
    /// A baseline variant without definitions.
    fn new(name: impl Into<String>, file: &'static str) -> Self {
        Self { name: name.into(), file, defines: Vec::new(), target: Target::Vulkan11, transcode_key: None }
    }

    fn define(mut self, name: &str, value: impl ToString) -> Self {
        self.defines.push((name.to_owned(), value.to_string()));
        self
    }
}

pub(crate) fn all() -> Vec<Variant> {
    let mut variants = Vec::new();
    variants.extend(bench());
    variants
}

/// The kernels that benchmarks compare with.
fn bench() -> Vec<Variant> {
    vec![Variant::new("copy_bytes", "bench/copy.comp").define("COPY", 1)]
}
