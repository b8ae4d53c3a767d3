//! The transcoder through its interface: what a host records, and what lies in the image afterwards. Which kernel
//! gives which bits is `texemu conformance`'s subject; here every path around the kernels is taken.

mod common;

use common::{BlockImage, TestGpu, TestImage, run_whole, shared, upload};
use std::sync::Arc;
use texemu_core::{Arena, Commands, vk};
use texemu_format::{Format, by_name, level_extent};
use texemu_reference::blocks::{Class, generate};
use texemu_reference::decode_image;
use texemu_transcode::{
    Choice, DispatchLimits, Error, Granularity, Job, Options, Region, Source, Transcoder,
};

const GRANULARITIES: [Choice; 4] = [
    Choice::Auto,
    Choice::Granularity(Granularity::PerTexel),
    Choice::Granularity(Granularity::PerBlock),
    Choice::Granularity(Granularity::Tile),
];

fn format(name: &str) -> &'static Format {
    by_name(name).expect("in the table")
}

fn exact(format: &Format) -> &'static Format {
    format.targets.exact().expect("a source format")
}

/// Mixed blocks for a whole image of `extent` and `layers`, level by level, and where each level starts.
fn levels(format: &Format, extent: [u32; 3], levels: u32, layers: u32, seed: u64) -> (Vec<u8>, Vec<Region>) {
    let mut blocks = Vec::new();
    let mut regions = Vec::new();
    for level in 0..levels {
        regions.push(Region::whole_level(extent, layers, level, blocks.len() as u64));
        let bytes = format.level_bytes(level_extent(extent, level)).expect("small") * u64::from(layers);
        let count = bytes / u64::from(format.block_bytes);
        blocks.extend(generate(format, Class::Mixed, count as usize, seed + u64::from(level)));
    }
    (blocks, regions)
}

/// The CPU twin's texels of a region of `levels`' layout: all layers of a level.
fn twin(format: &Format, blocks: &[u8], region: &Region) -> Vec<u8> {
    let layer = format.level_bytes(region.extent).expect("small") as usize;
    let first = region.buffer_offset as usize;
    let layers = blocks[first..].chunks_exact(layer).take(region.layer_count as usize);
    layers
        .flat_map(|blocks| {
            decode_image(format, blocks, region.extent, &Default::default()).expect("whole blocks")
        })
        .collect()
}

fn assert_levels(format: &Format, blocks: &[u8], regions: &[Region], texels: &[Vec<u8>], what: &str) {
    for (region, texels) in regions.iter().zip(texels) {
        let expected = twin(format, blocks, region);
        let wrong = texels.iter().zip(&expected).filter(|(a, b)| a != b).count();
        assert_eq!(texels.len(), expected.len(), "{what}, level {}: the sizes agree", region.level);
        assert_eq!(wrong, 0, "{what}, level {}: {wrong} bytes differ from the CPU twin's", region.level);
    }
}

#[test]
fn all_levels_and_layers_of_every_source_format_equal_the_twin() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    for format in texemu_format::sources() {
        let target = exact(format);
        if !matches!(texemu_core::support(gpu.capabilities(), format), texemu_core::Support::Native)
            && !format_fits(&gpu, target)
        {
            println!("skipped: {} cannot be stored on this device", target.name);
            continue;
        }
        let extent = [61, 47, 1];
        let image = TestImage::new(&gpu, target, extent, 6, 3);
        let (blocks, regions) = levels(format, extent, 6, 3, 11);
        let buffer = upload(&gpu, &blocks);
        let source = Source::TexelBuffer(buffer.handle());
        let (recorded, texels) = run_whole(&transcoder, format, source, &image, &regions, Options::default());
        assert_eq!(recorded.dispatches, 6, "{}: a dispatch a level, all its layers together", format.name);
        assert_levels(format, &blocks, &regions, &texels, format.name);
    }
}

fn format_fits(gpu: &TestGpu, target: &Format) -> bool {
    let view = gpu.capabilities().format(target.storage_view()).optimal;
    view.contains(vk::FormatFeatureFlags::STORAGE_IMAGE)
}

