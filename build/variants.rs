//! What is compiled: entry points under `glsl/` and the definitions each variant gets. One function a folder.

/// The environment a module is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    /// SPIR-V 1.3: the baseline.
    Vulkan11,
    /// SPIR-V 1.4: what VK_KHR_workgroup_memory_explicit_layout asks for.
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
    pub(crate) fn new(name: impl Into<String>, file: &'static str) -> Self {
        Self { name: name.into(), file, defines: Vec::new(), target: Target::Vulkan11, transcode_key: None }
    }

    pub(crate) fn define(mut self, name: &str, value: impl ToString) -> Self {
        self.defines.push((name.to_owned(), value.to_string()));
        self
    }
}

pub(crate) fn all() -> Vec<Variant> {
    let mut variants = Vec::new();
    variants.extend(bench());
    variants.extend(crate::transcode::variants());
    variants.extend(encode());
    variants.extend(hiz());
    variants.extend(filter());
    variants.extend(present());
    variants.extend(examples());
    variants
}

/// What the examples show.
fn examples() -> Vec<Variant> {
    vec![
        Variant::new("example_boxes", "example/boxes.vert"),
        Variant::new("example_cull_early", "example/cull.comp").define("LATE", 0),
        Variant::new("example_cull_late", "example/cull.comp").define("LATE", 1),
        Variant::new("example_particles", "example/particles.comp"),
    ]
}

/// Every `filter/NAME.comp`, as `filter_NAME`: a filter is added by its file alone.
fn filter() -> Vec<Variant> {
    let entries = std::fs::read_dir("glsl/filter").expect("the filters lie in glsl/filter");
    let names = entries.map(|entry| entry.expect("glsl/filter is readable").file_name());
    let names = names.map(|name| name.into_string().expect("a filter's name is UTF-8"));
    let mut filters: Vec<_> = names.filter_map(|name| Some(name.strip_suffix(".comp")?.to_owned())).collect();
    filters.sort();
    let variant = |name: String| {
        // Entry points are static: the table is made once and lives as long as the build script.
        let file: &'static str = format!("filter/{name}.comp").leak();
        Variant::new(format!("filter_{name}"), file)
    };
    filters.into_iter().map(variant).collect()
}

/// Drawing an image: as a sampler sees it, and as the viewer shows it.
fn present() -> Vec<Variant> {
    let view = |name, view| Variant::new(name, "present/sample.frag").define("VIEW", view);
    let show = |name, view| Variant::new(name, "present/show.frag").define("VIEW", view);
    vec![
        Variant::new("show_vertex", "present/show.vert"),
        show("show_2d_array", 2),
        show("show_3d", 3),
        Variant::new("sample_vertex", "present/sample.vert"),
        view("sample_2d_array", 2),
        view("sample_3d", 3),
        view("sample_cube", 6),
    ]
}

