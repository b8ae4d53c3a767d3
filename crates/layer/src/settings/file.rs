//! `vk_layer_settings.txt`: lines of `key = value`, `#` starts a comment.

use super::Settings;
use std::path::PathBuf;

const NAME: &str = "vk_layer_settings.txt";

/// The layer's pairs of the file that the environment names, else of the one in the working folder, else of the user's.
pub(super) fn read(problems: &mut Vec<String>) -> Vec<(String, String)> {
    let named = std::env::var_os("VK_LAYER_SETTINGS_PATH").map(PathBuf::from);
    let named = named.map(|path| if path.is_dir() { path.join(NAME) } else { path });
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| home.map(|home| home.join(".local/share")));
    let user = data.map(|data| data.join("vulkan/settings.d").join(NAME));
    let candidates = [named, Some(PathBuf::from(NAME)), user];
    let Some(path) = candidates.into_iter().flatten().find(|path| path.is_file()) else { return Vec::new() };
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text),
        Err(error) => {
            problems.push(format!("{}: {error}", path.display()));
            Vec::new()
        }
    }
}

fn parse(text: &str) -> Vec<(String, String)> {
    let pairs = text.lines().filter_map(|line| {
        let line = line.split('#').next().unwrap_or_default();
        let (key, value) = line.split_once('=')?;
        let key = key.trim().strip_prefix(Settings::PREFIX)?;
        Some((key.to_owned(), value.trim().trim_matches('"').to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_layers_lines_and_comments_are_passed_over() {
        let text = "\
# texemu_texture_emulation.force = true
khronos_validation.validate_sync = true
texemu_texture_emulation.policy = quality # the best-looking
 texemu_texture_emulation.targets=astc=BC7_UNORM_BLOCK
texemu_texture_emulation.statistics_file = \"/tmp/a b.json\"
no line of any kind
";
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let expected = [
            pair("policy", "quality"),
            pair("targets", "astc=BC7_UNORM_BLOCK"),
            pair("statistics_file", "/tmp/a b.json"),
        ];
        assert_eq!(parse(text), expected);
    }
}
