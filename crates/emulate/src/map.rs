//! A map from Vulkan handles that many threads read and few write.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use texemu_core::vk;

const SHARDS: usize = 16;

/// Handles to shared values. Looking up in an empty map costs one load.
#[derive(Debug)]
pub(crate) struct HandleMap<T> {
    shards: [RwLock<HashMap<u64, Arc<T>>>; SHARDS],
    count: AtomicUsize,
}

impl<T> Default for HandleMap<T> {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()), count: AtomicUsize::new(0) }
    }
}

impl<T> HandleMap<T> {
    fn shard(&self, key: u64) -> &RwLock<HashMap<u64, Arc<T>>> {
        // Handles are addresses or small numbers: multiply so that both spread.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        &self.shards[hash as usize % SHARDS]
    }

    pub(crate) fn get(&self, handle: impl vk::Handle) -> Option<Arc<T>> {
        if self.len() == 0 {
            return None;
        }
        let key = handle.as_raw();
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Whether there is a value; touches no count of references.
    pub(crate) fn contains(&self, handle: impl vk::Handle) -> bool {
        if self.len() == 0 {
            return false;
        }
        let key = handle.as_raw();
        self.shard(key).read().unwrap_or_else(PoisonError::into_inner).contains_key(&key)
    }

    /// Replaces what was there: the handle of a destroyed object may come again.
    pub(crate) fn insert(&self, handle: impl vk::Handle, value: Arc<T>) {
        let key = handle.as_raw();
        let old = self.shard(key).write().unwrap_or_else(PoisonError::into_inner).insert(key, value);
        if old.is_none() {
            self.count.fetch_add(1, Ordering::Release);
        }
    }

    pub(crate) fn remove(&self, handle: impl vk::Handle) -> Option<Arc<T>> {
        if self.len() == 0 {
            return None;
        }
        let key = handle.as_raw();
        let old = self.shard(key).write().unwrap_or_else(PoisonError::into_inner).remove(&key)?;
        self.count.fetch_sub(1, Ordering::Release);
        Some(old)
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Takes everything out.
    pub(crate) fn drain(&self) -> Vec<Arc<T>> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(shard.write().unwrap_or_else(PoisonError::into_inner).drain().map(|(_, value)| value));
        }
        self.count.store(0, Ordering::Release);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::Handle;

    #[test]
    fn handles_come_and_go() {
        let map = HandleMap::default();
        for raw in 1..1000 {
            map.insert(vk::Image::from_raw(raw * 64), Arc::new(raw));
        }
        map.insert(vk::Image::from_raw(64), Arc::new(7));
        assert_eq!(map.len(), 999, "the same handle counts once");
        assert_eq!(map.get(vk::Image::from_raw(64)).as_deref(), Some(&7), "the newest value");
        assert_eq!(map.remove(vk::Image::from_raw(128)).as_deref(), Some(&2));
        assert_eq!(map.remove(vk::Image::from_raw(128)), None, "only once");
        assert!(map.contains(vk::Image::from_raw(64)) && !map.contains(vk::Image::from_raw(128)));
        assert_eq!(map.drain().len(), 998);
        assert_eq!((map.len(), map.get(vk::Image::from_raw(64))), (0, None));
    }
}
