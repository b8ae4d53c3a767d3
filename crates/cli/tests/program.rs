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
fn numbers_out_of_range_are_usage_errors() {
    let rows = ["--only", "etc2_r8g8b8_unorm rgba8", "--work", "large"];
    let bench = |more: &[&str]| run(["bench"].iter().chain(&rows).chain(more)).expect(2);
    bench(&["--size", "0"]).complains(&["--size"]);
    bench(&["--size", "4294967295"]).complains(&["--size 4294967295", "at most"]);
    bench(&["--runs", "0"]).complains(&["--runs"]);
    bench(&["--configuration", "tile 32/1000000 1,1 words"]).complains(&["1000000", "invocations at most"]);
    bench(&["--from", &data("swatch_8x8.astc").display().to_string()]).complains(&["bench --json"]);
    run(["conformance", "--blocks", "0"]).expect(2).complains(&["--blocks"]);
    run(["conformance", "--blocks", "4294967295"]).expect(2).complains(&["--blocks 4294967295", "holds"]);
    run(["compare", "--min-psnr", "nan", "a", "b"]).expect(2).complains(&["--min-psnr", "not a number"]);
    run(["report", "--amplify", "0", "a"]).expect(2).complains(&["--amplify", "not above 0"]);
    run(["report", "--thumbnail", "100000", "a"]).expect(2).complains(&["--thumbnail"]);
}

/// What is asked of a place is asked before the work whose result it would not take, and says what is wrong with it.
#[test]
fn places_that_cannot_be_written_are_named_before_the_work() {
    let file = data("swatch_8x8.astc").display().to_string();
    for out in ["/nonexistent/a.png", "/nonexistent/a.ktx2"] {
        let ran = run(["transcode", "--cpu", &file, "-o", out]).expect(2);
        assert_eq!(ran.stderr, format!("texemu: {out}: there is no folder /nonexistent\n"));
    }
    for command in ["bench", "conformance"] {
        run([command, "--json", "/nonexistent/a"]).expect(2).complains(&["there is no folder /nonexistent"]);
        run([command, "--json", "/tmp"]).expect(2).complains(&["/tmp is a folder"]);
    }
}

#[test]
fn what_is_no_texture_is_called_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (bytes, words) in [
        (&b""[..], "it is empty"),
        (b"\x89PNG\r\n\x1A\nand so on", "like a PNG picture"),
        (b"version https://git-lfs.github.com/spec/v1", "Git LFS"),
    ] {
        let file = path("a.ktx2");
        std::fs::write(&file, bytes).expect("writable");
        for command in [&["info"][..], &["verify"], &["report"], &["transcode", "--cpu", "-o", "b.png"]] {
            let ran = run(command.iter().copied().chain([file.as_str()])).expect(2);
            assert_eq!(ran.stderr.matches(&file).count(), 1, "said once: {}", ran.stderr);
            ran.complains(&[words]);
        }
        run(["compare", &file, &file]).expect(2).complains(&[&file, words]);
        run(["bench", "--input", &file]).expect(2).complains(&[&file, words]);
    }
    // A file's name says nothing of what is in it.
    std::fs::copy(data("swatch_6x5_srgb.ktx2"), path("b.astc")).expect("writable");
    assert!(run(["info", &path("b.astc")]).expect(0).text().contains("ktx2"));
    // A folder is no file where one is needed.
    run(["compare", &path(""), &path("b.astc")]).expect(2).complains(&["directory"]);
    // What has no end is not read to it.
    #[cfg(unix)]
    run(["info", "/dev/zero"]).expect(2).complains(&["/dev/zero", "00 00 00"]);
}

#[test]
fn blocks_of_high_dynamic_range_in_a_file_that_cannot_say_so_are_hinted_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.astc");
    blank_astc(&file, 4, 8);
    let mut bytes = std::fs::read(&file).expect("just written");
    // A void extent of half floats, without coordinates.
    bytes[16..24].copy_from_slice(&[0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    std::fs::write(&file, &bytes).expect("writable");
    let file = file.display().to_string();
    run(["info", &file]).expect(0).complains(&["1 of 4 blocks are HDR", "--hdr"]);
    let ran = run(["transcode", "--cpu", "-q", "--hdr", &file, "-o", "-"]).expect(0);
    assert_eq!(ran.stderr, "", "asked for");
    let ran = run(["info", &data("swatch_4x4.astc").display().to_string()]).expect(0);
    assert_eq!(ran.stderr, "", "there are none");
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

#[test]
fn nobody_to_complain_to_is_no_panic() {
    let mut child = texemu()
        .args(["info", "/nonexistent.astc"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
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
