//! Files that lie: cut short, with any field or bit changed, claiming sizes that no memory holds. A reader answers with an
//! error that names the container, or with a texture whose every image is there; it neither panics nor takes memory for what the
//! file does not have.

#[path = "../common/mod.rs"]
mod common;

mod bombs;
mod memory;
mod meter;
mod victims;
mod words;

use common::{Random, raw_bytes};
use meter::{alone, peak};
use proptest::prelude::{ProptestConfig, any, proptest};
use texemu_container::{Container, Error, Limits, Texture, read_with};
use victims::victims;

/// What the readers may decompress to in these tests.
const LIMITS: Limits = Limits { bytes: 8 << 20 };
/// What a reader may take besides the file and what it decompresses to.
const SLACK_BYTES: usize = 2 << 20;

/// Reads `bytes`, and checks what must hold of any answer. `bytes` are copied, so the peak counts the file too.
fn attack(bytes: &[u8]) -> Result<Texture, Error> {
    let (result, taken) = peak(|| read_with(bytes.to_vec(), LIMITS));
    let decompressed = result.as_ref().map_or(LIMITS.bytes, |texture| texture.shape().bytes()) as usize;
    assert!(
        taken <= bytes.len() + decompressed + SLACK_BYTES,
        "{taken} bytes of heap for a file of {} that has {decompressed}",
        bytes.len()
    );
    match &result {
        Ok(texture) => assert_eq!(raw_bytes(texture).len() as u64, texture.shape().bytes()),
        Err(error) => {
            let container = Container::detect(bytes).map_or("not a ", |container| container.extension());
            assert!(error.to_string().starts_with(container), "{error}");
        }
    }
    result
}

#[test]
fn files_cut_short_are_refused() {
    let _one = alone();
    for (name, file) in victims() {
        attack(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        // KTX 1 ends in the padding of its last level, which nobody reads.
        let padding = if name == "ktx big-endian cube of padded rows" { 3 } else { 0 };
        for length in 0..file.len() - padding {
            let result = attack(&file[..length]);
            assert!(result.is_err(), "{name}: {length} of {} bytes are enough", file.len());
        }
    }
}

#[test]
fn any_header_word_may_lie() {
    let _one = alone();
    const VALUES: [u32; 16] = [
        0,
        1,
        2,
        3,
        6,
        7,
        13,
        31,
        255,
        0xFFFF,
        0x1_0000,
        0x00FF_FFFF,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFFE,
        0xFFFF_FFFF,
    ];
    let mut refused = 0;
    for (_, file) in victims() {
        for at in (0..file.len().min(400) - 8).step_by(2) {
            for value in VALUES {
                for bytes in [value.to_le_bytes(), value.to_be_bytes()] {
                    let mut file = file.clone();
                    file[at..][..4].copy_from_slice(&bytes);
                    refused += u32::from(attack(&file).is_err());
                    // The same in the upper half of a 64-bit field.
                    file[at + 4..][..4].copy_from_slice(&bytes);
                    refused += u32::from(attack(&file).is_err());
                }
            }
        }
    }
    assert!(refused > 10_000, "only {refused} lies were noticed");
}

/// The same mutations every time; `TEXEMU_FUZZ` multiplies their number.
#[test]
fn mutations_are_survived() {
    let _one = alone();
    let rounds = std::env::var("TEXEMU_FUZZ").ok().and_then(|times| times.parse().ok()).unwrap_or(1) * 2_000;
    let mut random = Random(0x7E7E);
    let victims = victims();
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..rounds {
        for (_, file) in &victims {
            let mut file = file.clone();
            for _ in 0..1 + random.below(4) {
                // Headers matter more than texels.
                let end = if random.below(4) == 0 { file.len() } else { file.len().min(260) } as u64;
                let at = random.below(end) as usize;
                match random.below(6) {
                    0 => file[at] ^= 1 << random.below(8),
                    1 => file[at] = random.next() as u8,
                    2 => file[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5) as usize],
                    3 => {
                        let to = random.below(end) as usize;
                        let length = (1 + random.below(8) as usize).min(file.len() - at.max(to));
                        file.copy_within(at..at + length, to);
                    }
                    4 => {
                        file.insert(at, random.next() as u8);
                    }
                    _ => {
                        file.remove(at);
                    }
                }
                if file.is_empty() {
                    break;
                }
            }
            match attack(&file) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > rounds && accepted > rounds, "{refused} refused, {accepted} accepted");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn noise_after_a_magic_is_survived(which in 0usize..5, noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _one = alone();
        let victims = victims();
        let names = ["astc", "pkm 2.0", "ktx", "ktx2", "dds"];
        let (_, file) = victims.iter().find(|(name, _)| *name == names[which]).expect("a victim");
        let magic = if names[which].starts_with("ktx") { 12 } else { 4 };
        let mut bytes = file[..magic].to_vec();
        bytes.extend(noise);
        let _ = attack(&bytes);
    }
}
