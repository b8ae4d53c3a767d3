//! What holds for any bits at all.

use proptest::prelude::*;
use texemu_format::{Codec, Format, Numeric};
use texemu_reference::astc::{Block, inspect};
use texemu_reference::{ErrorColor, Options, decode_block, target};

fn source() -> impl Strategy<Value = &'static Format> {
    let sources: Vec<_> = texemu_format::sources().collect();
    proptest::sample::select(sources)
}

fn decode(format: &Format, block: &[u8; 16], options: &Options) -> Vec<u8> {
    let texel_bytes = target(format, options).expect("a source format").block_bytes;
    let mut texels = vec![0; (format.footprint[0] * format.footprint[1] * texel_bytes) as usize];
    decode_block(format, &block[..format.block_bytes as usize], options, &mut texels).expect("sizes match");
    texels
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bits decode, and the error colour shows in illegal blocks and, in LDR formats, in HDR content
    /// alone.
    #[test]
    fn any_block_decodes(format in source(), block: [u8; 16]) {
        let magenta = decode(format, &block, &Options::default());
        let transparent = Options { error_color: ErrorColor::TransparentBlack, ..Options::default() };
        let transparent = decode(format, &block, &transparent);
        let astc = matches!(format.codec, Codec::AstcLdr | Codec::AstcHdr);
        if astc && inspect(&block, format.footprint).is_err() {
            let texel: Vec<u8> = if format.numeric == Numeric::Sfloat {
                [0x3C00u16, 0, 0x3C00, 0x3C00].iter().flat_map(|half| half.to_le_bytes()).collect()
            } else {
                vec![255, 0, 255, 255]
            };
            prop_assert!(magenta.chunks(texel.len()).all(|other| other == texel), "{}", format.name);
            prop_assert!(transparent.iter().all(|&byte| byte == 0), "{}", format.name);
        } else if !astc || format.codec == Codec::AstcHdr {
            prop_assert_eq!(&magenta, &transparent, "{}: a legal block has no error colour", format.name);
        }
    }

    /// An HDR format decodes LDR content as `decode_float16` does in an LDR format, whose `decode_unorm8` is
    /// the same value cut to 8 bits.
    #[test]
    fn precisions_agree_on_ldr_blocks(seed: u64, footprint in 0usize..14) {
        use texemu_reference::blocks::{Rng, astc::{DynamicRange, legal}};
        let ldr = texemu_format::sources()
            .filter(|format| format.codec == Codec::AstcLdr && format.numeric == Numeric::Unorm)
            .nth(footprint)
            .expect("14 footprints");
        let hdr = texemu_format::find(Codec::AstcHdr, ldr.footprint, Numeric::Sfloat).expect("an HDR sibling");
        let block = legal(&mut Rng::new(seed), ldr.footprint, DynamicRange::Ldr);
        prop_assert!(matches!(inspect(&block, ldr.footprint), Ok(Block::Coded(_))));
        let float16 = decode(ldr, &block, &Options { float16: true, ..Options::default() });
        prop_assert_eq!(&float16, &decode(hdr, &block, &Options::default()));
        let unorm8 = decode(ldr, &block, &Options::default());
        for (half, byte) in float16.chunks(2).map(|half| u16::from_le_bytes([half[0], half[1]])).zip(unorm8) {
            // 1.0 is 255; less than that keeps the top 11 significant bits of c / 65536, and c >> 8 is 256
            // times it, rounded down.
            let expected = match half {
                0x3C00 => 255,
                0..0x400 => 0,
                _ => u32::from(half & 0x3FF | 0x400) >> (17 - (half >> 10)),
            };
            prop_assert_eq!(u32::from(byte), expected, "{:04x}", half);
        }
    }
}
