//! The enumerations of the interface. Structures and functions take them as `uint32_t`, so that a number that is none of them is
//! refused rather than undefined.

use crate::status::{Failure, Outcome};
use texemu_emulate::{Effort, ErrorColor, KeepBlocks, Policy, Queue, SourceAccess};

/// How targets are chosen when an image is created.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_policy {
    /// The bit-exact decode: RGBA8, R16, RG16 or RGBA16F.
    Exact = 0,
    /// The best-looking BC format: BC7, BC5, BC4, BC6H.
    Quality = 1,
    /// The smallest BC format: BC1, BC3, BC4.
    Size = 2,
    /// One of the three by what is left of the heap budget (`VK_EXT_memory_budget`).
    Auto = 3,
}

/// What a `texemu_rule` does with its format.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_rule_kind {
    /// The rule's `policy` in place of the settings'.
    Policy = 0,
    /// The rule's `target`, one of the format's own.
    Target = 1,
    /// No emulation: the device answers for itself.
    Native = 2,
    /// Reported as unsupported, even where the device has it.
    Hidden = 3,
}

/// Which blocks are kept beside the decoded image.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_keep_blocks {
    /// Where something may read them again: images with TRANSFER_SRC usage, and images whose copies may cut target blocks.
    WhereReadable = 0,
    /// Always. So it is anyway if a queue family of the device cannot compute.
    Always = 1,
}

/// What illegal blocks decode to.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_error_color {
    /// Opaque magenta, as the Khronos Data Format Specification asks.
    Magenta = 0,
    /// Transparent black.
    TransparentBlack = 1,
}

/// How hard encoders to BC try.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_effort {
    /// The fast one.
    Fast = 0,
    /// The better one.
    High = 1,
}

/// The kind of queue that a command buffer is recorded for.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_queue {
    /// It can compute: blocks are decoded right behind the copy.
    Compute = 0,
    /// It can only transfer: blocks are kept, and decoded on another queue by `texemu_cmd_pipeline_barrier` or
    /// `texemu_cmd_decode_copies`.
    TransferOnly = 1,
}

/// How a decoder may read the buffer that is copied from.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_source_access {
    /// Directly: the buffer was created with UNIFORM_TEXEL_BUFFER usage.
    TexelBuffer = 0,
    /// Not at all, or slowly: the blocks are copied first.
    TransferOnly = 1,
}

/// Where a `texemu_job` finds its blocks.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum texemu_source_kind {
    /// In `source_buffer`, which has UNIFORM_TEXEL_BUFFER usage.
    TexelBuffer = 0,
    /// In `source_buffer`, which has STORAGE_BUFFER usage.
    StorageBuffer = 1,
    /// In `source_views`.
    StorageImage = 2,
}

pub(crate) fn unknown<T>(name: &str, value: u32) -> Outcome<T> {
    Err(Failure::argument(format!("{name} is {value}, which is none of its values")))
}

pub(crate) fn policy(value: u32) -> Outcome<Policy> {
    match value {
        value if value == texemu_policy::Exact as u32 => Ok(Policy::Exact),
        value if value == texemu_policy::Quality as u32 => Ok(Policy::Quality),
        value if value == texemu_policy::Size as u32 => Ok(Policy::Size),
        value if value == texemu_policy::Auto as u32 => Ok(Policy::Auto),
        value => unknown("policy", value),
    }
}

pub(crate) fn rule_kind(value: u32) -> Outcome<texemu_rule_kind> {
    use texemu_rule_kind::{Hidden, Native, Policy, Target};
    let kinds = [Policy, Target, Native, Hidden];
    kinds.into_iter().find(|&kind| kind as u32 == value).map_or_else(|| unknown("rule kind", value), Ok)
}

pub(crate) fn keep_blocks(value: u32) -> Outcome<KeepBlocks> {
    match value {
        value if value == texemu_keep_blocks::WhereReadable as u32 => Ok(KeepBlocks::WhereReadable),
        value if value == texemu_keep_blocks::Always as u32 => Ok(KeepBlocks::Always),
        value => unknown("keep_blocks", value),
    }
}

pub(crate) fn error_color(value: u32) -> Outcome<ErrorColor> {
    match value {
        value if value == texemu_error_color::Magenta as u32 => Ok(ErrorColor::Magenta),
        value if value == texemu_error_color::TransparentBlack as u32 => Ok(ErrorColor::TransparentBlack),
        value => unknown("error_color", value),
    }
}

pub(crate) fn effort(value: u32) -> Outcome<Effort> {
    match value {
        value if value == texemu_effort::Fast as u32 => Ok(Effort::Fast),
        value if value == texemu_effort::High as u32 => Ok(Effort::High),
        value => unknown("effort", value),
    }
}

pub(crate) fn queue(value: u32) -> Outcome<Queue> {
    match value {
        value if value == texemu_queue::Compute as u32 => Ok(Queue::Compute),
        value if value == texemu_queue::TransferOnly as u32 => Ok(Queue::TransferOnly),
        value => unknown("queue", value),
    }
}

pub(crate) fn source_access(value: u32) -> Outcome<SourceAccess> {
    match value {
        value if value == texemu_source_access::TexelBuffer as u32 => Ok(SourceAccess::TexelBuffer),
        value if value == texemu_source_access::TransferOnly as u32 => Ok(SourceAccess::TransferOnly),
        value => unknown("access", value),
    }
}

pub(crate) fn source_kind(value: u32) -> Outcome<texemu_source_kind> {
    use texemu_source_kind::{StorageBuffer, StorageImage, TexelBuffer};
    let kinds = [TexelBuffer, StorageBuffer, StorageImage];
    kinds.into_iter().find(|&kind| kind as u32 == value).map_or_else(|| unknown("source_kind", value), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest number that is taken, and that all below are.
    fn last<T: PartialEq + std::fmt::Debug>(of: fn(u32) -> Outcome<T>) -> u32 {
        let count = (0..).take_while(|&value| of(value).is_ok()).count() as u32;
        for value in [count, count + 1, u32::MAX] {
            assert!(of(value).is_err(), "{value} is none of the values");
        }
        for a in 0..count {
            for b in 0..a {
                assert_ne!(of(a).unwrap(), of(b).unwrap(), "{a} and {b} mean two things");
            }
        }
        count - 1
    }

    #[test]
    fn every_number_is_taken_or_refused() {
        assert_eq!(last(policy), texemu_policy::Auto as u32);
        assert_eq!(last(rule_kind), texemu_rule_kind::Hidden as u32);
        assert_eq!(last(keep_blocks), texemu_keep_blocks::Always as u32);
        assert_eq!(last(error_color), texemu_error_color::TransparentBlack as u32);
        assert_eq!(last(effort), texemu_effort::High as u32);
        assert_eq!(last(queue), texemu_queue::TransferOnly as u32);
        assert_eq!(last(source_access), texemu_source_access::TransferOnly as u32);
        assert_eq!(last(source_kind), texemu_source_kind::StorageImage as u32);
    }

    #[test]
    fn zero_is_the_default() {
        assert_eq!(policy(0).unwrap(), Policy::default());
        assert_eq!(keep_blocks(0).unwrap(), KeepBlocks::default());
        assert_eq!(error_color(0).unwrap(), ErrorColor::default());
        assert_eq!(effort(0).unwrap(), Effort::default());
        assert_eq!(queue(0).unwrap(), Queue::default());
        assert_eq!(source_access(0).unwrap(), SourceAccess::default());
    }
}
