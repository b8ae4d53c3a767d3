//! Every decoder and every decoder with an encoder behind it against the CPU twins, bit for bit, on random, legal and illegal
//! blocks.
//!
//! `TEXEMU_TEST_BLOCKS` sets how many blocks each pair of formats gets.

mod common;

use common::{BlockImage, TestGpu, TestImage, run_whole, upload};
use std::fmt::Write;
use texemu_core::{Arena, Commands, Gpu, vk};
use texemu_format::{Codec, Format, Numeric, by_name, level_extent};
use texemu_reference::blocks::{Class, generate};
use texemu_reference::{decode_image, encode};
use texemu_transcode::{
    Choice, DispatchLimits, Effort, Error, ErrorColor, Granularity, Job, Options, Region, Source, SourceKind,
    Transcoder,
};

fn blocks_a_pair() -> u32 {
    std::env::var("TEXEMU_TEST_BLOCKS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000)
}

fn name(name: &str) -> &'static Format {
    by_name(name).unwrap_or_else(|| panic!("{name} is in the table"))
}

/// What the twins make of tightly packed blocks.
fn expected(format: &Format, target: &Format, blocks: &[u8], extent: [u32; 3], options: Options) -> Vec<u8> {
    let error_color = match options.error_color {
        ErrorColor::Magenta => texemu_reference::ErrorColor::Magenta,
        ErrorColor::TransparentBlack => texemu_reference::ErrorColor::TransparentBlack,
    };
    let float16 = target.codec == Codec::Rgba16f && format.codec == Codec::AstcLdr;
    let decoding = texemu_reference::Options { error_color, float16, threads: 1 };
    let texels = decode_image(format, blocks, extent, &decoding).unwrap();
    if !target.is_compressed() {
        return texels;
    }
    let effort = match options.effort {
        Effort::Fast => encode::Effort::Fast,
        Effort::High => encode::Effort::High,
    };
    encode::encode_image(target, &texels, extent, effort).unwrap()
}

/// Where two images differ first, with the texels or target blocks of both.
fn difference(target: &Format, extent: [u32; 3], got: &[u8], wanted: &[u8]) -> Option<String> {
    let size = target.block_bytes as usize;
    let [columns, rows, _] = target.blocks(extent).map(|count| count as usize);
    let unequal: Vec<usize> = (0..wanted.len() / size)
        .filter(|&at| got[at * size..][..size] != wanted[at * size..][..size])
        .collect();
    let &first = unequal.first()?;
    let mut text = format!(
        "{} of {} differ, the first at column {}, row {}, slice {}: ",
        unequal.len(),
        wanted.len() / size,
        first % columns,
        first / columns % rows,
        first / columns / rows
    );
    for (what, bytes) in [("got", got), (", wanted", wanted)] {
        write!(text, "{what} {:02x?}", &bytes[first * size..][..size]).unwrap();
    }
    Some(text)
}

/// One level of blocks of every class, its edges inside blocks, through a texel buffer.
fn compare(transcoder: &Transcoder, format: &'static Format, target: &'static Format, options: Options) {
    let [width, height] = format.footprint;
    let columns = 37;
    let rows = blocks_a_pair().div_ceil(columns);
    let extent = [columns * width - 1, rows * height - 2, 1];
    let blocks = generate(format, Class::Mixed, (columns * rows) as usize, 0x5EED);
    let buffer = upload(transcoder.gpu(), &blocks);
    let image = TestImage::new(transcoder.gpu(), target, extent, 1, 1);
    let source = Source::TexelBuffer(buffer.handle());
    let regions = [Region::whole_level(extent, 1, 0, 0)];
    let (_, levels) = run_whole(transcoder, format, source, &image, &regions, options);
    let wanted = expected(format, target, &blocks, extent, options);
    if let Some(difference) = difference(target, extent, &levels[0], &wanted) {
        panic!("{} to {}, {options:?}: {difference}", format.name, target.name);
    }
}

