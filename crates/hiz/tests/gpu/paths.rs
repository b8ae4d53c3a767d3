//! Sizes, viewports, layers and level ranges: all paths give the oracle's bits.

use crate::device::{DepthImage, Device, difference, f32_bytes, noise};
use texemu_core::vk;
use texemu_hiz::{
    DepthValues, Error, HizCaps, HizDesc, HizPlan, Level, Oracle, Path, Reduction, Scheme, TexelFormat,
};

/// What `desc` must give for `values`, and by every path that can what it gives. Returns the paths that could.
pub(crate) fn check(
    device: &mut Device,
    desc: &HizDesc,
    offset: [u32; 2],
    depth: &DepthImage,
    values: &[f32],
) -> Vec<Path> {
    let oracle = Oracle { scheme: desc.scheme, reduction: desc.reduction, texel: desc.texel };
    let values =
        DepthValues { extent: desc.source_extent, samples: desc.samples, layers: desc.layers, values };
    let last = desc.last_level.min(desc.scheme.last_level(desc.extent));
    let expected = oracle.levels(&values, offset, desc.extent, desc.first_level, last);
    let mut made = Vec::new();
    for path in Path::ALL {
        let Some(found) = make(device, desc, path, offset, depth) else { continue };
        if let Some(difference) = difference(&found, &expected, desc.reduction.components() as usize) {
            panic!("{path:?} {desc:?} at {offset:?}: {difference}");
        }
        made.push(path);
    }
    made
}

fn make(
    device: &mut Device,
    desc: &HizDesc,
    path: Path,
    offset: [u32; 2],
    depth: &DepthImage,
) -> Option<Vec<Level>> {
    let plan = HizPlan::new(desc, Some(path), &device.caps).ok()?;
    let pyramid = device.pyramid(&plan);
    device.reduce(depth, offset, &pyramid, 1);
    Some(device.read(&pyramid))
}

/// [`check`] on noise in a 32-bit float image.
fn compare(device: &mut Device, desc: &HizDesc, offset: [u32; 2], seed: u32) -> Vec<Path> {
    let [width, height] = desc.source_extent;
    // SwiftShader makes a NaN of an infinity that is stored to a 16-bit image.
    let tame =
        desc.texel == TexelFormat::Float16 && device.gpu.capabilities().info.name.contains("SwiftShader");
    let values = noise((width * height * desc.layers) as usize, seed, !tame);
    let depth =
        device.depth_image(vk::Format::R32_SFLOAT, desc.source_extent, desc.layers, &f32_bytes(&values));
    check(device, desc, offset, &depth, &values)
}

pub(crate) fn large() -> bool {
    std::env::var_os("TEXEMU_HIZ_LARGE").is_some()
}

/// Scheme, reduction and texel format: every one of each, or all combinations. Each is a set of pipelines, which some drivers compile for
/// seconds.
fn combinations() -> Vec<(Scheme, Reduction, TexelFormat)> {
    use {Reduction as R, Scheme as S, TexelFormat as T};
    if !large() {
        return vec![
            (S::Chained, R::Min, T::Float32),
            (S::EdgeTexel, R::Max, T::Float32),
            (S::Pow2Exact, R::MinMax, T::Float16),
            (S::RoundedUp, R::Min, T::Float16),
        ];
    }
    let reductions = |scheme| [R::Min, R::Max, R::MinMax].map(|reduction| (scheme, reduction));
    let formats = |(scheme, reduction)| [T::Float32, T::Float16].map(|texel| (scheme, reduction, texel));
    S::ALL.into_iter().flat_map(reductions).flat_map(formats).collect()
}

fn describe(extent: [u32; 2], (scheme, reduction, texel): (Scheme, Reduction, TexelFormat)) -> HizDesc {
    HizDesc { texel, ..HizDesc::new(extent, scheme, reduction) }
}

/// The paths that make all levels of a scheme on a device that can do everything.
fn whole_chain(scheme: Scheme) -> &'static [Path] {
    match scheme {
        Scheme::RoundedUp => &[Path::PerLevel, Path::Raster],
        _ => &[Path::OneDispatch, Path::TwoDispatches, Path::PerLevel, Path::Raster],
    }
}

