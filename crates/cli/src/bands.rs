//! Cutting a slice into bands, so that neither its texels nor its blocks need be in memory at once.

use texemu_format::Format;

/// Bytes that a band's texels may take, decoded.
const BAND_BYTES: u64 = 8 << 20;

/// Some rows of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Band {
    /// The first row of texels: a row of blocks starts there, of the source as of the target.
    pub(crate) first: u32,
    /// Rows of texels.
    pub(crate) rows: u32,
}

/// Texels after which blocks of both formats start anew, in x and y.
pub(crate) fn common_footprint(source: &Format, target: &Format) -> [u32; 2] {
    [0, 1].map(|axis| lcm(source.footprint[axis], target.footprint[axis]))
}

/// The bands of a slice of `width` x `height` texels.
pub(crate) fn bands(
    source: &Format,
    target: &Format,
    width: u32,
    height: u32,
) -> impl Iterator<Item = Band> + use<> {
    let step = common_footprint(source, target)[1];
    // What an encoder works on takes 8 bytes a texel at most.
    let texel_bytes = if target.is_compressed() { 8 } else { u64::from(target.block_bytes) };
    let strip = u64::from(width) * u64::from(step) * texel_bytes;
    let strips = u32::try_from((BAND_BYTES / strip.max(1)).max(1)).unwrap_or(u32::MAX);
    let rows = step.saturating_mul(strips);
    let mut first = 0;
    std::iter::from_fn(move || {
        let band = Band { first, rows: rows.min(height - first) };
        first += band.rows;
        (band.rows > 0).then_some(band)
    })
}

fn lcm(a: u32, b: u32) -> u32 {
    let gcd = |mut a: u32, mut b: u32| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> &'static Format {
        texemu_format::by_name(name).expect("in the table")
    }

    #[test]
    fn bands_cover_each_row_once_and_start_where_blocks_start() {
        for (source, target, step) in [
            ("ASTC_12x12_UNORM_BLOCK", "R8G8B8A8_UNORM", 12),
            ("ASTC_10x5_UNORM_BLOCK", "BC3_UNORM_BLOCK", 20),
            ("ASTC_6x6_UNORM_BLOCK", "BC7_UNORM_BLOCK", 12),
            ("EAC_R11_UNORM_BLOCK", "BC4_UNORM_BLOCK", 4),
        ] {
            for (width, height) in [(1, 1), (16384, 16384), (3000, 1001), (1 << 24, 25)] {
                let mut next = 0;
                for band in bands(format(source), format(target), width, height) {
                    assert_eq!(
                        band.first, next,
                        "{source} {width}x{height}: no row is left out or done twice"
                    );
                    assert_eq!(band.first % step, 0, "{source} to {target}: blocks start at row {next}");
                    next += band.rows;
                    let last = next == height;
                    assert!(
                        last || band.rows % step == 0,
                        "{source} to {target}: {band:?} ends with its blocks"
                    );
                }
                assert_eq!(next, height, "{source} {width}x{height}: all rows");
            }
        }
    }

    #[test]
    fn a_large_image_has_small_bands() {
        let (source, target) = (format("ASTC_12x12_UNORM_BLOCK"), format("R8G8B8A8_UNORM"));
        let most = bands(source, target, 16384, 16384).map(|band| band.rows).max();
        assert_eq!(most, Some(120), "8 MiB are 128 rows, of which 120 are whole blocks");
    }
}
