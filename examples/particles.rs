//! How many particles one coarse level of depth settles, so that the depth buffer need not be read for them.
//!
//! A pyramid of a single level keeps the nearest and the farthest depth of every 4x4 to 64x64 pixels. A particle in front of the nearest
//! is visible, one behind the farthest is hidden, and only one between them has to ask the depth buffer: `hiz_settle_point` and
//! `hiz_visible_point` of `hiz_query.glsl`, in `glsl/example/particles.comp`.
//!
//! Run it: `cargo run --example particles`.

#[path = "hiz/host.rs"]
#[allow(dead_code, reason = "shared with another example")]
mod host;

use host::{COMPUTE, COPY_TO, HOST, Host, Pyramid, Result, Sampler};
use texemu_core::{Buffer, Pipeline, PipelineDesc, Resource, vk};
use texemu_hiz::{
    DepthOrder, DepthValues, Hiz, HizCaps, HizDepth, HizDesc, HizPlan, Integer, Oracle, Reduction, Scheme,
    Settled,
};

const EXTENT: [u32; 2] = [480, 270];
const PARTICLES: usize = 20_000;
const FORMAT: vk::Format = vk::Format::R32_SFLOAT;

fn main() -> Result<()> {
    print!("{}", run()?);
    Ok(())
}

/// Every level that the single-level paths make, compared with the twin and with the depth buffer. Returns what there is to tell.
pub(crate) fn run() -> Result<String> {
    let mut host = Host::new()?;
    let hiz = Hiz::new(&host.gpu)?;
    let sampler = Sampler::new(&host.gpu)?;
    let pipeline = Pipeline::new(
        &host.gpu,
        &PipelineDesc { kernel: &texemu_shaders::EXAMPLE_PARTICLES, constants: &[], full_subgroups: false },
    )?;
    let depth = landscape();
    let particles = particles();
    let visible = particles.iter().filter(|&&particle| shows(&depth, particle)).count();

    let image =
        host.image(FORMAT, EXTENT, 1, vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST)?;
    let view = host.view(&image, FORMAT, vk::ImageAspectFlags::COLOR)?;
    let staging = host.buffer(vk::BufferUsageFlags::TRANSFER_SRC, &host::bytes_of(&depth))?;
    upload(&mut host, &image, &staging)?;
    let source = host.buffer(vk::BufferUsageFlags::STORAGE_BUFFER, &host::bytes_of(&particles.concat()))?;

    let mut told = format!(
        "{PARTICLES} particles, {visible} visible, on {}\nlevel   settled by it (hidden, visible)   by the depth buffer\n",
        host.gpu.capabilities().info.name
    );
    for level in 2..=6 {
        let desc = HizDesc {
            first_level: level,
            last_level: level,
            ..HizDesc::new(EXTENT, Scheme::EdgeTexel, Reduction::MinMax)
        };
        let plan = HizPlan::new(&desc, None, &HizCaps::of(&host.gpu))?.answering::<Integer>()?;
        let any = plan.any();
        hiz.prepare(&any)?;
        let pyramid = Pyramid::new(&host, &hiz, &any)?;
        let counts = host.buffer(vk::BufferUsageFlags::STORAGE_BUFFER, &[0; 16])?;
        let push = [plan.query_pyramid(0).bytes(), &(PARTICLES as i32).to_ne_bytes()].concat();

        let gpu = host.gpu.clone();
        let arena = &mut host.arena;
        host.commands.run(|commands| {
            pyramid.begin(&gpu, commands);
            let layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
            let depth = HizDepth { view: view.handle, layout, offset: [0, 0] };
            // SAFETY: `run` waits, so that everything outlives the commands.
            unsafe { hiz.record(commands, arena, &pyramid.target, &depth) }?;
            let levels = any.access().levels;
            host::barrier(&gpu, commands, (levels.stages, levels.access), COMPUTE);
            let resources = [
                host::whole(&source),
                host::whole(&counts),
                Resource::Sampled(view.handle, sampler.handle, layout),
                Resource::Sampled(pyramid.view.handle, sampler.handle, vk::ImageLayout::GENERAL),
            ];
            host::dispatch(&gpu, commands, arena, &pipeline, &resources, &push, PARTICLES as u32)?;
            host::barrier(&gpu, commands, COMPUTE, HOST);
            Ok::<(), Box<dyn std::error::Error>>(())
        })?;
        // SAFETY: `run` has waited.
        unsafe { host.arena.reset() }?;

        let counts = host::words(&counts)?;
        let expected = twin(&plan, &depth, &particles)?;
        if counts != expected {
            return Err(format!("level {level}: counted {counts:?}, the twin {expected:?}").into());
        }
        if (counts[1] + counts[3]) as usize != visible {
            return Err(format!("level {level}: {counts:?}, but {visible} are visible").into());
        }
        let share = |count: u32| 100.0 * f64::from(count) / PARTICLES as f64;
        told += &format!(
            "{level:5}   {:5.1} % ({:.1} %, {:.1} %) {:26.1} %\n",
            share(counts[0] + counts[1]),
            share(counts[0]),
            share(counts[1]),
            share(counts[2] + counts[3])
        );
    }
    host.expect_silence()?;
    Ok(told)
}

