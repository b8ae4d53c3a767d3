//! The transcode cache: what blocks become in a BC target, so that the same blocks need no dispatch the second time.
//!
//! An entry is a region of one copy: its key is a hash of the blocks and of everything that decides what they become, its
//! value the target's blocks. Entries lie in memory, and in files if there is a folder; both are bounded, and what was used
//! longest ago goes first.

mod disk;
mod memory;

use disk::Disk;
use memory::Memory;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where transcoded blocks are kept. The default keeps none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CacheSettings {
    /// Bytes of host memory; 0 for none.
    pub memory_bytes: u64,
    /// A folder of this user's, for entries that outlive the process; it is made when first needed. Several processes may share
    /// it.
    pub directory: Option<PathBuf>,
    /// Bytes of the files in it, as far as this process knows them.
    pub disk_bytes: u64,
}

impl CacheSettings {
    /// Whether anything is kept.
    pub fn is_on(&self) -> bool {
        self.memory_bytes > 0 || (self.directory.is_some() && self.disk_bytes > 0)
    }
}

/// What the transcode cache did. Regions are counted, when they are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct CacheStatistics {
    /// Found in memory.
    pub memory_hits: u64,
    /// Found in a file.
    pub disk_hits: u64,
    /// Not found.
    pub misses: u64,
    /// Entries added, once the device had made them.
    pub stored: u64,
    /// Entries that went to make room, from memory and files.
    pub evicted: u64,
    /// Files that were damaged, or not what their name says, and were removed.
    pub damaged: u64,
    /// Files that could not be written.
    pub failed: u64,
    /// Entries in memory.
    pub memory_entries: u64,
    /// Their bytes.
    pub memory_bytes: u64,
    /// Files known.
    pub disk_entries: u64,
    /// Their bytes.
    pub disk_bytes: u64,
}

/// Names the content of an entry.
pub(crate) type Key = [u8; 32];

#[derive(Debug, Default)]
struct Counters {
    memory_hits: AtomicU64,
    disk_hits: AtomicU64,
    misses: AtomicU64,
    stored: AtomicU64,
    evicted: AtomicU64,
    damaged: AtomicU64,
    failed: AtomicU64,
}

/// Shared by all threads of a device. No lock is held while a file is read or written.
#[derive(Debug)]
pub(crate) struct Cache {
    memory: Mutex<Memory>,
    disk: Option<Disk>,
    counters: Counters,
    largest: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count(counter: &AtomicU64, value: u64) {
    counter.fetch_add(value, Ordering::Relaxed);
}

impl Cache {
    /// `None` if nothing is to be kept.
    pub(crate) fn new(settings: &CacheSettings) -> Option<Self> {
        if !settings.is_on() {
            return None;
        }
        let directory = settings.directory.clone().filter(|_| settings.disk_bytes > 0);
        Some(Self {
            memory: Mutex::new(Memory::new(settings.memory_bytes)),
            largest: settings.memory_bytes.max(directory.as_ref().map_or(0, |_| settings.disk_bytes)),
            disk: directory.map(|directory| Disk::open(directory, settings.disk_bytes)),
            counters: Counters::default(),
        })
    }

    /// Whether an entry of so many bytes can be kept at all.
    pub(crate) fn takes(&self, bytes: u64) -> bool {
        bytes > 0 && bytes <= self.largest
    }

    /// The `bytes` bytes of an entry.
    pub(crate) fn get(&self, key: &Key, bytes: u64) -> Option<Arc<[u8]>> {
        if let Some(found) = lock(&self.memory).get(key).filter(|found| found.len() as u64 == bytes) {
            count(&self.counters.memory_hits, 1);
            return Some(found);
        }
        if let Some(disk) = &self.disk {
            match disk.read(key, bytes) {
                disk::Found::Whole(found) => {
                    count(&self.counters.disk_hits, 1);
                    let found: Arc<[u8]> = found.into();
                    count(&self.counters.evicted, lock(&self.memory).insert(*key, found.clone()));
                    return Some(found);
                }
                disk::Found::Damaged => count(&self.counters.damaged, 1),
                disk::Found::Nothing => {}
            }
        }
        count(&self.counters.misses, 1);
        None
    }