#[test]
fn every_source_and_granularity_reads_2d_and_3d_images() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    for name in ["ASTC_8x5_SRGB_BLOCK", "ASTC_4x4_UNORM_BLOCK", "ETC2_R8G8B8A8_UNORM_BLOCK"] {
        let format = format(name);
        for (extent, layers) in [([37, 23, 1], 2), ([37, 23, 5], 1), ([1, 1, 1], 1)] {
            let image = TestImage::new(&gpu, exact(format), extent, 1, layers);
            let (blocks, regions) = levels(format, extent, 1, layers, 5);
            let buffer = upload(&gpu, &blocks);
            let block_image =
                BlockImage::new(&gpu, format, &blocks, format.blocks(extent), layers, image.image_type);
            let views = [block_image.view];
            let sources = [
                Source::TexelBuffer(buffer.handle()),
                Source::StorageBuffer(buffer.handle()),
                Source::StorageImage(&views),
            ];
            for source in sources {
                for choice in GRANULARITIES {
                    let options = Options { choice, ..Options::default() };
                    let (_, texels) = run_whole(&transcoder, format, source, &image, &regions, options);
                    let what = format!("{name}, {extent:?}, {layers} layers, {source:?}, {choice:?}");
                    assert_levels(format, &blocks, &regions, &texels, &what);
                }
            }
        }
    }
}

#[test]
fn pools_give_the_same_texels_as_push_descriptors() {
    let gpu = TestGpu::baseline();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    let format = format("ASTC_6x6_UNORM_BLOCK");
    let image = TestImage::new(&gpu, exact(format), [100, 100, 1], 7, 1);
    let (blocks, regions) = levels(format, [100, 100, 1], 7, 1, 3);
    let buffer = upload(&gpu, &blocks);
    let source = Source::TexelBuffer(buffer.handle());
    let (_, texels) = run_whole(&transcoder, format, source, &image, &regions, Options::default());
    assert_levels(format, &blocks, &regions, &texels, "baseline");
}

/// A region in the middle of layers 1 and 2 of three, with rows and slices further apart in the buffer than they need be
/// and an offset that no texel-buffer view may start at; then one that ends at the edge inside a block.
fn awkward_regions() -> [Region; 2] {
    let middle = Region {
        buffer_offset: 7 * 16,
        buffer_row_length: 50,
        buffer_image_height: 31,
        base_layer: 1,
        layer_count: 2,
        offset: [12, 6, 0],
        extent: [30, 18, 1],
        ..Region::default()
    };
    let edge = Region {
        buffer_offset: 1024 * 16,
        layer_count: 1,
        offset: [54, 36, 0],
        extent: [7, 11, 1],
        ..Region::default()
    };
    [middle, edge]
}

#[test]
fn regions_change_their_texels_and_no_others() {
    let gpu = TestGpu::new();
    let format = format("ASTC_6x6_SRGB_BLOCK");
    let extent = [61, 47, 1];
    let blocks = generate(format, Class::Mixed, 2048, 23);
    let buffer = upload(&gpu, &blocks);
    let (before, whole) = levels(format, extent, 1, 3, 77);
    let before_buffer = upload(&gpu, &before);
    let expected = expected_after(format, &before, &whole[0], &blocks);
    let tight = DispatchLimits {
        window_blocks: 24,
        window_alignment: gpu.capabilities().limits.min_texel_buffer_offset_alignment,
        workgroups: 3,
        texels: 36 * 40,
    };
    for (what, transcoder) in [
        ("the device's limits", Transcoder::new(&gpu).expect("the tables fit")),
        ("tight limits", Transcoder::new(&gpu).expect("the tables fit").with_limits(tight)),
    ] {
        for layout in [vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::GENERAL] {
            for choice in GRANULARITIES {
                let image = TestImage::new(&gpu, exact(format), extent, 1, 3);
                let options = Options { choice, ..Options::default() };
                let regions = awkward_regions();
                let job = |buffer, regions, discard| Job {
                    format,
                    source: Source::TexelBuffer(buffer),
                    target: image.target(layout, discard),
                    regions,
                    options,
                };
                let mut arena = Arena::new(&gpu);
                let back = Commands::new(&gpu)
                    .expect("commands")
                    .run(|commands| {
                        let fill = job(before_buffer.handle(), &whole, true);
                        // SAFETY: everything outlives `run`, which waits.
                        unsafe { transcoder.record(commands, &mut arena, &[fill]) }?;
                        let change = job(buffer.handle(), &regions, false);
                        // SAFETY: as above.
                        unsafe { transcoder.record(commands, &mut arena, &[change]) }?;
                        Ok::<_, Error>(image.read_back(&gpu, commands, layout))
                    })
                    .expect("both jobs run");
                let wrong = image.level(&back, 0).iter().zip(&expected).filter(|(a, b)| a != b).count();
                assert_eq!(wrong, 0, "{what}, {layout:?}, {choice:?}: {wrong} bytes differ");
            }
        }
    }
}

