//! The kernels that `texemu-transcode` looks up by `TranscodeKey`: decoders, and decoders with an encoder behind them.

use crate::variants::{Target, Variant};

/// Every one of them.
pub(crate) fn variants() -> Vec<Variant> {
    let mut variants = decoders();
    variants.extend(recoders());
    variants
}

/// One decoder and what it writes.
struct Decoding {
    /// Lower case, for kernel names.
    name: &'static str,
    /// `Decoder` and `TargetKind` of the key.
    decoder: &'static str,
    target: &'static str,
    block_bytes: u32,
}

impl Decoding {
    /// Whether a workgroup shares what it parses.
    fn staged(&self) -> bool {
        self.decoder.starts_with("Astc")
    }
}

const DECODINGS: &[Decoding] = &[
    Decoding { name: "astc_ldr", decoder: "AstcLdr", target: "Rgba8", block_bytes: 16 },
    Decoding { name: "astc_hdr", decoder: "AstcHdr", target: "Rgba16f", block_bytes: 16 },
    Decoding { name: "etc2_rgb", decoder: "Etc2Rgb", target: "Rgba8", block_bytes: 8 },
    Decoding { name: "etc2_rgba1", decoder: "Etc2RgbA1", target: "Rgba8", block_bytes: 8 },
    Decoding { name: "etc2_rgba", decoder: "Etc2Rgba", target: "Rgba8", block_bytes: 16 },
    Decoding { name: "eac_r", decoder: "EacR", target: "R16", block_bytes: 8 },
    Decoding { name: "eac_rg", decoder: "EacRg", target: "Rg16", block_bytes: 16 },
];

/// Key, name and definition of each source.
const SOURCES: &[(&str, &str, &str)] = &[
    ("TexelBuffer", "texel_buffer", "SOURCE_TEXEL_BUFFER"),
    ("StorageImage", "storage_image", "SOURCE_STORAGE_IMAGE"),
    ("StorageBuffer", "storage_buffer", "SOURCE_STORAGE_BUFFER"),
];

/// Key and entry point of each granularity.
const GRANULARITIES: &[(&str, &str, &str)] = &[
    ("PerTexel", "per_texel", "transcode/per_texel.comp"),
    ("PerBlock", "per_block", "transcode/per_block.comp"),
    ("Tile", "tile", "transcode/tile.comp"),
];

/// Blocks a workgroup, and weight bytes a block, of the tile kernels that keep bytes in shared memory: 4x4, 5x4, 5x5 and
/// 6x5, 6x6 and up have at most 32, 40, 50 and 64 weights, and 4 bytes of slack.
const BYTE_STAGINGS: &[(u32, u32)] =
    &[(16, 36), (16, 44), (16, 54), (16, 68), (32, 36), (32, 44), (32, 54), (32, 68)];

/// Blocks decoded at a time, weight bytes a block and BC blocks a workgroup of those with an encoder: short encoders keep as much shared
/// memory free as they can (12x12 fills a workgroup badly with fewer than 126), BC7 is so long that many subgroups had better go through
/// it together.
const SHORT_STAGINGS: &[(u32, u32, u32)] =
    &[(32, 36, 64), (32, 44, 64), (32, 54, 64), (32, 68, 64), (16, 68, 64), (16, 68, 128)];
const LONG_STAGINGS: &[(u32, u32, u32)] = &[(64, 36, 256), (64, 44, 256), (32, 54, 256), (32, 68, 256)];

/// Decoders that write uncompressed texels.
fn decoders() -> Vec<Variant> {
    let mut variants = Vec::new();
    for decoding in DECODINGS {
        for &(source, source_name, source_define) in SOURCES {
            for store in ["Image2d", "Image3d"] {
                for &(granularity, granularity_name, file) in GRANULARITIES {
                    let mut name = format!("{granularity_name}_{}_{source_name}", decoding.name);
                    if store == "Image3d" {
                        name.push_str("_3d");
                    }
                    let base = decoding_variant(decoding, name, file)
                        .define(source_define, 1)
                        .define("STORE_3D", u32::from(store == "Image3d"));
                    let key = |staging: &str| {
                        key(granularity, source, decoding.decoder, decoding.target, store, staging, "Fast")
                    };
                    variants.push(Variant { transcode_key: Some(key("Staging::Words")), ..base.clone() });
                    if decoding.decoder == "AstcLdr"
                        && granularity == "Tile"
                        && (source, store) == ("TexelBuffer", "Image2d")
                    {
                        variants.extend(BYTE_STAGINGS.iter().map(|&(blocks, weight_bytes)| {
                            let staging = format!(
                                "Staging::Bytes {{ blocks: {blocks}, weight_bytes: {weight_bytes}, targets: 0 }}"
                            );
                            let mut variant = base.clone();
                            variant.name = format!("{}_bytes_{blocks}_{weight_bytes}", base.name);
                            variant.target = Target::Vulkan12;
                            variant.transcode_key = Some(key(&staging));
                            variant.define("BLOCKS_A_GROUP", blocks).define("WEIGHT_BYTES", weight_bytes)
                        }));
                    }
                }
            }
        }
    }
    variants
}

/// A decoder and the BC targets it is fused with.
struct Recoding {
    decoding: &'static str,
    /// `TargetKind` and bytes a block.
    targets: &'static [(&'static str, u32)],
}

