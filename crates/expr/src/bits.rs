//! Bit-vector values of any width.

use smallvec::{SmallVec, smallvec};

/// A value of `width` bits (1 … 16,384); bits above the width are zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bits {
    width: u16,
    words: SmallVec<[u64; 2]>,
}

impl Bits {
    /// `value` cut to `width` bits.
    pub fn new(width: u16, value: u64) -> Bits {
        let mut words: SmallVec<[u64; 2]> = smallvec![0; (width as usize).div_ceil(64)];
        words[0] = value;
        Bits::from_words(width, words)
    }

    /// Little-endian words, cut or zero-extended to `width` bits.
    pub fn from_words(width: u16, mut words: SmallVec<[u64; 2]>) -> Bits {
        assert!(width > 0, "a bit-vector has at least one bit");
        words.resize((width as usize).div_ceil(64), 0);
        if width % 64 != 0 {
            let last = words.len() - 1;
            words[last] &= (1u64 << (width % 64)) - 1;
        }
        Bits { width, words }
    }

    /// Width in bits.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Little-endian 64-bit words.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The low 64 bits.
    pub fn low(&self) -> u64 {
        self.words[0]
    }

    /// Bit `k`.
    pub fn bit(&self, k: u16) -> bool {
        self.words[k as usize / 64] >> (k % 64) & 1 == 1
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }
}