/// Three layers decoded from `before`, with the awkward regions decoded from `blocks` over them.
fn expected_after(format: &Format, before: &[u8], whole: &Region, blocks: &[u8]) -> Vec<u8> {
    let mut texels = twin(format, before, whole);
    let [width, height, _] = whole.extent.map(|size| size as usize);
    for region in awkward_regions() {
        let row_blocks =
            if region.buffer_row_length == 0 { region.extent[0] } else { region.buffer_row_length };
        let rows =
            if region.buffer_image_height == 0 { region.extent[1] } else { region.buffer_image_height };
        // The buffer read as an image as wide and high as its pitches say holds the region in its corner.
        let stretched = [row_blocks, rows, 1];
        let layer_bytes = format.level_bytes(stretched).expect("small") as usize;
        for layer in 0..region.layer_count as usize {
            let start = region.buffer_offset as usize + layer * layer_bytes;
            let decoded =
                decode_image(format, &blocks[start..start + layer_bytes], stretched, &Default::default())
                    .expect("whole blocks");
            for y in 0..region.extent[1] as usize {
                let from = y * row_blocks as usize * 4;
                let target_row =
                    (region.base_layer as usize + layer) * height + region.offset[1] as usize + y;
                let to = (target_row * width + region.offset[0] as usize) * 4;
                let bytes = region.extent[0] as usize * 4;
                texels[to..to + bytes].copy_from_slice(&decoded[from..from + bytes]);
            }
        }
    }
    texels
}

#[test]
fn jobs_recorded_together_share_two_barriers_and_end_as_asked() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    let names = ["ASTC_4x4_SRGB_BLOCK", "ASTC_12x12_UNORM_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK"];
    let extent = [64, 40, 1];
    let parts: Vec<_> = names
        .iter()
        .map(|name| {
            let format = format(name);
            let (blocks, regions) = levels(format, extent, 1, 1, 9);
            let buffer = upload(&gpu, &blocks);
            (format, TestImage::new(&gpu, exact(format), extent, 1, 1), blocks, regions, buffer)
        })
        .collect();
    let layout = vk::ImageLayout::GENERAL;
    let jobs: Vec<_> = parts
        .iter()
        .map(|(format, image, _, regions, buffer)| Job {
            format,
            source: Source::TexelBuffer(buffer.handle()),
            target: image.target(layout, true),
            regions,
            options: Options::default(),
        })
        .collect();
    let mut arena = Arena::new(&gpu);
    let backs = Commands::new(&gpu)
        .expect("commands")
        .run(|commands| {
            // SAFETY: everything outlives `run`, which waits.
            let recorded = unsafe { transcoder.record(commands, &mut arena, &jobs) }?;
            assert_eq!(recorded.dispatches, 3, "one each");
            assert_eq!(recorded.texels, 3 * 64 * 40, "all texels are counted");
            let back = |image: &TestImage| image.read_back(&gpu, commands, layout);
            Ok::<_, Error>(parts.iter().map(|(_, image, ..)| back(image)).collect::<Vec<_>>())
        })
        .expect("the jobs run");
    for ((format, image, blocks, regions, _), back) in parts.iter().zip(&backs) {
        assert_levels(format, blocks, regions, &[image.level(back, 0).to_vec()], format.name);
    }
}

#[test]
fn threads_record_at_once_with_one_transcoder() {
    let gpu = TestGpu::new();
    let transcoder = Arc::new(Transcoder::new(&gpu).expect("the tables fit"));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (gpu, transcoder) = (&gpu, transcoder.clone());
            scope.spawn(move || {
                for (round, name) in ["ASTC_5x5_UNORM_BLOCK", "ASTC_8x8_SRGB_BLOCK"].into_iter().enumerate() {
                    let format = format(name);
                    let extent = [40, 33, 1];
                    let image = TestImage::new(gpu, exact(format), extent, 1, 1);
                    let (blocks, regions) = levels(format, extent, 1, 1, thread * 2 + round as u64);
                    let buffer = upload(gpu, &blocks);
                    let source = Source::TexelBuffer(buffer.handle());
                    let (_, texels) =
                        run_whole(&transcoder, format, source, &image, &regions, Options::default());
                    assert_levels(format, &blocks, &regions, &texels, &format!("thread {thread}, {name}"));
                }
            });
        }
    });
}

#[test]
fn prepared_pipelines_are_the_ones_that_recording_uses() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    let format = format("ASTC_10x6_UNORM_BLOCK");
    let pair = [(format, exact(format))];
    std::thread::scope(|scope| {
        let prepared = scope.spawn(|| transcoder.prepare(&pair, Options::default()));
        prepared.join().expect("no panic").expect("the pipelines compile");
    });
    let image = TestImage::new(&gpu, exact(format), [20, 20, 1], 1, 1);
    let job = Job {
        format,
        source: Source::TexelBuffer(vk::Buffer::null()),
        target: image.target(vk::ImageLayout::GENERAL, true),
        regions: &[],
        options: Options::default(),
    };
    let (first, _) = transcoder.pipeline_for(&job).expect("there is a kernel");
    let (second, _) = transcoder.pipeline_for(&job).expect("there is a kernel");
    assert!(Arc::ptr_eq(&first, &second), "a pipeline is built once");
}