#[test]
fn small_sizes() {
    let mut device = Device::shared();
    let mut seed = 1;
    for extent in (1..=7).flat_map(|width| (1..=7).map(move |height| [width, height])) {
        let combinations = combinations();
        // Each size by one combination, and the next size by the next.
        let chosen =
            if large() { combinations } else { vec![combinations[seed as usize % combinations.len()]] };
        for combination in chosen {
            compare(&mut device, &describe(extent, combination), [0, 0], seed);
            seed += 1;
        }
    }
    device.expect_silence();
}

#[test]
fn sizes_around_tiles() {
    let mut device = Device::shared();
    let mut seed = 1000;
    let sizes = [
        [64, 64],
        [65, 64],
        [63, 127],
        [128, 72],
        [120, 136],
        [129, 130],
        [131, 67],
        [192, 200],
        [255, 257],
        [300, 299],
        [211, 293],
        [1, 300],
        [300, 1],
        [300, 3],
        [97, 300],
        [512, 40],
    ];
    for extent in sizes {
        for combination in combinations() {
            let paths = compare(&mut device, &describe(extent, combination), [0, 0], seed);
            if device.caps.memory_model && device.caps.write_without_format {
                assert_eq!(paths, whole_chain(combination.0));
            }
            seed += 1;
        }
    }
    device.expect_silence();
}

#[test]
fn sampled_sizes() {
    let mut device = Device::shared();
    let mut state = 0x1234_5678u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1 + (state >> 8) % below
    };
    for round in 0..if large() { 2000 } else { 24 } {
        let extent = [next(300), next(300)];
        let combinations = combinations();
        compare(
            &mut device,
            &describe(extent, combinations[round % combinations.len()]),
            [0, 0],
            round as u32,
        );
    }
    device.expect_silence();
}

/// Level 7 and beyond by the last workgroup, from shared and from scratch memory.
#[test]
fn long_chains() {
    let mut device = Device::shared();
    let mut sizes = vec![[1023, 1025], [2049, 70], [40, 4099], [1, 1021], [511, 513]];
    if large() {
        // Powers of two and their neighbours, then screens, primes and thin ones.
        for power in (1..=13).map(|exponent| 1u32 << exponent) {
            sizes.extend([[power - 1, power + 1], [power, power - 1], [power + 1, power], [power, power]]);
        }
        sizes.extend([
            [1920, 1080],
            [3840, 2160],
            [1009, 2003],
            [4093, 67],
            [1, 8191],
            [8193, 1],
            [2, 8193],
            [8192, 3],
            [8193, 1023],
            [16_384, 128],
            [129, 16_383],
        ]);
    }
    for (seed, extent) in (9..).zip(sizes) {
        for scheme in [Scheme::Chained, Scheme::EdgeTexel] {
            let reduction = if scheme == Scheme::Chained { Reduction::Min } else { Reduction::Max };
            compare(&mut device, &HizDesc::new(extent, scheme, reduction), [0, 0], seed);
        }
    }
    device.expect_silence();
}

#[test]
fn layers_and_viewports() {
    let mut device = Device::shared();
    let mut seed = 5000;
    /// Depth image, viewport, its corner, layers.
    type Case = ([u32; 2], [u32; 2], [u32; 2], u32);
    let cases: [Case; 9] = [
        ([150, 140], [100, 96], [13, 7], 1),
        ([150, 140], [128, 72], [22, 68], 2),
        ([70, 70], [65, 33], [5, 37], 3),
        ([70, 70], [1, 33], [69, 0], 1),
        ([70, 70], [66, 1], [2, 50], 2),
        ([5, 5], [1, 1], [2, 3], 2),
        ([130, 90], [130, 90], [0, 0], 6),
        ([80, 300], [64, 299], [16, 1], 1),
        ([9, 9], [8, 8], [1, 0], 4),
    ];
    for (source, extent, offset, layers) in cases {
        for combination in combinations() {
            let desc = HizDesc { source_extent: source, layers, ..describe(extent, combination) };
            let paths = compare(&mut device, &desc, offset, seed);
            assert!(paths.contains(&Path::Raster) || !device.caps.graphics);
            seed += 1;
        }
    }
    device.expect_silence();
}

