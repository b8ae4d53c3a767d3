//! The pipeline cache, kept in a file between runs.
//!
//! The file is ours, not the driver's blob alone: a checksum stands in front, because a driver handed a damaged blob
//! may do anything. It is named by device, driver and this crate's version, and replaced by rename.

use crate::capabilities::DeviceInfo;
use crate::error::{Context, Result};
use ash::vk;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where compiled pipelines are kept between runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CacheLocation {
    /// `$TEXEMU_CACHE_DIR`, else `$XDG_CACHE_HOME/texemu`, else `~/.cache/texemu`; nowhere if none is set, or if
    /// `TEXEMU_CACHE_DIR` is empty.
    #[default]
    User,
    /// This folder.
    Directory(PathBuf),
    /// Nowhere.
    Off,
}

impl CacheLocation {
    fn directory(&self) -> Option<PathBuf> {
        match self {
            Self::Off => None,
            Self::Directory(path) => Some(path.clone()),
            Self::User => {
                if let Some(path) = env::var_os("TEXEMU_CACHE_DIR") {
                    return (!path.is_empty()).then(|| path.into());
                }
                let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
                let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
                Some(base.join("texemu"))
            }
        }
    }
}

const MAGIC: [u8; 8] = *b"TEXEMUPC";
/// Magic, then the checksum of what follows.
const HEADER: usize = 16;
/// A file larger than this is no cache of ours.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) struct PipelineCache {
    handle: vk::PipelineCache,
    file: Option<PathBuf>,
    /// What the file held when it was read: a cache that did not change is not written again.
    loaded: u64,
}

impl PipelineCache {
    pub(crate) fn load(device: &ash::Device, info: &DeviceInfo, location: &CacheLocation) -> Result<Self> {
        let file = location.directory().map(|directory| directory.join(file_name(info)));
        let data = file.as_deref().and_then(|file| read(file, info)).unwrap_or_default();
        let create = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the data is what this device's driver wrote: header and checksum were compared.
        let handle = unsafe { device.create_pipeline_cache(&create, None) }.call("vkCreatePipelineCache")?;
        Ok(Self { handle, file, loaded: checksum(&data) })
    }

    pub(crate) fn handle(&self) -> vk::PipelineCache {
        self.handle
    }

    /// Failing to write costs time at the next start, so it is logged and no error.
    pub(crate) fn save(&self, device: &ash::Device) {
        let Some(file) = &self.file else { return };
        // SAFETY: the cache belongs to the device.
        let data = match unsafe { device.get_pipeline_cache_data(self.handle) } {
            Ok(data) => data,
            Err(result) => return log::warn!("vkGetPipelineCacheData: {result}"),
        };
        if checksum(&data) == self.loaded {
            return;
        }
        if let Err(error) = write(file, &data) {
            log::warn!("cannot write the pipeline cache {}: {error}", file.display());
        }
    }

    pub(crate) fn destroy(&self, device: &ash::Device) {
        // SAFETY: created on this device, destroyed once by its owner.
        unsafe { device.destroy_pipeline_cache(self.handle, None) };
    }
}

fn file_name(info: &DeviceInfo) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (device, cache) = (hex(&info.uuid), hex(&info.pipeline_cache_uuid));
    format!("{device}-{cache}-{:08x}-{}.bin", info.driver_version, env!("CARGO_PKG_VERSION"))
}

/// The blob, if the file is whole and made by this device and driver.
fn read(file: &Path, info: &DeviceInfo) -> Option<Vec<u8>> {
    let size = std::fs::metadata(file).ok()?.len();
    let content = if size <= MAX_BYTES { std::fs::read(file).ok()? } else { Vec::new() };
    let blob = check(&content, info);
    if blob.is_none() {
        log::warn!("ignoring the pipeline cache {}: it is damaged or not this device's", file.display());
    }
    blob.map(<[u8]>::to_vec)
}

fn check<'a>(content: &'a [u8], info: &DeviceInfo) -> Option<&'a [u8]> {
    let (header, blob) = content.split_at_checked(HEADER)?;
    if header[..8] != MAGIC || header[8..] != checksum(blob).to_le_bytes() {
        return None;
    }
    // Vulkan specification, "Pipeline Cache Header": size, version, vendor, device, UUID.
    let uuid = blob.get(16..32)?;
    (uuid == info.pipeline_cache_uuid).then_some(blob)
}

fn write(file: &Path, blob: &[u8]) -> std::io::Result<()> {
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let result = (|| {
        let mut out = std::fs::File::create(&temporary)?;
        out.write_all(&MAGIC)?;
        out.write_all(&checksum(blob).to_le_bytes())?;
        out.write_all(blob)?;
        std::fs::rename(&temporary, file)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// FNV-1a, 64 bits: the file is guarded against damage, not against an enemy who may write to the cache folder.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info() -> DeviceInfo {
        DeviceInfo {
            index: 0,
            name: "device".into(),
            kind: vk::PhysicalDeviceType::CPU,
            api_version: vk::API_VERSION_1_1,
            vendor: 1,
            driver_version: 2,
            driver: String::new(),
            uuid: [3; 16],
            pipeline_cache_uuid: [4; 16],
        }
    }

    fn blob(uuid: u8) -> Vec<u8> {
        let mut blob = vec![0; 16];
        blob.extend([uuid; 16]);
        blob.extend(*b"compiled");
        blob
    }

    #[test]
    fn a_whole_file_comes_back_and_a_damaged_one_does_not() {
        let directory = env::temp_dir().join(format!("texemu-cache-test-{}", std::process::id()));
        let file = directory.join("nested").join(file_name(&info()));
        write(&file, &blob(4)).expect("the temporary folder is writable");
        assert_eq!(read(&file, &info()), Some(blob(4)), "what was written is read");

        let whole = std::fs::read(&file).expect("just written");
        for length in 0..whole.len() {
            assert_eq!(check(&whole[..length], &info()), None, "a file cut to {length} bytes is refused");
        }
        for position in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[position] ^= 0x40;
            assert_eq!(check(&damaged, &info()), None, "a flipped bit in byte {position} is noticed");
        }
        write(&file, &blob(5)).expect("the temporary folder is writable");
        assert_eq!(read(&file, &info()), None, "another driver's cache is refused");
        std::fs::remove_dir_all(&directory).expect("made by this test");
    }
}
