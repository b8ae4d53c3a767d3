//! `texemu run` and `texemu layer`: programs under the Vulkan layer, through the real loader. The program is texemu itself, which
//! tells what its device does with every format.

mod common;

use common::{Ran, finish, names, texemu};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The layer's library, which Cargo leaves beside the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let library = test.parent().expect("a folder").join(VkLayer_texemu::LIBRARY);
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// The program with folders of its own to write to.
fn apart(folder: &Path) -> Command {
    let mut command = texemu();
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("XDG_DATA_HOME", folder.join("data"));
    for setting in VkLayer_texemu::SETTINGS.iter().filter(|setting| setting.key != "cache_dir") {
        command.env_remove(setting.variable());
    }
    command
}

/// What `texemu devices` says of the formats whose names start so, if it says the same of all.
fn support(ran: &Ran, start: &str) -> String {
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let formats = json[0]["formats"].as_array().expect("a list of formats");
    let word = |format: &serde_json::Value| format["support"].as_str().expect("a word").to_owned();
    let mut words: Vec<String> = formats
        .iter()
        .filter(|format| format["format"].as_str().expect("a name").starts_with(start))
        .map(word)
        .collect();
    words.dedup();
    words.join(", ")
}

#[test]
fn programs_see_the_formats_and_settings_reach_the_layer() {
    let folder = tempfile::tempdir().expect("a folder");
    let devices = [env!("CARGO_BIN_EXE_texemu"), "devices", "--json"];
    for options in [&[][..], &["--validation"]] {
        let mut command = apart(folder.path());
        command.args(["run", "--set", "hide=eac", "--library"]).arg(library()).args(options);
        let ran = finish(command.arg("--").args(devices)).expect(0);
        assert_eq!(support(&ran, "ASTC_"), "native", "{options:?}: the program's device has them");
        assert_eq!(support(&ran, "ETC2_"), "native", "{options:?}");
        assert_eq!(support(&ran, "EAC_"), "emulated", "{options:?}: hidden by the layer, not by the program");
    }
    let manifests = folder.path().join("cache/texemu/layer");
    assert_eq!(names(&manifests).len(), 1, "one library, one manifest");
}

#[test]
fn the_program_keeps_its_streams_and_its_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = apart(folder.path());
    command.args(["run", "--set", "tint=true", "--library"]).arg(library());
    let ran =
        finish(command.args(["--", "sh", "-c", "echo out $TEXEMU_TINT; echo err >&2; exit 7"])).expect(7);
    assert_eq!((ran.text().as_str(), ran.stderr.as_str()), ("out true\n", "err\n"));
}

#[test]
fn what_cannot_be_run_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| finish(apart(folder.path()).arg("run").args(arguments));
    run(&[]).expect(2).complains(&["PROGRAM"]);
    run(&["--set", "polic=size", "--", "true"]).expect(2).complains(&["polic", "policy"]);
    run(&["--set", "policy", "--", "true"]).expect(2).complains(&["KEY=VALUE"]);
    run(&["--library", "/nowhere.so", "--", "true"]).expect(2).complains(&["/nowhere.so"]);
    let library = library();
    let library = library.to_str().expect("a path in UTF-8");
    run(&["--library", library, "--", "/nowhere/program"]).expect(2).complains(&["/nowhere/program"]);
}

#[test]
fn manifests_and_the_settings_file_are_what_loader_and_layer_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let print = |arguments: &[&str]| finish(apart(folder.path()).arg("layer").args(arguments)).expect(0);
    let library = library();
    let library = library.to_str().expect("a path in UTF-8");
    for kind in ["explicit", "implicit"] {
        let text = print(&["--manifest", kind, "--library", library]).text();
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["layer"]["name"], "VK_LAYER_TEXEMU_texture_emulation");
        assert_eq!(json["layer"]["library_path"], library);
        let settings = json["layer"]["features"]["settings"].as_array().expect("a list");
        assert_eq!(settings.len(), VkLayer_texemu::SETTINGS.len());
        let switch = &json["layer"]["enable_environment"]["TEXEMU_ENABLE_LAYER"];
        assert_eq!(switch == "1", kind == "implicit", "{switch}");
    }
    let overview = print(&["--library", library]).text();
    for setting in VkLayer_texemu::SETTINGS {
        assert!(overview.contains(&setting.variable()), "{}", setting.key);
    }

    // The file as it is printed, with one line changed, and no setting given otherwise.
    let text = print(&["--settings-file"]).text();
    let changed = text.replace("texemu_texture_emulation.hide = \n", "texemu_texture_emulation.hide = eac\n");
    assert_ne!(text, changed, "{text}");
    let file = folder.path().join("vk_layer_settings.txt");
    std::fs::write(&file, changed).expect("written");
    let mut command = apart(folder.path());
    command.env("VK_LAYER_SETTINGS_PATH", &file).args(["run", "--library", library, "--"]);
    let ran = finish(command.args([env!("CARGO_BIN_EXE_texemu"), "devices", "--json"])).expect(0);
    assert_eq!((support(&ran, "ETC2_").as_str(), support(&ran, "EAC_").as_str()), ("native", "emulated"));
    assert!(!ran.stderr.contains("texemu layer: warn"), "all defaults can be read: {}", ran.stderr);
}