/// Hierarchical depth. `_both` keeps minimum and maximum; `_samples` reads a multisampled image, `_level` a level of two components;
/// `_indexed` indexes storage images dynamically.
fn hiz() -> Vec<Variant> {
    let mut variants = hiz_queries();
    variants.extend([
        Variant::new("hiz_level_vertex", "hiz/level.vert"),
        Variant::new("hiz_test_samples", "hiz/test/samples.frag"),
        Variant::new("hiz_level_typed", "hiz/level.comp")
            .define("SOURCE", 0)
            .define("COMPONENTS", 1)
            .define("TYPED", 1),
    ]);
    for (both, components) in [("", 1), ("_both", 2)] {
        let variant = |name: String, file, source: u32| {
            Variant::new(name, file).define("SOURCE", source).define("COMPONENTS", components)
        };
        let sources: &[(&str, u32)] = if components == 1 {
            &[("", 0), ("_samples", 1)]
        } else {
            &[("", 0), ("_samples", 1), ("_level", 2)]
        };
        for &(suffix, source) in sources {
            variants.push(variant(format!("hiz_level{both}{suffix}"), "hiz/level.comp", source));
            variants.push(variant(format!("hiz_draw{both}{suffix}"), "hiz/level.frag", source));
        }
        for (suffix, source) in [("", 0), ("_samples", 1)] {
            variants.push(variant(
                format!("hiz_shared_atomic{both}{suffix}"),
                "hiz/shared_atomic.comp",
                source,
            ));
        }
        variants.push(variant(format!("hiz_fold{both}"), "hiz/fold.comp", 0));
        for (name, pass) in [("chain", 0), ("tiles", 1), ("rest", 2)] {
            let fronts: &[(&str, &str)] = match (name, components) {
                ("rest", _) => &[("_aligned", "ALIGNED"), ("", "ANY")],
                (_, 1) => &[
                    ("_aligned", "ALIGNED"),
                    ("_rows", "ROWS"),
                    ("_rows_shared", "ROWS_SHARED"),
                    ("", "ANY"),
                ],
                _ => &[("_aligned", "ALIGNED"), ("", "ANY")],
            };
            for &(front, define) in fronts {
                let name = format!("hiz_{name}{front}{both}");
                let plain = variant(name.clone(), "hiz/chain.comp", 0).define("PASS", pass).define(define, 1);
                let indexed =
                    Variant { name: format!("{name}_indexed"), ..plain.clone() }.define("INDEXED", 1);
                variants.extend([plain, indexed]);
            }
            if name != "rest" {
                let samples = variant(format!("hiz_{name}{both}_samples"), "hiz/chain.comp", 1);
                variants.push(samples.define("PASS", pass).define("ANY", 1));
            }
        }
    }
    variants
}

/// The header of queries in every configuration, for its comparison with the CPU: scheme, lookup, and what is kept.
fn hiz_queries() -> Vec<Variant> {
    const CONFIGURATIONS: [(&str, [u32; 3]); 7] = [
        ("chained_uv", [0, 0, 2]),
        ("chained_integer", [0, 1, 2]),
        ("edge_texel", [1, 1, 2]),
        ("pow2_exact", [2, 0, 2]),
        ("rounded_up", [3, 1, 2]),
        ("nearest", [0, 0, 0]),
        ("farthest", [0, 0, 1]),
    ];
    let variant = |(name, [scheme, lookup, keep]): (&str, [u32; 3])| {
        Variant::new(format!("hiz_query_{name}"), "hiz/test/query.comp")
            .define("HIZ_SCHEME", scheme)
            .define("HIZ_LOOKUP", lookup)
            .define("HIZ_KEEP", keep)
            .define("COMPONENTS", if keep == 2 { 2 } else { 1 })
    };
    CONFIGURATIONS.map(variant).into()
}

/// The kernels that benchmarks compare with.
fn bench() -> Vec<Variant> {
    vec![
        Variant::new("copy_bytes", "bench/copy.comp").define("COPY", 1),
        Variant::new("read_bytes", "bench/read.comp"),
    ]
}

/// The encoders by themselves, from uncompressed texels in a buffer.
fn encode() -> Vec<Variant> {
    // Name, ENCODE_BC, and what tells it from another of that number.
    const ENCODERS: [(&str, u32, &[&str]); 9] = [
        ("bc1_rgb", 1, &[]),
        ("bc1_rgba", 1, &["ENCODE_PUNCH_THROUGH"]),
        ("bc3", 3, &[]),
        ("bc4_unorm", 4, &[]),
        ("bc4_snorm", 4, &["ENCODE_SNORM"]),
        ("bc5_unorm", 5, &[]),
        ("bc5_snorm", 5, &["ENCODE_SNORM"]),
        ("bc6h", 6, &[]),
        ("bc7", 7, &[]),
    ];
    let variant = |(name, bc, flags): (&str, u32, &[&str]), high: bool| {
        let effort = if high { "high" } else { "fast" };
        let variant = Variant::new(format!("encode_{name}_{effort}"), "transcode/encode.comp")
            .define("ENCODE_BC", bc)
            .define("EFFORT_HIGH", u32::from(high));
        flags.iter().fold(variant, |variant, flag| variant.define(flag, 1))
    };
    ENCODERS.into_iter().flat_map(|encoder| [false, true].map(|high| variant(encoder, high))).collect()
}
