//! `cargo xtask demo`.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::digest::sha256;
use crate::environment::Driver;
use crate::install;
use crate::options::{Icd, Options};
use crate::plan::Purpose;
use crate::process::{cargo, line, run_or_fail};
use crate::table;
use crate::workspace;

/// Installs what is missing, builds the program and lets it transcode the project's own textures.
pub(crate) fn run(options: &Options) -> Result<bool> {
    install::prepare(Purpose::Run, options)?;
    let mut build = cargo();
    build.args(["build", "--release", "--package", "texemu-cli"]);
    if options.dry_run {
        println!("Then:\n  {}\n  texemu transcode tests/data/... -o target/demo/....png", line(&build));
        return Ok(true);
    }
    run_or_fail(&mut build)?;

    let folder = workspace::target().join("demo");
    fs::create_dir_all(&folder)?;
    let mut rows = Vec::new();
    let mut good = true;
    for entry in entries()? {
        let input = workspace::root().join("tests/data").join(&entry.file);
        let picture = folder.join(&entry.file).with_extension("png");
        let mut show = program(options)?;
        show.arg("transcode").arg(&input).args(&entry.profile).arg("-o").arg(&picture);
        run_or_fail(&mut show)?;

        let mut exact = program(options)?;
        exact.arg("transcode").arg(&input).args(&entry.profile).args(["-o", "-"]);
        let output = exact.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            bail!("`{}` failed", line(&exact));
        }
        let hash = sha256(&output.stdout);
        let equal = hash == entry.sha256;
        good &= equal;
        rows.push(vec![
            entry.file,
            entry.format,
            entry.size,
            workspace::shown(&picture),
            hash[..16].to_owned(),
            if equal { "exact" } else { "DIFFERS" }.to_owned(),
        ]);
    }
    println!(
        "\n{}",
        table::render(&["file", "format", "size", "picture", "sha256", "against tests/data"], &rows)
    );
    if !good {
        println!("A result differs from the expected decode that tests/data/INDEX.tsv records.");
    }
    Ok(good)
}

/// The program, on the driver that `--icd` asks for; by default on what the Vulkan loader finds.
fn program(options: &Options) -> Result<Command> {
    let mut command = Command::new(workspace::program());
    if let Icd::Manifest(_) = options.icd {
        Driver::first(&options.icd)?.apply(&mut command);
    }
    Ok(command)
}

/// One line of `tests/data/INDEX.tsv`.
struct Entry {
    file: String,
    format: String,
    size: String,
    /// `--srgb` or `--linear` for a file that does not say itself.
    profile: Option<String>,
    sha256: String,
}

/// The textures to show: ASTC, in each container.
fn entries() -> Result<Vec<Entry>> {
    let path = workspace::root().join("tests/data/INDEX.tsv");
    let text = fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let mut entries = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, format, width, height, levels, profile, sha256, _] = cells[..] else {
            bail!("{}: a line does not have eight columns: {line}", path.display())
        };
        if format.starts_with("ASTC") {
            entries.push(Entry {
                file: file.to_owned(),
                format: format.to_owned(),
                size: if levels == "1" {
                    format!("{width}x{height}")
                } else {
                    format!("{width}x{height}, {levels} levels")
                },
                profile: (profile != "file").then(|| format!("--{profile}")),
                sha256: sha256.to_owned(),
            });
        }
    }
    Ok(entries)
}
