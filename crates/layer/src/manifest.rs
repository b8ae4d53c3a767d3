//! The layer's manifest, which the loader reads (Vulkan loader interface, "Layer Manifest File Format").

use crate::NAME;
use crate::settings::{SETTINGS, Setting};

/// The library's file name.
pub const LIBRARY: &str = "libVkLayer_texemu.so";

/// How the loader comes to load the layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loading {
    /// An application or `VK_INSTANCE_LAYERS` asks for it.
    Explicit,
    /// `TEXEMU_ENABLE_LAYER=1` asks for it, in every application, unless `TEXEMU_DISABLE_LAYER` is set.
    Implicit,
}

/// The text of a manifest that names `library`.
pub fn manifest(loading: Loading, library: &str) -> String {
    let settings: Vec<String> = SETTINGS.iter().map(setting).collect();
    let environment = match loading {
        Loading::Explicit => "",
        Loading::Implicit => {
            "\n        \"enable_environment\": { \"TEXEMU_ENABLE_LAYER\": \"1\" },\
             \n        \"disable_environment\": { \"TEXEMU_DISABLE_LAYER\": \"1\" },"
        }
    };
    format!(
        r#"{{
    "file_format_version": "1.2.0",
    "layer": {{
        "name": "{name}",
        "type": "GLOBAL",
        "library_path": {library},
        "api_version": "1.3.281",
        "implementation_version": "1",
        "description": "Emulates ASTC, ETC2 and EAC textures on devices that lack them",{environment}
        "instance_extensions": [
            {{ "name": "VK_EXT_layer_settings", "spec_version": "2" }}
        ],
        "device_extensions": [
            {{ "name": "VK_EXT_texture_compression_astc_hdr", "spec_version": "1", "entrypoints": [] }},
            {{ "name": "VK_EXT_astc_decode_mode", "spec_version": "1", "entrypoints": [] }}
        ],
        "features": {{
            "settings": [
{settings}
            ]
        }}
    }}
}}
"#,
        name = NAME.to_string_lossy(),
        library = quoted(library),
        settings = settings.join(",\n"),
    )
}

fn setting(setting: &Setting) -> String {
    let flags: Vec<String> = setting
        .values
        .iter()
        .map(|value| format!(r#"{{ "key": "{value}", "label": "{value}", "description": "{value}" }}"#))
        .collect();
    let flags = if flags.is_empty() {
        String::new()
    } else {
        format!("\n                    \"flags\": [{}],", flags.join(", "))
    };
    let default = match setting.kind {
        "BOOL" => setting.default.to_owned(),
        "LIST" => {
            let items = setting.default.split(',').filter(|item| !item.is_empty()).map(quoted);
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        _ => quoted(setting.default),
    };
    format!(
        r#"                {{
                    "key": "{key}",
                    "env": "{env}",
                    "label": {label},
                    "description": {description},
                    "type": "{kind}",{flags}
                    "default": {default}
                }}"#,
        key = setting.key,
        env = setting.variable(),
        label = quoted(setting.label),
        description = quoted(setting.description),
        kind = setting.kind,
    )
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nesting of a JSON text, strings passed over; `None` if something closes that was not opened.
    fn depth(text: &str) -> Option<usize> {
        let (mut open, mut string, mut escaped) = (Vec::new(), false, false);
        for character in text.chars() {
            match character {
                _ if escaped => escaped = false,
                '\\' if string => escaped = true,
                '"' => string = !string,
                _ if string => {}
                '{' | '[' => open.push(character),
                '}' if open.pop() != Some('{') => return None,
                ']' if open.pop() != Some('[') => return None,
                _ => {}
            }
        }
        (!string).then_some(open.len())
    }

    #[test]
    fn manifests_name_library_extensions_and_every_setting() {
        for loading in [Loading::Explicit, Loading::Implicit] {
            let text = manifest(loading, "/a \"b\"/libVkLayer_texemu.so");
            assert_eq!(depth(&text), Some(0), "{text}");
            assert!(text.contains(r#""library_path": "/a \"b\"/libVkLayer_texemu.so""#), "{text}");
            for name in ["VK_EXT_texture_compression_astc_hdr", "VK_EXT_astc_decode_mode"] {
                assert!(text.contains(name), "{name}");
            }
            for setting in SETTINGS {
                assert!(text.contains(&format!("\"env\": \"{}\"", setting.variable())), "{}", setting.key);
            }
            assert_eq!(text.contains("enable_environment"), loading == Loading::Implicit);
        }
    }
}
