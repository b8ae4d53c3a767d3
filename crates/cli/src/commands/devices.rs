//! `texemu devices`.

use crate::failure::Outcome;
use crate::table;
use crate::target::short_name;
use anyhow::Result;
use serde_json::{Value, json};
use texemu_core::vk;
use texemu_core::{
    CacheLocation, Capabilities, DeviceInfo, Gpu, GpuDesc, Select, Support, Validation, list_devices, support,
};
use texemu_format::{Codec, Format, Numeric, sources};
use texemu_transcode::has_kernel;

/// List the devices, and what each does with every source format
///
/// native: the device samples the format itself. emulated: texemu can turn it into the formats listed, the bit-exact one
/// first. missing: neither.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  texemu devices\n  texemu devices --json | jq '.[0].formats'")]
pub(crate) struct Arguments {
    /// Print JSON: every format by itself
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let devices = list_devices()?;
    if devices.is_empty() {
        return Err(texemu_core::Error::NoDevice(
            "the Vulkan loader finds no device: install a driver (Debian: mesa-vulkan-drivers), or set VK_ICD_FILENAMES".into(),
        )
        .into());
    }
    let mut values = Vec::new();
    for info in devices {
        let desc = GpuDesc {
            select: Select::Index(info.index),
            validation: Validation::Off,
            cache: CacheLocation::Off,
            baseline: false,
        };
        let opened = Gpu::open(&desc);
        let capabilities = opened.as_ref().map(Gpu::capabilities).map_err(ToString::to_string);
        if arguments.json {
            values.push(as_json(&info, &capabilities));
        } else {
            table::print(as_text(&info, &capabilities))?;
        }
    }
    if arguments.json {
        table::print(serde_json::to_string_pretty(&values)?)?;
    }
    Ok(Outcome::Good)
}

fn kind(info: &DeviceInfo) -> &'static str {
    match info.kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
        vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
        vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
        vk::PhysicalDeviceType::CPU => "CPU",
        _ => "other",
    }
}

fn version(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}

fn as_text(info: &DeviceInfo, capabilities: &Result<&Capabilities, String>) -> String {
    let mut text = format!(
        "{}: {}\n   {}, Vulkan {}, {}, UUID {}\n",
        info.index,
        info.name,
        kind(info),
        version(info.api_version),
        info.driver,
        info.uuid_text()
    );
    match capabilities {
        Ok(capabilities) => {
            let rows = groups(capabilities);
            let rows: Vec<_> = rows.iter().map(|group| group.row()).collect();
            for line in table::render(&["format", "", "becomes"], &rows).lines() {
                text.push_str(&format!("   {line}\n"));
            }
        }
        Err(error) => text.push_str(&format!("   cannot be used: {error}\n")),
    }
    text
}

/// Formats of one codec and numeric type that are had alike: footprints differ only in name.
struct Group {
    codec: Codec,
    numeric: Numeric,
    formats: Vec<&'static Format>,
    support: Support,
}

impl Group {
    fn row(&self) -> Vec<String> {
        let (word, targets) = describe(&self.support);
        let targets = targets.iter().map(|target| short_name(target)).collect::<Vec<_>>().join(" ");
        vec![self.label(), word.to_owned(), targets]
    }

    fn label(&self) -> String {
        let first = self.formats[0];
        if let [only] = self.formats[..] {
            return only.name.to_owned();
        }
        let [width, height] = first.footprint;
        let name = first.name.replacen(&format!("{width}x{height}"), "*", 1);
        let all =
            sources().filter(|other| (other.codec, other.numeric) == (self.codec, self.numeric)).count();
        if all == self.formats.len() {
            return format!("{name} (all {all})");
        }
        let footprints: Vec<_> =
            self.formats.iter().map(|format| format.footprint.map(|n| n.to_string()).join("x")).collect();
        format!("{name} ({})", footprints.join(" "))
    }
}

fn groups(capabilities: &Capabilities) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for format in sources() {
        let support = support_of(capabilities, format);
        let (codec, numeric) = (format.codec, format.numeric);
        match groups
            .iter_mut()
            .find(|group| (group.codec, group.numeric) == (codec, numeric) && group.support == support)
        {
            Some(group) => group.formats.push(format),
            None => groups.push(Group { codec, numeric, formats: vec![format], support }),
        }
    }
    groups
}

/// What the device and the kernels do together.
fn support_of(capabilities: &Capabilities, format: &Format) -> Support {
    match support(capabilities, format) {
        Support::Emulated(mut targets) => {
            targets.retain(|target| has_kernel(format, target));
            if targets.is_empty() { Support::Missing } else { Support::Emulated(targets) }
        }
        other => other,
    }
}

fn describe(support: &Support) -> (&'static str, &[&'static Format]) {
    match support {
        Support::Native => ("native", &[]),
        Support::Emulated(targets) => ("emulated", targets),
        Support::Missing => ("missing", &[]),
    }
}

fn as_json(info: &DeviceInfo, capabilities: &Result<&Capabilities, String>) -> Value {
    let mut value = json!({
        "index": info.index,
        "name": info.name,
        "kind": kind(info),
        "vulkan": version(info.api_version),
        "driver": info.driver,
        "uuid": info.uuid_text(),
    });
    match capabilities {
        Ok(capabilities) => {
            let format = |format: &Format| {
                let support = support_of(capabilities, format);
                let (word, targets) = describe(&support);
                let targets: Vec<_> = targets.iter().map(|target| target.name).collect();
                json!({ "format": format.name, "support": word, "targets": targets })
            };
            value["formats"] = sources().map(format).collect();
        }
        Err(error) => value["error"] = json!(error),
    }
    value
}
