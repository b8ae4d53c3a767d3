//! Entries in memory: the least recently used go first.

use super::Key;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What an entry takes beside its value, about.
const OVERHEAD: u64 = 128;

#[derive(Debug)]
pub(super) struct Memory {
    most: u64,
    used: u64,
    entries: HashMap<Key, (Arc<[u8]>, u64)>,
    /// Entries by when they were used last.
    order: BTreeMap<u64, Key>,
    clock: u64,
}

impl Memory {
    pub(super) fn new(most: u64) -> Self {
        Self { most, used: 0, entries: HashMap::new(), order: BTreeMap::new(), clock: 0 }
    }

    pub(super) fn get(&mut self, key: &Key) -> Option<Arc<[u8]>> {
        let (value, used) = self.entries.get_mut(key)?;
        self.order.remove(used);
        self.clock += 1;
        *used = self.clock;
        self.order.insert(self.clock, *key);
        Some(value.clone())
    }

    /// Returns how many others had to go.
    pub(super) fn insert(&mut self, key: Key, value: Arc<[u8]>) -> u64 {
        let bytes = cost(&value);
        if bytes > self.most {
            return 0;
        }
        self.remove(&key);
        let mut evicted = 0;
        while self.used + bytes > self.most {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            if let Some((value, _)) = self.entries.remove(&oldest) {
                self.used -= cost(&value);
            }
            evicted += 1;
        }
        self.clock += 1;
        self.used += bytes;
        self.order.insert(self.clock, key);
        self.entries.insert(key, (value, self.clock));
        evicted
    }

    fn remove(&mut self, key: &Key) {
        if let Some((value, used)) = self.entries.remove(key) {
            self.order.remove(&used);
            self.used -= cost(&value);
        }
    }

    /// Entries and bytes.
    pub(super) fn size(&self) -> (u64, u64) {
        (self.entries.len() as u64, self.used)
    }
}

fn cost(value: &[u8]) -> u64 {
    value.len() as u64 + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_go_first_and_the_bound_holds() {
        let mut memory = Memory::new(3 * (100 + OVERHEAD));
        let value = |byte: u8| -> Arc<[u8]> { vec![byte; 100].into() };
        for byte in 0..3 {
            assert_eq!(memory.insert([byte; 32], value(byte)), 0);
        }
        assert!(memory.get(&[0; 32]).is_some(), "used again");
        assert_eq!(memory.insert([3; 32], value(3)), 1, "one has to go");
        assert!(memory.get(&[1; 32]).is_none(), "the one that was not used");
        assert!(memory.get(&[0; 32]).is_some() && memory.get(&[2; 32]).is_some());
        assert_eq!(memory.insert([3; 32], value(4)), 0, "in place of itself");
        assert_eq!(memory.get(&[3; 32]).as_deref(), Some(&[4; 100][..]));
        assert_eq!(memory.size(), (3, 3 * (100 + OVERHEAD)));
        assert_eq!(memory.insert([9; 32], vec![0; 4096].into()), 0, "too large for all of it");
        assert_eq!(memory.size().0, 3);
        assert_eq!(memory.insert([9; 32], vec![0; 3 * 100 + 2 * 128].into()), 3, "large enough for all");
        assert_eq!(memory.size(), (1, 3 * (100 + OVERHEAD)));
    }
}
