//! Two-phase occlusion culling of a town, counted, and compared with drawing all of it.
//!
//! A frame draws what was visible in the frame before, makes a depth pyramid of that, and asks the pyramid about every box
//! (`hiz_visible_box` of `hiz_query.glsl`, in `glsl/example/cull.comp`). What shows but was not drawn yet is drawn then. Nothing that shows
//! is ever missing, also in the first frame and when the camera jumps: after each frame the depth buffer is, bit for bit, the one that
//! drawing every box leaves.
//!
//! Run it: `cargo run --example occlusion`. The graphics pipeline is in `examples/hiz/boxes.rs`.

#[path = "hiz/boxes.rs"]
mod boxes;
#[path = "hiz/host.rs"]
#[allow(dead_code, reason = "shared with another example")]
mod host;

use boxes::{Boxes, DEPTH};
use host::{COMPUTE, COPY_FROM, COPY_TO, HOST, Host, Pyramid, Result, Sampler};
use texemu_core::{Buffer, Pipeline, PipelineDesc, Resource, vk};
use texemu_hiz::{DepthOrder, Hiz, HizCaps, HizDepth, HizDesc, HizPlan, Keep, Scheme, Uv};

const EXTENT: [u32; 2] = [320, 180];
/// Blocks of the town an axis.
const BLOCKS: u32 = 48;
const FRAMES: u32 = 7;
/// Bytes of a box: two corners of four floats.
const BOX: u64 = 32;

const DRAWN: host::Scope = (
    vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::DRAW_INDIRECT.as_raw() | vk::PipelineStageFlags::VERTEX_INPUT.as_raw(),
    ),
    vk::AccessFlags::from_raw(
        vk::AccessFlags::INDIRECT_COMMAND_READ.as_raw() | vk::AccessFlags::VERTEX_ATTRIBUTE_READ.as_raw(),
    ),
);

fn main() -> Result<()> {
    print!("{}", run()?);
    Ok(())
}

/// A draw of a list that a kernel fills: the indirect command, and the boxes.
struct DrawList {
    command: Buffer,
    boxes: Buffer,
}

impl DrawList {
    fn new(host: &Host, count: u32) -> Result<Self> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let command = usage
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let boxes = usage | vk::BufferUsageFlags::VERTEX_BUFFER;
        Ok(Self {
            command: host.buffer(command, &[0; 16])?,
            boxes: host.buffer(boxes, &vec![0; (u64::from(count) * BOX) as usize])?,
        })
    }

    /// Empties it: 14 vertices for each of no instances.
    fn clear(&self, host: &texemu_core::Gpu, commands: vk::CommandBuffer) {
        let empty: Vec<u8> = [14u32, 0, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
        // SAFETY: the buffer has these 16 bytes.
        unsafe { host.device().cmd_update_buffer(commands, self.command.handle(), 0, &empty) };
    }
}