#[test]
fn astc_ldr_equals_its_twin_in_every_footprint() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    for format in texemu_format::sources().filter(|format| format.codec == Codec::AstcLdr) {
        let error_color = if format.is_srgb() { ErrorColor::TransparentBlack } else { ErrorColor::Magenta };
        let options = Options { error_color, ..Options::default() };
        compare(&transcoder, format, format.targets.exact().unwrap(), options);
    }
}

#[test]
fn astc_to_floats_equals_its_twin_in_every_footprint() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    let target = name("R16G16B16A16_SFLOAT");
    for format in texemu_format::sources().filter(|format| format.codec == Codec::AstcHdr) {
        compare(&transcoder, format, target, Options::default());
    }
    for format in ["ASTC_4x4_UNORM_BLOCK", "ASTC_8x6_UNORM_BLOCK"] {
        compare(&transcoder, name(format), target, Options::default());
    }
}

#[test]
fn etc2_and_eac_equal_their_twins() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    for format in texemu_format::sources().filter(|format| format.footprint == [4, 4]) {
        if !matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr) {
            compare(&transcoder, format, format.targets.exact().unwrap(), Options::default());
        }
    }
}

/// Jobs that split inside an image go through [`every_way_of_reaching_a_kernel_gives_the_same_bits`].
#[test]
fn recoders_equal_their_twins() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    for (format, target, effort) in [
        ("ASTC_5x5_UNORM_BLOCK", "BC1_RGBA_UNORM_BLOCK", Effort::Fast),
        ("ASTC_4x4_SRGB_BLOCK", "BC3_SRGB_BLOCK", Effort::Fast),
        ("ASTC_6x6_UNORM_BLOCK", "BC3_UNORM_BLOCK", Effort::High),
        ("ASTC_8x5_SRGB_BLOCK", "BC7_SRGB_BLOCK", Effort::Fast),
        ("ASTC_12x10_UNORM_BLOCK", "BC3_UNORM_BLOCK", Effort::Fast),
        ("ASTC_8x8_SFLOAT_BLOCK", "BC6H_UFLOAT_BLOCK", Effort::Fast),
        ("ASTC_5x4_SFLOAT_BLOCK", "BC6H_UFLOAT_BLOCK", Effort::High),
        ("ETC2_R8G8B8_UNORM_BLOCK", "BC1_RGB_UNORM_BLOCK", Effort::Fast),
        ("ETC2_R8G8B8A1_SRGB_BLOCK", "BC1_RGBA_SRGB_BLOCK", Effort::Fast),
        ("ETC2_R8G8B8A8_UNORM_BLOCK", "BC3_UNORM_BLOCK", Effort::Fast),
        ("ETC2_R8G8B8A8_SRGB_BLOCK", "BC7_SRGB_BLOCK", Effort::High),
        ("EAC_R11_UNORM_BLOCK", "BC4_UNORM_BLOCK", Effort::Fast),
        ("EAC_R11_SNORM_BLOCK", "BC4_SNORM_BLOCK", Effort::High),
        ("EAC_R11G11_UNORM_BLOCK", "BC5_UNORM_BLOCK", Effort::High),
        ("EAC_R11G11_SNORM_BLOCK", "BC5_SNORM_BLOCK", Effort::Fast),
    ] {
        compare(&transcoder, name(format), name(target), Options { effort, ..Options::default() });
    }
}

/// An image of three levels whose whole was written, and then a part of each level of some layers or slices.
struct Layered {
    format: &'static Format,
    target: &'static Format,
    image_type: vk::ImageType,
    extent: [u32; 3],
    layers: u32,
}

impl Layered {
    const LEVELS: u32 = 3;

    fn new(format: &'static Format, target: &'static Format, image_type: vk::ImageType) -> Self {
        let [width, height] = Self::unit(format, target);
        let flat = image_type == vk::ImageType::TYPE_2D;
        let extent = [width * 4 + 3, height * 4 + 1, if flat { 1 } else { 5 }];
        Self { format, target, image_type, extent, layers: if flat { 3 } else { 1 } }
    }

    /// Where regions may begin: whole blocks of both formats.
    fn unit(format: &Format, target: &Format) -> [u32; 2] {
        [0, 1].map(|axis| {
            let (a, b) = (format.footprint[axis], target.footprint[axis]);
            (1..=b).map(|times| times * a).find(|size| size % b == 0).unwrap()
        })
    }

