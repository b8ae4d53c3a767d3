//! Copies between images of one block size, byte for byte: compressed to compressed of any footprint, to and from
//! uncompressed formats, and to and from BC formats that are the device's own.

use crate::app::{App, Wish};
use crate::common::texture::{COPY_DST, UNDEFINED, barrier, host_barrier};
use crate::launch::{ABOVE_VALIDATION, own_file, told_under};
use crate::validate::numbers;
use texemu_core::ash::vk;
use texemu_core::{Buffer, BufferDesc, Image, ImageDesc, Location};
use texemu_reference::blocks::Rng;

/// The formats of a block size, with their footprints.
const SIXTEEN: [(vk::Format, [u32; 2]); 11] = [
    (vk::Format::ASTC_4X4_UNORM_BLOCK, [4, 4]),
    (vk::Format::ASTC_6X5_SRGB_BLOCK, [6, 5]),
    (vk::Format::ASTC_12X12_UNORM_BLOCK, [12, 12]),
    (vk::Format::ASTC_8X8_SFLOAT_BLOCK, [8, 8]),
    (vk::Format::ETC2_R8G8B8A8_SRGB_BLOCK, [4, 4]),
    (vk::Format::EAC_R11G11_UNORM_BLOCK, [4, 4]),
    (vk::Format::BC7_UNORM_BLOCK, [4, 4]),
    (vk::Format::BC3_SRGB_BLOCK, [4, 4]),
    (vk::Format::R32G32B32A32_UINT, [1, 1]),
    (vk::Format::R32G32B32A32_SFLOAT, [1, 1]),
    (vk::Format::R32G32B32A32_SINT, [1, 1]),
];
const EIGHT: [(vk::Format, [u32; 2]); 10] = [
    (vk::Format::ETC2_R8G8B8_UNORM_BLOCK, [4, 4]),
    (vk::Format::ETC2_R8G8B8_SRGB_BLOCK, [4, 4]),
    (vk::Format::ETC2_R8G8B8A1_UNORM_BLOCK, [4, 4]),
    (vk::Format::EAC_R11_UNORM_BLOCK, [4, 4]),
    (vk::Format::EAC_R11_SNORM_BLOCK, [4, 4]),
    (vk::Format::BC1_RGBA_UNORM_BLOCK, [4, 4]),
    (vk::Format::BC4_UNORM_BLOCK, [4, 4]),
    (vk::Format::R16G16B16A16_UINT, [1, 1]),
    (vk::Format::R32G32_UINT, [1, 1]),
    (vk::Format::R32G32_SFLOAT, [1, 1]),
];

/// Blocks of every image: columns, rows and layers.
const GRID: [u32; 3] = [6, 5, 3];

/// An image, and what it should hold.
struct Surface {
    image: Image,
    format: vk::Format,
    footprint: [u32; 2],
    blocks: Vec<u8>,
}

fn layers(first: u32, count: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default()
        .aspect_mask(vk::ImageAspectFlags::COLOR)
        .base_array_layer(first)
        .layer_count(count)
}

impl Surface {
    /// `None` if the device does not take the format.
    fn new(app: &App, format: vk::Format, footprint: [u32; 2], bytes: usize, rng: &mut Rng) -> Option<Self> {
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let (flat, optimal, none) =
            (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL, vk::ImageCreateFlags::empty());
        let device = app.gpu.physical_device();
        // SAFETY: the device belongs to the instance.
        let limits = unsafe {
            app.instance
                .get_physical_device_image_format_properties(device, format, flat, optimal, usage, none)
        };
        if limits.is_err() {
            println!("skipped: the device takes no {format:?}");
            return None;
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(flat)
            .format(format)
            .extent(vk::Extent3D { width: GRID[0] * footprint[0], height: GRID[1] * footprint[1], depth: 1 })
            .mip_levels(1)
            .array_layers(GRID[2])
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let image = Image::new(&app.gpu, &ImageDesc { name: "surface", info }).expect("the image fits");
        let count = GRID.iter().product::<u32>() as usize * bytes;
        let blocks = (0..count).map(|_| rng.below(256) as u8).collect();
        Some(Self { image, format, footprint, blocks })
    }

    fn extent(&self, size: [u32; 3]) -> vk::Extent3D {
        vk::Extent3D { width: size[0] * self.footprint[0], height: size[1] * self.footprint[1], depth: 1 }
    }

    fn offset(&self, first: [u32; 3]) -> vk::Offset3D {
        let [x, y] = [0, 1].map(|axis| (first[axis] * self.footprint[axis]) as i32);
        vk::Offset3D { x, y, z: 0 }
    }

    fn whole(&self) -> [vk::BufferImageCopy; 1] {
        [vk::BufferImageCopy::default().image_subresource(layers(0, GRID[2])).image_extent(self.extent(GRID))]
    }
}

/// The copy of a box of blocks, in the model.
fn move_blocks(from: &[u8], to: &mut [u8], bytes: usize, first: [[u32; 3]; 2], size: [u32; 3]) {
    let place = |first: [u32; 3], x: u32, y: u32, z: u32| {
        let block = ((first[2] + z) * GRID[1] + first[1] + y) * GRID[0] + first[0] + x;
        block as usize * bytes
    };
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let (source, target) = (place(first[0], x, y, z), place(first[1], x, y, z));
                to[target..target + bytes].copy_from_slice(&from[source..source + bytes]);
            }
        }
    }
}

