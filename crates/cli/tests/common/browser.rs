//! Opening pages as a user does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A Chromium that runs without a screen.
pub(crate) fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names =
        ["chromium-headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome"];
    let found = names.iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
    });
    if found.is_none() {
        println!("skipped: no Chromium to open reports in");
    }
    found
}

/// What a browser made of a page.
pub(crate) struct Opened {
    /// The page after its scripts have run.
    pub(crate) dom: String,
    /// Lines of its console.
    pub(crate) console: Vec<String>,
    /// What it asked the network for.
    pub(crate) requests: Vec<String>,
}

pub(crate) fn open(chromium: &Path, page: &Path, hash: &str) -> Opened {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("net.json");
    let output = Command::new(chromium)
        // Where tests run as root there is no sandbox to be had.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("user").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("file://{}{hash}", page.display()))
        .stdin(Stdio::null())
        .output()
        .expect("Chromium starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && dom.contains("</html>"), "{}: {stderr}", output.status);
    let console = stderr.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
    let log = std::fs::read_to_string(&log).expect("a log of the network");
    // Every request begins with an event that holds its URL; other events of its hold it again.
    let requests = log.split("\"url\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let requests = requests.filter(|url| !url.starts_with("file:") && !url.starts_with("data:"));
    Opened { dom, console, requests: requests.map(str::to_owned).collect() }
}

impl Opened {
    /// The names of the files that are shown.
    pub(crate) fn shown(&self) -> Vec<String> {
        let rows = self.dom.split("<tr class=\"file\"").skip(1);
        let shown = rows.filter(|row| !row.split('>').next().unwrap_or_default().contains("hidden"));
        let name = |row: &str| {
            let name = row.split("<div class=\"name\">").nth(1).and_then(|rest| rest.split('<').next());
            name.expect("a name").rsplit('/').next().expect("a file").to_owned()
        };
        shown.map(name).collect()
    }
}
