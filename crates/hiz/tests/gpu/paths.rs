//! Sizes, viewports, layers and level ranges: all paths give the oracle's bits.

use crate::device::{Device, depth_values, difference, f32_bytes, noise};
use texemu_core::vk;
use texemu_hiz::{HizDesc, HizPlan, Oracle, Path, Reduction, Scheme, TexelFormat};

/// Makes `desc` by every path that can, and compares with the oracle. Returns the paths that could.
fn compare(device: &mut Device, desc: &HizDesc, offset: [u32; 2], seed: u32) -> Vec<Path> {
    let [width, height] = desc.source_extent;
    let values = noise((width * height * desc.layers) as usize, seed, true);
    let depth =
        device.depth_image(vk::Format::R32_SFLOAT, desc.source_extent, desc.layers, &f32_bytes(&values));
    let mut made = Vec::new();
    let mut expected = None;
    for path in Path::ALL {
        let Ok(plan) = HizPlan::new(desc, Some(path), &device.caps) else { continue };
        let oracle = Oracle { scheme: desc.scheme, reduction: desc.reduction, texel: desc.texel };
        let expected = expected.get_or_insert_with(|| {
            let depth = depth_values(desc.source_extent, desc.layers, &values);
            oracle.levels(&depth, offset, desc.extent, plan.desc().first_level, plan.desc().last_level)
        });
        let start = std::time::Instant::now();
        let pyramid = device.pyramid(&plan);
        device.reduce(&depth, offset, &pyramid, 1);
        let found = device.read(&pyramid);
        if std::env::var_os("TIMES").is_some() {
            eprintln!(
                "{path:?} {:?} {:?} {:?} {:?}",
                desc.extent,
                desc.scheme,
                desc.reduction,
                start.elapsed()
            );
        }
        if let Some(difference) = difference(&found, expected, desc.reduction.components() as usize) {
            panic!("{path:?} {desc:?} at {offset:?}: {difference}");
        }
        made.push(path);
    }
    made
}

const REDUCTIONS: [Reduction; 3] = [Reduction::Min, Reduction::Max, Reduction::MinMax];

#[test]
fn small_sizes() {
    let mut device = Device::open();
    let mut seed = 1;
    for width in 1..=9 {
        for height in 1..=9 {
            for scheme in Scheme::ALL {
                let desc = HizDesc::new([width, height], scheme, REDUCTIONS[seed as usize % 3]);
                compare(&mut device, &desc, [0, 0], seed);
                seed += 1;
            }
        }
    }
    device.expect_silence();
}

#[test]
fn sampled_sizes() {
    let mut device = Device::open();
    let mut seed = 1000u32;
    let sizes = [
        [64, 64],
        [65, 64],
        [64, 65],
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
    ];
    for extent in sizes {
        for scheme in Scheme::ALL {
            for reduction in REDUCTIONS {
                let desc = HizDesc::new(extent, scheme, reduction);
                let paths = compare(&mut device, &desc, [0, 0], seed);
                assert!(paths.contains(&Path::PerLevel));
                seed += 1;
            }
        }
    }
    device.expect_silence();
}
