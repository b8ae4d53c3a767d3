//! Views of emulated images.

use crate::chain::{Chain, Keep};
use crate::emulator::Emulator;
use crate::error::{Context, Error, Result};
use crate::image::EmulatedImage;
use crate::query::siblings;
use texemu_core::vk;
use texemu_format::{Format, VkFormat, by_vk};

impl Emulator {
    /// `vkCreateImageView`; `None` if the image is not emulated, and the driver is to be called. The view is destroyed as
    /// any other.
    ///
    /// The view's format may be the image's or, if that is UNORM or SRGB, the other of the two: the texels are those that
    /// were decoded for the image's format, which can differ from a native decode for the view's by one in 255. Other
    /// formats of the compatibility class, and uncompressed ones, are refused.
    ///
    /// # Safety
    /// As `vkCreateImageView`.
    #[doc(alias = "vkCreateImageView")]
    pub unsafe fn create_image_view(
        &self,
        info: &vk::ImageViewCreateInfo<'_>,
        allocator: Option<&vk::AllocationCallbacks<'_>>,
    ) -> Result<Option<vk::ImageView>> {
        let Some(image) = self.images.get(info.image) else { return Ok(None) };
        let format = view_format(&image, info.format)?;
        // SAFETY: the caller's promise; the chain lives until the end of this function.
        let mut chain = unsafe { Chain::copy(info.p_next, keep) };
        // The decoded plane can be stored through; the application's view, and the sRGB one above all, cannot.
        // SAFETY: the caller's promise.
        if unsafe { crate::chain::find_in::<vk::ImageViewUsageCreateInfo<'_>>(info.p_next) }.is_none() {
            chain.push(&vk::ImageViewUsageCreateInfo::default().usage(image.usage));
        }
        let mut view_info = *info;
        view_info.p_next = chain.head();
        view_info.format = texemu_core::vk_format(format.vk);
        view_info.components = components(image.format, info.components);
        // SAFETY: the caller's promise; what was changed is valid for the decoded plane.
        let view = unsafe { self.gpu.device().create_image_view(&view_info, allocator) };
        view.call("vkCreateImageView").map(Some)
    }
}

fn keep(s_type: vk::StructureType) -> Keep {
    match s_type {
        // It may stand with ASTC formats alone. The precision of the decode is chosen with the target.
        vk::StructureType::IMAGE_VIEW_ASTC_DECODE_MODE_EXT => Keep::Drop,
        _ => Keep::Same,
    }
}

/// The decoded plane's format for a view of `wanted`.
fn view_format(image: &EmulatedImage, wanted: vk::Format) -> Result<&'static Format> {
    let refuse = |what: String| Err(Error::Unsupported { format: image.format, what });
    let Some(wanted) = by_vk(VkFormat(wanted.as_raw())) else {
        return refuse(format!("a view of {wanted:?}"));
    };
    if wanted == image.format {
        return Ok(image.target);
    }
    if !siblings(image.format).any(|other| other == wanted) {
        return refuse(format!("a view of {}", wanted.name));
    }
    match siblings(image.target).next() {
        Some(target) => Ok(target),
        None => refuse(format!("a view of {} of an image stored as {}", wanted.name, image.target.name)),
    }
}

/// The swizzle that hides what the target has and the source format has not: ETC2 RGB in RGBA reads alpha 1, in the
/// border too.
fn components(format: &Format, asked: vk::ComponentMapping) -> vk::ComponentMapping {
    use vk::ComponentSwizzle as S;
    let stored = format.stored_components();
    let component = |asked: S, own: S| {
        let wanted = if asked == S::IDENTITY { own } else { asked };
        match wanted {
            S::R if !stored[0] => S::ZERO,
            S::G if !stored[1] => S::ZERO,
            S::B if !stored[2] => S::ZERO,
            S::A if !stored[3] => S::ONE,
            // Left as it was asked: an identity stays one, which some uses of views demand.
            _ => asked,
        }
    };
    vk::ComponentMapping {
        r: component(asked.r, S::R),
        g: component(asked.g, S::G),
        b: component(asked.b, S::B),
        a: component(asked.a, S::A),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texemu_format::by_name;
    use vk::ComponentSwizzle as S;

    fn mapped(format: &str, asked: [S; 4]) -> [S; 4] {
        let [r, g, b, a] = asked;
        let format = by_name(format).expect("in the table");
        let mapping = components(format, vk::ComponentMapping { r, g, b, a });
        [mapping.r, mapping.g, mapping.b, mapping.a]
    }

    const IDENTITY: [S; 4] = [S::IDENTITY; 4];

    #[test]
    fn missing_components_read_zero_and_one() {
        let id = S::IDENTITY;
        assert_eq!(mapped("ASTC_4x4_UNORM_BLOCK", IDENTITY), IDENTITY, "nothing is missing");
        assert_eq!(mapped("ETC2_R8G8B8A1_UNORM_BLOCK", IDENTITY), IDENTITY, "nothing is missing");
        assert_eq!(mapped("ETC2_R8G8B8_SRGB_BLOCK", IDENTITY), [id, id, id, S::ONE], "no alpha");
        assert_eq!(mapped("EAC_R11G11_SNORM_BLOCK", IDENTITY), [id, id, S::ZERO, S::ONE], "no blue");
        assert_eq!(mapped("EAC_R11_UNORM_BLOCK", IDENTITY), [id, S::ZERO, S::ZERO, S::ONE], "red alone");
        assert_eq!(
            mapped("ETC2_R8G8B8_UNORM_BLOCK", [S::A, S::ONE, S::R, S::B]),
            [S::ONE, S::ONE, S::R, S::B],
            "wherever alpha is asked for, and nowhere else"
        );
    }
}