    /// Keeps an entry.
    pub(crate) fn insert(&self, key: Key, value: &[u8]) {
        count(&self.counters.stored, 1);
        count(&self.counters.evicted, lock(&self.memory).insert(key, value.into()));
        if let Some(disk) = &self.disk {
            match disk.write(&key, value) {
                Ok(evicted) => count(&self.counters.evicted, evicted),
                Err(error) => {
                    log::warn!("cannot keep transcoded blocks in {}: {error}", disk.directory().display());
                    count(&self.counters.failed, 1);
                }
            }
        }
    }

    pub(crate) fn statistics(&self) -> CacheStatistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (memory_entries, memory_bytes) = lock(&self.memory).size();
        let (disk_entries, disk_bytes) = self.disk.as_ref().map_or((0, 0), Disk::size);
        let counters = &self.counters;
        CacheStatistics {
            memory_hits: get(&counters.memory_hits),
            disk_hits: get(&counters.disk_hits),
            misses: get(&counters.misses),
            stored: get(&counters.stored),
            evicted: get(&counters.evicted),
            damaged: get(&counters.damaged),
            failed: get(&counters.failed),
            memory_entries,
            memory_bytes,
            disk_entries,
            disk_bytes,
        }
    }
}

/// SHA-256 of parts one behind the other, each preceded by its length.
pub(crate) struct KeyHash(Sha256);

impl KeyHash {
    pub(crate) fn new() -> Self {
        let mut hash = Self(Sha256::new());
        hash.add(b"texemu transcoded blocks");
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash
    }

    /// A part.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.start(bytes.len() as u64);
        self.more(bytes);
    }

    /// The length of a part whose bytes follow in pieces.
    pub(crate) fn start(&mut self, bytes: u64) {
        self.0.update(bytes.to_le_bytes());
    }

    /// A piece of a part.
    pub(crate) fn more(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Key {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> Key {
        let mut hash = KeyHash::new();
        hash.add(&[number]);
        hash.finish()
    }

    #[test]
    fn off_means_nothing_is_kept() {
        assert!(Cache::new(&CacheSettings::default()).is_none());
        let folder = Some(PathBuf::from("nowhere"));
        assert!(!CacheSettings { directory: folder, ..CacheSettings::default() }.is_on(), "no bytes for it");
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_one_another() {
        let of = |parts: &[&[u8]]| {
            let mut hash = KeyHash::new();
            parts.iter().for_each(|part| hash.add(part));
            hash.finish()
        };
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"ab"]), of(&[b"ab", b""]));
        let mut pieces = KeyHash::new();
        pieces.start(3);
        pieces.more(b"a");
        pieces.more(b"bc");
        assert_eq!(pieces.finish(), of(&[b"abc"]));
    }

    #[test]
    fn threads_share_memory_and_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = CacheSettings {
            memory_bytes: 4096,
            directory: Some(folder.path().join("made when needed")),
            disk_bytes: 1 << 20,
        };
        let cache = Cache::new(&settings).expect("on");
        std::thread::scope(|scope| {
            for thread in 0..8u8 {
                let cache = &cache;
                scope.spawn(move || {
                    for round in 0..50u8 {
                        // All threads meet in the same 16 entries, which do not all fit into memory.
                        let number = thread.wrapping_mul(7).wrapping_add(round) % 16;
                        let value = vec![number; 1000];
                        match cache.get(&key(number), 1000) {
                            Some(found) => assert_eq!(*found, *value, "whole, and the right one"),
                            None => cache.insert(key(number), &value),
                        }
                    }
                });
            }
        });
        let told = cache.statistics();
        assert_eq!(told.memory_hits + told.disk_hits + told.misses, 400);
        assert_eq!((told.damaged, told.failed, told.disk_entries), (0, 0, 16), "{told:?}");
        assert!(told.memory_bytes <= 4096 && told.memory_entries <= 4, "{told:?}");
        // Another process.
        let again = Cache::new(&settings).expect("on");
        for number in 0..16 {
            assert_eq!(again.get(&key(number), 1000).as_deref(), Some(&[number; 1000][..]));
        }
        assert_eq!(again.statistics().disk_hits, 16);
        assert!(again.get(&key(3), 999).is_none(), "an entry of another length is not what was asked for");
    }
}
