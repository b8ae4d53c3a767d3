//! What is known of formats without a device.

use crate::pointer::list;
use crate::status::{Answer, Failure, Outcome, guard};
use crate::versioned::{Versioned, write};
use std::ffi::c_char;
use texemu_core::vk;
use texemu_format::{Format, Policy, VkFormat, by_vk, sources};

/// One format.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_format_info {
    /// `sizeof(texemu_format_info)`.
    pub struct_size: u32,
    /// Texels a block, width and height; 1 and 1 for formats without blocks.
    pub footprint: [u32; 2],
    /// Bytes a block, or a texel.
    pub block_bytes: u32,
    /// Vulkan's name without `VK_FORMAT_`; static.
    pub name: *const c_char,
    /// What `TEXEMU_POLICY_EXACT` stores it as; `VK_FORMAT_UNDEFINED` if it is no source format.
    pub exact_target: vk::Format,
    /// As above, `TEXEMU_POLICY_QUALITY`.
    pub quality_target: vk::Format,
    /// As above, `TEXEMU_POLICY_SIZE`.
    pub size_target: vk::Format,
}

// SAFETY: integers and a pointer, the size first.
unsafe impl Versioned for texemu_format_info {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The row of a format; a failure that names the number if it is in no row.
pub(crate) fn row(format: vk::Format) -> Outcome<&'static Format> {
    by_vk(VkFormat(format.as_raw())).ok_or_else(|| {
        let message = format!("VkFormat {} is none of texemu's", format.as_raw());
        Failure::vulkan(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, message)
    })
}

/// Names with a null at the end, made once.
fn c_name(format: &'static Format) -> *const c_char {
    static NAMES: std::sync::LazyLock<std::collections::HashMap<VkFormat, std::ffi::CString>> =
        std::sync::LazyLock::new(|| {
            let named = |format: &Format| Some((format.vk, std::ffi::CString::new(format.name).ok()?));
            texemu_format::FORMATS.iter().filter_map(named).collect()
        });
    NAMES.get(&format.vk).map_or(c"".as_ptr(), |name| name.as_ptr())
}

/// Tells about a format: any that texemu emulates or stores. `VK_ERROR_FORMAT_NOT_SUPPORTED` for others.
///
/// # Safety
/// `info` is valid, and its `struct_size` set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_format_info(
    format: vk::Format,
    info: *mut texemu_format_info,
) -> vk::Result {
    guard(|| {
        let row = row(format)?;
        let target = |policy| {
            row.targets.by_policy(policy).map_or(vk::Format::UNDEFINED, |row| texemu_core::vk_format(row.vk))
        };
        let told = texemu_format_info {
            struct_size: 0,
            footprint: row.footprint,
            block_bytes: row.block_bytes,
            name: c_name(row),
            exact_target: target(Policy::Exact),
            quality_target: target(Policy::Quality),
            size_target: target(Policy::Size),
        };
        // SAFETY: the caller's promise.
        unsafe { write(info, told, "info") }?;
        Ok(Answer::Done)
    })
}

/// The formats that can be emulated. With `formats` null, `*count` becomes their number; otherwise it says how many `formats`
/// holds, and becomes how many were written: `VK_INCOMPLETE` if those were not all.
///
/// # Safety
/// `count` is valid; `formats` is null or holds `*count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texemu_get_source_formats(count: *mut u32, formats: *mut vk::Format) -> vk::Result {
    guard(|| {
        let all: Vec<vk::Format> = sources().map(|row| texemu_core::vk_format(row.vk)).collect();
        // SAFETY: the caller's promise.
        unsafe { list(&all, count, formats) }
    })
}