#[test]
fn the_implicit_layer_is_there_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library();
    let library = library.to_str().expect("a path in UTF-8");
    let text = finish(apart(folder.path()).args(["layer", "--manifest", "implicit", "--library", library]));
    let place = folder.path().join("data/vulkan/implicit_layer.d");
    std::fs::create_dir_all(&place).expect("a folder");
    std::fs::write(place.join("implicit_VkLayer_texemu.json"), text.expect(0).stdout).expect("written");
    let devices = |environment: &[(&str, &str)]| {
        let mut command = apart(folder.path());
        command.env("TEXEMU_HIDE", "eac").envs(environment.iter().copied());
        support(&finish(command.args(["devices", "--json"])).expect(0), "EAC_")
    };
    let without = devices(&[]);
    let with = devices(&[("TEXEMU_ENABLE_LAYER", "1")]);
    let off = devices(&[("TEXEMU_ENABLE_LAYER", "1"), ("TEXEMU_DISABLE_LAYER", "1")]);
    assert_eq!((off, with.as_str()), (without.clone(), "emulated"), "what is hidden, the program emulates");
    // Told apart by what the layer adds where the device lacks it, by what it hides where the device has it.
    let mut command = apart(folder.path());
    let shown = finish(command.env("TEXEMU_ENABLE_LAYER", "1").args(["devices", "--json"])).expect(0);
    assert_eq!(support(&shown, "EAC_"), "native");
    assert!(["native", "emulated"].contains(&without.as_str()), "{without}");
}

#[test]
fn vulkaninfo_lists_features_and_formats_under_the_layer_and_none_without() {
    let folder = tempfile::tempdir().expect("a folder");
    if Command::new("vulkaninfo").arg("--version").output().is_err() {
        println!("skipped: vulkaninfo is not installed");
        return;
    }
    let plain = || {
        let mut command = Command::new("vulkaninfo");
        command.arg("--show-formats").env("XDG_DATA_HOME", folder.path().join("data")).env_remove("DISPLAY");
        finish(&mut command).expect(0).text()
    };
    let before = plain();
    let mut command = apart(folder.path());
    command.env_remove("DISPLAY").args(["run", "--set", "force=true", "--library"]).arg(library());
    let under = finish(command.args(["--", "vulkaninfo", "--show-formats"])).expect(0).text();
    let line = |text: &str, name: &str| {
        let found = text.lines().find(|line| line.trim_start().starts_with(name));
        found.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    for feature in ["textureCompressionETC2", "textureCompressionASTC_LDR", "textureCompressionASTC_HDR"] {
        assert_eq!(line(&under, feature), Some(format!("{feature} = true")));
    }
    for format in texemu_format::sources() {
        let (supported, _) = under.split_once("Unsupported Formats").expect("both kinds are listed");
        assert!(supported.contains(&format!("FORMAT_{}\n", format.name)), "{} is listed", format.name);
    }
    assert!(under.contains("VK_EXT_astc_decode_mode"), "and the extensions");
    // Installed and not asked for, it changes nothing.
    let text =
        finish(apart(folder.path()).args(["layer", "--manifest", "implicit", "--library"]).arg(library()));
    let place = folder.path().join("data/vulkan/implicit_layer.d");
    std::fs::create_dir_all(&place).expect("a folder");
    std::fs::write(place.join("implicit_VkLayer_texemu.json"), text.expect(0).stdout).expect("written");
    let devices =
        |text: &str| text.split_once("Device Properties and Extensions").map(|(_, rest)| steady(rest));
    let (before, after) = (devices(&before).expect("devices"), devices(&plain()).expect("devices"));
    assert_eq!(before, after);
    assert_ne!(before, devices(&under).expect("devices"));
}

/// Without what differs from one run to the next: how much memory is in use.
fn steady(text: &str) -> Vec<String> {
    let moving = |line: &&str| ["budget", "usage"].iter().any(|word| line.trim_start().starts_with(word));
    text.lines().filter(|line| !moving(line)).map(str::to_owned).collect()
}
