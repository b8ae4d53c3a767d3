//! Every encoder's shader against its CPU twin, bit for bit, on the device the tests run on.
//!
//! `TEXEMU_TEST_BLOCKS` sets how many blocks each encoder gets.

use std::path::Path;
use std::time::Instant;
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, GpuDesc, Location, Pipeline, PipelineDesc, Resource,
};
use texemu_core::{Validation, bind, vk};
use texemu_format::Format;
use texemu_reference::encode::{Effort, encode_image, texel_bytes};
use texemu_reference::{Options, decode_image};
use texemu_shaders::WorkgroupSize;

/// The name that a kernel carries, and what it encodes to.
const ENCODERS: [(&str, &str); 9] = [
    ("bc1_rgb", "BC1_RGB_UNORM_BLOCK"),
    ("bc1_rgba", "BC1_RGBA_UNORM_BLOCK"),
    ("bc3", "BC3_UNORM_BLOCK"),
    ("bc4_unorm", "BC4_UNORM_BLOCK"),
    ("bc4_snorm", "BC4_SNORM_BLOCK"),
    ("bc5_unorm", "BC5_UNORM_BLOCK"),
    ("bc5_snorm", "BC5_SNORM_BLOCK"),
    ("bc6h", "BC6H_UFLOAT_BLOCK"),
    ("bc7", "BC7_UNORM_BLOCK"),
];

/// A xorshift generator: the blocks are the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u32
    }

    fn byte(&mut self) -> u8 {
        self.next() as u8
    }
}

/// 16 texels of `texel` bytes each: noise, and what an encoder meets rarely and should not stumble over, a kind each in
/// turn.
fn awkward_block(kind: usize, texel: usize, random: &mut Random) -> Vec<u8> {
    let base: [u8; 8] = std::array::from_fn(|_| random.byte());
    let other: [u8; 8] = std::array::from_fn(|_| random.byte());
    let split = random.next();
    let spread = 1 + random.next() % 40;
    let mut block = Vec::with_capacity(16 * texel);
    for k in 0..16u32 {
        for byte in 0..texel {
            let (a, b, noise) = (base[byte], other[byte], random.byte());
            let near = a.saturating_add((u32::from(noise) % spread) as u8);
            let alpha = byte % 4 == 3;
            block.push(match kind % 12 {
                0 => noise,
                1 => [0, 255][usize::from(noise & 1)],
                2 => a,
                3 => near,
                4 => [a, b][(split >> k & 1) as usize],
                5 => ((u32::from(a) * (15 - k) + u32::from(b) * k) / 15) as u8,
                6 if alpha => 255,
                6 => noise,
                7 if alpha => [0, 255][usize::from(noise & 1)],
                7 => near,
                8 if k == split & 15 => b,
                8 => a,
                9 if alpha => 255,
                9 => near,
                10 if byte == 0 => noise,
                10 => a,
                _ if alpha => 255,
                _ => [a, b][(split >> k & 1) as usize].saturating_add(noise % 8),
            });
        }
    }
    block
}

/// An image of awkward blocks that covers at least `extent`, cut to it.
fn awkward_image(extent: [usize; 2], texel: usize, seed: u64) -> Vec<u8> {
    let [width, height] = extent;
    let mut random = Random(seed);
    let mut image = vec![0; width * height * texel];
    for (row, y) in (0..height).step_by(4).enumerate() {
        for (column, x) in (0..width).step_by(4).enumerate() {
            let block = awkward_block(column + 5 * row, texel, &mut random);
            for (k, bytes) in block.chunks(texel).enumerate() {
                let (x, y) = (x + k % 4, y + k / 4);
                if x < width && y < height {
                    image[(y * width + x) * texel..][..texel].copy_from_slice(bytes);
                }
            }
        }
    }
    image
}

