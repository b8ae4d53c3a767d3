//! Which kernels are run, with which formats.

use crate::engine::dummy_job;
use crate::target::{granularity_name, source_name};
use anyhow::Result;
use texemu_core::{Gpu, targets};
use texemu_format::{Codec, Format, sources};
use texemu_transcode::{
    Choice, Configuration, Effort, ErrorColor, Granularity, Options, SourceKind, Staging, Transcoder,
};

/// A source format and what it becomes.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) source: &'static Format,
    pub(crate) target: &'static Format,
    pub(crate) kernels: Vec<Kernel>,
    /// Why nothing is run.
    pub(crate) skipped: Option<String>,
}

impl Group {
    pub(crate) fn name(&self) -> String {
        format!("{} -> {}", self.source.name, self.target.name)
    }
}

/// One way to run a pair of formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(crate) options: Options,
    pub(crate) source_kind: SourceKind,
    pub(crate) is_3d: bool,
    /// Cut the work as a device with small limits would.
    pub(crate) is_split: bool,
}

impl Kernel {
    pub(crate) fn name(&self) -> String {
        let choice = match self.options.choice {
            Choice::Auto => "auto",
            Choice::Granularity(granularity) => granularity_name(granularity),
            Choice::Exactly(_) => "tile in words",
        };
        let mut name = format!("{choice} from {}", source_name(self.source_kind));
        let notes = [
            (self.is_3d, "3D"),
            (self.is_split, "split"),
            (self.options.effort == Effort::High, "high effort"),
            (self.options.error_color == ErrorColor::TransparentBlack, "black errors"),
        ];
        for (_, note) in notes.into_iter().filter(|(applies, _)| *applies) {
            name.push_str(", ");
            name.push_str(note);
        }
        name
    }
}

const SOURCES: [SourceKind; 3] =
    [SourceKind::TexelBuffer, SourceKind::StorageImage, SourceKind::StorageBuffer];

pub(crate) fn groups(gpu: &Gpu, full: bool, only: Option<&str>) -> Result<Vec<Group>> {
    let transcoder = Transcoder::new(gpu)?;
    let words: Vec<String> =
        only.iter().flat_map(|only| only.split_whitespace()).map(str::to_lowercase).collect();
    let mut groups = Vec::new();
    for source in sources() {
        let possible = targets(gpu.capabilities(), source);
        for target in source.targets.iter() {
            let mut group = Group { source, target, kernels: Vec::new(), skipped: None };
            let name = group.name().to_lowercase();
            if !words.iter().all(|word| name.contains(word.as_str())) {
                continue;
            }
            group.kernels = kernels(&transcoder, source, target);
            if group.kernels.is_empty() {
                continue;
            }
            if !possible.contains(&target) {
                group.skipped = Some(format!("the device cannot hold {}", target.name));
            }
            groups.push(group);
        }
    }
    Ok(if full { groups } else { thin(groups) })
}

/// Every kernel that there is for the pair.
fn kernels(transcoder: &Transcoder, source: &'static Format, target: &'static Format) -> Vec<Kernel> {
    let plain = Kernel {
        options: Options::default(),
        source_kind: SourceKind::TexelBuffer,
        is_3d: false,
        is_split: false,
    };
    let with = |options: Options| Kernel { options, ..plain };
    let granularities = [Granularity::PerTexel, Granularity::PerBlock, Granularity::Tile];
    let mut kernels = Vec::new();
    let efforts: &[Effort] =
        if target.is_compressed() { &[Effort::Fast, Effort::High] } else { &[Effort::Fast] };
    for &effort in efforts {
        for is_3d in [false, true] {
            for granularity in granularities {
                for source_kind in SOURCES {
                    let options =
                        Options { choice: Choice::Granularity(granularity), effort, ..plain.options };
                    kernels.push(Kernel { options, source_kind, is_3d, ..plain });
                }
            }
        }
    }
    // Where tiles are kept as bytes, the portable kernel is run too.
    let automatic = |kind| transcoder.configuration_for(&dummy_job(source, target, kind, plain.options));
    if let (Ok(Configuration { staging: Staging::Bytes { .. }, .. }), Ok(words)) =
        (automatic(plain.source_kind), automatic(SourceKind::StorageBuffer))
    {
        kernels.push(with(Options { choice: Choice::Exactly(words), ..plain.options }));
    }
    kernels.push(Kernel { is_split: true, ..plain });
    if !target.is_compressed() && source.targets.exact() == Some(target) {
        kernels.push(with(Options { error_color: ErrorColor::TransparentBlack, ..plain.options }));
    }
    let exists = |kernel: &Kernel| {
        let job = dummy_job(source, target, kernel.source_kind, kernel.options);
        let mut job = job;
        if kernel.is_3d {
            job.target.image_type = texemu_core::vk::ImageType::TYPE_3D;
        }
        transcoder.configuration_for(&job).is_ok()
    };
    kernels.retain(exists);
    kernels
}

/// Kernels that --quick runs of a pair of codecs. Six are each granularity and each source twice, and each kind of image
/// three times.
const QUICK_DECODING: usize = 6;
const QUICK_ENCODING: usize = 2;
/// Has no factor in common with the numbers of granularities, sources and kinds of image, so that each step changes all.
const KERNEL_STRIDE: usize = 7;
/// None in common with the number of footprints and numeric types, so that all of them have a turn.
const FORMAT_STRIDE: usize = 3;

/// Shares some kernels of each pair of codecs out among its formats, whose kernels differ by constants alone: all of them
/// for the one that users meet most, ASTC to 8-bit channels, and otherwise others for each pair.
fn thin(groups: Vec<Group>) -> Vec<Group> {
    let key = |group: &Group| (group.source.codec, group.target.codec);
    let mut pairs = Vec::new();
    for group in &groups {
        if !pairs.contains(&key(group)) {
            pairs.push(key(group));
        }
    }
    let mut thinned = Vec::new();
    for (number, pair) in pairs.into_iter().enumerate() {
        let members: Vec<&Group> = groups.iter().filter(|group| key(group) == pair).collect();
        let is_exact = members[0].source.targets.exact() == Some(members[0].target);
        let wanted = match pair {
            (Codec::AstcLdr, Codec::Rgba8) => members[0].kernels.len(),
            _ if is_exact => QUICK_DECODING,
            _ => QUICK_ENCODING,
        };
        let mut kept: Vec<Group> =
            members.iter().map(|&group| Group { kernels: Vec::new(), ..group.clone() }).collect();
        for turn in 0..wanted {
            let member = (turn * FORMAT_STRIDE + number) % members.len();
            let kernels = &members[member].kernels;
            let kernel = kernels[(number + turn * KERNEL_STRIDE) % kernels.len()];
            kept[member].kernels.push(kernel);
        }
        thinned.extend(kept.into_iter().filter(|group| !group.kernels.is_empty()));
    }
    thinned
}
