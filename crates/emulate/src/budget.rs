//! How much memory emulated images may need, and what [`Policy::Auto`] makes of it.

use crate::offer::Offer;
use crate::settings::{Policy, Pressure};
use std::sync::atomic::{AtomicU64, Ordering};
use texemu_core::vk;

/// Bytes that emulated images need, against the ceiling.
#[derive(Debug)]
pub(crate) struct Budget {
    ceiling: Option<u64>,
    used: AtomicU64,
    /// Of these, what no memory is bound to yet: the heap's own figures do not know of it.
    unbound: AtomicU64,
    /// Whether the device tells its heaps' budgets.
    reported: bool,
}

/// The device-local heap with the most memory.
#[derive(Clone, Copy, Debug)]
struct Heap {
    budget: u64,
    usage: u64,
}

impl Budget {
    pub(crate) fn new(offer: &Offer) -> Self {
        // SAFETY: the device belongs to the instance.
        let extensions =
            unsafe { offer.instance.0.enumerate_device_extension_properties(offer.physical_device) }
                .unwrap_or_default();
        let name = texemu_core::ash::ext::memory_budget::NAME;
        let reported = extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
        Self {
            ceiling: offer.settings.ceiling,
            used: AtomicU64::new(0),
            unbound: AtomicU64::new(0),
            reported,
        }
    }

    /// Takes `bytes`; `Err` holds what is in use if the ceiling forbids it.
    pub(crate) fn reserve(&self, bytes: u64) -> Result<(), u64> {
        let ceiling = self.ceiling.unwrap_or(u64::MAX);
        let more = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= ceiling);
        self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, more)?;
        self.unbound.fetch_add(bytes, Ordering::AcqRel);
        Ok(())
    }

    /// Memory was bound to an image of `bytes`.
    pub(crate) fn bind(&self, bytes: u64) {
        self.unbound.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// An image of `bytes` is gone.
    pub(crate) fn release(&self, bytes: u64, bound: bool) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
        if !bound {
            self.unbound.fetch_sub(bytes, Ordering::AcqRel);
        }
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Acquire)
    }

    pub(crate) fn ceiling(&self) -> Option<u64> {
        self.ceiling
    }

    /// What [`Policy::Auto`] comes to for an image whose exact form needs `bytes`.
    pub(crate) fn policy(&self, offer: &Offer, bytes: u64) -> Policy {
        let heap = self.heap(offer);
        let others = heap.usage.saturating_add(self.unbound.load(Ordering::Acquire));
        choose(&offer.settings.pressure, others.saturating_add(bytes), heap.budget)
    }

    fn heap(&self, offer: &Offer) -> Heap {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default();
        if self.reported {
            properties = properties.push_next(&mut budget);
        }
        // SAFETY: the device belongs to the instance and implements Vulkan 1.1.
        unsafe {
            offer.instance.0.get_physical_device_memory_properties2(offer.physical_device, &mut properties)
        };
        let memory = properties.memory_properties;
        let heaps = memory.memory_heaps_as_slice();
        let local = |index: &usize| heaps[*index].flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL);
        let largest = (0..heaps.len()).filter(local).max_by_key(|&index| heaps[index].size);
        let Some(index) = largest else { return Heap { budget: u64::MAX, usage: 0 } };
        if self.reported {
            Heap { budget: budget.heap_budget[index], usage: budget.heap_usage[index] }
        } else {
            // The device does not tell: count what is known here.
            let usage = self.used().saturating_sub(self.unbound.load(Ordering::Acquire));
            Heap { budget: heaps[index].size, usage }
        }
    }
}

fn choose(pressure: &Pressure, used: u64, budget: u64) -> Policy {
    let share = used as f64 / (budget.max(1)) as f64;
    if share <= pressure.exact {
        Policy::Exact
    } else if share <= pressure.quality {
        Policy::Quality
    } else {
        Policy::Size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_gives_way_as_the_heap_fills() {
        let pressure = Pressure { exact: 0.5, quality: 0.75 };
        assert_eq!(choose(&pressure, 50, 100), Policy::Exact);
        assert_eq!(choose(&pressure, 51, 100), Policy::Quality);
        assert_eq!(choose(&pressure, 76, 100), Policy::Size);
        assert_eq!(choose(&pressure, 1, 0), Policy::Size, "no budget at all");
        assert_eq!(choose(&pressure, u64::MAX, 100), Policy::Size);
    }

    #[test]
    fn the_ceiling_holds_under_many_threads() {
        let budget = Budget {
            ceiling: Some(1000),
            used: AtomicU64::new(0),
            unbound: AtomicU64::new(0),
            reported: false,
        };
        let reserved: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..100).filter(|_| budget.reserve(7).is_ok()).count()))
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(reserved, 142, "142 times 7 bytes fit in 1000");
        assert_eq!(budget.reserve(7), Err(994), "the next does not, and is told what is in use");
        budget.release(7, false);
        assert_eq!(budget.reserve(13), Ok(()), "what was given back can be had again");
    }
}
