//! wgpu through the layer: a renderer that knows nothing of it draws compressed textures on a device that lacks them.

#[path = "../../../tests/layer/launch.rs"]
#[expect(dead_code, reason = "what other tests need")]
mod launch;

use launch::under_validation;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use texemu_format::{Format, by_name};
use texemu_reference::Options;
use texemu_reference::blocks::{Class, generate};
use wgpu::AstcBlock::{B6x6, B8x5};
use wgpu::{AstcChannel, TextureFormat};

const WIDTH: u32 = 48;
const HEIGHT: u32 = 60;
const LEVELS: u32 = 3;
const LAYERS: u32 = 2;

/// What the targets of the draws have a row: WebGPU's alignment of copies, and enough for the largest level.
const ROW: u32 = 256;

const SHADER: &str = "
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index & 2u) * 2.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) position: vec4f) -> @location(0) vec4f {
    return textureSampleLevel(image, nearest, position.xy / vec2f(textureDimensions(image)), 0.0);
}
";

/// wgpu's futures are done at once where there is no browser.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::yield_now();
    }
}

struct Client {
    device: wgpu::Device,
    queue: wgpu::Queue,
    shader: wgpu::ShaderModule,
    sampler: wgpu::Sampler,
}

impl Client {
    fn new() -> Self {
        let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
        desc.backends = wgpu::Backends::VULKAN;
        // The environment brings the validation layer, below the emulation.
        desc.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(desc);
        let adapter =
            ready(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).expect("an adapter");
        let wanted = wgpu::Features::TEXTURE_COMPRESSION_ASTC | wgpu::Features::TEXTURE_COMPRESSION_ETC2;
        assert!(adapter.features().contains(wanted), "wgpu sees both: {:?}", adapter.get_info());
        let desc = wgpu::DeviceDescriptor {
            required_features: wanted,
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        };
        let (device, queue) = ready(adapter.request_device(&desc)).expect("a device with both features");
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor::default());
        Self { device, queue, shader, sampler }
    }

    /// A texture whose levels and layers hold `levels`.
    fn texture(&self, format: TextureFormat, levels: &[Vec<u8>]) -> wgpu::Texture {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: LAYERS },
            mip_level_count: LEVELS,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let (columns, rows) = format.block_dimensions();
        let bytes = format.block_copy_size(None).expect("compressed");
        for (level, blocks) in (0..).zip(levels) {
            let (width, height) = ((WIDTH >> level).div_ceil(columns), (HEIGHT >> level).div_ceil(rows));
            self.queue.write_texture(
                wgpu::TexelCopyTextureInfo {
                    texture: &texture,
                    mip_level: level,
                    origin: wgpu::Origin3d::ZERO,
                    aspect: wgpu::TextureAspect::All,
                },
                blocks,
                wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(width * bytes),
                    rows_per_image: Some(height),
                },
                wgpu::Extent3d {
                    width: width * columns,
                    height: height * rows,
                    depth_or_array_layers: LAYERS,
                },
            );
        }
        texture
    }

    /// Draws one level of one layer, a texel a pixel; the pixels.
    fn draw(&self, texture: &wgpu::Texture, level: u32, layer: u32) -> Vec<u8> {
        let (width, height) = (WIDTH >> level, HEIGHT >> level);
        let srgb = texture.format().is_srgb();
        let format = if srgb { TextureFormat::Rgba8UnormSrgb } else { TextureFormat::Rgba8Unorm };
        let target = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(ROW * height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let pipeline = self.pipeline(format);
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level: level,
            mip_level_count: Some(1),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..Default::default()
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
            ],
        });
        let mut commands = self.device.create_command_encoder(&Default::default());
        {
            let attachment = target.create_view(&Default::default());
            let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &attachment,
                    depth_slice: None,
                    resolve_target: None,
                    ops: Default::default(),
                })],
                ..Default::default()
            });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.draw(0..3, 0..1);
        }
        commands.copy_texture_to_buffer(
            target.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(ROW),
                    rows_per_image: Some(height),
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        self.queue.submit([commands.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("mapped"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the draw runs");
        let bytes = buffer.get_mapped_range(..).expect("mapped");
        bytes.chunks_exact(ROW as usize).flat_map(|row| row[..4 * width as usize].to_vec()).collect()
    }

    fn pipeline(&self, format: TextureFormat) -> wgpu::RenderPipeline {
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &self.shader,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &self.shader,
                entry_point: None,
                compilation_options: Default::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Every pixel of every level and layer is the CPU twin's texel.
fn draw_all() {
    let client = Client::new();
    let formats: [(TextureFormat, &Format); 5] = [
        (TextureFormat::Astc { block: B6x6, channel: AstcChannel::Unorm }, known("ASTC_6x6_UNORM_BLOCK")),
        (TextureFormat::Astc { block: B8x5, channel: AstcChannel::UnormSrgb }, known("ASTC_8x5_SRGB_BLOCK")),
        (TextureFormat::Etc2Rgb8Unorm, known("ETC2_R8G8B8_UNORM_BLOCK")),
        (TextureFormat::Etc2Rgb8A1Unorm, known("ETC2_R8G8B8A1_UNORM_BLOCK")),
        (TextureFormat::Etc2Rgba8UnormSrgb, known("ETC2_R8G8B8A8_SRGB_BLOCK")),
    ];
    for (index, (theirs, ours)) in formats.into_iter().enumerate() {
        let sizes: Vec<[u32; 2]> = (0..LEVELS).map(|level| [WIDTH >> level, HEIGHT >> level]).collect();
        let levels: Vec<Vec<u8>> = (0..)
            .zip(&sizes)
            .map(|(level, &[width, height])| {
                let bytes = ours.level_bytes([width, height, LAYERS]).expect("small");
                let count = bytes / u64::from(ours.block_bytes);
                generate(ours, Class::Mixed, count as usize, 10 * index as u64 + level)
            })
            .collect();
        let texture = client.texture(theirs, &levels);
        for (level, (blocks, &[width, height])) in (0..).zip(levels.iter().zip(&sizes)) {
            let decoded =
                texemu_reference::decode_image(ours, blocks, [width, height, LAYERS], &Options::default());
            let decoded = decoded.expect("the twin decodes");
            for (layer, texels) in (0..).zip(decoded.chunks_exact((4 * width * height) as usize)) {
                let pixels = client.draw(&texture, level, layer);
                let wrong = pixels.iter().zip(texels).filter(|(one, other)| one != other).count();
                assert!(wrong == 0, "{} level {level} layer {layer}: {wrong} bytes differ", ours.name);
            }
        }
    }
}

fn known(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

#[test]
fn wgpu_draws_astc_and_etc2() {
    under_validation("wgpu_draws_astc_and_etc2", &[], draw_all);
}

#[test]
fn nothing_differs_from_the_cpu_twin() {
    let test = "nothing_differs_from_the_cpu_twin";
    let file = launch::own_file(test, "statistics.json");
    let settings = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    under_validation(test, &settings, draw_all);
    if let Ok(text) = std::fs::read_to_string(&file) {
        assert!(text.contains("\"different\":0,") && !text.contains("\"compared\":0,"), "{text}");
    } else {
        assert!(std::env::var_os("TEXEMU_LAYER_TEST").is_some(), "the statistics are there");
    }
}
