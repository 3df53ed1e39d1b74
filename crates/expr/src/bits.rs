//! Bit-vector values of any width.

use smallvec::{SmallVec, smallvec};
use std::fmt;

/// A value of `width` bits (1 … 16,384, twice that in intermediate results); bits above the width are zero.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u16,
    words: SmallVec<[u64; 2]>,
}

impl Bits {
    /// `value` cut to `width` bits.
    #[inline]
    pub fn new(width: u16, value: u64) -> Bits {
        if let 1..=64 = width {
            return Bits { width, words: smallvec![value & crate::semantics::mask(width)] };
        }
        let mut words: SmallVec<[u64; 2]> = smallvec![0; (width as usize).div_ceil(64)];
        if let Some(first) = words.first_mut() {
            *first = value;
        }
        Bits::from_words(width, words)
    }

    /// All bits zero.
    pub fn zero(width: u16) -> Bits {
        Bits::new(width, 0)
    }

    /// All bits one.
    pub fn ones(width: u16) -> Bits {
        Bits::from_words(width, smallvec![u64::MAX; (width as usize).div_ceil(64)])
    }

    /// Little-endian words, cut or zero-extended to `width` bits.
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn from_words(width: u16, mut words: SmallVec<[u64; 2]>) -> Bits {
        assert!(width > 0, "a bit-vector has at least one bit");
        words.resize((width as usize).div_ceil(64), 0);
        if !width.is_multiple_of(64) {
            let last = words.len() - 1;
            words[last] &= (1u64 << (width % 64)) - 1;
        }
        Bits { width, words }
    }

    /// Little-endian bytes, cut or zero-extended to `width` bits.
    pub fn from_le_bytes(width: u16, bytes: &[u8]) -> Bits {
        let words =
            bytes.chunks(8).map(|c| c.iter().rev().fold(0u64, |w, &b| w << 8 | u64::from(b))).collect();
        Bits::from_words(width, words)
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

    /// The low 128 bits.
    pub fn low_128(&self) -> u128 {
        u128::from(self.words.get(1).copied().unwrap_or(0)) << 64 | u128::from(self.words[0])
    }

    /// The value, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        self.words[1..].iter().all(|&w| w == 0).then_some(self.words[0])
    }

    /// Bit `k`.
    pub fn bit(&self, k: u16) -> bool {
        self.words[k as usize / 64] >> (k % 64) & 1 == 1
    }

    /// The highest bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Whether all bits are one.
    pub fn is_ones(&self) -> bool {
        *self == Bits::ones(self.width)
    }
}

/// Hexadecimal, as in SMT-LIB where the width allows: `0xff:8`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let top = self.words.iter().rposition(|&w| w != 0).unwrap_or(0);
        write!(f, "0x{:x}", self.words[top])?;
        for w in self.words[..top].iter().rev() {
            write!(f, "{w:016x}")?;
        }
        write!(f, ":{}", self.width)
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_above_the_width_are_zero() {
        assert_eq!(Bits::new(4, 0xff).low(), 0xf);
        assert_eq!(Bits::ones(65).words(), [u64::MAX, 1]);
        assert_eq!(Bits::from_le_bytes(24, &[1, 2, 3, 4]).low(), 0x030201);
    }

    #[test]
    fn display_is_hexadecimal_with_the_width() {
        assert_eq!(Bits::new(8, 255).to_string(), "0xff:8");
        assert_eq!(Bits::from_words(128, smallvec![1, 2]).to_string(), "0x20000000000000001:128");
    }
}
