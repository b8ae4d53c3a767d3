//! `conformance` and `bench`, on a little of what they can do.

mod common;

use common::run;
use serde_json::Value;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

#[test]
fn conformance_reports_what_it_ran() {
    let folder = tempfile::tempdir().expect("a folder");
    let (results, junit) = (folder.path().join("a.json"), folder.path().join("a.xml"));
    let paths = [results.display().to_string(), junit.display().to_string()];
    let only = ["conformance", "--only", "etc2_r8g8b8_unorm R8G8B8A8", "--blocks", "30", "--validation"];
    let text = run(only.iter().copied().chain(["--json", &paths[0], "--junit", &paths[1]])).expect(0).text();
    assert!(text.contains("0 kernels failed, 0 validation messages"), "{text}");
    let group = &json(&results)["groups"][0];
    assert_eq!(group["source"], "ETC2_R8G8B8_UNORM_BLOCK");
    assert_eq!(group["good"], true);
    let kernels = group["kernels"].as_array().expect("a list");
    assert!(!kernels.is_empty() && kernels.iter().all(|kernel| kernel["failure"].is_null()), "{group}");
    let blocks = |kernel: &Value| kernel["blocks"].as_u64().expect("a number");
    assert!(
        kernels.iter().all(|kernel| blocks(kernel) >= 90),
        "thirty blocks of each of three classes: {group}"
    );
    let xml = std::fs::read_to_string(&junit).expect("written");
    let cases = format!("tests=\"{}\" failures=\"0\"", kernels.len());
    assert!(xml.contains(&cases) && xml.contains("UNORM_BLOCK -&gt; R8G8B8A8"), "{xml}");
}

#[test]
fn bench_measures_saves_and_compares() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.json").display().to_string();
    let bench = ["bench", "--only", "etc2_r8g8b8_unorm rgba8", "--size", "64", "--runs", "2"];
    run(bench.iter().copied().chain(["--json", &path, "--work", "large", "--source", "all"])).expect(0);
    let results = json(Path::new(&path));
    let rows = results["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 3, "one row a source: {results}");
    for row in rows {
        assert_eq!(row["texels"], 64 * 64, "{row}");
        assert_eq!(row["bytes"], 64 * 64 * 4 + 16 * 16 * 8, "{row}");
        let [min, median, max] =
            ["min", "median", "max"].map(|name| row["ns"][name].as_f64().expect("a time"));
        assert!(0.0 < min && min <= median && median <= max, "{row}");
    }
    let text = run(bench.iter().copied().chain(["--compare", &path, "--work", "large"])).expect(0).text();
    assert!(text.contains("faster"), "{text}");
    run(bench.iter().copied().chain(["--compare", "/nonexistent.json"]))
        .expect(2)
        .complains(&["/nonexistent"]);
    let plot = folder.path().join("a.svg");
    run(["bench", "--from", &path, "--plot", &plot.display().to_string()]).expect(0);
    let svg = std::fs::read_to_string(&plot).expect("written");
    assert!(svg.contains("rgba8, 64x64") && svg.contains("auto from storage-image"), "{svg}");
    run(["bench", "--plot", "/nonexistent/a.svg"]).expect(2).complains(&["there is no folder"]);
    let file = common::data("swatch_8x8.astc").display().to_string();
    let text =
        run(["bench", "--input", &file, "--size", "64", "--runs", "1", "--work", "all", "--only", "rgba8,"])
            .expect(0)
            .text();
    for work in ["64x64", "chain 64", "256 x 64x64"] {
        assert!(
            text.contains(&format!("swatch_8x8.astc ASTC_8x8_UNORM -> rgba8, {work}, auto")),
            "{work}: {text}"
        );
    }
}

#[test]
fn bench_hiz_measures_every_path_of_a_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.json").display().to_string();
    let text = run(["bench", "hiz", "--size", "70x33x2", "--runs", "1", "--json", &path]).expect(0).text();
    assert!(text.contains("70x33x2"), "{text}");
    let results = json(Path::new(&path));
    let rows = results["rows"].as_array().expect("a list");
    let row = |name: &str| rows.iter().find(|row| row["name"] == format!("hiz 70x33x2, {name}"));
    let (levels, alone) = (row("a dispatch a level"), row("level 4, shared atomics"));
    let levels = levels.expect("every device can");
    assert_eq!((&levels["dispatches"], &levels["bytes"]), (&6.into(), &((70 * 33 + 739) * 2 * 4).into()));
    assert!(alone.is_some_and(|row| row["bytes"] == (70 * 33 + 4 * 2) * 2 * 4), "{results}");
    assert!(rows.iter().all(|row| row["cold_us"].as_f64().is_some_and(|time| time > 0.0)), "{results}");
    run(["bench", "hiz", "--size", "70"]).expect(2).complains(&["WxH"]);
    run(["bench", "hiz", "--size", "0x7"]).expect(2).complains(&["WxH"]);
}
