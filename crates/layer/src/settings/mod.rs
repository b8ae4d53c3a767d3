//! What a user may set: by environment variables, by `vk_layer_settings.txt`, or by `VK_EXT_layer_settings`, in this order
//! of precedence.

mod file;
mod table;
mod value;

pub use table::{SETTINGS, Setting};

use crate::validate::Validate;
use log::LevelFilter;
use std::path::PathBuf;
use texemu_core::CacheLocation;

/// The settings of one instance.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The layer does something at all.
    pub enable: bool,
    /// What the emulation is told.
    pub emulation: texemu_emulate::Settings,
    /// Where compiled pipelines are kept between runs.
    pub cache: CacheLocation,
    /// Where statistics are written when a device is destroyed.
    pub statistics_file: Option<PathBuf>,
    /// Whether decodes are compared with the CPU twin.
    pub(crate) validate: Validate,
    /// Views of emulated images read full red.
    pub tint: bool,
    /// How much is said.
    pub log_level: LevelFilter,
    /// Settings that could not be read, and why; their defaults hold.
    pub problems: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enable: true,
            emulation: texemu_emulate::Settings::default(),
            cache: CacheLocation::User,
            statistics_file: None,
            validate: Validate::Off,
            tint: false,
            log_level: LevelFilter::Warn,
            problems: Vec::new(),
        }
    }
}

impl Settings {
    /// The prefix of the layer's keys in `vk_layer_settings.txt`.
    pub const PREFIX: &'static str = "texemu_texture_emulation.";

    /// Reads environment and file; `given` is what the application set through `VK_EXT_layer_settings`.
    pub(crate) fn read(given: Vec<(String, String)>) -> Self {
        let mut problems = Vec::new();
        let file = file::read(&mut problems);
        let environment = |name: &str| std::env::var(name).ok();
        let mut settings = Self::assemble(environment, &file, &given);
        settings.problems.splice(0..0, problems);
        settings
    }

    fn assemble(
        environment: impl Fn(&str) -> Option<String>,
        file: &[(String, String)],
        given: &[(String, String)],
    ) -> Self {
        let mut settings = Self::default();
        let find = |list: &[(String, String)], key: &str| {
            list.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.clone())
        };
        for setting in SETTINGS {
            let variable = setting.variable();
            let value = environment(&variable)
                .map(|value| (variable.clone(), value))
                .or_else(|| find(file, setting.key).map(|value| (setting.key.to_owned(), value)))
                .or_else(|| find(given, setting.key).map(|value| (setting.key.to_owned(), value)));
            if let Some((name, value)) = value
                && let Err(problem) = (setting.apply)(&mut settings, value.trim())
            {
                settings.problems.push(format!("{name} = {value}: {problem}"));
            }
        }
        for (key, _) in file.iter().chain(given) {
            if !SETTINGS.iter().any(|setting| setting.key == key) {
                settings.problems.push(format!("there is no setting {key}"));
            }
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_emulate::{ErrorColor, Policy, Rule};
    use texemu_format::{Codec, by_name, sources};

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    fn with(key: &str, value: &str) -> Settings {
        Settings::assemble(|_| None, &[pair(key, value)], &[])
    }

    #[test]
    fn the_environment_outweighs_the_file_and_that_the_application() {
        let environment = |name: &str| (name == "TEXEMU_POLICY").then(|| "size".to_owned());
        let file = [pair("policy", "quality"), pair("force", "true")];
        let given = [pair("force", "false"), pair("tint", "true")];
        let settings = Settings::assemble(environment, &file, &given);
        assert_eq!(settings.emulation.policy, Policy::Size);
        assert!(settings.emulation.force && settings.tint);
        assert_eq!(settings.problems, [""; 0]);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_leaves_the_default() {
        let settings = with("policy", "fine");
        assert_eq!(settings.emulation, texemu_emulate::Settings::default());
        assert_eq!(settings.problems.len(), 1);
        assert!(settings.problems[0].contains("policy = fine"), "{:?}", settings.problems);
        let settings = with("polic", "exact");
        assert_eq!(settings.problems, ["there is no setting polic"]);
    }

    #[test]
    fn every_default_is_what_its_text_says() {
        for setting in SETTINGS {
            let mut settings = Settings::default();
            (setting.apply)(&mut settings, setting.default).expect("a default can be read");
            assert_eq!(settings, Settings::default(), "{}", setting.key);
        }
    }

    #[test]
    fn every_setting_changes_something() {
        let changed = [
            ("enable", "0"),
            ("formats", "astc"),
            ("policy", "auto"),
            ("targets", "ASTC_4x4_UNORM_BLOCK=BC7_UNORM_BLOCK"),
            ("memory_ceiling", "1G"),
            ("keep_blocks", "always"),
            ("error_color", "transparent_black"),
            ("effort", "high"),
            ("force", "on"),
            ("hide", "etc2"),
            ("prepare", "false"),
            ("timing", "true"),
            ("cache_dir", "/tmp/somewhere"),
            ("statistics_file", "/tmp/statistics.json"),
            ("validate", "on"),
            ("tint", "yes"),
            ("log_level", "trace"),
        ];
        let keys: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        assert_eq!(keys, changed.map(|(key, _)| key), "one line a setting");
        for (key, value) in changed {
            let settings = with(key, value);
            assert_eq!(settings.problems, [""; 0], "{key}");
            assert_ne!(settings, Settings::default(), "{key} = {value}");
        }
    }

    #[test]
    fn formats_are_named_singly_by_family_and_by_pattern() {
        let rules = with("formats", "VK_FORMAT_ASTC_4x4_UNORM_BLOCK, etc2").emulation.rules;
        let left = |name: &str| rules.get(&by_name(name).expect("in the table").vk) == Some(&Rule::Native);
        assert!(!left("ASTC_4x4_UNORM_BLOCK") && !left("ETC2_R8G8B8A1_SRGB_BLOCK"));
        assert!(left("ASTC_4x4_SRGB_BLOCK") && left("EAC_R11_UNORM_BLOCK"));
        let hidden = with("hide", "astc_*_srgb_block").emulation.rules;
        let srgb = sources().filter(|format| format.codec == Codec::AstcLdr && format.is_srgb()).count();
        assert_eq!((hidden.len(), srgb), (14, 14));
        assert_eq!(with("hide", "bc7").problems.len(), 1, "nothing of that name is emulated");
        assert_eq!(with("error_color", "magenta").emulation.error_color, ErrorColor::Magenta);
    }
}
