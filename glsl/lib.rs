//! The compute shaders of texemu, compiled to SPIR-V when the crate is built, in one typed table.
//!
//! A [`Kernel`] says everything a pipeline needs: words, workgroup size, bindings, push-constant size and
//! specialization constants, all read from the compiled module, so that nothing repeats a binding number by hand.
//! The sources lie beside this file in the order data flows: `source/`, `decode/`, `encode/`, `target/`, composed by
//! the entry points of `transcode/`.

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Bytes that lie as words do.
#[repr(C, align(4))]
struct Words<T: ?Sized>(T);

/// All modules, one after the other, in the byte order of the target.
static SPIRV: &Words<[u8]> = &Words(*include_bytes!(concat!(env!("OUT_DIR"), "/kernels.spv")));

/// `count` words from the word `first` on.
const fn module(first: usize, count: usize) -> &'static [u32] {
    let (_, rest) = SPIRV.0.split_at(first * 4);
    let (bytes, _) = rest.split_at(count * 4);
    // SAFETY: the slice holds count * 4 bytes that live for ever; it begins at a multiple of four bytes of a structure
    // aligned to four; any bit pattern is a u32.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<u32>(), count) }
}

/// One compiled entry point.
#[derive(Debug)]
pub struct Kernel {
    /// Unique, lower case; also the debug name of its pipelines.
    pub name: &'static str,
    /// The module. SPIR-V 1.3, or 1.4 for kernels that need VK_KHR_workgroup_memory_explicit_layout.
    pub spirv: &'static [u32],
    /// Invocations a workgroup in x, y and z; all 1 for vertex and fragment shaders.
    pub workgroup: [WorkgroupSize; 3],
    /// Sorted by set, then binding. All kernels use set 0 alone.
    pub bindings: &'static [Binding],
    /// Bytes of the push-constant block; 0 if there is none.
    pub push_constant_bytes: u32,
    /// The ids that may be specialized.
    pub spec_constants: &'static [u32],
}

/// One axis of a workgroup's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkgroupSize {
    /// Fixed in the module.
    Literal(u32),
    /// Set by the specialization constant of this id.
    SpecConstant(u32),
}

/// One descriptor binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The descriptor set.
    pub set: u32,
    /// The binding inside the set.
    pub binding: u32,
    /// What is bound.
    pub kind: BindingKind,
    /// Array elements; 1 for no array.
    pub count: u32,
}

/// `VkDescriptorType`, as far as the kernels use it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is Vulkan's own name")]
pub enum BindingKind {
    Sampler,
    CombinedImageSampler,
    SampledImage,
    StorageImage,
    UniformTexelBuffer,
    UniformBuffer,
    StorageBuffer,
}

/// What one invocation of a transcoding kernel works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Granularity {
    /// One invocation a texel.
    PerTexel,
    /// One invocation a block.
    PerBlock,
    /// A workgroup on a tile of blocks: each block is parsed once and shared.
    Tile,
}

/// Where a transcoding kernel finds its blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SourceKind {
    /// A uniform texel buffer, `R32G32_UINT` or `R32G32B32A32_UINT`, an element a block.
    TexelBuffer,
    /// A storage image of the same formats, a texel a block.
    StorageImage,
    /// A storage buffer.
    StorageBuffer,
}

/// The decoding half of a transcoding kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Decoder {
    /// ASTC with the LDR profile to 8-bit channels.
    AstcLdr,
    /// ASTC with the HDR profile to 16-bit floats.
    AstcHdr,
    /// ETC1, ETC2 RGB8.
    Etc2Rgb,
    /// ETC2 with punch-through alpha.
    Etc2RgbA1,
    /// ETC2 with EAC alpha.
    Etc2Rgba,
    /// EAC, one channel.
    EacR,
    /// EAC, two channels.
    EacRg,
}

/// The storing half of a transcoding kernel: an uncompressed format, or an encoder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "each variant is the format's own name")]
pub enum TargetKind {
    Rgba8,
    Rgba16f,
    R16,
    Rg16,
    Bc1,
    Bc3,
    Bc4,
    Bc5,
    Bc6h,
    Bc7,
}

/// How a transcoding kernel addresses its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Store {
    /// A storage view of a 2D, array or cube image (`2D_ARRAY`); for BC targets a block-texel view.
    Image2d,
    /// A storage view of a 3D image.
    Image3d,
    /// A storage buffer of blocks, tightly packed; a copy follows. BC targets only.
    Buffer,
}

/// How a [`Granularity::Tile`] kernel keeps values in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Staging {
    /// Plain words: runs everywhere.
    Words,
    /// Bytes, by VK_KHR_workgroup_memory_explicit_layout with 8-bit access and shaderInt8. The sizes are fixed in the module.
    Bytes {
        /// Blocks that are decoded at a time: of a decoder's workgroup exactly, of an encoder's at most.
        blocks: u32,
        /// Bytes of weights a block.
        weight_bytes: u32,
        /// BC blocks of an encoder's workgroup, at most; 0 for decoders.
        targets: u32,
    },
}

/// Encoder effort; decoders without an encoder use `Fast`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Effort {
    /// For a frame.
    #[default]
    Fast,
    /// For a background upgrade or offline work.
    High,
}

/// What a transcoding kernel does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "each field's type says what it is")]
pub struct TranscodeKey {
    pub granularity: Granularity,
    pub source: SourceKind,
    pub decoder: Decoder,
    pub target: TargetKind,
    pub store: Store,
    pub staging: Staging,
    pub effort: Effort,
}

/// The kernel that does exactly what `key` says, if there is one.
pub fn transcode(key: &TranscodeKey) -> Option<&'static Kernel> {
    TRANSCODE.iter().find(|(other, _)| other == key).map(|&(_, kernel)| kernel)
}

/// The kernel of this name.
pub fn find(name: &str) -> Option<&'static Kernel> {
    KERNELS.iter().copied().find(|kernel| kernel.name == name)
}

/// `include/hiz_query.glsl`: what shaders of users include to ask a depth pyramid.
pub const HIZ_QUERY: &str = include_str!("include/hiz_query.glsl");

/// The README's own code, which has to work.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