    fn level(&self, level: u32) -> [u32; 3] {
        let [width, height, depth] = level_extent(self.extent, level);
        [width, height, depth * self.layers]
    }

    /// Everything, or the last slices of each level from its second unit on, or from the edge's start.
    fn regions(&self, part: bool) -> Vec<Region> {
        let mut regions = Vec::new();
        let mut offset = 0;
        for level in 0..Self::LEVELS {
            let [width, height, slices] = self.level(level);
            let [x, y] = Self::unit(self.format, self.target);
            let (x, y) = if part && x < width && y < height { (x, y) } else { (0, 0) };
            let first = if part { slices / 2 } else { 0 };
            let flat = self.image_type == vk::ImageType::TYPE_2D;
            let (depth, layers) = if flat { (1, slices - first) } else { (slices - first, 1) };
            let region = Region {
                buffer_offset: offset,
                buffer_row_length: if part { width - x + 3 } else { 0 },
                level,
                base_layer: if flat { first } else { 0 },
                layer_count: layers,
                offset: [x, y, if flat { 0 } else { first }],
                extent: [width - x, height - y, depth],
                ..Region::default()
            };
            let pitch = if part { region.buffer_row_length } else { width };
            let bytes = self.format.level_bytes([pitch, height - y, slices - first]).unwrap();
            offset += bytes;
            regions.push(region);
        }
        regions
    }

    fn buffer(&self, regions: &[Region], seed: u64) -> Vec<u8> {
        let last = regions.last().unwrap();
        let pitch = last.buffer_row_length.max(last.extent[0]);
        let slices = last.extent[2] * last.layer_count;
        let bytes = last.buffer_offset + self.format.level_bytes([pitch, last.extent[1], slices]).unwrap();
        generate(self.format, Class::Mixed, (bytes / u64::from(self.format.block_bytes)) as usize, seed)
    }

    /// Puts what the twins make of `regions` into `levels`.
    fn apply(&self, regions: &[Region], blocks: &[u8], options: Options, levels: &mut [Vec<u8>]) {
        let size = self.format.block_bytes as usize;
        for region in regions {
            let [width, height, _] = region.extent;
            let [columns, rows, _] = self.format.blocks(region.extent).map(|count| count as usize);
            let pitch = region.buffer_row_length.max(width).div_ceil(self.format.footprint[0]) as usize;
            let first = region.buffer_offset as usize / size;
            for slice in 0..(region.extent[2] * region.layer_count) as usize {
                let row = |row: usize| {
                    let start = first + (slice * rows + row) * pitch;
                    &blocks[start * size..(start + columns) * size]
                };
                let tight: Vec<u8> = (0..rows).flat_map(row).copied().collect();
                let made = expected(self.format, self.target, &tight, [width, height, 1], options);
                let to = self.target.footprint;
                let unit = self.target.block_bytes as usize;
                let [level_columns, level_rows, _] =
                    self.target.blocks(self.level(region.level)).map(|count| count as usize);
                let made_columns = width.div_ceil(to[0]) as usize;
                let (x, y) = ((region.offset[0] / to[0]) as usize, (region.offset[1] / to[1]) as usize);
                let z = (region.base_layer + region.offset[2]) as usize + slice;
                for (row, bytes) in made.chunks_exact(made_columns * unit).enumerate() {
                    let start = ((z * level_rows + y + row) * level_columns + x) * unit;
                    levels[region.level as usize][start..start + bytes.len()].copy_from_slice(bytes);
                }
            }
        }
    }