/// The project's own picture as texels of `texel` bytes.
fn picture(texel: usize) -> (Vec<u8>, [u32; 3]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/swatch_4x4.astc");
    let texture = texemu_container::open(path).expect("the picture can be read");
    let extent = texture.shape().level_extent(0);
    let options = Options { float16: texel == 8, ..Options::default() };
    let texels = decode_image(texture.format(), texture.level(0), extent, &options).expect("it decodes");
    // Red alone, 16 bits wide. Four bytes may as well be two channels.
    if texel == 2 {
        (texels.iter().step_by(4).flat_map(|&red| [red, red]).collect(), extent)
    } else {
        (texels, extent)
    }
}

struct Device {
    gpu: Gpu,
    commands: Commands,
    arena: Arena,
}

impl Device {
    fn open() -> Self {
        let desc = GpuDesc { validation: Validation::Synchronization, ..GpuDesc::default() };
        let gpu = Gpu::open(&desc).expect("the tests need a Vulkan device");
        let commands = Commands::new(&gpu).expect("a command buffer");
        let arena = Arena::new(&gpu);
        Self { gpu, commands, arena }
    }

    fn pipeline(&self, name: &str, effort: Effort) -> Pipeline {
        let name = format!("encode_{name}_{}", if effort == Effort::High { "high" } else { "fast" });
        let kernel = texemu_shaders::find(&name).unwrap_or_else(|| panic!("no kernel {name}"));
        let desc = PipelineDesc { kernel, constants: &[], full_subgroups: false };
        Pipeline::new(&self.gpu, &desc).expect("the kernel compiles")
    }

    fn buffer(&self, name: &str, size: usize, location: Location) -> Buffer {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        Buffer::new(&self.gpu, &BufferDesc { name, size: size as u64, usage, location }).expect("a buffer")
    }

