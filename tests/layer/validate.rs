//! The `validate` setting: the layer's own comparison with the CPU twin.

use crate::guest::{Form, Guest, Picture, flat};
use crate::launch::{NAME, own_file, told_under, under_layer};
use crate::use_all;
use texemu_format::{Codec, Format, by_name};
use texemu_reference::blocks::Class;

/// The numbers behind a key in the statistics file, a device each.
pub(crate) fn numbers(file: &str, key: &str) -> Vec<u64> {
    let text = std::fs::read_to_string(file).expect("the statistics are there");
    let key = format!("\"{key}\":");
    let number = |line: &str| {
        let (_, rest) = line.split_once(&key).expect("the key is there");
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a number")
    };
    text.lines().map(number).collect()
}

/// Every format of a family with `validate` on: nothing differs, and all decodes were compared.
fn family(test: &str, settings: &[(&str, &str)], wanted: impl Fn(&Format) -> bool) {
    let file = own_file(test, "statistics.json");
    let mut environment = vec![("TEXEMU_VALIDATE", "1"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    environment.extend(settings);
    under_layer(test, &environment, || use_all(wanted));
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        assert_eq!(numbers(&file, "different"), [0]);
        assert!(numbers(&file, "compared")[0] > 1, "something was compared");
    }
}

#[test]
fn nothing_differs_in_ldr_formats() {
    family("validate::nothing_differs_in_ldr_formats", &[], |format| format.codec == Codec::AstcLdr);
}

#[test]
fn nothing_differs_in_hdr_formats() {
    family("validate::nothing_differs_in_hdr_formats", &[], |format| format.codec == Codec::AstcHdr);
}

#[test]
fn nothing_differs_in_etc2_and_eac_formats() {
    family("validate::nothing_differs_in_etc2_and_eac_formats", &[], |format| {
        !matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr)
    });
}

#[test]
fn nothing_differs_in_blocks_that_were_encoded_again() {
    let test = "validate::nothing_differs_in_blocks_that_were_encoded_again";
    let file = own_file(test, "statistics.json");
    let environment =
        [("TEXEMU_VALIDATE", "1"), ("TEXEMU_POLICY", "size"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    under_layer(test, &environment, || {
        let guest = Guest::new();
        for name in ["ASTC_6x5_SRGB_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "EAC_R11_UNORM_BLOCK"] {
            let desc = flat(by_name(name).expect("in the table"));
            let levels = desc.blocks(Class::Legal, 4);
            let picture = Picture::new(&guest, desc);
            picture.fill(&levels, Form::First);
            assert!(picture.read(Form::Second) == levels, "{name}: the bytes come back");
        }
    });
    if std::env::var_os("TEXEMU_LAYER_TEST").is_none() {
        assert_eq!((numbers(&file, "compared"), numbers(&file, "different")), (vec![9], vec![0]));
        let text = std::fs::read_to_string(&file).expect("the statistics are there");
        assert!(text.contains("ASTC_6x5_SRGB_BLOCK"), "{text}");
    }
}

#[test]
fn differences_are_told() {
    let test = "validate::differences_are_told";
    let file = own_file(test, "statistics.json");
    let environment = [("TEXEMU_VALIDATE", "self_test"), ("TEXEMU_STATISTICS_FILE", file.as_str())];
    let text = told_under(test, NAME, &environment, || {
        use_all(|format| ["ASTC_5x4_SRGB_BLOCK", "EAC_R11_SNORM_BLOCK"].contains(&format.name));
    });
    if let Some(text) = text {
        let (compared, different) = (numbers(&file, "compared"), numbers(&file, "different"));
        assert!(compared == different && different[0] > 0, "{different:?} of {compared:?}");
        for name in ["ASTC_5x4_SRGB_BLOCK as R8G8B8A8_SRGB", "EAC_R11_SNORM_BLOCK as R16_SNORM"] {
            assert!(text.contains(&format!("error: validate: {name}, level 0, layers ")), "{name}");
        }
        assert!(text.contains(": 1 of ") && text.contains("differ, first "), "it says how many and where");
    }
}
