//! Whether a BC format has room for a texture's alpha.

use crate::bc;
use crate::engine::{Engine, Task, for_each_band};
use crate::part::Part;
use anyhow::Result;
use texemu_format::Codec;

/// 1.0 as a 16-bit float.
const ONE: [u8; 2] = [0, 0x3C];

/// Alpha that does not fit.
struct Limit {
    is_lost: fn(&[u8]) -> bool,
    warning: &'static str,
}

fn limit(task: &Task) -> Option<Limit> {
    match (task.source.codec, task.target.codec) {
        // Their alpha is 0 or 1, or always 1.
        (Codec::Etc2Rgb | Codec::Etc2RgbA1, _) => None,
        (_, Codec::Bc1Rgb | Codec::Bc1Rgba) => Some(Limit {
            is_lost: |texel| !matches!(texel[3], 0 | 255),
            warning: "BC1 knows no alpha between 0 and 1, and partial alpha becomes one of them; bc3 and bc7 keep it",
        }),
        (_, Codec::Bc6h) => Some(Limit {
            is_lost: |texel| texel[6..] != ONE,
            warning: "BC6H has no alpha, and this texture's becomes 1; rgba16f keeps it",
        }),
        _ => None,
    }
}

/// Whether [`warning`] looks at the texels.
pub(crate) fn is_at_risk(task: &Task) -> bool {
    limit(task).is_some()
}

/// What to tell a user whose alpha does not survive `task`; `each` hears of texels looked at. Stops at the first such texel.
pub(crate) fn warning(
    engine: &mut dyn Engine,
    part: &Part<'_>,
    task: &Task,
    mut each: impl FnMut(u64),
) -> Result<Option<&'static str>> {
    let (Some(limit), Some(texels)) = (limit(task), bc::texels_of(task.target)) else { return Ok(None) };
    let task = Task { target: texels, ..*task };
    let mut is_lost = false;
    for at in part.shape().images() {
        for_each_band(part, &task, at, |band| {
            if !is_lost {
                let made = engine.run(&task, band.blocks, band.width, band.rows)?;
                is_lost = made.chunks_exact(texels.block_bytes as usize).any(limit.is_lost);
                each(u64::from(band.width) * u64::from(band.rows));
            }
            Ok(())
        })?;
    }
    Ok(is_lost.then_some(limit.warning))
}
