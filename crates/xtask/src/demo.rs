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

/// How an invocation may share out the work; all must give the same bits.
const GRANULARITIES: [&str; 3] = ["texel", "block", "tile"];

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
    println!();
    let mut rows = Vec::new();
    let mut good = true;
    for entry in entries()? {
        let picture = folder.join(&entry.file).with_extension("png");
        let mut transcode = program(options, &entry)?;
        transcode.arg("-o").arg(workspace::shown(&picture));
        let said = String::from_utf8_lossy(&output(&mut transcode)?).trim().to_owned();
        println!("$ {}\n{said}", line(&transcode));

        let mut equal = Vec::new();
        for granularity in GRANULARITIES {
            let mut exact = program(options, &entry)?;
            exact.args(["--granularity", granularity, "--quiet", "-o", "-"]);
            if sha256(&output(&mut exact)?) == entry.sha256 {
                equal.push(granularity);
            }
        }
        good &= equal.len() == GRANULARITIES.len();
        rows.push(vec![
            entry.file,
            entry.format,
            entry.size,
            device(&said).to_owned(),
            equal.join(", "),
            entry.sha256[..12].to_owned(),
            workspace::shown(&picture),
        ]);
    }
    let headings = ["file", "format", "size", "device", "exact kernels", "sha256", "picture"];
    println!("\n{}", table::render(&headings, &rows));
    if good {
        println!(
            "Every texel of every file is what independent decoders say (tests/data/README.md), from each kernel: one\n\
             invocation a texel, one a block, and a workgroup a tile of blocks. The pictures are there to look at."
        );
    } else {
        println!(
            "A kernel that is not listed gave other texels than independent decoders (tests/data/README.md)."
        );
    }
    Ok(good)
}

/// `texemu transcode` of the file, on the driver that `--icd` asks for; by default on what the Vulkan loader finds.
fn program(options: &Options, entry: &Entry) -> Result<Command> {
    let mut command = Command::new(workspace::program());
    if let Icd::Manifest(_) = options.icd {
        Driver::first(&options.icd)?.apply(&mut command);
    }
    command.current_dir(workspace::root());
    command.args(["transcode", &format!("tests/data/{}", entry.file)]).args(&entry.profile);
    Ok(command)
}

/// What the program wrote to standard output.
fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start `{}`", line(command)))?;
    if !output.status.success() {
        bail!("`{}` failed with {}", line(command), output.status);
    }
    Ok(output.stdout)
}

/// The device, which the program's line ends in: `FILE: ... in 1.0 ms on DEVICE`.
fn device(said: &str) -> &str {
    said.split_once(" ms on ").map_or("", |(_, device)| device)
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

/// Every texture that the index names.
fn entries() -> Result<Vec<Entry>> {
    let path = workspace::root().join("tests/data/INDEX.tsv");
    let text = fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let mut entries = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, format, width, height, levels, profile, sha256, _] = cells[..] else {
            bail!("{}: a line does not have eight columns: {line}", path.display())
        };
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
    Ok(entries)
}
