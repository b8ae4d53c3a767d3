//! What an embedder chooses.

use crate::cache::CacheSettings;
use std::collections::BTreeMap;
use texemu_format::{Format, VkFormat};
use texemu_transcode::{Effort, ErrorColor};

/// How targets are chosen when an image is created.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Policy {
    /// The bit-exact decode: RGBA8, R16, RG16 or RGBA16F. What conformance claims.
    #[default]
    Exact,
    /// The best-looking BC format: BC7, BC5, BC4, BC6H.
    Quality,
    /// The smallest BC format: BC1, BC3, BC4.
    Size,
    /// One of the three by what is left of the heap budget; see [`Pressure`].
    Auto,
}

/// What is done with one format, whatever the policy says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// This policy.
    Policy(Policy),
    /// This target: one of the format's own.
    Target(VkFormat),
    /// No emulation: the device answers for what it has, and what it lacks is unsupported.
    Native,
    /// The format is reported as unsupported, even where the device has it.
    Hidden,
}

/// Which blocks are kept beside the decoded image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum KeepBlocks {
    /// Where something may read them again: images with `TRANSFER_SRC` usage, and images whose copies may cut target blocks.
    #[default]
    WhereReadable,
    /// Always. So it is anyway if a queue family of the device cannot compute.
    Always,
}

/// When [`Policy::Auto`] leaves the exact target: shares of the device-local heap's budget that are in use once the new
/// image is counted, between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pressure {
    /// Up to here [`Policy::Exact`].
    pub exact: f64,
    /// Up to here [`Policy::Quality`], above [`Policy::Size`].
    pub quality: f64,
}

impl Default for Pressure {
    fn default() -> Self {
        Self { exact: 0.6, quality: 0.8 }
    }
}

/// What an embedder chooses once for a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How targets are chosen.
    pub policy: Policy,
    /// Exceptions, by source format.
    pub rules: BTreeMap<VkFormat, Rule>,
    /// Emulate formats that the device has itself, to compare the two.
    pub force: bool,
    /// Bytes of memory that all emulated images of a device may need together. An image that would pass it gets the next
    /// smaller target; if the smallest passes it too, creation fails with `VK_ERROR_OUT_OF_DEVICE_MEMORY`.
    pub ceiling: Option<u64>,
    /// Where [`Policy::Auto`] changes its mind.
    pub pressure: Pressure,
    /// Which blocks are kept.
    pub keep_blocks: KeepBlocks,
    /// Queue families, besides those of the device that cannot compute, whose copies are decoded when an image is acquired from
    /// them: `VK_QUEUE_FAMILY_EXTERNAL`, if blocks are uploaded from elsewhere. Images keep their blocks if there are any.
    pub transfer_families: Vec<u32>,
    /// Where transcoded blocks are kept; nowhere by default. See
    /// [`Emulator::copy_known_buffer_to_image`](crate::Emulator::copy_known_buffer_to_image).
    pub cache: CacheSettings,
    /// What illegal blocks decode to.
    pub error_color: ErrorColor,
    /// How hard encoders try.
    pub effort: Effort,
    /// Compile the pipelines an image will need when it is created rather than when it is first copied to.
    pub prepare: bool,
    /// Measure the GPU time of decoding with timestamps.
    pub timing: bool,
    /// Copy back what every decode reads and writes, to be compared: see
    /// [`Recording::take_captures`](crate::Recording::take_captures). Costs a host-visible copy of all that.
    pub capture: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            rules: BTreeMap::new(),
            force: false,
            ceiling: None,
            pressure: Pressure::default(),
            keep_blocks: KeepBlocks::default(),
            transfer_families: Vec::new(),
            cache: CacheSettings::default(),
            error_color: ErrorColor::default(),
            effort: Effort::default(),
            prepare: true,
            timing: false,
            capture: false,
        }
    }
}

