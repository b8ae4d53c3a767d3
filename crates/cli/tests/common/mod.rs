//! Running the program as a user does.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod browser;

use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, with a pipeline cache that the tests share and without the user's settings.
pub(crate) fn texemu() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texemu"));
    command
        .env("TEXEMU_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipelines"))
        .env_remove("TEXEMU_DEVICE")
        .env_remove("TEXEMU_LOG")
        .stdin(Stdio::null());
    command
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    line: String,
}

pub(crate) fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    finish(texemu().args(arguments))
}

pub(crate) fn finish(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    let code = status.code().unwrap_or_else(|| panic!("{command:?} ended by {status}: {stderr}"));
    Ran { code, stdout, stderr, line: format!("{command:?}") }
}

impl Ran {
    /// Fails the test unless the program ended like this.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        let Self { stderr, line, stdout, .. } = &self;
        let said = String::from_utf8_lossy(&stdout[..stdout.len().min(2000)]);
        assert_eq!(self.code, code, "{line}\nstandard error: {stderr}\nstandard output: {said}");
        self
    }

    /// Fails the test unless standard error holds all of these.
    #[track_caller]
    pub(crate) fn complains(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "{}\nsays nothing of {word:?}: {}", self.line, self.stderr);
        }
        self
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file of the project's own textures.
pub(crate) fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(file)
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A `.astc` file of illegal blocks: quick to make and to decode.
pub(crate) fn blank_astc(path: &Path, footprint: u8, size: u32) {
    let [a, b, c, _] = size.to_le_bytes();
    let blocks = size.div_ceil(footprint.into()) as usize;
    let mut bytes = vec![0x13, 0xAB, 0xA1, 0x5C, footprint, footprint, 1, a, b, c, a, b, c, 1, 0, 0];
    bytes.resize(16 + 16 * blocks * blocks, 0);
    std::fs::write(path, bytes).expect("the folder is writable");
}
