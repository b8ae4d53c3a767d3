//! Copies of `pNext` chains that may be changed: the caller's structures are constant and stay as they are.

use crate::structures;
use std::ffi::c_void;
use texemu_core::vk;
use vk::TaggedStructure;

/// What becomes of a structure of the caller's chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// It stays as it is.
    Same,
    /// It is copied, to be changed with [`Chain::find`].
    Change,
    /// It is left out.
    Drop,
}

/// One structure, copied; 64-bit words, for every Vulkan structure is aligned to 8 bytes at most.
type Link = Box<[u64]>;

/// A changed copy of a chain. Structures behind the last changed one are shared with the caller.
#[derive(Default)]
pub(crate) struct Chain {
    links: Vec<Link>,
    rest: Rest,
}

struct Rest(*const c_void);

impl Default for Rest {
    fn default() -> Self {
        Self(std::ptr::null())
    }
}

impl Chain {
    /// Copies as much of the chain at `next` as `keep` asks for. A structure that is to stay before one that is not has
    /// to be copied too; if its length is unknown it is left out and named in the log.
    ///
    /// # Safety
    /// `next` is null or the start of a valid chain, which outlives the copy.
    pub(crate) unsafe fn copy(next: *const c_void, keep: impl Fn(vk::StructureType) -> Keep) -> Self {
        let mut all = Vec::new();
        let mut address: *const vk::BaseInStructure<'_> = next.cast();
        // SAFETY: every element of the chain starts with sType and pNext and is readable.
        while let Some(structure) = unsafe { address.as_ref() } {
            all.push((address, structure.s_type, keep(structure.s_type)));
            address = structure.p_next;
        }
        let copied = all.iter().rposition(|&(.., keep)| keep != Keep::Same).map_or(0, |last| last + 1);
        let rest = all.get(copied).map_or(std::ptr::null(), |&(address, ..)| address.cast());
        let mut links = Vec::new();
        for &(address, s_type, keep) in all[..copied].iter().filter(|(.., keep)| *keep != Keep::Drop) {
            let Some(size) = structures::size(s_type) else {
                log::warn!("leaving out {s_type:?} ({}): its length is unknown ({keep:?})", s_type.as_raw());
                continue;
            };
            let mut link = vec![0u64; size.div_ceil(8)].into_boxed_slice();
            // SAFETY: sType names a structure of `size` bytes, and the link holds as many.
            unsafe {
                std::ptr::copy_nonoverlapping(address.cast::<u8>(), link.as_mut_ptr().cast::<u8>(), size)
            };
            links.push(link);
        }
        Self { links, rest: Rest(rest) }
    }

    /// The copy of a structure that was to be changed.
    pub(crate) fn find<T: TaggedStructure>(&mut self) -> Option<&mut T> {
        let link = self.links.iter_mut().find(|link| s_type(link) == T::STRUCTURE_TYPE)?;
        if size_of_val(&**link) < size_of::<T>() {
            return None;
        }
        let address: *mut T = link.as_mut_ptr().cast();
        // SAFETY: the link is a copy of a structure with this sType, long enough and aligned to 8 bytes.
        Some(unsafe { &mut *address })
    }

    /// Adds a structure at the front. What it points to must outlive the chain.
    pub(crate) fn push<T: TaggedStructure>(&mut self, value: &T) {
        let size = size_of::<T>();
        let mut link = vec![0u64; size.div_ceil(8)].into_boxed_slice();
        let source: *const T = value;
        // SAFETY: the link holds as many bytes as the structure.
        unsafe { std::ptr::copy_nonoverlapping(source.cast::<u8>(), link.as_mut_ptr().cast::<u8>(), size) };
        self.links.insert(0, link);
    }

    /// Links the copies and returns the chain's start, valid while `self` lives and is not changed.
    pub(crate) fn head(&mut self) -> *const c_void {
        let mut next = self.rest.0;
        for link in self.links.iter_mut().rev() {
            let address: *mut vk::BaseOutStructure<'_> = link.as_mut_ptr().cast();
            // SAFETY: every structure starts with sType and pNext, and the link is this chain's own.
            let header = unsafe { &mut *address };
            header.p_next = next.cast_mut().cast();
            next = address.cast_const().cast();
        }
        next
    }
}

fn s_type(link: &Link) -> vk::StructureType {
    let address: *const vk::BaseInStructure<'_> = link.as_ptr().cast();
    // SAFETY: every structure starts with sType.
    unsafe { (*address).s_type }
}

