//! Depth formats sampled as they are.

use crate::device::{Device, depth_texel, f32_bytes, noise};
use crate::paths::check;
use texemu_core::vk;
use texemu_hiz::{HizDesc, HizPlan, Path, Reduction, Scheme};

/// Raw texels of `format`, and the values that they stand for.
fn texels(format: vk::Format, count: usize) -> (Vec<u8>, Vec<f32>) {
    match format {
        vk::Format::R32_SFLOAT | vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => {
            let values = noise(count, 3, false);
            (f32_bytes(&values), values)
        }
        vk::Format::D16_UNORM | vk::Format::R16_UNORM => {
            let raw: Vec<u16> = noise(count, 4, false).iter().map(|value| (value * 65536.0) as u16).collect();
            let values = raw.iter().map(|&texel| (f64::from(texel) / 65535.0) as f32).collect();
            (raw.iter().flat_map(|texel| texel.to_le_bytes()).collect(), values)
        }
        _ => {
            let raw: Vec<u32> =
                noise(count, 5, false).iter().map(|value| (value * 16_777_216.0) as u32).collect();
            let values = raw.iter().map(|&texel| (f64::from(texel) / 16_777_215.0) as f32).collect();
            (raw.iter().flat_map(|texel| texel.to_le_bytes()).collect(), values)
        }
    }
}

#[test]
fn depth_formats() {
    let mut device = Device::shared();
    let formats = [
        vk::Format::R32_SFLOAT,
        vk::Format::D32_SFLOAT,
        vk::Format::D32_SFLOAT_S8_UINT,
        vk::Format::R16_UNORM,
        vk::Format::D16_UNORM,
        vk::Format::X8_D24_UNORM_PACK32,
        vk::Format::D24_UNORM_S8_UINT,
    ];
    let mut taken = 0;
    for format in formats {
        if !device.takes(format, 1) {
            eprintln!("skipped: the device does not sample {format:?}");
            continue;
        }
        taken += 1;
        let extent = [131, 72];
        let (raw, exact) = texels(format, 131 * 72);
        let depth = device.depth_image(format, extent, 1, &raw);
        // A normalized texel is a float within the precision that Vulkan asks for, not one certain float: what the device makes of it is
        // read through level 0, and the levels must be exact for that.
        let copy = HizDesc {
            first_level: 0,
            last_level: 0,
            ..HizDesc::new(extent, Scheme::Chained, Reduction::Min)
        };
        let plan = HizPlan::new(&copy, Some(Path::PerLevel), &device.caps).expect("a copy");
        let pyramid = device.pyramid(&plan);
        device.reduce(&depth, [0, 0], &pyramid, 1);
        let sampled = device.read(&pyramid).remove(0).values;
        let float = depth_texel(format).0 == 4
            && format != vk::Format::X8_D24_UNORM_PACK32
            && format != vk::Format::D24_UNORM_S8_UINT;
        for (index, (sampled, exact)) in sampled.iter().zip(&exact).enumerate() {
            if float {
                assert_eq!(sampled.to_bits(), exact.to_bits(), "{format:?} texel {index}");
            } else {
                assert!(
                    (sampled - exact).abs() <= f32::EPSILON,
                    "{format:?} texel {index}: {sampled} for {exact}"
                );
            }
        }
        let desc = HizDesc::new(extent, Scheme::Chained, Reduction::Min);
        check(&mut device, &desc, [0, 0], &depth, &sampled);
    }
    assert!(taken >= 3, "a device samples D16, R32 and one of the others at least");
    device.expect_silence();
}
