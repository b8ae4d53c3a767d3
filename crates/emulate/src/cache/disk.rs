//! Entries in files: one each, named by its key, written beside its place and moved there, and believed only if it is whole.

use super::{Key, lock};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Magic with the file's version, the key, the checksum of the value; the value follows.
const MAGIC: [u8; 8] = *b"TXBLOCK1";
const HEADER: usize = 8 + 32 + 32;
const EXTENSION: &str = "txblocks";
/// Files that are looked at when a folder is opened; a folder of ours has no more.
const MOST_FILES: usize = 1 << 17;
/// A file left half written by a process that was ended is removed after this.
const STALE: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Disk {
    directory: PathBuf,
    most: u64,
    index: Mutex<Index>,
    /// Numbers the files that are being written.
    writing: AtomicU64,
}

/// The files that are known. They may be gone: others use the folder too.
#[derive(Debug, Default)]
struct Index {
    files: HashMap<Key, (u64, u64)>,
    /// By when they were used last.
    order: BTreeMap<u64, Key>,
    clock: u64,
    bytes: u64,
}

/// What was found under a key.
#[derive(Debug)]
pub(super) enum Found {
    Whole(Vec<u8>),
    /// A file that is not what it should be; it was removed.
    Damaged,
    Nothing,
}

impl Disk {
    /// Looks at what is there. A folder that cannot be read is as an empty one.
    pub(super) fn open(directory: PathBuf, most: u64) -> Self {
        let mut files = Vec::new();
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten().take(MOST_FILES) {
            // Not followed: a link is no file of ours.
            let Some(data) = entry.metadata().ok().filter(fs::Metadata::is_file) else { continue };
            let modified = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match kind(&entry.path()) {
                Kind::Entry(key) => files.push((modified, key, data.len())),
                Kind::Unfinished if modified.elapsed().is_ok_and(|age| age > STALE) => {
                    let _ = fs::remove_file(entry.path());
                }
                Kind::Unfinished | Kind::Other => {}
            }
        }
        files.sort_unstable();
        let mut index = Index::default();
        for (_, key, bytes) in files {
            index.touch(key, bytes);
        }
        let disk = Self { directory, most, index: Mutex::new(index), writing: AtomicU64::new(0) };
        disk.make_room(0);
        disk
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.directory.join(name(key)).with_extension(EXTENSION)
    }

    /// The value of `bytes` bytes. No more than that is ever read.
    pub(super) fn read(&self, key: &Key, bytes: u64) -> Found {
        let path = self.path(key);
        match read(&path, key, bytes) {
            Ok(Some(value)) => {
                lock(&self.index).touch(*key, (HEADER as u64).saturating_add(bytes));
                // For whoever opens the folder next; that it fails costs only the order.
                let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
                Found::Whole(value)
            }
            Ok(None) => {
                log::warn!("removing {}: it is damaged", path.display());
                let _ = fs::remove_file(&path);
                lock(&self.index).forget(key);
                Found::Damaged
            }
            Err(_) => {
                lock(&self.index).forget(key);
                Found::Nothing
            }
        }
    }

    /// Returns how many others had to go.
    pub(super) fn write(&self, key: &Key, value: &[u8]) -> io::Result<u64> {
        let bytes = (HEADER + value.len()) as u64;
        if bytes > self.most {
            return Ok(0);
        }
        fs::create_dir_all(&self.directory)?;
        let evicted = self.make_room(bytes);
        let number = self.writing.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!("{}.{}-{number}.tmp", name(key), std::process::id());
        let unfinished = self.directory.join(unfinished);
        let written = write(&unfinished, key, value).and_then(|()| fs::rename(&unfinished, self.path(key)));
        if let Err(error) = written {
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
        lock(&self.index).touch(*key, bytes);
        Ok(evicted)
    }

    /// Removes files until `bytes` more fit.
    fn make_room(&self, bytes: u64) -> u64 {
        let mut evicted = 0;
        loop {
            let oldest = {
                let mut index = lock(&self.index);
                if index.bytes.saturating_add(bytes) <= self.most {
                    return evicted;
                }
                let Some((_, oldest)) = index.order.pop_first() else { return evicted };
                index.forget(&oldest);
                oldest
            };
            let _ = fs::remove_file(self.path(&oldest));
            evicted += 1;
        }
    }

    /// Entries and bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        let index = lock(&self.index);
        (index.files.len() as u64, index.bytes)
    }
}

impl Index {
    /// The file is there, and was just used.
    fn touch(&mut self, key: Key, bytes: u64) {
        self.forget(&key);
        self.clock += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.files.insert(key, (bytes, self.clock));
        self.order.insert(self.clock, key);
    }