fn run(app: &App, formats: &[(vk::Format, [u32; 2])], bytes: usize) {
    let mut rng = Rng::new(bytes as u64);
    let mut surfaces: Vec<Surface> = formats
        .iter()
        .filter_map(|&(format, footprint)| Surface::new(app, format, footprint, bytes, &mut rng))
        .collect();
    let (device, gpu) = (&app.device, &app.gpu);
    // All stay in one layout; memory barriers keep the copies apart.
    let general = (COPY_DST.0, COPY_DST.1, vk::ImageLayout::GENERAL);
    let apart = |commands| {
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ | vk::AccessFlags::TRANSFER_WRITE)];
        let (stage, none) = (vk::PipelineStageFlags::TRANSFER, vk::DependencyFlags::empty());
        // SAFETY: recorded outside a render pass.
        unsafe { device.cmd_pipeline_barrier(commands, stage, stage, none, &barriers, &[], &[]) };
    };
    let buffers: Vec<Buffer> = surfaces
        .iter()
        .map(|surface| app.buffer(vk::BufferUsageFlags::TRANSFER_SRC, &surface.blocks))
        .collect();
    app.run(|commands| {
        for (surface, buffer) in surfaces.iter().zip(&buffers) {
            let image = surface.image.handle();
            barrier(gpu, commands, image, UNDEFINED, general);
            // SAFETY: image and buffer are alive and in place.
            unsafe {
                let regions = surface.whole();
                device.cmd_copy_buffer_to_image(commands, buffer.handle(), image, general.2, &regions);
            }
        }
        apart(commands);
        for round in 0..4 * surfaces.len() {
            // Every image is a source and a target in turn.
            let src = round % surfaces.len();
            let dst = (src + 1 + rng.below(surfaces.len() as u32 - 1) as usize) % surfaces.len();
            let size = GRID.map(|most| 1 + rng.below(most));
            let mut first = || {
                let axis = |axis: usize, rng: &mut Rng| rng.below(GRID[axis] - size[axis] + 1);
                [axis(0, &mut rng), axis(1, &mut rng), axis(2, &mut rng)]
            };
            let (from, to) = (first(), first());
            let [one, other] = [&surfaces[src], &surfaces[dst]];
            let (source, target) = (one.image.handle(), other.image.handle());
            if round % 2 == 0 {
                let regions = [vk::ImageCopy {
                    src_subresource: layers(from[2], size[2]),
                    src_offset: one.offset(from),
                    dst_subresource: layers(to[2], size[2]),
                    dst_offset: other.offset(to),
                    extent: one.extent(size),
                }];
                // SAFETY: the images are alive and in place.
                unsafe {
                    device.cmd_copy_image(commands, source, general.2, target, general.2, &regions);
                }
            } else {
                let regions = [vk::ImageCopy2::default()
                    .src_subresource(layers(from[2], size[2]))
                    .src_offset(one.offset(from))
                    .dst_subresource(layers(to[2], size[2]))
                    .dst_offset(other.offset(to))
                    .extent(one.extent(size))];
                let info = vk::CopyImageInfo2::default()
                    .src_image(source)
                    .src_image_layout(general.2)
                    .dst_image(target)
                    .dst_image_layout(general.2)
                    .regions(&regions);
                // SAFETY: as above.
                unsafe { device.cmd_copy_image2(commands, &info) };
            }
            apart(commands);
            let copied = surfaces[src].blocks.clone();
            move_blocks(&copied, &mut surfaces[dst].blocks, bytes, [from, to], size);
        }
    });
    for surface in &surfaces {
        let desc = BufferDesc {
            name: "read back",
            size: surface.blocks.len() as u64,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: Location::Readback,
        };
        let buffer = Buffer::new(gpu, &desc).expect("the buffer fits");
        app.run(|commands| {
            let (image, regions) = (surface.image.handle(), surface.whole());
            // SAFETY: image and buffer are alive and in place.
            unsafe {
                device.cmd_copy_image_to_buffer(commands, image, general.2, buffer.handle(), &regions);
            }
            host_barrier(gpu, commands);
        });
        assert!(
            buffer.mapped().expect("mapped") == surface.blocks,
            "{:?} holds other blocks",
            surface.format
        );
    }
}

fn tested(test: &str, formats: &[(vk::Format, [u32; 2])], bytes: usize) {
    let file = own_file(test, "statistics.json");
    let environment = [("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    let text = told_under(test, ABOVE_VALIDATION, &environment, || {
        let app = App::new(&Wish { extensions: &[], features: std::ptr::null() }).expect("no extension");
        run(&app, formats, bytes);
    });
    if let Some(text) = text {
        assert!(!text.contains("texemu layer: error"), "{test}: the layer complains");
        assert_eq!(numbers(&file, "different"), [0]);
        assert!(numbers(&file, "compared")[0] > formats.len() as u64, "what was copied was decoded");
    }
}

#[test]
fn blocks_of_16_bytes_go_anywhere() {
    tested("copies::blocks_of_16_bytes_go_anywhere", &SIXTEEN, 16);
}

#[test]
fn blocks_of_8_bytes_go_anywhere() {
    tested("copies::blocks_of_8_bytes_go_anywhere", &EIGHT, 8);
}
