//! Runs a test again in a process of its own, under the layer: the loader reads its environment when an instance is made, and
//! a process has one environment.

use std::path::{Path, PathBuf};
use std::process::Command;

const RUNNING: &str = "TEXEMU_LAYER_TEST";
/// The Khronos validation layer.
pub(crate) const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";

/// The layer's name, as an application would write it.
pub(crate) const NAME: &str = "VK_LAYER_TEXEMU_texture_emulation";

/// The layer with the validation layer below it.
pub(crate) const ABOVE_VALIDATION: &str = "VK_LAYER_TEXEMU_texture_emulation:VK_LAYER_KHRONOS_validation";

/// A folder with the layer's manifest, for one test.
pub(crate) fn manifest_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layer").join(name.replace("::", "-"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let library = library();
    let library = library.to_str().expect("a path in UTF-8");
    let text = VkLayer_texemu::manifest(VkLayer_texemu::Loading::Explicit, library);
    std::fs::write(folder.join("VkLayer_texemu.json"), text).expect("the manifest is written");
    folder
}

/// The library: Cargo leaves it beside the test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let library = test.parent().expect("a folder").join(VkLayer_texemu::LIBRARY);
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

/// A command whose Vulkan applications get these layers, the first one next to the application.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, name: &str, layers: &str) -> Command {
    let mut command = Command::new(program);
    let mut paths: Vec<PathBuf> = match std::env::var_os("VK_LAYER_PATH") {
        Some(path) => std::env::split_paths(&path).collect(),
        None => SYSTEM.map(PathBuf::from).to_vec(),
    };
    // Loaders up to 1.3.239 put layers in the order in which they find them, whatever order they are named in.
    let above = layers.starts_with(VALIDATION);
    paths.insert(if above { paths.len() } else { 0 }, manifest_folder(name));
    command.env("VK_LAYER_PATH", std::env::join_paths(paths).expect("paths"));
    command.env("VK_INSTANCE_LAYERS", layers).env("TEXEMU_CACHE_DIR", "").env("VK_LOADER_DEBUG", "layer");
    command
}

/// Where loaders look for manifests if they are not told.
const SYSTEM: [&str; 3] = [
    "/usr/local/share/vulkan/explicit_layer.d",
    "/etc/vulkan/explicit_layer.d",
    "/usr/share/vulkan/explicit_layer.d",
];

/// Whether the loader put the validation layer where a test wants it. It tells the layers from the driver upwards.
fn check_order(test: &str, layers: &str, told: &str) {
    let inserted = |name| told.find(&format!("Insert instance layer \"{name}\""));
    if let (Some(own), Some(validation)) = (inserted(NAME), inserted(VALIDATION)) {
        let above = layers.starts_with(VALIDATION);
        assert_eq!(own < validation, above, "{test}: the layers are in order");
    }
}

/// Runs `body` with the layer between the application and the validation layer that the test's device asks for.
pub(crate) fn under_layer(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    under(test, NAME, environment, body);
}

/// As [`under_layer`], with a validation layer above it too.
pub(crate) fn below_validation(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    under(test, &format!("{VALIDATION}:{NAME}"), environment, body);
}

/// As [`under_layer`], for applications that load no layer of their own: the environment asks for the validation layer below.
pub(crate) fn under_validation(test: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    under(test, ABOVE_VALIDATION, environment, body);
}

/// A file of the test's own, which is not there yet, as text for the environment.
pub(crate) fn own_file(test: &str, name: &str) -> String {
    let path = manifest_folder(test).join(name);
    if std::env::var_os(RUNNING).is_none() {
        let _ = std::fs::remove_file(&path);
    }
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Runs `body` below the layer, and hands back what was printed, all of it, and nothing inside.
pub(crate) fn told_under(
    test: &str,
    layers: &str,
    environment: &[(&str, &str)],
    body: impl FnOnce(),
) -> Option<String> {
    if std::env::var(RUNNING).is_ok_and(|running| running == test) {
        body();
        return None;
    }
    let program = std::env::current_exe().expect("a path");
    let mut command = command(program, test, layers);
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(RUNNING, test);
    // A device that has a format itself is made to emulate it, or there would be nothing to test.
    command.env("TEXEMU_FORCE", "true");
    if std::env::var_os("VK_LAYER_SETTINGS_PATH").is_none() {
        command.env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT");
    }
    command.envs(environment.iter().copied());
    let output = command.output().expect("the test starts again");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    println!("{text}");
    assert!(output.status.success(), "{test} failed under the layer: {}", output.status);
    assert!(text.contains("1 passed"), "{test} ran under the layer");
    check_order(test, layers, &text);
    // Without a messenger, the validation layer prints.
    assert!(!text.contains("VUID-") && !text.contains("SYNC-"), "{test}: validation is not silent");
    Some(text)
}

fn under(test: &str, layers: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    let driver = std::env::var("VK_ICD_FILENAMES").unwrap_or_default();
    if test.starts_with("device::") && driver.contains("swiftshader") {
        println!("skipped: SwiftShader has the formats itself; the tests of pixels run there, with force");
        return;
    }
    if let Some(text) = told_under(test, layers, environment, body) {
        assert!(!text.contains("texemu layer: error"), "{test}: the layer complains");
    }
}
