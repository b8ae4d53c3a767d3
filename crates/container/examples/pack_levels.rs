//! Packs .astc files, the largest level first, into one .ktx2 file: `pack_levels [--srgb] OUT.ktx2 LEVEL.astc...`.

use std::error::Error;
use std::io;

use texemu_container::{Shape, ShapeDesc, Texture, open, write_atomically, write_ktx2};
use texemu_format::Numeric;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let srgb = arguments.first().is_some_and(|argument| argument == "--srgb");
    if srgb {
        arguments.remove(0);
    }
    let [output, files @ ..] = &arguments[..] else {
        return Err("usage: pack_levels [--srgb] OUT.ktx2 LEVEL.astc...".into());
    };
    let mut levels: Vec<Texture> = files.iter().map(open).collect::<Result<_, _>>()?;
    if srgb {
        // An .astc file does not say what its values are.
        for level in &mut levels {
            level.set_numeric(Numeric::Srgb)?;
        }
    }
    let first = levels.first().ok_or("no level was given")?.shape().desc();
    let shape = Shape::new(ShapeDesc { levels: levels.len() as u32, ..first })?;
    for (number, level) in (0..).zip(&levels) {
        if level.shape().extent() != shape.level_extent(number) {
            return Err(format!("level {number} is {}, not one of {shape}", level.shape()).into());
        }
    }
    write_atomically(output, |file| {
        write_ktx2(file, &shape, &Default::default(), |at, out| {
            let level = levels.get(at.level as usize).ok_or_else(|| io::Error::other("no such level"))?;
            out.write_all(level.level(0))
        })
    })?;
    Ok(())
}