    /// Writes everything from one buffer, then parts from another, and compares all of the image with the twins.
    fn run(&self, transcoder: &Transcoder, kind: SourceKind, options: Options) -> Result<(), Error> {
        let gpu: &Gpu = transcoder.gpu();
        let (whole, parts) = (self.regions(false), self.regions(true));
        let first = self.buffer(&whole, 1);
        let second = if kind == SourceKind::StorageImage {
            // An image of blocks holds a block for each place, whatever the regions say of buffers.
            first.iter().rev().copied().collect()
        } else {
            self.buffer(&parts, 2)
        };
        let image =
            TestImage::with_type(gpu, self.target, self.image_type, self.extent, Self::LEVELS, self.layers);
        let layout = vk::ImageLayout::GENERAL;
        let mut levels: Vec<Vec<u8>> =
            (0..Self::LEVELS).map(|level| vec![0; image.level_bytes(level) as usize]).collect();
        let mut arena = Arena::new(gpu);
        let mut commands = Commands::new(gpu).unwrap();
        let mut read = None;
        for (regions, bytes, discard) in [(&whole, &first, true), (&parts, &second, false)] {
            let buffer = upload(gpu, bytes);
            let images =
                if kind == SourceKind::StorageImage { self.block_images(gpu, bytes) } else { Vec::new() };
            let views: Vec<_> = images.iter().map(|image| image.view).collect();
            let source = match kind {
                SourceKind::TexelBuffer => Source::TexelBuffer(buffer.handle()),
                SourceKind::StorageBuffer => Source::StorageBuffer(buffer.handle()),
                SourceKind::StorageImage => Source::StorageImage(&views),
            };
            let target = image.target(layout, discard);
            let job = Job { format: self.format, source, target, regions, options };
            commands.run(|commands| {
                // SAFETY: `run` waits, and all that is named lives until the loop's end.
                unsafe { transcoder.record(commands, &mut arena, &[job]) }?;
                if !discard {
                    read = Some(image.read_back(gpu, commands, layout));
                }
                Ok::<_, Error>(())
            })?;
            if kind == SourceKind::StorageImage {
                let (regions, blocks) = self.gathered(regions, bytes);
                self.apply(&regions, &blocks, options, &mut levels);
            } else {
                self.apply(regions, bytes, options, &mut levels);
            }
        }
        let read = read.unwrap();
        for (level, wanted) in levels.iter().enumerate() {
            let got = image.level(&read, level as u32);
            if let Some(difference) = difference(self.target, self.level(level as u32), got, wanted) {
                let (from, to) = (self.format.name, self.target.name);
                panic!("{from} to {to}, {kind:?}, {options:?}, level {level}: {difference}");
            }
        }
        Ok(())
    }

    /// The blocks of each level as an image, from a buffer of all levels.
    fn block_images(&self, gpu: &Gpu, bytes: &[u8]) -> Vec<BlockImage> {
        let whole = self.regions(false);
        let level = |region: &Region| {
            let [columns, rows, slices] = self.format.blocks(self.level(region.level));
            let start = region.buffer_offset as usize;
            let end = start + (columns * rows * slices * self.format.block_bytes) as usize;
            let (depth, layers) = if self.layers > 1 { (1, slices) } else { (slices, 1) };
            let extent = [columns, rows, depth];
            BlockImage::new(gpu, self.format, &bytes[start..end], extent, layers, self.image_type)
        };
        whole.iter().map(level).collect()
    }

    /// The regions' blocks out of a buffer of all levels, tightly packed, with regions that address them so.
    fn gathered(&self, regions: &[Region], bytes: &[u8]) -> (Vec<Region>, Vec<u8>) {
        let size = self.format.block_bytes as usize;
        let whole = self.regions(false);
        let mut blocks = Vec::new();
        let mut tight = Vec::new();
        for region in regions {
            tight.push(Region { buffer_offset: blocks.len() as u64, buffer_row_length: 0, ..*region });
            let [level_columns, level_rows, _] =
                self.format.blocks(self.level(region.level)).map(|count| count as usize);
            let [columns, rows, _] = self.format.blocks(region.extent).map(|count| count as usize);
            let [width, height] = self.format.footprint;
            let (x, y) = ((region.offset[0] / width) as usize, (region.offset[1] / height) as usize);
            let z = (region.base_layer + region.offset[2]) as usize;
            for slice in 0..(region.extent[2] * region.layer_count) as usize {
                for row in 0..rows {
                    let at = ((z + slice) * level_rows + y + row) * level_columns + x;
                    let start = whole[region.level as usize].buffer_offset as usize + at * size;
                    blocks.extend_from_slice(&bytes[start..start + columns * size]);
                }
            }
        }
        (tight, blocks)
    }
}

