//! Exit codes, messages, and the commands that only show.

mod common;

use common::{blank_astc, data, finish, names, run, texemu};
use std::process::Stdio;

#[test]
fn usage_errors_exit_with_2() {
    run::<&str>([]).expect(2).complains(&["Usage"]);
    run(["transcode", "a.astc"]).expect(2).complains(&["--output"]);
    run(["transcode", "a.astc", "-o", "b.jpg"]).expect(2).complains(&["b.jpg", ".png"]);
    run(["transcode", "a.astc", "-o", "b.png", "--to", "bc2"]).expect(2).complains(&["bc2", "bc3"]);
    run(["frobnicate"]).expect(2).complains(&["frobnicate"]);
    run(["transcode", "a.astc", "-o", "b.png", "--cpu", "--granularity", "tile"]).expect(2);
    run(["bench", "--only", "no such row"]).expect(2).complains(&["no row matches"]);
    run(["conformance", "--only", "no such pair"]).expect(2).complains(&["no group matches"]);
}

#[test]
fn without_a_device_the_program_exits_with_3() {
    let nowhere = |command: &mut std::process::Command| {
        command.env("VK_ICD_FILENAMES", "/nonexistent.json").env("VK_DRIVER_FILES", "/nonexistent.json");
        finish(command)
    };
    nowhere(texemu().arg("devices")).expect(3).complains(&["driver"]);
    let file = data("swatch_4x4.astc");
    let out = tempfile::tempdir().expect("a folder");
    let picture = out.path().join("a.png");
    nowhere(texemu().arg("transcode").arg(&file).arg("-o").arg(&picture)).expect(3).complains(&["--cpu"]);
    nowhere(texemu().arg("verify").arg(&file)).expect(3);
    assert_eq!(names(out.path()), Vec::<String>::new(), "nothing was written");
    nowhere(texemu().arg("transcode").arg(&file).arg("--cpu").arg("-o").arg(&picture)).expect(0);
    run(["verify", "--device", "no such device"]
        .map(str::to_owned)
        .into_iter()
        .chain([file.display().to_string()]))
    .expect(3)
    .complains(&["no such device", "0:"]);
}

#[test]
fn devices_says_what_each_does_with_every_format() {
    let text = run(["devices"]).expect(0).text();
    assert!(text.contains("Vulkan 1.") && text.contains("ASTC_"), "{text}");
    let json: serde_json::Value =
        serde_json::from_slice(&run(["devices", "--json"]).expect(0).stdout).expect("JSON");
    let formats = json[0]["formats"].as_array().expect("a list of formats");
    assert_eq!(formats.len(), texemu_format::sources().count(), "every source format");
    for format in formats {
        let support = format["support"].as_str().expect("a word");
        assert!(["native", "emulated", "missing"].contains(&support), "{format}");
        let has_targets = !format["targets"].as_array().expect("a list").is_empty();
        assert_eq!(has_targets, support == "emulated", "{format}");
    }
}

#[test]
fn info_says_what_a_file_holds() {
    let file = data("swatch_6x5_srgb.ktx2").display().to_string();
    let text = run(["info", &file]).expect(0).text();
    for words in ["ktx2", "ASTC_6x5_SRGB_BLOCK", "250 x 187", "42 x 38 blocks of 6 x 5", "8\n"] {
        assert!(text.contains(words), "{words:?} is missing: {text}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&run(["info", "--json", &file]).expect(0).stdout).expect("JSON");
    assert_eq!(json[0]["format"], "ASTC_6x5_SRGB_BLOCK");
    assert_eq!(json[0]["levels"].as_array().expect("a list").len(), 8);
    assert_eq!(json[0]["levels"][7]["extent"], serde_json::json!([1, 1, 1]));
}

#[test]
fn bad_files_are_named_with_what_is_wrong_and_the_others_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.astc");
    let good = folder.path().join("good.astc");
    blank_astc(&good, 8, 40);
    let mut bytes = std::fs::read(&good).expect("just written");
    bytes[4] = 7;
    std::fs::write(&bad, &bytes).expect("writable");
    let folder_name = folder.path().display().to_string();
    let ran =
        run(["info", &folder_name]).expect(2).complains(&["bad.astc", "blockdim_x", "1 of 2 files failed"]);
    assert!(ran.text().contains("ASTC_8x8_UNORM_BLOCK"), "the good one is shown: {}", ran.text());

    let out = tempfile::tempdir().expect("a folder");
    let out_name = format!("{}/", out.path().join("new").display());
    run(["transcode", "--cpu", &folder_name, "-o", &out_name]).expect(2).complains(&[
        "bad.astc",
        "blockdim_x",
        "1 of 2 files failed",
    ]);
    assert_eq!(names(&out.path().join("new")), ["good.ktx2"]);

    std::fs::write(&bad, &bytes[..20]).expect("writable");
    let bad = bad.display().to_string();
    let picture = out.path().join("bad.png");
    let ran = run(["transcode", "--cpu", &bad, "-o", &picture.display().to_string()]).expect(2);
    ran.complains(&["bad.astc"]);
    assert!(!picture.exists(), "a bad file leaves nothing behind");
    run(["info", "/nonexistent.astc"]).expect(2).complains(&["/nonexistent.astc", "No such file"]);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = texemu()
        .args(["devices", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output") && !stderr.contains("panicked"), "{stderr}");
}

/// What is sent once the temporary file is there must leave nothing but an exit code.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.astc");
    blank_astc(&input, 12, 16384);
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("writable");
    let mut child = texemu()
        .args(["transcode", "--cpu", "-q"])
        .arg(&input)
        .arg("-o")
        .arg(out.join("a.raw"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    while names(&out).is_empty() {
        assert!(child.try_wait().expect("the child can be asked").is_none(), "it ended before it wrote");
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted"), "{stderr}");
    assert_eq!(names(&out), Vec::<String>::new(), "neither the file nor a part of it");
}

/// An output of 256 MiB is written by a process that may not address as much.
#[cfg(target_os = "linux")]
#[test]
fn large_images_are_streamed() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.astc");
    blank_astc(&input, 12, 8192);
    let program = texemu();
    let script = format!(
        "ulimit -v 200000; exec '{}' transcode --cpu -q '{}' -o -",
        program.get_program().to_string_lossy(),
        input.display()
    );
    let mut child = std::process::Command::new("sh")
        .args(["-c", &script])
        // Each thread's own heap would take 64 MiB of addresses.
        .env("MALLOC_ARENA_MAX", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sh runs");
    let mut texels = child.stdout.take().expect("piped");
    let bytes = std::io::copy(&mut texels, &mut std::io::sink()).expect("readable");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bytes, 4 * 8192 * 8192);
}
