//! `texemu view`.

use crate::engine::DeviceArguments;
use crate::failure::Outcome;
use crate::input::{self, Profile};
use crate::interrupt;
use crate::table;
use anyhow::{Context, Error, Result, ensure};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use std::io::Write;
use std::path::{Path, PathBuf};
use texemu_container::{Container, write_atomically, write_png};
use texemu_core::Gpu;
use texemu_format::Policy;
use texemu_view::{Channel, Desktop, Filter, Look, Mode, Viewer};

const EXAMPLES: &str = "\
Examples:
  texemu view textures/
  texemu view rock.ktx2 --difference --amplify 16
  texemu view rock.ktx2 --filter edges --screenshot edges.png

In the window: drag or arrow keys move, the wheel or + and - zoom, 0 fits, z shows a pixel a texel; Page Down and Page Up
go through files, ] [ through levels, . , through layers, f F through faces, s S through slices; c colour with alpha,
o without, r g b a one channel; e E exposure; 1 exact, 2 quality, 3 size, 4 side by side, 5 difference; t filter,
l smooth, F5 reads the file again, Escape ends. Files that are dragged in are opened.";

/// Show textures in a window, or in a picture: as the emulated GPU samples them
///
/// A texture goes through the emulated image, as in an application under the layer, and is drawn on a quad. UNORM and SNORM
/// values are shown as they are stored, -1 to 1 from black to white; sRGB and floating-point colours as light.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files or folders
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Write the frame that the window would show for the first file, and open none
    #[arg(long, value_name = "OUT.png")]
    screenshot: Option<PathBuf>,
    /// Pixels of the window or the picture
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = parse_size)]
    size: [u32; 2],
    /// Pixels a texel; as large as fits, if not given
    #[arg(long, value_name = "FACTOR", value_parser = parse_zoom)]
    zoom: Option<f32>,
    /// What lies in the middle, from 0,0 (top left) to 1,1
    #[arg(long, alias = "center", value_name = "X,Y", default_value = "0.5,0.5", value_parser = parse_place)]
    centre: [f32; 2],
    /// The mip level
    #[arg(long, value_name = "N", default_value_t = 0)]
    level: u32,
    /// The array layer
    #[arg(long, value_name = "N", default_value_t = 0)]
    layer: u32,
    /// The cube face: 0 to 5 for +X, -X, +Y, -Y, +Z, -Z
    #[arg(long, value_name = "N", default_value_t = 0)]
    face: u32,
    /// The depth slice
    #[arg(long, value_name = "N", default_value_t = 0)]
    slice: u32,
    /// What is shown of the texels
    #[arg(long, value_enum, default_value_t = ChannelName::Colour)]
    channel: ChannelName,
    /// Multiply colours by two to the power of this
    #[arg(long, value_name = "STOPS", default_value = "0", allow_negative_numbers = true, value_parser = parse_exposure)]
    exposure: f32,
    /// What the texture is held as: bit-exact texels, the best-looking BC format, or the smallest
    #[arg(long, value_enum, default_value_t = PolicyName::Exact)]
    policy: PolicyName,
    /// Show what the three policies make of the texture, from left to right
    #[arg(long, conflicts_with = "difference")]
    side_by_side: bool,
    /// Show how far what the policy (quality, unless given) makes of it is from the exact texels
    #[arg(long)]
    difference: bool,
    /// What differences are multiplied by
    #[arg(long, value_name = "FACTOR", default_value = "8", value_parser = parse_amplification)]
    amplify: f32,
    /// Show what a compute shader makes of it; by the size of the values, alpha left aside
    #[arg(long, value_name = "NAME", value_parser = filters())]
    filter: Option<String>,
    /// Let texels that are larger than pixels run into one another
    #[arg(long)]
    smooth: bool,
    #[command(flatten)]
    profile: Profile,
    #[command(flatten)]
    device: DeviceArguments,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ChannelName {
    /// Colours, over a checkerboard where they are transparent
    #[value(alias = "color")]
    Colour,
    /// Colours, alpha left aside
    Rgb,
    /// Red, as grey
    R,
    /// Green, as grey
    G,
    /// Blue, as grey
    B,
    /// Alpha, as grey
    A,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyName {
    Exact,
    Quality,
    Size,
}

fn filters() -> PossibleValuesParser {
    PossibleValuesParser::new(Filter::all().map(Filter::name))
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(width, height)| {
        let sides: [u32; 2] = [width.parse().ok()?, height.parse().ok()?];
        sides.iter().all(|&side| side > 0).then_some(sides)
    });
    parsed.ok_or_else(|| "two numbers above 0 with an x between them, such as 1280x720".into())
}

