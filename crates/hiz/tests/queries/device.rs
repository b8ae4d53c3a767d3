//! The header on a device against the twins, under validation.

use crate::ask::{Ask, WORDS};
use crate::scene::{Random, Scene};
use texemu_core::{
    Arena, Buffer, BufferDesc, Commands, Gpu, GpuDesc, Location, Pipeline, PipelineDesc, Resource,
    Validation, bind, vk,
};
use texemu_hiz::{DepthOrder, Integer, Lookup, Reduction, Scheme, Uv};
use texemu_shaders::Kernel;

const QUERIES: usize = 1500;

struct Device {
    gpu: Gpu,
    commands: Commands,
    arena: Arena,
}

impl Device {
    fn open() -> Self {
        let off = std::env::var("TEXEMU_HIZ_VALIDATION").is_ok_and(|value| value == "off");
        let validation = if off { Validation::Off } else { Validation::Synchronization };
        let gpu = Gpu::open(&GpuDesc { validation, ..GpuDesc::default() })
            .expect("the tests need a Vulkan device and the validation layer");
        Self { commands: Commands::new(&gpu).expect("a command buffer"), arena: Arena::new(&gpu), gpu }
    }

    fn buffer(&self, words: &[u32]) -> Buffer {
        let desc = BufferDesc {
            name: "words",
            size: words.len() as u64 * 4,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER,
            location: Location::Upload,
        };
        let mut buffer = Buffer::new(&self.gpu, &desc).expect("a buffer");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        buffer.mapped_mut().expect("mapped")[..bytes.len()].copy_from_slice(&bytes);
        buffer
    }

    /// What the kernel answers.
    fn answer(&mut self, kernel: &'static Kernel, scene: &Scene, asks: &[Ask]) -> Vec<[u32; 4]> {
        let desc = scene.plan.desc();
        let mut values: Vec<u32> = scene.depth.iter().map(|depth| depth.to_bits()).collect();
        let mut offsets = [0; 16];
        for level in scene.levels.iter().filter(|level| level.level > 0) {
            offsets[level.level as usize] = values.len() as u32;
            values.extend(level.values.iter().map(|value| value.to_bits()));
        }
        let queries: Vec<u32> = asks.iter().flat_map(Ask::words).collect();
        let inputs = [self.buffer(&values), self.buffer(&queries)];
        let answers = Buffer::new(
            &self.gpu,
            &BufferDesc {
                name: "answers",
                size: asks.len() as u64 * 16,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                location: Location::Readback,
            },
        )
        .expect("a buffer");
        let constants = [(0, u32::from(scene.order == DepthOrder::Reversed))];
        let pipeline = PipelineDesc { kernel, constants: &constants, full_subgroups: false };
        let pipeline = Pipeline::new(&self.gpu, &pipeline).expect("a pipeline");
        let buffers = [&inputs[0], &inputs[1], &answers];
        let resources = buffers.map(|buffer| Resource::Buffer(buffer.handle(), 0, vk::WHOLE_SIZE));
        let mut push =
            vec![desc.extent[0], desc.extent[1], desc.first_level, desc.last_level, asks.len() as u32];
        push.extend(offsets);
        let push: Vec<u8> = push.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (gpu, arena) = (self.gpu.clone(), &mut self.arena);
        self.commands
            .run(|commands| {
                // SAFETY: the resources are the kernel's and outlive the run.
                unsafe { bind(&gpu, commands, arena, &pipeline, &resources) }?;
                let stage = vk::ShaderStageFlags::COMPUTE;
                // SAFETY: the layout has this range.
                unsafe { gpu.device().cmd_push_constants(commands, pipeline.layout(), stage, 0, &push) };
                // SAFETY: everything is bound.
                unsafe { gpu.device().cmd_dispatch(commands, asks.len().div_ceil(64) as u32, 1, 1) };
                let barrier = [vk::MemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                    .dst_access_mask(vk::AccessFlags::HOST_READ)];
                let (compute, host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
                let flags = vk::DependencyFlags::empty();
                // SAFETY: recording.
                unsafe {
                    gpu.device().cmd_pipeline_barrier(commands, compute, host, flags, &barrier, &[], &[])
                };
                Ok::<(), texemu_core::Error>(())
            })
            .expect("a dispatch");
        // SAFETY: `run` has waited.
        unsafe { self.arena.reset() }.expect("a reset");
        let (rows, _) = answers.mapped().expect("mapped").as_chunks::<16>();
        let word =
            |row: &[u8; 16], at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| row[at * 4 + byte]));
        rows.iter().take(asks.len()).map(|row| std::array::from_fn(|at| word(row, at))).collect()
    }
}

fn compare<L: Lookup>(device: &mut Device, name: &str, scheme: Scheme, reduction: Option<Reduction>) {
    let kernel = texemu_shaders::find(name).expect("the kernel is in the table");
    for (seed, order) in [(1, DepthOrder::Normal), (2, DepthOrder::Reversed), (3, DepthOrder::Reversed)] {
        let mut random = Random::new(seed * 1000 + scheme as u64);
        let keep =
            if name.ends_with("nearest") { texemu_hiz::Keep::Nearest } else { texemu_hiz::Keep::Farthest };
        let reduction = reduction.unwrap_or(order.reduction(keep));
        let extent = [[173, 118], [257, 66], [31, 5]][seed as usize - 1];
        let scene = Scene::new(scheme, reduction, order, extent, &mut random);
        let plan = scene.plan.answering::<L>().expect("the scheme answers these");
        let query = plan.query(order, 0, &scene.levels, Some(&scene.depth)).expect("the plan's levels");
        let asks: Vec<Ask> = (0..QUERIES).map(|_| Ask::random(&scene, &mut random)).collect();
        for (ask, found) in asks.iter().zip(device.answer(kernel, &scene, &asks)) {
            assert_eq!(found, ask.twin(&query), "{name} {order:?}: {ask:?} of {:?}", plan.desc());
        }
    }
}

#[test]
fn the_header_answers_as_its_twin_does() {
    assert_eq!(WORDS, 32, "as in glsl/hiz/test/query.comp");
    let mut device = Device::open();
    let both = Some(Reduction::MinMax);
    compare::<Uv>(&mut device, "hiz_query_chained_uv", Scheme::Chained, both);
    compare::<Integer>(&mut device, "hiz_query_chained_integer", Scheme::Chained, both);
    compare::<Integer>(&mut device, "hiz_query_edge_texel", Scheme::EdgeTexel, both);
    compare::<Uv>(&mut device, "hiz_query_pow2_exact", Scheme::Pow2Exact, both);
    compare::<Integer>(&mut device, "hiz_query_rounded_up", Scheme::RoundedUp, both);
    compare::<Uv>(&mut device, "hiz_query_nearest", Scheme::Chained, None);
    compare::<Uv>(&mut device, "hiz_query_farthest", Scheme::Chained, None);
    assert_eq!(device.gpu.validation_log().messages(), Vec::<String>::new());
}