/// Calls `each` with every structure of an input chain.
///
/// # Safety
/// `next` is null or the start of a valid chain.
pub(crate) unsafe fn for_each_in(next: *const c_void, mut each: impl FnMut(&vk::BaseInStructure<'_>)) {
    let mut address: *const vk::BaseInStructure<'_> = next.cast();
    // SAFETY: every element of the chain starts with sType and pNext and is readable.
    while let Some(structure) = unsafe { address.as_ref() } {
        each(structure);
        address = structure.p_next;
    }
}

/// The structure of type `T` in an input chain.
///
/// # Safety
/// `next` is null or the start of a valid chain, which outlives the reference.
pub(crate) unsafe fn find_in<'a, T: TaggedStructure>(next: *const c_void) -> Option<&'a T> {
    let mut found: *const T = std::ptr::null();
    let each = |structure: &vk::BaseInStructure<'_>| {
        if structure.s_type == T::STRUCTURE_TYPE {
            let address: *const vk::BaseInStructure<'_> = structure;
            found = address.cast();
        }
    };
    // SAFETY: the caller's promise.
    unsafe { for_each_in(next, each) };
    // SAFETY: null, or a structure whose sType names this type.
    unsafe { found.as_ref() }
}

/// The structure of type `T` in an output chain.
///
/// # Safety
/// `next` is null or the start of a valid, writable chain, which outlives the reference.
pub(crate) unsafe fn find_out<'a, T: TaggedStructure>(next: *mut c_void) -> Option<&'a mut T> {
    let mut address: *mut vk::BaseOutStructure<'_> = next.cast();
    // SAFETY: every element of the chain starts with sType and pNext and is readable.
    while let Some(structure) = unsafe { address.as_ref() } {
        if structure.s_type == T::STRUCTURE_TYPE {
            let found: *mut T = address.cast();
            // SAFETY: sType names this type, and the chain is the caller's to write.
            return unsafe { found.as_mut() };
        }
        address = structure.p_next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(next: *const c_void) -> Vec<vk::StructureType> {
        let mut types = Vec::new();
        // SAFETY: the tests' chains are valid.
        unsafe { for_each_in(next, |structure| types.push(structure.s_type)) };
        types
    }

    #[test]
    fn a_changed_copy_leaves_the_original_alone() {
        let formats = [vk::Format::ASTC_4X4_UNORM_BLOCK];
        let mut compression = vk::ImageCompressionControlEXT::default();
        let mut list = vk::ImageFormatListCreateInfo::default().view_formats(&formats);
        let mut stencil = vk::ImageStencilUsageCreateInfo::default();
        let info = vk::ImageCreateInfo::default()
            .push_next(&mut compression)
            .push_next(&mut list)
            .push_next(&mut stencil);
        let before = types(info.p_next);
        let keep = |s_type| match s_type {
            vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO => Keep::Change,
            vk::StructureType::IMAGE_STENCIL_USAGE_CREATE_INFO => Keep::Drop,
            _ => Keep::Same,
        };
        // SAFETY: the chain was just built and lives on.
        let mut chain = unsafe { Chain::copy(info.p_next, keep) };
        chain.find::<vk::ImageFormatListCreateInfo<'_>>().expect("copied").view_format_count = 7;
        chain.push(&vk::ExternalMemoryImageCreateInfo::default());
        let after = types(chain.head());
        assert_eq!(types(info.p_next), before, "the caller's chain is as it was");
        assert_eq!(
            after,
            [
                vk::StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO,
                vk::StructureType::IMAGE_COMPRESSION_CONTROL_EXT
            ],
            "added, changed, shared; and one left out"
        );
        assert_eq!(list.view_format_count, 1, "the caller's structure is as it was");
    }

    #[test]
    fn an_unknown_structure_is_shared_behind_and_left_out_before() {
        let mut unknown =
            vk::BaseInStructure { s_type: vk::StructureType::from_raw(-5), ..Default::default() };
        let mut list =
            vk::ImageFormatListCreateInfo { p_next: (&raw const unknown).cast(), ..Default::default() };
        let keep = |s_type| match s_type {
            vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO => Keep::Change,
            _ => Keep::Same,
        };
        // SAFETY: two valid headers.
        let mut chain = unsafe { Chain::copy((&raw const list).cast(), keep) };
        assert_eq!(types(chain.head()).len(), 2, "behind the change, it is shared");
        list.p_next = std::ptr::null();
        unknown.p_next = (&raw const list).cast();
        // SAFETY: as above.
        let mut chain = unsafe { Chain::copy((&raw const unknown).cast(), keep) };
        assert_eq!(
            types(chain.head()),
            [vk::StructureType::IMAGE_FORMAT_LIST_CREATE_INFO],
            "before it, it is not"
        );
    }
}