    /// The blocks of all slices of an image.
    fn encode(&mut self, pipeline: &Pipeline, target: &Format, image: &[u8], extent: [u32; 3]) -> Vec<u8> {
        let [columns, rows, slices] = target.blocks(extent);
        let bytes = target.level_bytes(extent).expect("a small image") as usize;
        let mut texels = self.buffer("texels", image.len().next_multiple_of(4), Location::Upload);
        let blocks = self.buffer("blocks", bytes, Location::Readback);
        texels.mapped_mut().expect("upload buffers are mapped")[..image.len()].copy_from_slice(image);
        let tables: &[u8] = bytemuck::cast_slice(&texemu_transcode::TABLES);
        let mut table_buffer = self.buffer("tables", tables.len(), Location::Upload);
        table_buffer.mapped_mut().expect("upload buffers are mapped").copy_from_slice(tables);
        let push: Vec<u8> = [extent[0], extent[1], 0, 0].into_iter().flat_map(u32::to_ne_bytes).collect();
        let [width, height] = [0, 1].map(|axis| match pipeline.kernel().workgroup[axis] {
            WorkgroupSize::Literal(size) => size,
            WorkgroupSize::SpecConstant(id) => panic!("constant {id} has no value here"),
        });
        let (gpu, arena) = (&self.gpu, &mut self.arena);
        self.commands
            .run(|commands| {
                let resources =
                    [&texels, &blocks, &table_buffer].map(|b| Resource::Buffer(b.handle(), 0, b.size()));
                let resources = &resources[..pipeline.kernel().bindings.len()];
                // SAFETY: recorded here; the buffers live until `run` has waited.
                unsafe { bind(gpu, commands, arena, pipeline, resources) }?;
                let stage = vk::ShaderStageFlags::COMPUTE;
                // SAFETY: the layout has these 16 bytes.
                unsafe { gpu.device().cmd_push_constants(commands, pipeline.layout(), stage, 0, &push) };
                let [x, y] = [columns.div_ceil(width), rows.div_ceil(height)];
                // SAFETY: everything the kernel uses is bound.
                unsafe { gpu.device().cmd_dispatch(commands, x, y, slices) };
                let barrier = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                    .dst_access_mask(vk::AccessFlags::HOST_READ)];
                let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
                let flags = vk::DependencyFlags::empty();
                // SAFETY: outside a render pass.
                unsafe { gpu.device().cmd_pipeline_barrier(commands, from, to, flags, &barrier, &[], &[]) };
                Ok::<(), texemu_core::Error>(())
            })
            .expect("the commands run");
        // SAFETY: `run` waited.
        unsafe { self.arena.reset() }.expect("the arena resets");
        blocks.mapped().expect("readback buffers are mapped").to_vec()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Encodes an image on the device and with the twin, and says which block differs first.
fn compare(device: &mut Device, name: &str, effort: Effort, images: &[(Vec<u8>, [u32; 3])]) {
    let (_, target) = ENCODERS.iter().find(|(encoder, _)| *encoder == name).expect("an encoder's name");
    let target = texemu_format::by_name(target).expect("the table has it");
    let pipeline = device.pipeline(name, effort);
    for (image, extent) in images {
        let start = Instant::now();
        let got = device.encode(&pipeline, target, image, *extent);
        println!("{name} {effort:?}, {extent:?} texels: {:.2} s", start.elapsed().as_secs_f64());
        let want = encode_image(target, image, *extent, effort).expect("the twin encodes");
        let bytes = target.block_bytes as usize;
        for (index, (got, want)) in got.chunks(bytes).zip(want.chunks(bytes)).enumerate() {
            assert_eq!(hex(got), hex(want), "{name} {effort:?}, {extent:?} texels, block {index}");
        }
        assert_eq!(got.len(), want.len(), "{name}: as many blocks");
    }
}

fn images_for(name: &str) -> Vec<(Vec<u8>, [u32; 3])> {
    let (_, target) = ENCODERS.iter().find(|(encoder, _)| *encoder == name).expect("an encoder's name");
    let texel =
        texel_bytes(texemu_format::by_name(target).expect("the table has it")).expect("has an encoder");
    let blocks =
        std::env::var("TEXEMU_TEST_BLOCKS").ok().and_then(|count| count.parse().ok()).unwrap_or(3600u32);
    let rows = blocks.div_ceil(100).max(1);
    let image = |[width, height, slices]: [u32; 3], seed| {
        let texels = awkward_image([width as usize, (height * slices) as usize], texel, seed);
        (texels, [width, height, slices])
    };
    // The second ends inside a block both ways, and starts its slices inside a word where a texel is half of one.
    vec![
        image([400, 4 * rows, 1], 0x2545_f491_4f6c_dd1d),
        image([67, 9, 3], 0x9e37_79b9_7f4a_7c15),
        picture(texel),
    ]
}

/// Both efforts of some encoders, on a device of their own.
fn equal_their_twins(names: &[&str]) {
    let mut device = Device::open();
    let log = device.gpu.validation_log();
    for name in names {
        let images = images_for(name);
        for effort in [Effort::Fast, Effort::High] {
            compare(&mut device, name, effort, &images);
        }
    }
    drop(device);
    assert_eq!(log.messages(), [""; 0], "validation is silent");
}

#[test]
fn bc1_shaders_equal_their_twins() {
    equal_their_twins(&["bc1_rgb", "bc1_rgba"]);
}

#[test]
fn bc3_shaders_equal_their_twins() {
    equal_their_twins(&["bc3"]);
}

#[test]
fn bc4_shaders_equal_their_twins() {
    equal_their_twins(&["bc4_unorm", "bc4_snorm"]);
}

#[test]
fn bc5_shaders_equal_their_twins() {
    equal_their_twins(&["bc5_unorm", "bc5_snorm"]);
}

#[test]
fn bc6h_shaders_equal_their_twins() {
    equal_their_twins(&["bc6h"]);
}

#[test]
fn bc7_shaders_equal_their_twins() {
    equal_their_twins(&["bc7"]);
}
