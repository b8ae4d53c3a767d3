//! GLSL to SPIR-V with shaderc, and a cache in `OUT_DIR` so that a changed shader compiles only its own variants.

use crate::variants::{Target, Variant};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

pub(crate) struct Compiler {
    shaderc: shaderc::Compiler,
    root: PathBuf,
    cache: PathBuf,
}

impl Compiler {
    pub(crate) fn new(root: &Path, out: &Path) -> Self {
        let cache = out.join("spirv-cache");
        std::fs::create_dir_all(&cache).expect("OUT_DIR is writable");
        let shaderc = shaderc::Compiler::new().expect("shaderc starts");
        Self { shaderc, root: root.to_owned(), cache }
    }

    /// The SPIR-V words of `variant`, or shaderc's message with `glsl/file:line`.
    pub(crate) fn compile(&self, variant: &Variant) -> Result<Vec<u32>, String> {
        let path = self.root.join(variant.file);
        let source =
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let shown = path.display().to_string();
        // glslang answers a missing #version with thousands of lines about its own built-ins.
        if !source.lines().any(|line| line.starts_with("#version 460")) {
            return Err(format!("{shown}:1: error: the file must say `#version 460`"));
        }
        let options = self.options(variant)?;
        let text = self
            .shaderc
            .preprocess(&source, &shown, "main", Some(&options))
            .map_err(|error| format!("{} [{}]", error, variant.name))?
            .as_text();
        let mut hasher = DefaultHasher::new();
        (text, variant.target, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
        let cached = self.cache.join(format!("{:016x}.spv", hasher.finish()));
        if let Some(words) = std::fs::read(&cached).ok().and_then(words) {
            return Ok(words);
        }
        let artifact = self
            .shaderc
            .compile_into_spirv(&source, kind(variant.file)?, &shown, "main", Some(&options))
            .map_err(|error| format!("{} [{}]", error, variant.name))?;
        // A cache that cannot be written costs time, not correctness.
        let _ = std::fs::write(&cached, artifact.as_binary_u8());
        Ok(artifact.as_binary().to_vec())
    }

    fn options(&self, variant: &Variant) -> Result<shaderc::CompileOptions<'_>, String> {
        let mut options = shaderc::CompileOptions::new().map_err(|error| error.to_string())?;
        let (version, spirv) = match variant.target {
            Target::Vulkan11 => (shaderc::EnvVersion::Vulkan1_1, shaderc::SpirvVersion::V1_3),
            Target::Vulkan12 => (shaderc::EnvVersion::Vulkan1_2, shaderc::SpirvVersion::V1_4),
        };
        options.set_target_env(shaderc::TargetEnv::Vulkan, version as u32);
        options.set_target_spirv(spirv);
        options.set_optimization_level(shaderc::OptimizationLevel::Performance);
        options.set_warnings_as_errors();
        for (name, value) in &variant.defines {
            options.add_macro_definition(name, Some(value));
        }
        let root = self.root.clone();
        options
            .set_include_callback(move |requested, _, requesting, _| include(&root, requested, requesting));
        Ok(options)
    }
}

/// An include is looked for beside the file that asks for it, then from `glsl/`.
fn include(root: &Path, requested: &str, requesting: &str) -> Result<shaderc::ResolvedInclude, String> {
    let beside = Path::new(requesting).parent().unwrap_or(root).join(requested);
    let path = if beside.exists() { beside } else { root.join(requested) };
    let content = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(shaderc::ResolvedInclude { resolved_name: path.display().to_string(), content })
}

fn kind(file: &str) -> Result<shaderc::ShaderKind, String> {
    match Path::new(file).extension().and_then(|extension| extension.to_str()) {
        Some("comp") => Ok(shaderc::ShaderKind::Compute),
        Some("vert") => Ok(shaderc::ShaderKind::Vertex),
        Some("frag") => Ok(shaderc::ShaderKind::Fragment),
        _ => Err(format!("glsl/{file}: an entry point ends in .comp, .vert or .frag")),
    }
}

fn words(bytes: Vec<u8>) -> Option<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    (rest.is_empty() && !chunks.is_empty())
        .then(|| chunks.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