impl Settings {
    /// The targets of `format` in the order in which they are tried under `policy`: the policy's own, then the smaller
    /// ones, and last the exact one for images that no BC format can hold. `available` says what the device takes.
    pub(crate) fn ladder(
        &self,
        format: &Format,
        policy: Policy,
        available: &[&'static Format],
    ) -> Vec<&'static Format> {
        let targets = &format.targets;
        let steps = |policies: &[texemu_format::Policy]| {
            policies.iter().filter_map(|&p| targets.by_policy(p)).collect()
        };
        use texemu_format::Policy as P;
        let mut order: Vec<&'static Format> = match (self.rules.get(&format.vk), policy) {
            (Some(&Rule::Target(target)), _) => {
                let mut order: Vec<_> = targets.iter().filter(|other| other.vk == target).collect();
                let bits = order.first().map_or(u64::MAX, |target| bits(target));
                let smaller: Vec<&'static Format> = steps(&[P::Exact, P::Quality, P::Size]);
                order.extend(smaller.into_iter().filter(|other| self::bits(other) < bits));
                order
            }
            (_, Policy::Exact | Policy::Auto) => steps(&[P::Exact, P::Quality, P::Size]),
            (_, Policy::Quality) => steps(&[P::Quality, P::Size, P::Exact]),
            (_, Policy::Size) => steps(&[P::Size, P::Exact]),
        };
        order.extend(targets.exact());
        let mut ladder: Vec<&'static Format> = Vec::new();
        for target in order {
            if available.contains(&target) && !ladder.contains(&target) {
                ladder.push(target);
            }
        }
        ladder
    }

    /// The policy for `format`.
    pub(crate) fn policy_for(&self, format: VkFormat) -> Policy {
        match self.rules.get(&format) {
            Some(&Rule::Policy(policy)) => policy,
            _ => self.policy,
        }
    }
}

/// Sixteenths of a byte a texel: enough to compare targets.
fn bits(format: &Format) -> u64 {
    u64::from(format.block_bytes) * 144 / u64::from(format.footprint[0] * format.footprint[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_format::by_name;

    fn names(settings: &Settings, format: &str, policy: Policy, available: &[&str]) -> Vec<&'static str> {
        let format = by_name(format).expect("in the table");
        let available: Vec<_> = available.iter().map(|name| by_name(name).expect("in the table")).collect();
        settings.ladder(format, policy, &available).iter().map(|target| target.name).collect()
    }

    const ALL: [&str; 4] = ["R8G8B8A8_UNORM", "BC7_UNORM_BLOCK", "BC3_UNORM_BLOCK", "BC1_RGB_UNORM_BLOCK"];

    #[test]
    fn ladders_go_down_and_end_with_the_exact_target() {
        let settings = Settings::default();
        let astc = "ASTC_6x6_UNORM_BLOCK";
        assert_eq!(names(&settings, astc, Policy::Exact, &ALL), ALL[..3]);
        assert_eq!(names(&settings, astc, Policy::Quality, &ALL), [ALL[1], ALL[2], ALL[0]]);
        assert_eq!(names(&settings, astc, Policy::Size, &ALL), [ALL[2], ALL[0]]);
        assert_eq!(names(&settings, astc, Policy::Size, &ALL[..1]), ALL[..1], "a device without BC");
        assert_eq!(names(&settings, "ETC2_R8G8B8_UNORM_BLOCK", Policy::Size, &ALL), [ALL[3], ALL[0]]);
    }

    #[test]
    fn a_rule_outweighs_the_policy() {
        let mut settings = Settings::default();
        let astc = by_name("ASTC_6x6_UNORM_BLOCK").expect("in the table");
        let bc1 = by_name("BC1_RGBA_UNORM_BLOCK").expect("in the table");
        settings.rules.insert(astc.vk, Rule::Target(bc1.vk));
        let mut all = ALL.to_vec();
        all.push(bc1.name);
        assert_eq!(
            names(&settings, astc.name, Policy::Exact, &all),
            [bc1.name, ALL[0]],
            "nothing is smaller than BC1"
        );
        settings.rules.insert(astc.vk, Rule::Policy(Policy::Size));
        assert_eq!(settings.policy_for(astc.vk), Policy::Size);
        assert_eq!(settings.policy_for(bc1.vk), Policy::Exact);
    }
}