#[test]
fn jobs_that_cannot_be_done_say_why_and_record_nothing() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    let astc = format("ASTC_6x6_UNORM_BLOCK");
    let image = TestImage::new(&gpu, exact(astc), [24, 24, 1], 1, 1);
    let buffer = upload(&gpu, &[0; 16 * 16]);
    let regions = [Region::whole_level([24, 24, 1], 1, 0, 8)];
    let mut target = image.target(vk::ImageLayout::GENERAL, true);
    let mut arena = Arena::new(&gpu);
    let mut try_job = |job: Job<'_>| {
        let mut error = None;
        Commands::new(&gpu)
            .expect("commands")
            .run(|commands| {
                // SAFETY: the handles are alive; nothing is recorded.
                error = unsafe { transcoder.record(commands, &mut arena, &[job]) }.err();
                Ok::<_, Error>(())
            })
            .expect("an empty command buffer runs");
        error.expect("the job is refused").to_string()
    };
    let source = Source::TexelBuffer(buffer.handle());
    let job = Job { format: astc, source, target, regions: &regions, options: Options::default() };
    let message = try_job(job);
    assert_eq!(message, "region 0: buffer offset 8 is no multiple of the block's 16 bytes");
    target.format = format("BC4_UNORM_BLOCK");
    let message = try_job(Job { target, ..job });
    assert_eq!(message, "no kernel turns ASTC_6x6_UNORM_BLOCK into BC4_UNORM_BLOCK");
}

#[test]
fn real_photographs_decode_to_their_known_bytes() {
    let Some(shared) = shared() else { return };
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    for (name, footprint) in [("4x4", [4, 4]), ("12x12", [12, 12])] {
        let file = std::fs::read(shared.join(format!("data/bench/collage_{name}.astc"))).expect("readable");
        let (blocks, format) = (&file[16..], format(&format!("ASTC_{name}_UNORM_BLOCK")));
        assert_eq!(format.footprint, footprint);
        let extent = [2048, 2048, 1];
        let image = TestImage::new(&gpu, exact(format), extent, 1, 1);
        let regions = [Region::whole_level(extent, 1, 0, 0)];
        let buffer = upload(&gpu, blocks);
        let source = Source::TexelBuffer(buffer.handle());
        let (_, texels) = run_whole(&transcoder, format, source, &image, &regions, Options::default());
        assert_levels(format, blocks, &regions, &texels, name);
    }
}

#[test]
fn blocks_stored_straight_into_the_image_are_those_of_the_copy() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).expect("the tables fit");
    let extent = [62, 45, 1];
    for (name, target) in [
        ("ASTC_5x5_UNORM_BLOCK", "BC7_UNORM_BLOCK"),
        ("ETC2_R8G8B8A8_SRGB_BLOCK", "BC3_SRGB_BLOCK"),
        ("EAC_R11_UNORM_BLOCK", "BC4_UNORM_BLOCK"),
    ] {
        let (format, target) = (format(name), format(target));
        let Some(straight) = TestImage::with_block_texel_views(&gpu, target, extent, 3) else {
            println!("skipped: {} takes no block-texel storage views on this device", target.name);
            continue;
        };
        let copied = TestImage::new(&gpu, target, extent, 3, 1);
        let (blocks, regions) = levels(format, extent, 3, 1, 31);
        let buffer = upload(&gpu, &blocks);
        let source = Source::TexelBuffer(buffer.handle());
        let (_, expected) = run_whole(&transcoder, format, source, &copied, &regions, Options::default());
        // A null view: the arena makes it.
        let views = [vk::ImageView::null()];
        let layout = vk::ImageLayout::GENERAL;
        let job = Job {
            format,
            source,
            target: texemu_transcode::Target { views: &views, ..straight.target(layout, true) },
            regions: &regions,
            options: Options::default(),
        };
        let mut arena = Arena::new(&gpu);
        let back = Commands::new(&gpu)
            .expect("commands")
            .run(|commands| {
                // SAFETY: everything outlives `run`, which waits.
                unsafe { transcoder.record(commands, &mut arena, &[job]) }?;
                Ok::<_, Error>(straight.read_back(&gpu, commands, layout))
            })
            .expect("the job runs");
        assert_eq!(arena.bytes(), 0, "{name}: no block waits in scratch memory");
        for level in 0..3 {
            assert_eq!(straight.level(&back, level), expected[level as usize], "{name}, level {level}");
        }
    }
}
