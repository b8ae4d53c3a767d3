//! What was emulated and what it cost.

use crate::cache::CacheStatistics;
use crate::image::EmulatedImage;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use texemu_format::{Format, VkFormat, by_vk, sources};
use texemu_transcode::Recorded;

/// The way an upload's blocks took to the decoder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Path {
    /// The decoder read the application's buffer.
    Direct,
    /// The blocks were copied into the compressed plane, and the decoder read that.
    Plane,
    /// The blocks were copied into the recording's scratch memory, and the decoder read that.
    Scratch,
    /// The blocks went into the compressed plane on a queue that cannot compute; decoding follows elsewhere.
    Deferred,
    /// No way at all: what they become was in the transcode cache.
    Cached,
}

/// Of one source format. Bytes and `images` are of the images alive; everything else counts since the start, at
/// recording.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct FormatStatistics {
    /// Which one.
    pub format: &'static Format,
    /// Images alive.
    pub images: u64,
    /// Images created.
    pub created: u64,
    /// Bytes of their decoded planes.
    pub decoded_bytes: u64,
    /// Bytes of their compressed planes.
    pub compressed_bytes: u64,
    /// Bytes that the same images would need in `R8G8B8A8`, without their blocks.
    pub rgba8_bytes: u64,
    /// Uploads whose decoder read the application's buffer.
    pub direct: u64,
    /// Uploads by way of the compressed plane.
    pub by_plane: u64,
    /// Uploads by way of scratch memory.
    pub by_scratch: u64,
    /// Uploads on queues that cannot compute.
    pub deferred: u64,
    /// Uploads that the transcode cache knew whole.
    pub cached: u64,
    /// Copies to buffers.
    pub downloads: u64,
    /// Copies from or to other images.
    pub image_copies: u64,
    /// Dispatches.
    pub dispatches: u64,
    /// Blocks decoded.
    pub blocks: u64,
    /// Texels written.
    pub texels: u64,
    /// Nanoseconds of device time spent on decoding, of the copies timed so far.
    pub gpu_nanoseconds: u64,
    /// Copies timed.
    pub timed: u64,
}

/// What was emulated and what it cost.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// One entry a format that an image was created of, in the order of their numbers.
    pub formats: Vec<FormatStatistics>,
    /// Source formats that were asked about.
    pub asked: Vec<VkFormat>,
    /// Bytes that all emulated images alive need.
    pub bytes: u64,
    /// The most they ever needed at once.
    pub peak_bytes: u64,
    /// The transcode cache, if it is on.
    pub cache: Option<CacheStatistics>,
}

impl Statistics {
    /// Bytes by which the images are smaller than in `R8G8B8A8`, their blocks counted; negative if they are larger.
    pub fn bytes_saved(&self) -> i64 {
        let sum = |of: fn(&FormatStatistics) -> u64| self.formats.iter().map(of).sum::<u64>() as i64;
        sum(|one| one.rgba8_bytes) - sum(|one| one.decoded_bytes) - sum(|one| one.compressed_bytes)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    images: AtomicU64,
    created: AtomicU64,
    decoded_bytes: AtomicU64,
    compressed_bytes: AtomicU64,
    rgba8_bytes: AtomicU64,
    paths: [AtomicU64; 5],
    downloads: AtomicU64,
    image_copies: AtomicU64,
    dispatches: AtomicU64,
    blocks: AtomicU64,
    texels: AtomicU64,
    nanoseconds: AtomicU64,
    timed: AtomicU64,
}

/// Counters of all formats, written by any thread.
#[derive(Debug)]
pub(crate) struct Stats {
    formats: BTreeMap<VkFormat, Counters>,
    peak: AtomicU64,
}

fn add(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

fn subtract(counter: &AtomicU64, value: u64) {
    counter.fetch_sub(value, Ordering::Relaxed);
}

impl Stats {
    pub(crate) fn new() -> Self {
        let formats = sources().map(|format| (format.vk, Counters::default())).collect();
        Self { formats, peak: AtomicU64::new(0) }
    }

    fn of(&self, format: &Format) -> &Counters {
        &self.formats[&format.vk]
    }

    pub(crate) fn created(&self, image: &EmulatedImage, used: u64) {
        let counters = self.of(image.format);
        add(&counters.images, 1);
        add(&counters.created, 1);
        add(&counters.decoded_bytes, image.decoded_bytes());
        add(&counters.compressed_bytes, image.plane.map_or(0, |plane| plane.bytes));
        add(&counters.rgba8_bytes, image.rgba8_bytes());
        self.peak.fetch_max(used, Ordering::Relaxed);
    }

    pub(crate) fn destroyed(&self, image: &EmulatedImage) {
        let counters = self.of(image.format);
        subtract(&counters.images, 1);
        subtract(&counters.decoded_bytes, image.decoded_bytes());
        subtract(&counters.compressed_bytes, image.plane.map_or(0, |plane| plane.bytes));
        subtract(&counters.rgba8_bytes, image.rgba8_bytes());
    }

    pub(crate) fn uploaded(&self, format: &Format, path: Path) {
        add(&self.of(format).paths[path as usize], 1);
    }

    pub(crate) fn downloaded(&self, format: &Format) {
        add(&self.of(format).downloads, 1);
    }

    pub(crate) fn image_copied(&self, format: &Format) {
        add(&self.of(format).image_copies, 1);
    }

    pub(crate) fn recorded(&self, format: &Format, recorded: &Recorded) {
        let counters = self.of(format);
        add(&counters.dispatches, recorded.dispatches as u64);
        add(&counters.blocks, recorded.blocks);
        add(&counters.texels, recorded.texels);
    }

    pub(crate) fn timed(&self, format: &Format, nanoseconds: u64) {
        let counters = self.of(format);
        add(&counters.nanoseconds, nanoseconds);
        add(&counters.timed, 1);
    }

    pub(crate) fn report(
        &self,
        asked: Vec<VkFormat>,
        bytes: u64,
        cache: Option<CacheStatistics>,
    ) -> Statistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let formats = self.formats.iter().filter(|(_, counters)| get(&counters.created) > 0);
        let formats = formats.filter_map(|(&vk, counters)| {
            let path = |path: Path| get(&counters.paths[path as usize]);
            Some(FormatStatistics {
                format: by_vk(vk)?,
                images: get(&counters.images),
                created: get(&counters.created),
                decoded_bytes: get(&counters.decoded_bytes),
                compressed_bytes: get(&counters.compressed_bytes),
                rgba8_bytes: get(&counters.rgba8_bytes),
                direct: path(Path::Direct),
                by_plane: path(Path::Plane),
                by_scratch: path(Path::Scratch),
                deferred: path(Path::Deferred),
                cached: path(Path::Cached),
                downloads: get(&counters.downloads),
                image_copies: get(&counters.image_copies),
                dispatches: get(&counters.dispatches),
                blocks: get(&counters.blocks),
                texels: get(&counters.texels),
                gpu_nanoseconds: get(&counters.nanoseconds),
                timed: get(&counters.timed),
            })
        });
        Statistics { formats: formats.collect(), asked, bytes, peak_bytes: get(&self.peak), cache }
    }
}
