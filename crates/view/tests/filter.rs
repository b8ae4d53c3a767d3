//! Filters on the device against their twins, and against the algorithm in its plainest form.

use texemu_core::{CacheLocation, Gpu, GpuDesc, Select, Validation};
use texemu_reference::filter::{self, Texel};
use texemu_view::Filter;

type Twin = fn(&[Texel], usize) -> Vec<Texel>;

/// Every filter has a twin: a new one is entered here.
const TWINS: [(&str, Twin); 2] = [("blur", filter::blur), ("edges", filter::edges)];

fn with_gpu(baseline: bool, test: impl FnOnce(&Gpu)) {
    let select = std::env::var("TEXEMU_TEST_DEVICE").map_or(Select::Best, |text| Select::parse(&text));
    let desc =
        GpuDesc { select, validation: Validation::Synchronization, cache: CacheLocation::Off, baseline };
    let gpu =
        Gpu::open(&desc).expect("the tests need a Vulkan device and the validation layer; see README.md");
    let log = gpu.validation_log();
    test(&gpu);
    drop(gpu);
    assert!(log.messages().is_empty(), "validation said:\n{}", log.messages().join("\n"));
}

/// Values from -2 to 2 without a pattern.
fn noise(width: usize, height: usize, seed: u32) -> Vec<Texel> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    };
    (0..width * height).map(|_| std::array::from_fn(|_| next())).collect()
}

#[track_caller]
fn compare(gpu: &Gpu, name: &str, twin: Twin, width: usize, height: usize) {
    let texels = noise(width, height, (width * 7919 + height) as u32);
    let filter = Filter::find(name).expect("the filter is there");
    let made = filter.apply(gpu, &texels, width as u32).expect("it runs");
    let expected = twin(&texels, width);
    assert_eq!(made.len(), expected.len(), "{name} {width}x{height}");
    for (index, (made, expected)) in made.iter().zip(&expected).enumerate() {
        for c in 0..4 {
            let (x, y) = (index % width, index / width);
            let off = (made[c] - expected[c]).abs();
            // The edges are differences alone, which every device rounds alike; others may fuse a multiplication.
            assert!(
                off <= 1e-6,
                "{name} {width}x{height}: ({x}, {y})[{c}] {} is not {}",
                made[c],
                expected[c]
            );
        }
    }
}

#[test]
fn every_filter_has_a_twin() {
    let names: Vec<_> = Filter::all().map(Filter::name).collect();
    assert_eq!(names, TWINS.map(|(name, _)| name));
    assert!(Filter::find("nothing").is_none());
}

#[test]
fn filters_equal_their_twins_at_any_size() {
    // One texel, rows and columns, one more and one less than a tile of 256, two tiles, and none of that.
    let sizes = [(1, 1), (1, 2), (2, 1), (3, 3), (1, 300), (300, 1), (255, 2), (256, 3), (257, 5), (5, 257)];
    let larger = [(258, 254), (511, 513), (640, 480), (2000, 1333)];
    with_gpu(false, |gpu| {
        for (name, twin) in TWINS {
            for (width, height) in sizes.into_iter().chain(larger) {
                compare(gpu, name, twin, width, height);
            }
        }
    });
}

#[test]
fn filters_run_without_optional_features() {
    with_gpu(true, |gpu| {
        for (name, twin) in TWINS {
            compare(gpu, name, twin, 259, 131);
        }
    });
}

/// A row of exactly 512 texels a workgroup, and what each makes of it stored transposed: twice.
#[test]
fn on_512_by_512_edges_are_those_of_the_plain_algorithm() {
    const SIZE: usize = 512;
    let texels = noise(SIZE, SIZE, 20);
    let mut image = texels.clone();
    for _ in 0..2 {
        let mut output = vec![[0.0; 4]; SIZE * SIZE];
        for y in 0..SIZE {
            let scanline = &image[y * SIZE..][..SIZE];
            for x in 0..SIZE {
                let (left, right) = (scanline[x.max(1) - 1], scanline[(x + 1).min(SIZE - 1)]);
                output[x * SIZE + y] = std::array::from_fn(|c| right[c] - left[c]);
            }
        }
        image = output;
    }
    assert!(filter::edges(&texels, SIZE) == image, "the twin");
    with_gpu(false, |gpu| {
        let made = Filter::find("edges").expect("there").apply(gpu, &texels, SIZE as u32).expect("it runs");
        assert!(made == image, "the shader");
    });
}
