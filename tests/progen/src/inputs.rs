//! Inputs of a program: random ones, ones made of special values, and neighbours of those.

use crate::generate::INPUT_BYTES;
use crate::rng::Rng;

/// An input.
pub type Bytes = Vec<u8>;

/// Little-endian patterns of numbers that are special to somebody.
const SPECIAL: &[u64] = &[
    0,
    1,
    u64::MAX,
    0x7f,
    0x80,
    0x7fff_ffff,
    0x8000_0000,
    1 << 63,
    u64::MAX >> 1,
    0x3ff0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0x3f80_0000_bf00_0000,
    0x7f80_0000_ff80_0000,
    0x3c00_bc00_7c00_0001,
    0x4330_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
];

/// An input to record a trace of.
pub fn base(rng: &mut Rng) -> Bytes {
    let mut bytes: Bytes = (0..INPUT_BYTES).map(|_| rng.next() as u8).collect();
    match rng.below(4) {
        // Moderate floats: exponents near one.
        0 => bytes.chunks_exact_mut(8).for_each(|word| {
            let sign = rng.next() as u8 & 0x80;
            (word[7], word[6]) = (sign | (0x3f + rng.below(2) as u8), (rng.next() as u8 & 0x3f) | 0x80);
        }),
        1 => {
            for word in bytes.chunks_exact_mut(8) {
                if rng.chance(60) {
                    word.copy_from_slice(&rng.pick(SPECIAL).to_le_bytes());
                }
            }
        }
        2 => bytes.iter_mut().for_each(|b| *b = if rng.chance(50) { rng.below(4) as u8 } else { *b }),
        _ => {}
    }
    bytes
}

/// An input that may follow the same path: most bytes stay.
pub fn neighbour(rng: &mut Rng, of: &Bytes) -> Bytes {
    let mut bytes = of.clone();
    for _ in 0..rng.pick(&[1, 1, 2, 4, 12]) {
        let at = rng.below(INPUT_BYTES);
        bytes[at] = match rng.below(3) {
            0 => bytes[at] ^ 1 << rng.below(8),
            1 => bytes[at].wrapping_add(1),
            _ => rng.next() as u8,
        };
    }
    bytes
}