#[test]
fn level_ranges() {
    let mut device = Device::shared();
    let mut seed = 7000;
    for (first, last) in [(0, 0), (0, u32::MAX), (1, 2), (2, 5), (3, u32::MAX), (7, 8)] {
        for combination in combinations() {
            let desc = HizDesc { first_level: first, last_level: last, ..describe([257, 200], combination) };
            compare(&mut device, &desc, [0, 0], seed);
            seed += 1;
        }
    }
    device.expect_silence();
}

#[test]
fn one_level_alone() {
    let mut device = Device::shared();
    let mut seed = 8000;
    for level in 2..=6 {
        for (scheme, reduction) in [
            (Scheme::EdgeTexel, Reduction::Min),
            (Scheme::RoundedUp, Reduction::MinMax),
            (Scheme::EdgeTexel, Reduction::Max),
        ] {
            for (source, extent, offset) in [
                ([200, 136], [200, 136], [0, 0]),
                ([129, 255], [129, 255], [0, 0]),
                ([90, 70], [77, 66], [13, 3]),
                ([40, 9], [3, 1], [7, 8]),
            ] {
                let range = HizDesc {
                    first_level: level,
                    last_level: level,
                    ..HizDesc::new(extent, scheme, reduction)
                };
                let desc = HizDesc { source_extent: source, layers: 1 + level % 2, ..range };
                if level > desc.scheme.last_level(extent) {
                    continue;
                }
                let paths = compare(&mut device, &desc, offset, seed);
                assert!(!device.caps.write_without_format || paths.contains(&Path::SharedAtomic));
                assert!(!device.caps.subgroup_fold || paths.contains(&Path::SubgroupFold));
                seed += 1;
            }
        }
    }
    device.expect_silence();
}

/// A device of which nothing is asked but Vulkan 1.1: no storage image without format, no memory model, no two components.
#[test]
fn a_device_without_features() {
    let mut device = Device::open(true);
    let desc = HizDesc::new([131, 67], Scheme::Chained, Reduction::Max);
    let plan = HizPlan::new(&desc, None, &device.caps).expect("a path");
    assert_eq!(plan.path(), Path::PerLevel);
    assert_eq!(compare(&mut device, &desc, [0, 0], 1), [Path::PerLevel, Path::Raster]);
    let desc = HizDesc {
        texel: TexelFormat::Float16,
        ..HizDesc::new([131, 67], Scheme::EdgeTexel, Reduction::MinMax)
    };
    assert_eq!(compare(&mut device, &desc, [0, 0], 2), [Path::Raster]);
    device.expect_silence();
}

/// Vulkan guarantees four storage images a stage; the chain in one or two dispatches binds fourteen.
#[test]
fn four_storage_images() {
    let mut device = Device::open(false);
    let caps = HizCaps { storage_images: 4, cpu: false, ..device.caps };
    let desc = HizDesc::new([1920, 1080], Scheme::Chained, Reduction::Min);
    for path in [Path::OneDispatch, Path::TwoDispatches] {
        let result = HizPlan::new(&desc, Some(path), &caps);
        assert!(matches!(result, Err(Error::Unsupported { .. })), "{result:?}");
    }
    assert_eq!(HizPlan::new(&desc, None, &caps).map(|plan| plan.path()).expect("a path"), Path::PerLevel);
    device.caps = caps;
    for (seed, scheme) in (1..).zip([Scheme::Chained, Scheme::EdgeTexel, Scheme::Pow2Exact]) {
        let desc = HizDesc::new([131, 67], scheme, Reduction::Min);
        assert_eq!(compare(&mut device, &desc, [0, 0], seed), [Path::PerLevel, Path::Raster]);
    }
    device.expect_silence();
}
