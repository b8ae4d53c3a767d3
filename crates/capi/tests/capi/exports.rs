//! What every export does: stop panics, and refuse null.

use crate::header::FILES;
use crate::package;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use texemu::*;
use texemu_core::vk;
use vk::Handle;

/// The name and the body of every export.
fn exports() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(package().join(format!("src/{file}.rs"))).expect("a source file");
        for item in text.split("#[unsafe(no_mangle)]").skip(1) {
            let name = item.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
            let name = name.expect("an exported function").to_owned();
            let body = item.split_once("{\n").expect("a body").1;
            all.push((name, body.split("\n}\n").next().expect("an end").to_owned()));
        }
    }
    all
}

#[test]
fn every_export_stops_panics_and_carries_the_prefix() {
    let exports = exports();
    assert!(exports.len() > 50, "the sources are read: {}", exports.len());
    for (name, body) in exports {
        assert!(name.starts_with("texemu_"), "{name} has no prefix");
        // Reading a thread's text calls nothing that panics.
        let exempt = name == "texemu_last_error_message";
        assert!(exempt || body.contains("guard(||") || body.contains("guarded("), "{name} is not guarded");
    }
}

#[test]
fn every_export_is_declared_in_the_header() {
    let header = std::fs::read_to_string(package().join("include/texemu.h")).expect("the header is there");
    for (name, _) in exports() {
        assert!(header.contains(&format!("{name}(")), "{name} is not in texemu.h");
    }
    for line in header.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for rust in ["'static", "<", "Option_", "vk::"] {
            let include = line.starts_with("#include");
            assert!(include || !line.contains(rust), "Rust has leaked into the header: {line}");
        }
    }
}

fn message() -> String {
    // SAFETY: the text stays until this thread's next call.
    unsafe { CStr::from_ptr(texemu_last_error_message()) }.to_string_lossy().into_owned()
}

#[track_caller]
fn refused(result: vk::Result, what: &str) {
    let said = message();
    assert_eq!(result.as_raw(), TEXEMU_ERROR_INVALID_ARGUMENT, "{what}: {said}");
    assert!(said.contains(what), "the message names {what}: {said}");
}

#[test]
fn null_is_refused_by_name() {
    let mut gpu = null_mut();
    let mut offer = null_mut();
    let (commands, image) = (vk::CommandBuffer::null(), vk::Image::null());
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY (of every call below): null is refused before anything is touched.
    macro_rules! refuse {
        ($call:expr, $what:literal) => {{
            // SAFETY: null is refused before anything is touched.
            refused(unsafe { $call }, $what);
        }};
    }
    refuse!(texemu_gpu_borrow(null(), &mut gpu), "host");
    refuse!(texemu_arena_create(null(), null_mut()), "gpu");
    refuse!(texemu_arena_reset(null_mut()), "arena");
    refuse!(texemu_transcoder_create(null(), null_mut()), "gpu");
    refuse!(texemu_transcoder_record(null(), commands, null_mut(), 0, null(), null_mut()), "transcoder");
    refuse!(
        texemu_offer_create(None, vk::Instance::null(), vk::PhysicalDevice::null(), null(), &mut offer),
        "get_instance_proc_addr"
    );
    refuse!(texemu_hiz_create(null(), null_mut()), "gpu");
    refuse!(texemu_hiz_plan_create(null(), null(), null_mut()), "gpu");
    refuse!(texemu_hiz_plan_get_info(null(), null_mut()), "plan");
    refuse!(texemu_hiz_plan_get_level(null(), 0, null_mut()), "plan");
    refuse!(texemu_hiz_prepare(null(), null()), "hiz");
    refuse!(texemu_hiz_target_create(null(), null(), 0, null(), null_mut()), "hiz");
    refuse!(texemu_hiz_target_get_view(null(), 0, null_mut()), "target");
    refuse!(texemu_hiz_target_invalidate(null()), "target");
    refuse!(texemu_hiz_record(null(), commands, null_mut(), null(), null()), "hiz");
    refuse!(texemu_offer_get_format_properties(null(), vk::Format::UNDEFINED, null_mut()), "offer");
    refuse!(texemu_emulator_create(null(), null(), null(), 0, null_mut()), "gpu");
    refuse!(texemu_create_image(null(), null(), null(), null_mut()), "emulator");
    refuse!(texemu_recording_create(null(), 0, null_mut()), "emulator");
    refuse!(
        texemu_cmd_copy_buffer_to_image(
            null(),
            commands,
            null_mut(),
            0,
            vk::Buffer::null(),
            image,
            layout,
            0,
            null()
        ),
        "emulator"
    );
    refuse!(texemu_state_clear(null_mut()), "recording");
    refuse!(texemu_get_statistics(null(), null_mut()), "emulator");
    refuse!(texemu_get_source_formats(null_mut(), null_mut()), "count");
    assert!(gpu.is_null() && offer.is_null(), "nothing was made");
}

