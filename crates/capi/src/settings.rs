//! What an embedder chooses.

use crate::choices::{effort, error_color, keep_blocks, policy, rule_kind, texemu_rule_kind};
use crate::format::row;
use crate::pointer::array;
use crate::status::{Failure, Outcome};
use crate::versioned::{Versioned, read_or_zero};
use std::ffi::{CStr, c_char};
use std::mem::offset_of;
use texemu_core::vk;
use texemu_emulate::{CacheSettings, Pressure, Rule, Settings};
use texemu_format::VkFormat;

/// What is done with one format, whatever the policy says.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_rule {
    /// The source format.
    pub format: vk::Format,
    /// A `texemu_rule_kind`.
    pub kind: u32,
    /// A `texemu_policy`, for `TEXEMU_RULE_KIND_POLICY`.
    pub policy: u32,
    /// One of the format's targets, for `TEXEMU_RULE_KIND_TARGET`.
    pub target: vk::Format,
}

/// What an embedder chooses once for a device. All zero, but for its size, is the default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct texemu_settings {
    /// `sizeof(texemu_settings)`.
    pub struct_size: u32,
    /// A `texemu_policy`.
    pub policy: u32,
    /// Exceptions by format; the last of two for one format counts.
    pub rules: *const texemu_rule,
    /// How many.
    pub rule_count: u32,
    /// A `texemu_keep_blocks`.
    pub keep_blocks: u32,
    /// Bytes of memory that all emulated images of the device may need together; 0 for no limit. An image that would pass it
    /// gets the next smaller target; if the smallest passes it too, creation fails with `VK_ERROR_OUT_OF_DEVICE_MEMORY`.
    pub ceiling: u64,
    /// For `TEXEMU_POLICY_AUTO`: the share of the heap's budget up to which images are exact; 0 for 0.6.
    pub exact_pressure: f64,
    /// As above, up to which they are of quality, and above which of small size; 0 for 0.8.
    pub quality_pressure: f64,
    /// A `texemu_error_color`.
    pub error_color: u32,
    /// A `texemu_effort`.
    pub effort: u32,
    /// Emulate formats that the device has itself, to compare the two.
    pub force: vk::Bool32,
    /// Compile an image's pipelines when it is first copied to, not when it is created.
    pub compile_late: vk::Bool32,
    /// Measure the device time of decoding with timestamps.
    pub timing: vk::Bool32,
    /// Zero.
    pub reserved: u32,
    /// Queue families, besides those of the device that cannot compute, whose copies are decoded when an image is acquired from them:
    /// `VK_QUEUE_FAMILY_EXTERNAL`, if blocks are uploaded from elsewhere.
    pub transfer_families: *const u32,
    /// How many.
    pub transfer_family_count: u32,
    /// Zero.
    pub reserved2: u32,
    /// Bytes of host memory in which transcoded blocks are kept: see `texemu_cmd_copy_known_buffer_to_image`.
    pub cache_memory_bytes: u64,
    /// A folder of this user's for those that outlive the process; null or empty for none. UTF-8.
    pub cache_directory: *const c_char,
    /// Bytes of the files in it.
    pub cache_disk_bytes: u64,
}

// SAFETY: numbers and pointers that may be null, the size first.
unsafe impl Versioned for texemu_settings {
    const FIRST_SIZE: usize = offset_of!(Self, transfer_families);
}

/// The settings in the emulation's own terms; the default for null.
///
/// # Safety
/// `settings` is null or valid, with its rules.
pub(crate) unsafe fn settings(settings: *const texemu_settings) -> Outcome<Settings> {
    // SAFETY: the caller's promise.
    let Some(given) = unsafe { read_or_zero(settings, "settings") }? else { return Ok(Settings::default()) };
    let mut chosen = Settings {
        policy: policy(given.policy)?,
        rules: Default::default(),
        force: given.force != vk::FALSE,
        ceiling: (given.ceiling != 0).then_some(given.ceiling),
        pressure: pressure(given.exact_pressure, given.quality_pressure)?,
        keep_blocks: keep_blocks(given.keep_blocks)?,
        error_color: error_color(given.error_color)?,
        effort: effort(given.effort)?,
        // SAFETY: the caller's promise.
        transfer_families: unsafe {
            array(given.transfer_families, given.transfer_family_count, "transfer_families")
        }?
        .to_vec(),
        // SAFETY: as above.
        cache: unsafe { cache(&given) }?,
        prepare: given.compile_late == vk::FALSE,
        timing: given.timing != vk::FALSE,
        capture: false,
    };
    // SAFETY: the caller's promise.
    for given in unsafe { array(given.rules, given.rule_count, "rules") }? {
        let format = row(given.format)?;
        if !format.is_source() {
            return Err(Failure::argument(format!("a rule for {}, which is never emulated", format.name)));
        }
        chosen.rules.insert(format.vk, rule(given)?);
    }
    Ok(chosen)
}

/// # Safety
/// The folder is null or ends with a zero.
unsafe fn cache(given: &texemu_settings) -> Outcome<CacheSettings> {
    let mut directory = None;
    if !given.cache_directory.is_null() {
        // SAFETY: the caller's promise.
        let text = unsafe { CStr::from_ptr(given.cache_directory) };
        let text = text.to_str().map_err(|_| Failure::argument("cache_directory is not UTF-8"))?;
        directory = (!text.is_empty()).then(|| text.into());
    }
    Ok(CacheSettings {
        memory_bytes: given.cache_memory_bytes,
        directory,
        disk_bytes: given.cache_disk_bytes,
    })
}

