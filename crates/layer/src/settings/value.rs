//! How values are written.

use texemu_emulate::{Policy, Rule};
use texemu_format::{Codec, Format, VkFormat, sources};

pub(super) fn bool(text: &str) -> Result<bool, String> {
    let values = [("true", true), ("1", true), ("on", true), ("yes", true)];
    let negative = [("false", false), ("0", false), ("off", false), ("no", false)];
    choice(text, &[values, negative].concat())
}

/// One of several words.
pub(super) fn choice<T: Copy>(text: &str, values: &[(&str, T)]) -> Result<T, String> {
    let found = values.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
    let words: Vec<&str> = values.iter().map(|&(word, _)| word).collect();
    found.map(|&(_, value)| value).ok_or_else(|| format!("not one of {}", words.join(", ")))
}

/// A number of bytes, or `none`.
pub(super) fn bytes(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() || text.eq_ignore_ascii_case("none") {
        return Ok(None);
    }
    let text = text.strip_suffix(['B', 'b']).unwrap_or(text);
    let text = text.strip_suffix('i').unwrap_or(text);
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: u64 = digits.trim().parse().map_err(|_| "not a number of bytes".to_owned())?;
    number.checked_mul(1 << shift).map(Some).ok_or_else(|| "too many bytes".to_owned())
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';', ' ']).map(str::trim).filter(|item| !item.is_empty())
}

/// Source formats by name, family or pattern.
pub(super) fn formats(text: &str) -> Result<Vec<VkFormat>, String> {
    let mut all = Vec::new();
    for item in items(text) {
        let found: Vec<VkFormat> = matching(item).map(|format| format.vk).collect();
        if found.is_empty() {
            return Err(format!("no source format is called {item}"));
        }
        all.extend(found);
    }
    Ok(all)
}

fn matching(item: &str) -> impl Iterator<Item = &'static Format> {
    let item = item.to_uppercase();
    let pattern = item.strip_prefix("VK_FORMAT_").unwrap_or(&item).to_owned();
    sources().filter(move |format| match pattern.as_str() {
        "ALL" => true,
        "ASTC" => matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr),
        "ASTC_LDR" => format.codec == Codec::AstcLdr,
        "ASTC_HDR" => format.codec == Codec::AstcHdr,
        "ETC2" => matches!(format.codec, Codec::Etc2Rgb | Codec::Etc2RgbA1 | Codec::Etc2Rgba),
        "EAC" => matches!(format.codec, Codec::EacR | Codec::EacRg),
        pattern => fits(pattern.as_bytes(), format.name.to_uppercase().as_bytes()),
    })
}

/// Whether `text` fits a pattern in which `*` is anything.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|skip| fits(rest, &text[skip..])),
        Some((first, rest)) => {
            text.split_first().is_some_and(|(other, text)| first == other && fits(rest, text))
        }
    }
}

/// `FORMAT=TARGET` pairs.
pub(super) fn targets(text: &str) -> Result<Vec<(Vec<VkFormat>, Rule)>, String> {
    let mut all = Vec::new();
    for item in items(text) {
        let (formats, target) = item.split_once('=').ok_or_else(|| format!("{item} is not FORMAT=TARGET"))?;
        let formats = self::formats(formats)?;
        let policies = [
            ("exact", Policy::Exact),
            ("quality", Policy::Quality),
            ("size", Policy::Size),
            ("auto", Policy::Auto),
        ];
        let rule = match choice(target, &policies) {
            Ok(policy) => Rule::Policy(policy),
            Err(_) => Rule::Target(target_of(&formats, target)?),
        };
        all.push((formats, rule));
    }
    Ok(all)
}

/// A target that each of the formats can have.
fn target_of(formats: &[VkFormat], name: &str) -> Result<VkFormat, String> {
    let name = name.to_uppercase();
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(&name);
    let known = sources().filter(|format| formats.contains(&format.vk));
    let mut found = None;
    for format in known {
        let target = format.targets.iter().find(|target| target.name.eq_ignore_ascii_case(name));
        let names: Vec<&str> = format.targets.iter().map(|target| target.name).collect();
        let Some(target) = target else {
            return Err(format!("{} goes into {}, not into {name}", format.name, names.join(", ")));
        };
        found = Some(target.vk);
    }
    found.ok_or_else(|| "no format".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes("123"), Ok(Some(123)));
        assert_eq!(bytes("2K"), Ok(Some(2048)));
        assert_eq!(bytes("3 MiB"), Ok(Some(3 << 20)));
        assert_eq!(bytes("1gb"), Ok(Some(1 << 30)));
        assert_eq!(bytes("none"), Ok(None));
        assert!(bytes("many").is_err() && bytes("-1").is_err() && bytes("99999999999G").is_err());
    }

    #[test]
    fn patterns_fit_whole_names() {
        assert!(fits(b"A*C", b"ABBC") && fits(b"*", b"") && fits(b"ABC", b"ABC"));
        assert!(!fits(b"A*C", b"ABBCD") && !fits(b"AB", b"ABC"));
    }

    #[test]
    fn targets_have_to_be_the_formats_own() {
        assert_eq!(targets("astc_ldr=size").expect("a policy")[0].1, Rule::Policy(Policy::Size));
        assert!(targets("EAC_R11_UNORM_BLOCK=BC7_UNORM_BLOCK").is_err(), "EAC does not go into BC7");
        assert!(targets("ASTC_4x4_UNORM_BLOCK").is_err(), "no target");
    }
}
