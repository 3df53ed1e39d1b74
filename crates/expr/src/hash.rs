//! Structural hashes of expressions: equal structure gives equal hashes in every arena, run and process.
//!
//! Two 64-bit lanes of folded multiplication (as in wyhash). Not meant to withstand an adversary; 128 bits make
//! accidental collisions among billions of expressions improbable.

/// Accumulates words into a 128-bit hash.
#[derive(Clone, Copy)]
pub(crate) struct Hasher {
    low: u64,
    high: u64,
}

impl Hasher {
    pub(crate) const fn new(seed: u64) -> Hasher {
        Hasher { low: seed ^ 0x9e37_79b9_7f4a_7c15, high: seed ^ 0xd1b5_4a32_d192_ed03 }
    }

    pub(crate) const fn word(self, x: u64) -> Hasher {
        Hasher {
            low: fold(self.low.rotate_left(29) ^ x, 0xa076_1d64_78bd_642f),
            high: fold(self.high.rotate_left(37).wrapping_add(x), 0xe703_7ed1_a0b4_28db),
        }
    }

    pub(crate) const fn hash(self, h: u128) -> Hasher {
        self.word(h as u64).word((h >> 64) as u64)
    }

    pub(crate) const fn finish(self) -> u128 {
        let low = fold(self.low ^ self.high.rotate_left(32), 0x8ebc_6af0_9c88_c6e3);
        let high = fold(self.high ^ self.low, 0x5899_65cc_7537_4cc3);
        (high as u128) << 64 | low as u128
    }
}

const fn fold(x: u64, k: u64) -> u64 {
    // The increment keeps a zero word from wiping out what came before.
    let p = (x ^ 0x2d35_8dcc_aa6c_78a5) as u128 * k as u128;
    (p as u64) ^ ((p >> 64) as u64).wrapping_add(x)
}
