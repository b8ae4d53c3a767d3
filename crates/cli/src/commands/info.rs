//! `texemu info`.

use crate::failure::{Failed, Outcome, print};
use crate::input::{self, Profile};
use crate::interrupt;
use crate::table;
use anyhow::Result;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use texemu_container::{Supercompression, Texture};

/// Say what files hold: container, format, sizes, levels, layers, faces, bytes
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  texemu info rock.ktx2\n  texemu info --json textures/ | jq -r '.[].format' | sort | uniq -c"
)]
pub(crate) struct Arguments {
    /// Files or folders
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let inputs = input::expand(&arguments.inputs)?;
    let mut values = Vec::new();
    let mut failed = 0;
    for (index, input) in inputs.iter().enumerate() {
        interrupt::check()?;
        match input::open(&input.path, &Profile::default()) {
            Ok(texture) if arguments.json => values.push(as_json(&input.path, &texture)),
            Ok(texture) => {
                if index > 0 {
                    table::print("")?;
                }
                table::print(as_text(&input.path, &texture))?;
            }
            Err(error) if inputs.len() == 1 => return Err(error),
            Err(error) => {
                print(&error);
                failed += 1;
            }
        }
    }
    if arguments.json {
        table::print(serde_json::to_string_pretty(&values)?)?;
    }
    if failed > 0 {
        return Err(Failed { files: failed, of: inputs.len() }.into());
    }
    Ok(Outcome::Good)
}

fn as_text(path: &Path, texture: &Texture) -> String {
    let (shape, format, notes) = (texture.shape(), texture.format(), texture.notes());
    let [width, height, depth] = shape.extent();
    let mut rows: Vec<(&str, String)> = Vec::new();
    let mut container = texture.container().to_string();
    if texture.supercompression() != Supercompression::None {
        container += &format!(", supercompressed with {}", texture.supercompression().name());
    }
    rows.push(("container", container));
    rows.push((
        "format",
        if notes.etc1 { format!("{} (declared as ETC1)", format.name) } else { format.name.to_owned() },
    ));
    let size =
        if shape.is_3d() { format!("{width} x {height} x {depth}") } else { format!("{width} x {height}") };
    let blocks = format.blocks([width, height, 1]);
    let footprint = format.footprint;
    let blocks = if format.is_compressed() {
        format!(", {} x {} blocks of {} x {}", blocks[0], blocks[1], footprint[0], footprint[1])
    } else {
        String::new()
    };
    rows.push(("size", size + &blocks));
    rows.push(("levels", shape.levels().to_string()));
    if shape.is_array() {
        rows.push(("layers", shape.layers().to_string()));
    }
    if shape.faces() > 1 {
        rows.push(("faces", shape.faces().to_string()));
    }
    let bytes = shape.bytes();
    rows.push(("bytes", format!("{bytes} ({})", table::bytes(bytes))));
    if let Some(exact) = format.targets.exact().and_then(|target| shape.with_format(target).ok()) {
        rows.push((
            "decoded",
            format!("{} ({}) as {}", exact.bytes(), table::bytes(exact.bytes()), exact.format().name),
        ));
    }
    let mut note = |name, text: Option<String>| rows.extend(text.map(|text| (name, text)));
    note("orientation", notes.orientation.clone());
    note("swizzle", notes.swizzle.clone());
    note("writer", notes.writer.clone());
    note("alpha", notes.premultiplied.then(|| "premultiplied".to_owned()));
    note("primaries", notes.primaries.map(|number| format!("number {number} of the data format descriptor")));
    let lines = rows.iter().map(|(name, text)| format!("\n  {name:<12}{text}"));
    format!("{}{}", path.display(), lines.collect::<String>())
}

fn as_json(path: &Path, texture: &Texture) -> Value {
    let (shape, notes) = (texture.shape(), texture.notes());
    let levels: Vec<_> = (0..shape.levels())
        .map(|level| json!({ "extent": shape.level_extent(level), "bytes": shape.level_bytes(level) }))
        .collect();
    json!({
        "file": path.display().to_string(),
        "container": texture.container().to_string(),
        "supercompression": texture.supercompression().name(),
        "format": texture.format().name,
        "extent": shape.extent(),
        "is_3d": shape.is_3d(),
        "is_array": shape.is_array(),
        "layers": shape.layers(),
        "faces": shape.faces(),
        "levels": levels,
        "bytes": shape.bytes(),
        "etc1": notes.etc1,
        "premultiplied": notes.premultiplied,
        "orientation": notes.orientation,
        "swizzle": notes.swizzle,
        "writer": notes.writer,
        "primaries": notes.primaries,
    })
}