fn rule(given: &texemu_rule) -> Outcome<Rule> {
    Ok(match rule_kind(given.kind)? {
        texemu_rule_kind::Policy => Rule::Policy(policy(given.policy)?),
        texemu_rule_kind::Native => Rule::Native,
        texemu_rule_kind::Hidden => Rule::Hidden,
        texemu_rule_kind::Target => {
            let (format, target) = (row(given.format)?, VkFormat(given.target.as_raw()));
            if !format.targets.contains(target) {
                return Err(Failure::argument(format!("{target:?} is no target of {}", format.name)));
            }
            Rule::Target(target)
        }
    })
}

fn pressure(exact: f64, quality: f64) -> Outcome<Pressure> {
    let default = Pressure::default();
    let or = |given: f64, default: f64| if given == 0.0 { default } else { given };
    let pressure = Pressure { exact: or(exact, default.exact), quality: or(quality, default.quality) };
    let share = |value: f64| (0.0..=1.0).contains(&value);
    if share(pressure.exact) && share(pressure.quality) && pressure.exact <= pressure.quality {
        Ok(pressure)
    } else {
        Err(Failure::argument(format!("pressures of {exact} and {quality}: they rise, between 0 and 1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_emulate::Policy;
    use texemu_format::by_name;

    fn zeroed() -> texemu_settings {
        // SAFETY: numbers and a pointer that may be null.
        let mut settings: texemu_settings = unsafe { std::mem::zeroed() };
        settings.struct_size = size_of::<texemu_settings>() as u32;
        settings
    }

    fn convert(given: &texemu_settings) -> Outcome<Settings> {
        // SAFETY: a reference is valid; every test keeps its rules alive.
        unsafe { settings(given) }
    }

    fn format(name: &str) -> vk::Format {
        texemu_core::vk_format(by_name(name).expect("in the table").vk)
    }

    #[test]
    fn all_zero_is_the_default() {
        assert_eq!(convert(&zeroed()).unwrap(), Settings::default(), "nothing chosen");
        // SAFETY: null is the default.
        assert_eq!(unsafe { settings(std::ptr::null()) }.unwrap(), Settings::default(), "and nothing given");
    }

    #[test]
    fn cache_and_families_arrive_and_an_older_caller_has_none() {
        let families = [vk::QUEUE_FAMILY_EXTERNAL, 3];
        let mut given = zeroed();
        (given.transfer_families, given.transfer_family_count) = (families.as_ptr(), 2);
        (given.cache_memory_bytes, given.cache_disk_bytes) = (5, 6);
        given.cache_directory = c"/somewhere".as_ptr();
        let chosen = convert(&given).unwrap();
        assert_eq!(chosen.transfer_families, families);
        let expected = CacheSettings { memory_bytes: 5, directory: Some("/somewhere".into()), disk_bytes: 6 };
        assert_eq!(chosen.cache, expected);
        given.cache_directory = c"".as_ptr();
        assert_eq!(convert(&given).unwrap().cache.directory, None, "empty is nowhere");
        given.struct_size = offset_of!(texemu_settings, transfer_families) as u32;
        assert_eq!(convert(&given).unwrap(), Settings::default(), "what an older header does not have");
    }

    #[test]
    fn rules_arrive_and_wrong_ones_do_not() {
        let astc = format("ASTC_6x6_UNORM_BLOCK");
        let rule = |kind: texemu_rule_kind, target| texemu_rule {
            format: astc,
            kind: kind as u32,
            policy: 2,
            target,
        };
        let check = |rules: &[texemu_rule]| {
            let mut given = zeroed();
            (given.rules, given.rule_count) = (rules.as_ptr(), rules.len() as u32);
            convert(&given).map(|settings| settings.rules)
        };
        let bc7 = format("BC7_UNORM_BLOCK");
        let key = VkFormat(astc.as_raw());
        let rules =
            check(&[rule(texemu_rule_kind::Hidden, bc7), rule(texemu_rule_kind::Target, bc7)]).unwrap();
        assert_eq!(rules.get(&key), Some(&Rule::Target(VkFormat(bc7.as_raw()))), "the last one counts");
        let rules = check(&[rule(texemu_rule_kind::Policy, bc7)]).unwrap();
        assert_eq!(rules.get(&key), Some(&Rule::Policy(Policy::Size)), "its policy is read");
        let srgb = format("BC7_SRGB_BLOCK");
        assert!(check(&[rule(texemu_rule_kind::Target, srgb)]).is_err(), "no target of a UNORM format");
        assert!(
            check(&[texemu_rule { format: bc7, ..rule(texemu_rule_kind::Native, bc7) }]).is_err(),
            "no source"
        );
        assert!(check(&[texemu_rule { kind: 9, ..rule(texemu_rule_kind::Native, bc7) }]).is_err(), "no kind");
    }

    #[test]
    fn pressures_rise_within_one() {
        assert_eq!(pressure(0.5, 0.9).unwrap(), Pressure { exact: 0.5, quality: 0.9 });
        for (exact, quality) in [(0.9, 0.5), (-1.0, 0.5), (0.1, 1.5), (f64::NAN, 0.8)] {
            assert!(pressure(exact, quality).is_err(), "{exact} and {quality}");
        }
    }
}