fn upload(host: &mut Host, image: &texemu_core::Image, staging: &Buffer) -> Result<()> {
    use vk::ImageLayout as L;
    let gpu = host.gpu.clone();
    let none = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::AccessFlags::NONE);
    let color = vk::ImageAspectFlags::COLOR;
    host.commands.run(|commands| {
        let layouts = [L::UNDEFINED, L::TRANSFER_DST_OPTIMAL];
        host::transition(&gpu, commands, image, color, none, COPY_TO, layouts);
        let [width, height] = EXTENT;
        let region = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers::default().aspect_mask(color).layer_count(1))
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        // SAFETY: the buffer holds every texel.
        unsafe {
            gpu.device().cmd_copy_buffer_to_image(
                commands,
                staging.handle(),
                image.handle(),
                L::TRANSFER_DST_OPTIMAL,
                &[region],
            )
        };
        let layouts = [L::TRANSFER_DST_OPTIMAL, L::SHADER_READ_ONLY_OPTIMAL];
        let sampled = (
            vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::FRAGMENT_SHADER,
            vk::AccessFlags::SHADER_READ,
        );
        host::transition(&gpu, commands, image, color, COPY_TO, sampled, layouts);
        Ok::<(), texemu_core::Error>(())
    })?;
    Ok(())
}

/// The same counts on the CPU: hidden and visible by the level, hidden and visible by the depth buffer.
fn twin(plan: &HizPlan<Integer>, depth: &[f32], particles: &[[f32; 4]]) -> Result<Vec<u32>> {
    let desc = plan.desc();
    let oracle = Oracle { scheme: desc.scheme, reduction: desc.reduction, texel: desc.texel };
    let values = DepthValues { extent: EXTENT, samples: 1, layers: 1, values: depth };
    let levels = oracle.levels(&values, [0, 0], EXTENT, desc.first_level, desc.last_level);
    let query = plan.query(DepthOrder::Normal, 0, &levels, Some(depth))?;
    let level = desc.first_level as i32;
    let mut counts = vec![0; 4];
    for &[x, y, z, _] in particles {
        let pixel = [x as i32, y as i32];
        let index = match query.settle_point(level, pixel, z) {
            Settled::Hidden => 0,
            Settled::Visible => 1,
            Settled::Undecided => 2 + usize::from(query.visible_point(level, pixel, z)),
        };
        counts[index] += 1;
    }
    Ok(counts)
}

/// What the depth buffer alone says.
fn shows(depth: &[f32], [x, y, z, _]: [f32; 4]) -> bool {
    z <= depth[y as usize * EXTENT[0] as usize + x as usize]
}

/// Hills behind each other, the sky behind them: a depth for each pixel, near 0 and far 1.
fn landscape() -> Vec<f32> {
    let [width, height] = EXTENT;
    let pixel = |index: u32| {
        let (x, y) = ((index % width) as f32 / width as f32, (index / width) as f32 / height as f32);
        let ridge = |&row: &i32| {
            let (row, phase) = (row as f32, row as f32 * 1.7);
            let top =
                0.9 - 0.08 * row + 0.05 * (x * (9.0 + row) + phase).sin() + 0.01 * (x * 90.0 + phase).sin();
            y > top
        };
        // The nearest ridge that the pixel lies in, and the ground's slope towards the viewer.
        (0..8).find(ridge).map_or(1.0, |row| 0.3 + 0.08 * row as f32 - 0.05 * y)
    };
    (0..width * height).map(pixel).collect()
}

/// A cloud of sparks around the middle of the scene.
fn particles() -> Vec<[f32; 4]> {
    let mut state = 0x9e37_79b9_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / 4_294_967_296.0
    };
    let size = EXTENT.map(|size| size as f32 - 1.0);
    (0..PARTICLES).map(|_| [random() * size[0], random() * size[1], 0.2 + 0.8 * random(), 0.0]).collect()
}