    fn forget(&mut self, key: &Key) {
        if let Some((bytes, used)) = self.files.remove(key) {
            self.order.remove(&used);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }
}

/// The value if the file is whole, `None` if it is not.
fn read(path: &Path, key: &Key, bytes: u64) -> io::Result<Option<Vec<u8>>> {
    // Not followed, and not opened unless it is a file: opening a pipe waits for its other end.
    let data = fs::symlink_metadata(path)?;
    if !data.is_file() || data.len() != (HEADER as u64).saturating_add(bytes) {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let mut header = [0; HEADER];
    let length = usize::try_from(bytes).map_err(io::Error::other)?;
    let mut value = vec![0; length];
    let read = file.read_exact(&mut header).and_then(|()| file.read_exact(&mut value));
    let whole = read.is_ok()
        && header[..8] == MAGIC
        && header[8..40] == *key
        && header[40..] == *Sha256::digest(&value).as_slice();
    Ok(whole.then_some(value))
}

fn write(path: &Path, key: &Key, value: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(&MAGIC)?;
    file.write_all(key)?;
    file.write_all(&Sha256::digest(value))?;
    file.write_all(value)
}

fn name(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

enum Kind {
    Entry(Key),
    Unfinished,
    Other,
}

fn kind(path: &Path) -> Kind {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(EXTENSION) => key(stem).map_or(Kind::Other, Kind::Entry),
        Some("tmp") if stem.split('.').next().and_then(key).is_some() => Kind::Unfinished,
        _ => Kind::Other,
    }
}

fn key(text: &str) -> Option<Key> {
    let mut key = Key::default();
    if text.len() != 2 * key.len() || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(disk: &Disk, key: &Key, bytes: u64) -> Option<Vec<u8>> {
        match disk.read(key, bytes) {
            Found::Whole(value) => Some(value),
            Found::Damaged | Found::Nothing => None,
        }
    }

    #[test]
    fn files_are_bounded_and_the_oldest_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let one = (HEADER + 100) as u64;
        let disk = Disk::open(folder.path().into(), 3 * one);
        for byte in 0..3 {
            assert_eq!(disk.write(&[byte; 32], &[byte; 100]).expect("written"), 0);
        }
        assert!(value(&disk, &[0; 32], 100).is_some(), "used again");
        assert_eq!(disk.write(&[3; 32], &[3; 100]).expect("written"), 1);
        assert!(value(&disk, &[1; 32], 100).is_none(), "the oldest is gone");
        assert_eq!(disk.size(), (3, 3 * one));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "and nothing else is left");
        assert_eq!(disk.write(&[4; 32], &[0; 4096]).expect("not written"), 0, "too large for all of it");
        assert_eq!(disk.size().0, 3);
        // What a smaller bound finds too much is removed at once.
        let smaller = Disk::open(folder.path().into(), 2 * one);
        assert_eq!(smaller.size(), (2, 2 * one));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn damaged_and_hostile_files_are_no_entries() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::open(folder.path().into(), 1 << 20);
        let (key, content) = ([7; 32], [9u8; 64]);
        let path = disk.path(&key);
        let rewrite = |change: &dyn Fn(&mut Vec<u8>)| {
            disk.write(&key, &content).expect("written");
            let mut bytes = fs::read(&path).expect("there");
            change(&mut bytes);
            fs::write(&path, bytes).expect("written");
        };
        // Every byte of header and value matters.
        for index in 0..HEADER + content.len() {
            rewrite(&|bytes| bytes[index] ^= 0x10);
            assert!(matches!(disk.read(&key, 64), Found::Damaged), "byte {index} is changed");
            assert!(!path.exists(), "and the file is gone");
        }
        for length in [0, 1, HEADER - 1, HEADER, HEADER + 63] {
            rewrite(&|bytes| bytes.truncate(length));
            assert!(matches!(disk.read(&key, 64), Found::Damaged), "cut to {length}");
        }
        rewrite(&|bytes| bytes.resize(1 << 20, 0));
        assert!(matches!(disk.read(&key, 64), Found::Damaged), "longer than it should be");
        // A whole file under another's name.
        disk.write(&key, &content).expect("written");
        fs::rename(&path, disk.path(&[8; 32])).expect("renamed");
        assert!(matches!(disk.read(&[8; 32], 64), Found::Damaged), "not what its name says");
        assert!(matches!(disk.read(&key, 64), Found::Nothing));
        // A folder under an entry's name, and one where the length would pass 64 bits.
        fs::create_dir(&path).expect("made");
        assert!(!matches!(disk.read(&key, 64), Found::Whole(_)));
        assert!(!matches!(disk.read(&key, u64::MAX), Found::Whole(_)));
        fs::remove_dir(&path).expect("removed");
        disk.write(&key, &content).expect("written");
        assert_eq!(value(&disk, &key, 64).as_deref(), Some(&content[..]), "and a good one is taken again");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk::open(folder.path().into(), 1 << 20);
        disk.write(&[1; 32], &[1; 64]).expect("written");
        std::os::unix::fs::symlink(disk.path(&[1; 32]), disk.path(&[2; 32])).expect("linked");
        assert!(matches!(disk.read(&[2; 32], 64), Found::Damaged), "a link, though to a good file");
        std::os::unix::fs::symlink("/dev/zero", disk.path(&[3; 32])).expect("linked");
        assert!(matches!(disk.read(&[3; 32], 64), Found::Damaged), "endless");
        assert_eq!(Disk::open(folder.path().into(), 1 << 20).size().0, 1, "nor are they counted");
    }

    #[test]
    fn other_peoples_files_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["readme.txt", "zz.txblocks", &format!("{}.png", name(&[1; 32]))];
        for name in names {
            fs::write(folder.path().join(name), [0; 100]).expect("written");
        }
        let unfinished = folder.path().join(format!("{}.1-0.tmp", name(&[1; 32])));
        fs::write(&unfinished, [0; 100]).expect("written");
        let disk = Disk::open(folder.path().into(), 100);
        assert_eq!(disk.size(), (0, 0));
        assert!(names.iter().all(|name| folder.path().join(name).exists()), "not ours");
        assert!(unfinished.exists(), "another process may be writing it");
        let old = SystemTime::now() - 2 * STALE;
        File::options().write(true).open(&unfinished).and_then(|file| file.set_modified(old)).expect("aged");
        drop(Disk::open(folder.path().into(), 100));
        assert!(!unfinished.exists(), "nobody is any more");
    }
}