#[test]
fn every_way_of_reaching_a_kernel_gives_the_same_bits() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    let mut runs = 0;
    for (format, target) in [
        ("ASTC_6x5_SRGB_BLOCK", "R8G8B8A8_SRGB"),
        ("ASTC_12x12_SFLOAT_BLOCK", "R16G16B16A16_SFLOAT"),
        ("ETC2_R8G8B8_UNORM_BLOCK", "R8G8B8A8_UNORM"),
        ("EAC_R11G11_SNORM_BLOCK", "R16G16_SNORM"),
        ("ASTC_5x4_UNORM_BLOCK", "BC1_RGBA_UNORM_BLOCK"),
        ("EAC_R11_UNORM_BLOCK", "BC4_UNORM_BLOCK"),
    ] {
        let (format, target) = (name(format), name(target));
        for kind in [SourceKind::TexelBuffer, SourceKind::StorageImage, SourceKind::StorageBuffer] {
            for granularity in [Granularity::PerTexel, Granularity::PerBlock, Granularity::Tile] {
                let options = Options { choice: Choice::Granularity(granularity), ..Options::default() };
                let image_type = if runs % 2 == 0 { vk::ImageType::TYPE_2D } else { vk::ImageType::TYPE_3D };
                let image_type = if target.is_compressed() { vk::ImageType::TYPE_2D } else { image_type };
                match Layered::new(format, target, image_type).run(&transcoder, kind, options) {
                    Ok(()) => runs += 1,
                    // Recoders are not built for every way.
                    Err(Error::NoVariant { .. }) => {
                        assert!(target.is_compressed(), "{} has all ways", format.name)
                    }
                    Err(error) => panic!("{} to {}: {error}", format.name, target.name),
                }
            }
        }
    }
    assert_eq!(runs, 4 * 9 + 5 + 4, "each decoder has nine ways, the recoders five and four");
}

#[test]
fn small_windows_and_dispatches_give_the_same_bits() {
    let gpu = TestGpu::baseline();
    let limits = DispatchLimits { window_blocks: 40, window_alignment: 256, workgroups: 3, texels: 1 << 27 };
    let transcoder = Transcoder::new(&gpu).unwrap().with_limits(limits);
    for (format, target, granularity) in [
        ("ASTC_8x6_UNORM_BLOCK", "R8G8B8A8_UNORM", Granularity::Tile),
        ("ASTC_10x5_SRGB_BLOCK", "R8G8B8A8_SRGB", Granularity::PerTexel),
        ("ASTC_5x5_UNORM_BLOCK", "BC3_UNORM_BLOCK", Granularity::Tile),
        ("ASTC_6x6_UNORM_BLOCK", "BC1_RGBA_UNORM_BLOCK", Granularity::PerTexel),
        ("ETC2_R8G8B8A8_UNORM_BLOCK", "BC3_UNORM_BLOCK", Granularity::PerBlock),
    ] {
        let options = Options { choice: Choice::Granularity(granularity), ..Options::default() };
        let layered = Layered::new(name(format), name(target), vk::ImageType::TYPE_2D);
        for kind in [SourceKind::TexelBuffer, SourceKind::StorageBuffer] {
            match layered.run(&transcoder, kind, options) {
                Err(Error::NoVariant { .. }) if kind == SourceKind::StorageBuffer => {}
                result => result.unwrap(),
            }
        }
    }
}

/// A job that reaches no kernel says so before anything is recorded.
#[test]
fn numeric_types_that_do_not_match_have_no_kernel() {
    let gpu = TestGpu::new();
    let transcoder = Transcoder::new(&gpu).unwrap();
    let format = name("ASTC_4x4_SRGB_BLOCK");
    let wrong = format.targets.exact().unwrap().with_numeric(Numeric::Unorm).unwrap();
    let layered = Layered::new(format, wrong, vk::ImageType::TYPE_2D);
    let result = layered.run(&transcoder, SourceKind::TexelBuffer, Options::default());
    assert!(matches!(result, Err(Error::NoKernel { .. })), "{result:?}");
}