#[test]
fn destroying_null_does_nothing() {
    macro_rules! nothing {
        ($($call:ident),*) => {$(
            // SAFETY: null is ignored.
            unsafe { $call(null_mut()) };
            assert_eq!(message(), "", "{} ignores null", stringify!($call));
        )*};
    }
    nothing!(
        texemu_gpu_destroy,
        texemu_arena_destroy,
        texemu_transcoder_destroy,
        texemu_offer_destroy,
        texemu_device_create_info_destroy,
        texemu_emulator_destroy,
        texemu_recording_destroy,
        texemu_hiz_destroy,
        texemu_hiz_plan_destroy,
        texemu_hiz_target_destroy
    );
}

#[test]
fn structures_without_their_size_are_refused() {
    // SAFETY: all zero is valid.
    let mut host: texemu_host_device = unsafe { std::mem::zeroed() };
    let mut gpu = null_mut();
    // SAFETY: the structure is read as far as its size, 0.
    refused(unsafe { texemu_gpu_borrow(&host, &mut gpu) }, "struct_size");
    host.struct_size = size_of_val(&host) as u32;
    // SAFETY: a loader is missing, which is noticed first.
    refused(unsafe { texemu_gpu_borrow(&host, &mut gpu) }, "get_instance_proc_addr");
}

#[test]
fn formats_are_told_without_a_device() {
    let mut count = 0;
    // SAFETY: a null array asks for the count.
    let result = unsafe { texemu_get_source_formats(&mut count, null_mut()) };
    assert_eq!((result, count as usize), (vk::Result::SUCCESS, texemu_format::sources().count()));
    let mut formats = vec![vk::Format::UNDEFINED; count as usize];
    // SAFETY: the array holds as many.
    let result = unsafe { texemu_get_source_formats(&mut count, formats.as_mut_ptr()) };
    assert_eq!(result, vk::Result::SUCCESS, "all of them fit");
    for format in formats {
        // SAFETY: all zero is valid.
        let mut info: texemu_format_info = unsafe { std::mem::zeroed() };
        info.struct_size = size_of_val(&info) as u32;
        // SAFETY: the size is set.
        let result = unsafe { texemu_get_format_info(format, &mut info) };
        assert_eq!(result, vk::Result::SUCCESS, "{format:?}: {}", message());
        // SAFETY: names are static.
        let name = unsafe { CStr::from_ptr(info.name) }.to_str().expect("ASCII");
        let row = texemu_format::by_name(name).expect("the name is the table's");
        assert_eq!((row.footprint, row.block_bytes), (info.footprint, info.block_bytes), "{name}");
        assert_eq!(row.targets.exact().map(|row| row.vk.0), Some(info.exact_target.as_raw()), "{name}");
    }
    // SAFETY: all zero is valid.
    let mut info: texemu_format_info = unsafe { std::mem::zeroed() };
    info.struct_size = size_of_val(&info) as u32;
    // SAFETY: the size is set.
    let result = unsafe { texemu_get_format_info(vk::Format::G8B8G8R8_422_UNORM, &mut info) };
    assert_eq!(result, vk::Result::ERROR_FORMAT_NOT_SUPPORTED, "none of texemu's");
    assert!(!message().is_empty(), "and why");
    assert_eq!(vk::Image::null().as_raw(), 0, "null handles are zero, as C has them");
}
