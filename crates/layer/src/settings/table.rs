//! The settings: a row each.

use super::{Settings, value};
use crate::validate::Validate;
use texemu_core::CacheLocation;
use texemu_emulate::{Effort, ErrorColor, KeepBlocks, Policy, Rule};

/// One setting.
#[derive(Clone, Copy)]
pub struct Setting {
    /// Its key in the settings file, behind [`Settings::PREFIX`].
    pub key: &'static str,
    /// Its type in the manifest: `BOOL`, `ENUM`, `STRING`, `LIST`, `SAVE_FILE` or `SAVE_FOLDER`.
    pub kind: &'static str,
    /// The values of an `ENUM`.
    pub values: &'static [&'static str],
    /// What holds if it is not set.
    pub default: &'static str,
    /// A few words.
    pub label: &'static str,
    /// What it does.
    pub description: &'static str,
    pub(super) apply: fn(&mut Settings, &str) -> Result<(), String>,
}

impl Setting {
    /// Its environment variable.
    pub fn variable(&self) -> String {
        format!("TEXEMU_{}", self.key.to_uppercase())
    }
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("key", &self.key).finish_non_exhaustive()
    }
}

const BOOL: Setting = Setting {
    key: "",
    kind: "BOOL",
    values: &[],
    default: "false",
    label: "",
    description: "",
    apply: |_, _| Ok(()),
};