fn parse_zoom(text: &str) -> Result<f32, String> {
    let zoom = text.parse().ok().filter(|zoom| (1.0 / 256.0..=256.0).contains(zoom));
    zoom.ok_or_else(|| "a number from 1/256 to 256".into())
}

fn parse_exposure(text: &str) -> Result<f32, String> {
    let stops = text.parse().ok().filter(|stops| (-24.0..=24.0).contains(stops));
    stops.ok_or_else(|| "a number from -24 to 24".into())
}

fn parse_amplification(text: &str) -> Result<f32, String> {
    let factor = text.parse().ok().filter(|factor| (1.0..=256.0).contains(factor));
    factor.ok_or_else(|| "a number from 1 to 256".into())
}

fn parse_place(text: &str) -> Result<[f32; 2], String> {
    let parsed = text.split_once(',').and_then(|(x, y)| {
        let place: [f32; 2] = [x.trim().parse().ok()?, y.trim().parse().ok()?];
        place.iter().all(|value| (0.0..=1.0).contains(value)).then_some(place)
    });
    parsed.ok_or_else(|| "two numbers from 0 to 1 with a comma between them, such as 0.5,0.25".into())
}

impl Arguments {
    fn look(&self) -> Look {
        Look {
            level: self.level,
            layer: self.layer,
            face: self.face,
            slice: self.slice,
            channel: match self.channel {
                ChannelName::Colour => Channel::Colour,
                ChannelName::Rgb => Channel::Rgb,
                ChannelName::R => Channel::Red,
                ChannelName::G => Channel::Green,
                ChannelName::B => Channel::Blue,
                ChannelName::A => Channel::Alpha,
            },
            exposure: self.exposure,
            policy: match self.policy {
                PolicyName::Exact => Policy::Exact,
                PolicyName::Quality => Policy::Quality,
                PolicyName::Size => Policy::Size,
            },
            mode: match (self.side_by_side, self.difference) {
                (true, _) => Mode::SideBySide,
                (_, true) => Mode::Difference,
                _ => Mode::One,
            },
            amplification: self.amplify,
            zoom: self.zoom,
            centre: self.centre,
            filter: self.filter.as_deref().and_then(Filter::find),
            smooth: self.smooth,
        }
    }

    /// Shows `files`, opened as the profile says.
    fn viewer(&self, gpu: &Gpu, files: Vec<PathBuf>) -> Result<Viewer> {
        let profile = self.profile;
        let open = move |path: &Path| Ok(input::open_any(path, &profile)?);
        Ok(Viewer::new(gpu, files, self.look(), Box::new(open))?)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut files: Vec<_> = input::expand(&arguments.inputs)?.into_iter().map(|input| input.path).collect();
    match &arguments.screenshot {
        Some(path) => {
            ensure!(
                Container::from_path(path) == Some(Container::Png),
                "{}: the name of a screenshot must end in .png",
                path.display()
            );
            files.truncate(1);
            let gpu = arguments.device.open()?;
            let mut viewer = arguments.viewer(&gpu, files)?;
            let pixels = viewer.frame(arguments.size)?;
            save(path, arguments.size, &pixels)?;
            table::print(viewer.title())?;
        }
        None => {
            let desktop = Desktop::connect().context("--screenshot needs none")?;
            let gpu = desktop.open(&arguments.device.desc())?;
            let viewer = arguments.viewer(&gpu, files)?;
            desktop.run(viewer, arguments.size, || interrupt::check().is_err())?;
            interrupt::check()?;
        }
    }
    Ok(Outcome::Good)
}

fn save(path: &Path, [width, height]: [u32; 2], pixels: &[u8]) -> Result<()> {
    let format = texemu_format::by_name("R8G8B8A8_SRGB").context("the table has it")?;
    write_atomically(path, |out| {
        write_png(out, format, width, height, |out: &mut dyn Write| out.write_all(pixels))
    })
    .map_err(|error: texemu_container::Error| Error::new(error).context(path.display().to_string()))
}