const RECODINGS: &[Recoding] = &[
    Recoding { decoding: "astc_ldr", targets: &[("Bc1", 8), ("Bc3", 16), ("Bc7", 16)] },
    Recoding { decoding: "astc_hdr", targets: &[("Bc6h", 16)] },
    Recoding { decoding: "etc2_rgb", targets: &[("Bc1", 8), ("Bc3", 16), ("Bc7", 16)] },
    Recoding { decoding: "etc2_rgba1", targets: &[("Bc1", 8), ("Bc3", 16), ("Bc7", 16)] },
    Recoding { decoding: "etc2_rgba", targets: &[("Bc1", 8), ("Bc3", 16), ("Bc7", 16)] },
    Recoding { decoding: "eac_r", targets: &[("Bc4", 8)] },
    Recoding { decoding: "eac_rg", targets: &[("Bc5", 16)] },
];

/// One way to run a recoder.
#[derive(Clone, Copy)]
struct Way {
    granularity: (&'static str, &'static str, &'static str),
    source: (&'static str, &'static str, &'static str),
    store: &'static str,
    high: bool,
}

/// Decoders with an encoder behind them. Every source, store and effort has the granularity that is fastest; the others are there for
/// texel buffers, to be compared with.
fn recoders() -> Vec<Variant> {
    let tile = ("Tile", "tile", "transcode/tile_encode.comp");
    let per_block = ("PerBlock", "per_block", "transcode/per_block_encode.comp");
    let per_texel = ("PerTexel", "per_texel", "transcode/per_texel_encode.comp");
    let mut variants = Vec::new();
    for recoding in RECODINGS {
        let decoding = DECODINGS.iter().find(|decoding| decoding.name == recoding.decoding);
        let decoding = decoding.expect("every recoding starts with a decoding");
        let (fastest, others) =
            if decoding.staged() { (tile, vec![per_block, per_texel]) } else { (per_block, vec![per_texel]) };
        let mut ways = Vec::new();
        for source in SOURCES.iter().copied() {
            let stores = match source.0 {
                "TexelBuffer" => &["Buffer", "Image2d"][..],
                _ => &["Buffer"],
            };
            for &store in stores {
                ways.extend([false, true].map(|high| Way { granularity: fastest, source, store, high }));
            }
        }
        ways.extend(others.into_iter().map(|granularity| Way {
            granularity,
            source: SOURCES[0],
            store: "Buffer",
            high: false,
        }));
        for &(target, bytes) in recoding.targets {
            variants.extend(ways.iter().map(|&way| recoder(decoding, target, bytes, way)));
            if decoding.decoder == "AstcLdr" {
                let stagings = if target == "Bc7" { LONG_STAGINGS } else { SHORT_STAGINGS };
                for store in ["Buffer", "Image2d"] {
                    let way = Way { granularity: tile, source: SOURCES[0], store, high: false };
                    let words = recoder(decoding, target, bytes, way);
                    variants.extend(stagings.iter().map(|&staging| bytes_staged(&words, staging)));
                }
            }
        }
    }
    variants
}

fn recoder(decoding: &Decoding, target: &str, target_block_bytes: u32, way: Way) -> Variant {
    let Way { granularity: (granularity, granularity_name, file), source, store, high } = way;
    let mut name = format!("{granularity_name}_{}_to_{}_{}", decoding.name, target.to_lowercase(), source.1);
    if store == "Image2d" {
        name.push_str("_image");
    }
    if high {
        name.push_str("_high");
    }
    let effort = if high { "High" } else { "Fast" };
    let key = key(granularity, source.0, decoding.decoder, target, store, "Staging::Words", effort);
    let mut variant = Variant::new(name, file)
        .define(&format!("DECODER_{}", decoding.name.to_uppercase()), 1)
        .define(&format!("TARGET_{}", target.to_uppercase()), 1)
        .define("BLOCK_BYTES", decoding.block_bytes)
        .define("TARGET_BLOCK_BYTES", target_block_bytes)
        .define("EFFORT_HIGH", u32::from(high))
        .define(source.2, 1);
    if store == "Buffer" {
        variant = variant.define("STORE_BUFFER", 1);
    }
    // ETC2 RGB has no alpha: its BC1 is the one that cannot have holes either.
    if target == "Bc1" && decoding.decoder != "Etc2Rgb" {
        variant = variant.define("ENCODE_PUNCH_THROUGH", 1);
    }
    variant.transcode_key = Some(key);
    variant
}

/// The variant of a tile kernel with an encoder that keeps bytes.
fn bytes_staged(words: &Variant, (blocks, weight_bytes, targets): (u32, u32, u32)) -> Variant {
    let mut variant = words.clone();
    variant.name = format!("{}_bytes_{blocks}_{weight_bytes}_{targets}", words.name);
    variant.target = Target::Vulkan12;
    let staging =
        format!("Staging::Bytes {{ blocks: {blocks}, weight_bytes: {weight_bytes}, targets: {targets} }}");
    variant.transcode_key = words.transcode_key.as_ref().map(|key| key.replace("Staging::Words", &staging));
    variant
        .define("WEIGHT_BYTES", weight_bytes)
        .define("BLOCKS_A_GROUP", blocks)
        .define("TEXELS_A_ROW", targets + 8)
}

fn decoding_variant(decoding: &Decoding, name: String, file: &'static str) -> Variant {
    Variant::new(name, file)
        .define(&format!("DECODER_{}", decoding.name.to_uppercase()), 1)
        .define(&format!("TARGET_{}", decoding.target.to_uppercase()), 1)
        .define("BLOCK_BYTES", decoding.block_bytes)
}

fn key(
    granularity: &str,
    source: &str,
    decoder: &str,
    target: &str,
    store: &str,
    staging: &str,
    effort: &str,
) -> String {
    format!(
        "TranscodeKey {{ granularity: Granularity::{granularity}, source: SourceKind::{source}, decoder: \
         Decoder::{decoder}, target: TargetKind::{target}, store: Store::{store}, staging: {staging}, effort: \
         Effort::{effort} }}"
    )
}
