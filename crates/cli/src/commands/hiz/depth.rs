//! Reading depth buffers.

use super::output::has_extension;
use anyhow::{Context, Error, Result, bail, ensure};
use exr::prelude::{FlatSamples, MetaData, ReadChannels, ReadLayers, read as read_exr};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use texemu_hiz::MAX_EXTENT;

/// A depth buffer, row by row.
pub(super) struct Depth {
    pub(super) extent: [u32; 2],
    pub(super) values: Vec<f32>,
}

/// Reads the file that `path` names. `size` is an .f32's.
pub(super) fn read(path: &Path, size: Option<[u32; 2]>) -> Result<Depth> {
    let raw = has_extension(path, "f32");
    let named = || path.display().to_string();
    if size.is_some() && !raw {
        bail!("{}: --size is for .f32, other files know their own", path.display());
    }
    let depth = if raw {
        read_raw(path, size)
    } else if has_extension(path, "exr") {
        read_channel(path)
    } else if has_extension(path, "png") {
        read_png(path)
    } else {
        bail!("{}: depth is read from .exr, .png and .f32", path.display());
    };
    depth.with_context(named)
}

/// What a header claims, before anything is made of that size.
fn checked(extent: [usize; 2]) -> Result<[u32; 2]> {
    let [width, height] = extent;
    let most = MAX_EXTENT as usize;
    ensure!(
        (1..=most).contains(&width) && (1..=most).contains(&height),
        "{width}x{height} texels: a depth buffer has 1 to {most} an axis"
    );
    Ok([width as u32, height as u32])
}

fn read_raw(path: &Path, size: Option<[u32; 2]>) -> Result<Depth> {
    let size = size.context("an .f32 does not say its size: add --size WxH")?;
    let extent = checked(size.map(|size| size as usize))?;
    let expected = u64::from(extent[0]) * u64::from(extent[1]) * 4;
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(expected + 1).read_to_end(&mut bytes)? as u64;
    if read != expected {
        let there = if read > expected { "more".to_owned() } else { read.to_string() };
        bail!("{}x{} floats are {expected} bytes, the file has {there}", extent[0], extent[1]);
    }
    let value = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Ok(Depth { extent, values: bytes.chunks_exact(4).map(value).collect() })
}

fn read_png(path: &Path) -> Result<Depth> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path)?)).read_info()?;
    let info = reader.info();
    let extent = checked([info.width as usize, info.height as usize])?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Grayscale, png::BitDepth::Sixteen) {
        let bits = info.bit_depth as u8;
        bail!("{:?} of {bits} bits: a depth .png is gray, of 16 bits", info.color_type);
    }
    let mut bytes = vec![0; reader.output_buffer_size().context("too large")?];
    reader.next_frame(&mut bytes)?;
    // As Vulkan converts 16-bit normalized numbers.
    let value = |bytes: &[u8]| f32::from(u16::from_be_bytes([bytes[0], bytes[1]])) / 65_535.0;
    Ok(Depth { extent, values: bytes.chunks_exact(2).map(value).collect() })
}

fn read_channel(path: &Path) -> Result<Depth> {
    // Opened first, so that a file that is not there is said to be missing as any other is.
    let mut file = File::open(path)?;
    let meta = MetaData::read_from_unbuffered(&mut file, false)?;
    let header = meta.headers.iter().find(|header| !header.deep);
    let size = header.context("only deep data in it")?.layer_size;
    let extent = checked([size.width(), size.height()])?;
    let image = read_exr()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_file(path)?;
    let channels = &image.layer_data.channel_data.list;
    let wanted = ["Z", "depth", "Y", "R"];
    let called = |name: &&str| channels.iter().find(|channel| channel.name.eq_case_insensitive(name));
    let only = if let [only] = &channels[..] { Some(only) } else { None };
    let Some(channel) = wanted.iter().find_map(called).or(only) else {
        let names: Vec<String> = channels.iter().map(|channel| channel.name.to_string()).collect();
        bail!("none of the channels {} is called Z, depth, Y or R", names.join(", "));
    };
    ensure!(channel.sampling == exr::math::Vec2(1, 1), "the channel {} is subsampled", channel.name);
    let values = match &channel.sample_data {
        FlatSamples::F32(values) => values.clone(),
        FlatSamples::F16(values) => values.iter().map(|value| value.to_f32()).collect(),
        FlatSamples::U32(_) => {
            return Err(Error::msg(format!("the channel {} holds integers", channel.name)));
        }
    };
    ensure!(
        values.len() == extent[0] as usize * extent[1] as usize,
        "the channel {} is not whole",
        channel.name
    );
    Ok(Depth { extent, values })
}
