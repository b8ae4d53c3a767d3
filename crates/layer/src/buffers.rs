//! Buffers that decoders read: those that an application copies from are made readable as texel buffers.

use ash::vk;
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use texemu_emulate::SourceAccess;
use vk::Handle;

/// The buffers that copies may read and decoders may not. There are few.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    plain: RwLock<HashSet<u64>>,
    count: AtomicUsize,
}

/// What is done with a buffer when it is created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// It is nobody's source, or can be read already.
    None,
    /// Its usage gets `UNIFORM_TEXEL_BUFFER`.
    Readable,
    /// Its usage may not be changed.
    Plain,
}

impl Change {
    /// # Safety
    /// `info` starts a valid chain.
    pub(crate) unsafe fn of(info: &vk::BufferCreateInfo<'_>) -> Self {
        let texels = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let mut next: *const vk::BaseInStructure<'_> = info.p_next.cast();
        let mut fixed = !info.flags.is_empty();
        // SAFETY: every element of the chain starts with sType and pNext and is readable.
        while let Some(structure) = unsafe { next.as_ref() } {
            match structure.s_type {
                // The usage stands there, and the one in the create info is ignored.
                vk::StructureType::BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR => return Self::Plain,
                // What such a buffer may be used for was asked of the driver before.
                vk::StructureType::EXTERNAL_MEMORY_BUFFER_CREATE_INFO
                | vk::StructureType::VIDEO_PROFILE_LIST_INFO_KHR
                | vk::StructureType::BUFFER_COLLECTION_BUFFER_CREATE_INFO_FUCHSIA => fixed = true,
                _ => {}
            }
            next = structure.p_next;
        }
        match info.usage {
            usage if !usage.contains(vk::BufferUsageFlags::TRANSFER_SRC) || usage.contains(texels) => {
                Self::None
            }
            _ if fixed => Self::Plain,
            _ => Self::Readable,
        }
    }
}

impl Buffers {
    pub(crate) fn add_plain(&self, buffer: vk::Buffer) {
        if self.plain.write().unwrap_or_else(PoisonError::into_inner).insert(buffer.as_raw()) {
            self.count.fetch_add(1, Ordering::Release);
        }
    }

    pub(crate) fn forget(&self, buffer: vk::Buffer) {
        if self.count.load(Ordering::Acquire) > 0
            && self.plain.write().unwrap_or_else(PoisonError::into_inner).remove(&buffer.as_raw())
        {
            self.count.fetch_sub(1, Ordering::Release);
        }
    }

    pub(crate) fn access(&self, buffer: vk::Buffer) -> SourceAccess {
        let plain = self.count.load(Ordering::Acquire) > 0
            && self.plain.read().unwrap_or_else(PoisonError::into_inner).contains(&buffer.as_raw());
        if plain { SourceAccess::TransferOnly } else { SourceAccess::TexelBuffer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(info: vk::BufferCreateInfo<'_>) -> Change {
        // SAFETY: the tests' chains are valid.
        unsafe { Change::of(&info) }
    }

    #[test]
    fn sources_become_readable_unless_their_usage_is_fixed() {
        let source = vk::BufferCreateInfo::default().usage(vk::BufferUsageFlags::TRANSFER_SRC);
        assert_eq!(change(source), Change::Readable);
        assert_eq!(change(source.usage(vk::BufferUsageFlags::VERTEX_BUFFER)), Change::None);
        let both = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        assert_eq!(change(source.usage(both)), Change::None);
        assert_eq!(change(source.flags(vk::BufferCreateFlags::PROTECTED)), Change::Plain);
        let mut external = vk::ExternalMemoryBufferCreateInfo::default();
        assert_eq!(change(source.push_next(&mut external)), Change::Plain);
        let mut usage = vk::BufferUsageFlags2CreateInfoKHR::default();
        assert_eq!(change(vk::BufferCreateInfo::default().push_next(&mut usage)), Change::Plain);
    }

    #[test]
    fn plain_buffers_are_copied_first_until_they_are_destroyed() {
        let buffers = Buffers::default();
        let (one, two) = (vk::Buffer::from_raw(1), vk::Buffer::from_raw(2));
        buffers.add_plain(one);
        buffers.add_plain(one);
        assert_eq!(buffers.access(one), SourceAccess::TransferOnly);
        assert_eq!(buffers.access(two), SourceAccess::TexelBuffer);
        buffers.forget(two);
        buffers.forget(one);
        assert_eq!(buffers.access(one), SourceAccess::TexelBuffer, "the handle may come again");
        assert_eq!(buffers.count.load(Ordering::Acquire), 0);
    }
}
