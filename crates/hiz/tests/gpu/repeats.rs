//! Again and again on the same target, while another device of the process is at work: no run depends on what the last one left,
//! and none races.

use crate::device::{Device, depth_values, difference, f32_bytes, noise};
use crate::paths::large;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use texemu_core::vk;
use texemu_hiz::{HizCaps, HizDesc, HizPlan, Oracle, Path, Reduction, Scheme, TexelFormat};

/// How often each case is repeated: `TEXEMU_HIZ_REPETITIONS`.
fn repetitions() -> u32 {
    let wanted = std::env::var("TEXEMU_HIZ_REPETITIONS").ok();
    wanted.map_or(if large() { 1000 } else { 20 }, |count| count.parse().expect("a number"))
}

/// Makes pyramids on a device of its own until it is dropped.
struct Load {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<u32>>,
}

impl Load {
    fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut device = Device::open(false);
            let extent = [511, 300];
            let desc = HizDesc::new(extent, Scheme::Chained, Reduction::Min);
            let plan = HizPlan::new(&desc, None, &device.caps).expect("a path");
            let values = noise((extent[0] * extent[1]) as usize, 1, false);
            let depth = device.depth_image(vk::Format::R32_SFLOAT, extent, 1, &f32_bytes(&values));
            let pyramid = device.pyramid(&plan);
            let mut made = 0;
            while !stopped.load(Ordering::Relaxed) {
                device.reduce(&depth, [0, 0], &pyramid, 1);
                made += 1;
            }
            device.expect_silence();
            made
        });
        Self { stop, thread: Some(thread) }
    }

    /// How many it made.
    fn end(mut self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("not ended yet").join().expect("the load fails nowhere")
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[test]
fn repetitions_agree() {
    let mut device = Device::shared();
    let load = Load::start();
    let repetitions = repetitions();
    let mut cases = vec![
        ([200, 136], 2, Path::OneDispatch),
        ([255, 257], 1, Path::OneDispatch),
        ([255, 257], 1, Path::TwoDispatches),
        ([129, 130], 1, Path::PerLevel),
    ];
    if !device.caps.cpu {
        // Enough workgroups to fill the device.
        cases.extend([
            ([1920, 1080], 1, Path::OneDispatch),
            ([1023, 1025], 2, Path::OneDispatch),
            ([2047, 2049], 1, Path::OneDispatch),
            ([2047, 2049], 1, Path::TwoDispatches),
        ]);
    }
    for (extent, layers, path) in cases {
        let desc = HizDesc { layers, ..HizDesc::new(extent, Scheme::Chained, Reduction::Min) };
        // Few workgroups with several tiles each, then one tile each.
        for resident_groups in [1, 512] {
            let caps = HizCaps { resident_groups, ..device.caps };
            let Ok(plan) = HizPlan::new(&desc, Some(path), &caps) else { continue };
            let values = noise((extent[0] * extent[1] * layers) as usize, resident_groups, true);
            let depth = device.depth_image(vk::Format::R32_SFLOAT, extent, layers, &f32_bytes(&values));
            let oracle =
                Oracle { scheme: desc.scheme, reduction: desc.reduction, texel: TexelFormat::Float32 };
            let expected = oracle.levels(
                &depth_values(extent, layers, &values),
                [0, 0],
                extent,
                1,
                plan.desc().last_level,
            );
            let pyramid = device.pyramid(&plan);
            for repetition in 0..repetitions {
                device.poison(&pyramid);
                device.reduce(&depth, [0, 0], &pyramid, 1);
                let found = device.read(&pyramid);
                if let Some(difference) = difference(&found, &expected, 1) {
                    panic!(
                        "{path:?} {extent:?}, {resident_groups} groups, repetition {repetition}: {difference}"
                    );
                }
            }
            // As after a recording that was never submitted.
            pyramid.target.invalidate();
            device.poison(&pyramid);
            device.reduce(&depth, [0, 0], &pyramid, 2);
            assert_eq!(difference(&device.read(&pyramid), &expected, 1), None);
        }
    }
    assert!(load.end() > 0);
    device.expect_silence();
}

/// lavapipe's subgroups are as wide as its vectors: four invocations run other code than sixteen, where the three lowest levels stay in
/// registers. The width is read when the driver starts, so each is a process of its own.
#[test]
fn subgroups_of_other_sizes() {
    if !std::env::var("VK_ICD_FILENAMES").is_ok_and(|drivers| drivers.contains("lvp")) {
        eprintln!("skipped: VK_ICD_FILENAMES does not name lavapipe");
        return;
    }
    let program = std::env::current_exe().expect("this test");
    for bits in ["128", "256", "512"] {
        let output = Command::new(&program)
            .args(["--ignored", "--exact", "repeats::subgroups_here"])
            .env("LP_NATIVE_VECTOR_WIDTH", bits)
            .output()
            .expect("this test, again");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{bits} bits: {text}");
    }
}

#[test]
#[ignore = "run by subgroups_of_other_sizes with another driver setting"]
fn subgroups_here() {
    let mut device = Device::shared();
    let size = device.gpu.capabilities().subgroup.size;
    assert_eq!(std::env::var("LP_NATIVE_VECTOR_WIDTH").ok(), Some((size * 32).to_string()));
    assert_eq!(device.caps.shuffles_of_16, size >= 16);
    for extent in [[200, 136], [128, 192], [129, 130]] {
        let desc = HizDesc::new(extent, Scheme::Chained, Reduction::Min);
        let values = noise((extent[0] * extent[1]) as usize, size, true);
        let depth = device.depth_image(vk::Format::R32_SFLOAT, extent, 1, &f32_bytes(&values));
        crate::paths::check(&mut device, &desc, [0, 0], &depth, &values);
        for level in [2, 3, 4, 5] {
            let desc = HizDesc {
                first_level: level,
                last_level: level,
                ..HizDesc::new(extent, Scheme::EdgeTexel, Reduction::Min)
            };
            crate::paths::check(&mut device, &desc, [0, 0], &depth, &values);
        }
    }
    device.expect_silence();
}
