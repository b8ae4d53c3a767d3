//! Which format a texture becomes, and how: what the options of the command line say.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, builder::PossibleValuesParser};
use texemu_format::{Format, Policy};
use texemu_transcode::{Choice, Effort, ErrorColor, Granularity, Options, SourceKind};

/// The values of `--to`.
pub(crate) const TARGETS: [&str; 11] =
    ["auto", "rgba8", "rgba16f", "r16", "rg16", "bc1", "bc3", "bc4", "bc5", "bc6h", "bc7"];

/// `--to` and `--policy`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What it becomes")]
pub(crate) struct TargetArguments {
    /// The format to make; auto lets the policy choose
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = PossibleValuesParser::new(TARGETS))]
    to: String,
    /// What auto is to choose: bit-exact texels, the best-looking BC format, or the smallest
    #[arg(long, value_enum, default_value_t = PolicyName::Exact)]
    policy: PolicyName,
    /// How hard an encoder tries: fast enough for a frame, or for work in the background
    #[arg(long, value_enum, default_value_t = EffortName::Fast)]
    effort: EffortName,
    /// What illegal blocks become: opaque magenta, as the specification asks, or transparent black
    #[arg(long, alias = "error-colour", value_enum, default_value_t = ColorName::Magenta)]
    error_color: ColorName,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyName {
    Exact,
    Quality,
    Size,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EffortName {
    Fast,
    High,
}

impl EffortName {
    pub(crate) fn effort(self) -> Effort {
        match self {
            Self::Fast => Effort::Fast,
            Self::High => Effort::High,
        }
    }

    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::High => "high",
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ColorName {
    Magenta,
    Black,
}

impl TargetArguments {
    /// The target for blocks of `source`.
    pub(crate) fn target(&self, source: &Format) -> Result<&'static Format> {
        if !source.is_source() {
            bail!("{} is not a format to transcode: it is neither ASTC nor ETC2 nor EAC", source.name);
        }
        let policy = match self.policy {
            PolicyName::Exact => Policy::Exact,
            PolicyName::Quality => Policy::Quality,
            PolicyName::Size => Policy::Size,
        };
        let found = match self.to.as_str() {
            "auto" => source.targets.by_policy(policy),
            name => source.targets.iter().find(|target| short_name(target) == name),
        };
        if let Some(target) = found {
            return Ok(target);
        }
        let names: Vec<_> = source.targets.iter().map(short_name).collect();
        bail!("{} cannot become {}; --to takes {} for it", source.name, self.to, names.join(", "))
    }

    /// The options of a job that is done with the kernel of `choice`.
    pub(crate) fn options(&self, choice: Choice) -> Options {
        Options {
            choice,
            error_color: match self.error_color {
                ColorName::Magenta => ErrorColor::Magenta,
                ColorName::Black => ErrorColor::TransparentBlack,
            },
            effort: self.effort.effort(),
        }
    }
}

/// What `--to` calls a target format: its codec, without regard to the numeric type.
pub(crate) fn short_name(target: &Format) -> String {
    let name = format!("{:?}", target.codec).to_lowercase();
    // BC1 with alpha and without are one encoder.
    name.strip_suffix("rgba")
        .or(name.strip_suffix("rgb"))
        .filter(|name| !name.is_empty())
        .unwrap_or(&name)
        .to_owned()
}

/// `--granularity` and `--source`.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
#[command(next_help_heading = "Which kernel")]
pub(crate) struct KernelArguments {
    /// What one invocation works on; all give the same bits
    #[arg(long, value_enum, default_value_t = GranularityName::Auto)]
    granularity: GranularityName,
    /// How the kernel reads the blocks; all give the same bits
    #[arg(long = "source", value_name = "SOURCE", value_enum, default_value_t = SourceName::TexelBuffer)]
    source: SourceName,
}

/// What users call a source.
pub(crate) fn source_name(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::TexelBuffer => "texel-buffer",
        SourceKind::StorageImage => "storage-image",
        SourceKind::StorageBuffer => "storage-buffer",
    }
}

/// What users call a granularity.
pub(crate) fn granularity_name(granularity: Granularity) -> &'static str {
    match granularity {
        Granularity::PerTexel => "texel",
        Granularity::PerBlock => "block",
        Granularity::Tile => "tile",
    }
}

/// The values of `--granularity`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GranularityName {
    /// The fastest for the device, the footprint and the size
    Auto,
    /// One invocation a texel
    Texel,
    /// One invocation a block
    Block,
    /// A workgroup on a tile of blocks
    Tile,
}

/// The values of `--source`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SourceName {
    /// A uniform texel buffer
    TexelBuffer,
    /// A storage image with a texel a block
    StorageImage,
    /// A storage buffer
    StorageBuffer,
}

impl KernelArguments {
    pub(crate) fn choice(&self) -> Choice {
        self.granularity.choice()
    }

    pub(crate) fn source(&self) -> SourceKind {
        match self.source {
            SourceName::TexelBuffer => SourceKind::TexelBuffer,
            SourceName::StorageImage => SourceKind::StorageImage,
            SourceName::StorageBuffer => SourceKind::StorageBuffer,
        }
    }
}

impl GranularityName {
    pub(crate) fn choice(self) -> Choice {
        match self {
            Self::Auto => Choice::Auto,
            Self::Texel => Choice::Granularity(Granularity::PerTexel),
            Self::Block => Choice::Granularity(Granularity::PerBlock),
            Self::Tile => Choice::Granularity(Granularity::Tile),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_of_the_table_can_be_named() {
        for source in texemu_format::sources() {
            for target in source.targets.iter() {
                let name = short_name(target);
                assert!(TARGETS.contains(&name.as_str()), "{}: --to lacks {name}", target.name);
                let same = source.targets.iter().filter(|other| short_name(other) == name).count();
                assert_eq!(same, 1, "{}: {name} means one format", source.name);
            }
        }
    }
}