/// Draws the frames. Returns what there is to tell.
pub(crate) fn run() -> Result<String> {
    let mut host = Host::new()?;
    let gpu = host.gpu.clone();
    let hiz = Hiz::new(&gpu)?;
    let sampler = Sampler::new(&gpu)?;
    let town = town();
    let count = (town.len() / 8) as u32;

    // Near is 1: the farthest depth is the least.
    let reduction = DepthOrder::Reversed.reduction(Keep::Farthest);
    let desc = HizDesc::new(EXTENT, Scheme::Chained, reduction);
    let plan = HizPlan::new(&desc, None, &HizCaps::of(&gpu))?.answering::<Uv>()?;
    let any = plan.any();
    hiz.prepare(&any)?;
    let pyramid = Pyramid::new(&host, &hiz, &any)?;
    let drawing = Boxes::new(&host, EXTENT)?;
    let kernel =
        |kernel| Pipeline::new(&gpu, &PipelineDesc { kernel, constants: &[], full_subgroups: false });
    let early = kernel(&texemu_shaders::EXAMPLE_CULL_EARLY)?;
    let late = kernel(&texemu_shaders::EXAMPLE_CULL_LATE)?;

    let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
    let all = host.buffer(storage | vk::BufferUsageFlags::VERTEX_BUFFER, &host::bytes_of(&town))?;
    // In the first frame nothing was visible before.
    let visible = host.buffer(storage, &vec![0; count as usize * 4])?;
    let lists = [DrawList::new(&host, count)?, DrawList::new(&host, count)?];
    let texels = u64::from(EXTENT[0] * EXTENT[1]) * 4;
    let depths = [host.readback(texels)?, host.readback(texels)?];
    let counts = host.readback(32)?;

    let mut told = format!(
        "{count} boxes, {}x{}, on {}\nframe   drawn early   drawn late    hidden\n",
        EXTENT[0],
        EXTENT[1],
        gpu.capabilities().info.name
    );
    for frame in 0..FRAMES {
        let clip_from_world = camera(frame);
        let matrix = host::bytes_of(&clip_from_world.concat());
        let push = [&matrix[..], plan.query_pyramid(0).bytes(), &count.to_ne_bytes()].concat();
        let arena = &mut host.arena;
        host.commands.run(|commands| {
            for list in &lists {
                list.clear(&gpu, commands);
            }
            host::barrier(&gpu, commands, COPY_TO, COMPUTE);
            // What was visible.
            let inputs =
                |list: &DrawList| [&all, &visible, &list.command, &list.boxes].map(host::whole).to_vec();
            host::dispatch(&gpu, commands, arena, &early, &inputs(&lists[0]), &push, count)?;
            host::barrier(&gpu, commands, COMPUTE, DRAWN);
            drawing.begin(commands, true, &matrix);
            drawing.draw_list(commands, &lists[0].boxes, &lists[0].command);
            drawing.end(commands);
            // The pyramid of that. The render pass leaves its depth for compute shaders to sample.
            pyramid.begin(&gpu, commands);
            let depth = HizDepth { view: drawing.view(), layout: DEPTH, offset: [0, 0] };
            // SAFETY: `run` waits, so that everything outlives the commands.
            unsafe { hiz.record(commands, arena, &pyramid.target, &depth) }?;
            let levels = any.access().levels;
            host::barrier(&gpu, commands, (levels.stages, levels.access), COMPUTE);
            // What shows, and was not drawn.
            host::barrier(&gpu, commands, COMPUTE, COMPUTE);
            let mut resources = inputs(&lists[1]);
            resources.push(Resource::Sampled(drawing.view(), sampler.handle, DEPTH));
            resources.push(Resource::Sampled(pyramid.view.handle, sampler.handle, vk::ImageLayout::GENERAL));
            host::dispatch(&gpu, commands, arena, &late, &resources, &push, count)?;
            host::barrier(&gpu, commands, COMPUTE, DRAWN);
            drawing.begin(commands, false, &matrix);
            drawing.draw_list(commands, &lists[1].boxes, &lists[1].command);
            drawing.end(commands);
            drawing.copy(commands, &depths[0]);
            // Everything, to compare with.
            drawing.begin(commands, true, &matrix);
            drawing.draw_all(commands, &all, count);
            drawing.end(commands);
            drawing.copy(commands, &depths[1]);
            host::barrier(&gpu, commands, COMPUTE, COPY_FROM);
            for (list, offset) in lists.iter().zip([0, 16]) {
                let region = [vk::BufferCopy { src_offset: 0, dst_offset: offset, size: 16 }];
                // SAFETY: both have these bytes.
                unsafe {
                    gpu.device().cmd_copy_buffer(commands, list.command.handle(), counts.handle(), &region)
                };
            }
            host::barrier(&gpu, commands, COPY_TO, HOST);
            Ok::<(), Box<dyn std::error::Error>>(())
        })?;
        // SAFETY: `run` has waited.
        unsafe { host.arena.reset() }?;

        let (ours, expected) = (host::words(&depths[0])?, host::words(&depths[1])?);
        let wrong = ours.iter().zip(&expected).filter(|(ours, expected)| ours != expected).count();
        if wrong > 0 {
            return Err(format!("frame {frame}: {wrong} pixels lack something that shows").into());
        }
        let counts = host::words(&counts)?;
        let (early, late) = (counts[1], counts[5]);
        told += &format!("{frame:5}   {early:11}   {late:10}   {:7}\n", count - early - late);
    }
    host.expect_silence()?;
    Ok(told)
}

/// Houses in blocks along streets: two corners of four floats for each box. x right, y up, z ahead.
fn town() -> Vec<f32> {
    let mut state = 7_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    let mut boxes = Vec::new();
    for index in 0..BLOCKS * BLOCKS {
        let (x, z) = ((index % BLOCKS) as f32 * 10.0, (index / BLOCKS) as f32 * 10.0);
        let height = 4.0 + 14.0 * random() * random();
        boxes.extend([x, 0.0, z, 1.0, x + 7.0, height, z + 7.0, 1.0]);
        // Something small in the street beside it.
        let (dx, dz) = (7.5 + 1.5 * random(), 9.0 * random());
        boxes.extend([x + dx, 0.0, z + dz, 1.0, x + dx + 0.5, 1.0, z + dz + 0.5, 1.0]);
    }
    boxes
}

/// Someone who walks down a street and looks around; in the fourth frame they are suddenly elsewhere. Reversed depth without a far plane:
/// `clip = (s x, -t y, near, z)` in view space.
fn camera(frame: u32) -> [[f32; 4]; 4] {
    let (eye, turn): ([f32; 3], f32) = match frame {
        0..=2 => ([158.5, 1.7, 101.0 + 2.0 * frame as f32], 0.05 * frame as f32),
        _ => ([278.5, 6.0, 151.0 + frame as f32], 2.4),
    };
    let (sin, cos) = turn.sin_cos();
    let (scale, near) = ([1.0, EXTENT[0] as f32 / EXTENT[1] as f32], 0.1);
    let clip = |[x, y, z]: [f32; 3], w: f32| {
        let [x, z] = [cos * x - sin * z, sin * x + cos * z];
        [scale[0] * x, -scale[1] * y, near * w, z]
    };
    let origin = clip(eye.map(|at| -at), 1.0);
    [clip([1.0, 0.0, 0.0], 0.0), clip([0.0, 1.0, 0.0], 0.0), clip([0.0, 0.0, 1.0], 0.0), origin]
}