/// All of them.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "enable",
        default: "true",
        label: "Enable",
        description: "Off, the layer leaves every device as it is.",
        apply: |settings, text| value::bool(text).map(|value| settings.enable = value),
        ..BOOL
    },
    Setting {
        key: "formats",
        kind: "LIST",
        default: "all",
        label: "Emulated formats",
        description: "Which formats are emulated where the device lacks them: names, families (astc, astc_ldr, astc_hdr, \
            etc2, eac, all) or patterns with *. Others are the device's own affair.",
        apply: |settings, text| {
            let wanted = value::formats(text)?;
            for format in texemu_format::sources().filter(|format| !wanted.contains(&format.vk)) {
                settings.emulation.rules.insert(format.vk, Rule::Native);
            }
            Ok(())
        },
        ..BOOL
    },
    Setting {
        key: "policy",
        kind: "ENUM",
        values: &["exact", "quality", "size", "auto"],
        default: "exact",
        label: "Target policy",
        description: "What emulated images are stored as: the exact texels (RGBA8, R16, RG16, RGBA16F), the best-looking BC \
            format, the smallest one, or one of the three by what is left of the heap budget.",
        apply: |settings, text| {
            let policies = [
                ("exact", Policy::Exact),
                ("quality", Policy::Quality),
                ("size", Policy::Size),
                ("auto", Policy::Auto),
            ];
            value::choice(text, &policies).map(|policy| settings.emulation.policy = policy)
        },
    },
    Setting {
        key: "targets",
        kind: "LIST",
        default: "",
        label: "Targets of single formats",
        description: "FORMAT=TARGET pairs that outweigh the policy, such as ASTC_8x8_SRGB_BLOCK=BC7_SRGB_BLOCK; instead of a \
            target, a policy.",
        apply: |settings, text| {
            for (formats, rule) in value::targets(text)? {
                settings.emulation.rules.extend(formats.into_iter().map(|format| (format, rule)));
            }
            Ok(())
        },
        ..BOOL
    },
    Setting {
        key: "memory_ceiling",
        kind: "STRING",
        default: "none",
        label: "Memory ceiling",
        description: "Bytes that all emulated images of a device may need, with K, M or G for powers of 1024. An image that would \
            pass it is stored smaller; if that does not help, it cannot be created.",
        apply: |settings, text| value::bytes(text).map(|bytes| settings.emulation.ceiling = bytes),
        ..BOOL
    },
    Setting {
        key: "keep_blocks",
        kind: "ENUM",
        values: &["where_readable", "always"],
        default: "where_readable",
        label: "Compressed blocks kept",
        description: "Whether the blocks are kept beside the decoded image: only where the image's usage lets something read \
            them again, or always.",
        apply: |settings, text| {
            let keep = [("where_readable", KeepBlocks::WhereReadable), ("always", KeepBlocks::Always)];
            value::choice(text, &keep).map(|keep| settings.emulation.keep_blocks = keep)
        },
    },
    Setting {
        key: "error_color",
        kind: "ENUM",
        values: &["magenta", "transparent_black"],
        default: "magenta",
        label: "Error color",
        description: "What illegal ASTC blocks decode to.",
        apply: |settings, text| {
            let colors =
                [("magenta", ErrorColor::Magenta), ("transparent_black", ErrorColor::TransparentBlack)];
            value::choice(text, &colors).map(|color| settings.emulation.error_color = color)
        },
    },
    Setting {
        key: "effort",
        kind: "ENUM",
        values: &["fast", "high"],
        default: "fast",
        label: "Encoder effort",
        description: "How hard the BC encoders try.",
        apply: |settings, text| {
            let efforts = [("fast", Effort::Fast), ("high", Effort::High)];
            value::choice(text, &efforts).map(|effort| settings.emulation.effort = effort)
        },
    },
    Setting {
        key: "force",
        label: "Force",
        description: "Emulate formats that the device has itself, to compare the two.",
        apply: |settings, text| value::bool(text).map(|value| settings.emulation.force = value),
        ..BOOL
    },
    Setting {
        key: "hide",
        kind: "LIST",
        default: "",
        label: "Hidden formats",
        description: "Formats that are reported as unsupported even where the device has them; named as in `formats`.",
        apply: |settings, text| {
            let hidden = value::formats(text)?;
            settings.emulation.rules.extend(hidden.into_iter().map(|format| (format, Rule::Hidden)));
            Ok(())
        },
        ..BOOL
    },
    Setting {
        key: "prepare",
        default: "true",
        label: "Compile early",
        description: "Compile the pipelines that an image needs when it is created rather than when it is first copied to.",
        apply: |settings, text| value::bool(text).map(|value| settings.emulation.prepare = value),
        ..BOOL
    },
    Setting {
        key: "timing",
        label: "Measure decoding",
        description: "Measure the device time of decoding with timestamps, for the statistics.",
        apply: |settings, text| value::bool(text).map(|value| settings.emulation.timing = value),
        ..BOOL
    },
    Setting {
        key: "cache_dir",
        kind: "SAVE_FOLDER",
        default: "user",
        label: "Pipeline cache",
        description: "The folder of compiled pipelines: a path, `user` for $XDG_CACHE_HOME/texemu or ~/.cache/texemu, or \
            nothing or `off` for none.",
        apply: |settings, text| {
            settings.cache = match text {
                "" | "off" => CacheLocation::Off,
                "user" => CacheLocation::User,
                path => CacheLocation::Directory(path.into()),
            };
            Ok(())
        },
        ..BOOL
    },
    Setting {
        key: "statistics_file",
        kind: "SAVE_FILE",
        default: "",
        label: "Statistics file",
        description: "Where to write, as one line of JSON a device, what was emulated and what it cost, when a device is \
            destroyed. Nothing: nowhere.",
        apply: |settings, text| {
            settings.statistics_file = (!text.is_empty()).then(|| text.into());
            Ok(())
        },
        ..BOOL
    },
    Setting {
        key: "validate",
        kind: "ENUM",
        values: &["off", "on", "self_test"],
        default: "off",
        label: "Compare with the CPU",
        description: "Compare every decode with the CPU twin, once the command buffer that it ran in begins again, is reset or \
            freed, and log what differs. self_test turns a bit of each decode over before, to show that differences are told.",
        apply: |settings, text| {
            let choices = [("off", Validate::Off), ("on", Validate::On), ("self_test", Validate::SelfTest)];
            let validate = value::choice(text, &choices).or_else(|problem| {
                let on = value::bool(text).map_err(|_| problem)?;
                Ok::<_, String>(if on { Validate::On } else { Validate::Off })
            })?;
            settings.validate = validate;
            settings.emulation.capture = validate != Validate::Off;
            Ok(())
        },
    },
    Setting {
        key: "tint",
        label: "Tint",
        description: "Views of emulated images read full red, so that one sees which textures are emulated.",
        apply: |settings, text| value::bool(text).map(|value| settings.tint = value),
        ..BOOL
    },
    Setting {
        key: "log_level",
        kind: "ENUM",
        values: &["off", "error", "warn", "info", "debug", "trace"],
        default: "warn",
        label: "Log level",
        description: "How much is written to the standard error stream.",
        apply: |settings, text| {
            settings.log_level = text.to_lowercase().parse().map_err(|_| "not a level".to_owned())?;
            Ok(())
        },
    },
];
