//! The formats as bit patterns: taking them apart, putting them together with one rounding, and converting.

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IEEE half precision, 16 bits.
    Half,
    /// IEEE single precision, 32 bits.
    Single,
    /// IEEE double precision, 64 bits.
    Double,
    /// x87 extended precision, 80 bits: the integer bit is explicit.
    Extended,
}

/// What kind of value a bit pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Not a number. The x87's invalid encodings count as such.
    Nan,
    /// Infinite.
    Infinite,
    /// Zero, denormal or normal.
    Finite,
}

/// A bit pattern taken apart: if it is finite, its magnitude is `significand * 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// Its kind.
    pub class: Class,
    /// Whether the sign bit is set.
    pub sign: bool,
    /// See above.
    pub significand: u64,
    /// See above.
    pub exponent: i32,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 4] = [Format::Half, Format::Single, Format::Double, Format::Extended];

    /// The format of so many bits.
    pub const fn of_width(width: u16) -> Option<Format> {
        match width {
            16 => Some(Format::Half),
            32 => Some(Format::Single),
            64 => Some(Format::Double),
            80 => Some(Format::Extended),
            _ => None,
        }
    }

    /// Width in bits.
    pub const fn width(self) -> u16 {
        match self {
            Format::Half => 16,
            Format::Single => 32,
            Format::Double => 64,
            Format::Extended => 80,
        }
    }

    /// Bits of the significand, the integer bit included.
    pub const fn precision(self) -> u16 {
        match self {
            Format::Half => 11,
            Format::Single => 24,
            Format::Double => 53,
            Format::Extended => 64,
        }
    }

    /// Bits of the exponent.
    pub const fn exponent_bits(self) -> u16 {
        match self {
            Format::Half => 5,
            Format::Single => 8,
            Format::Double => 11,
            Format::Extended => 15,
        }
    }

    /// The largest biased exponent, that of infinities.
    const fn top(self) -> u32 {
        (1 << self.exponent_bits()) - 1
    }

    /// Exponent of the lowest significand bit of a value whose biased exponent is 1.
    const fn lowest(self) -> i32 {
        1 - ((1 << (self.exponent_bits() - 1)) - 1) - (self.precision() as i32 - 1)
    }

    /// Bits of the significand that are stored.
    const fn stored(self) -> u16 {
        match self {
            Format::Extended => 64,
            _ => self.precision() - 1,
        }
    }

    /// Sign, biased exponent and stored significand as a bit pattern.
    const fn assemble(self, sign: bool, exponent: u32, stored: u64) -> u128 {
        let head = (sign as u128) << self.exponent_bits() | exponent as u128;
        head << self.stored() | stored as u128
    }

    /// Infinity of this sign.
    pub const fn infinity(self, sign: bool) -> u128 {
        let integer_bit = if matches!(self, Format::Extended) { 1 << 63 } else { 0 };
        self.assemble(sign, self.top(), integer_bit)
    }

    /// What an invalid operation gives: a quiet pattern with the sign bit set.
    pub const fn default_nan(self) -> u128 {
        self.infinity(true) | 1 << (self.precision() - 2)
    }

    /// The pattern, which is not a number, made quiet. An invalid encoding of the x87 gives the default.
    pub const fn quiet(self, bits: u128) -> u128 {
        if matches!(self, Format::Extended) && bits >> 63 & 1 == 0 {
            return self.default_nan();
        }
        if matches!(self, Format::Extended) && (bits >> 64) as u32 & self.top() != self.top() {
            return self.default_nan();
        }
        bits | 1 << (self.precision() - 2)
    }
}

/// Takes a bit pattern apart.
pub const fn unpack(format: Format, bits: u128) -> Unpacked {
    let stored = format.stored();
    let sign = bits >> (format.width() - 1) & 1 == 1;
    let biased = (bits >> stored) as u32 & format.top();
    let low = if stored == 64 { bits as u64 } else { bits as u64 & ((1 << stored) - 1) };
    let integer_bit = 1u64 << (format.precision() - 1);
    let is_extended = matches!(format, Format::Extended);
    let class = match () {
        // Above the lowest exponent the integer bit must be there.
        () if is_extended && biased > 0 && low & integer_bit == 0 => Class::Nan,
        () if biased < format.top() => Class::Finite,
        () if low & (integer_bit - 1) == 0 => Class::Infinite,
        () => Class::Nan,
    };
    let significand = if is_extended || biased == 0 { low } else { low | integer_bit };
    let above_lowest = if biased == 0 { 0 } else { biased as i32 - 1 };
    Unpacked { class, sign, significand, exponent: format.lowest() + above_lowest }
}

/// The float nearest to `significand * 2^exponent`, halves to even; too large ones are infinite.
pub const fn pack(format: Format, sign: bool, significand: u128, exponent: i32) -> u128 {
    if significand == 0 {
        return format.assemble(sign, 0, 0);
    }
    let length = 128 - significand.leading_zeros() as i32;
    // The exponent of the result's lowest bit: precision bits are kept, fewer below the normal range.
    let by_length = exponent + length - format.precision() as i32;
    let unit = if by_length > format.lowest() { by_length } else { format.lowest() };
    let mut rounded = shifted(significand, exponent - unit);
    let mut unit = unit;
    if rounded >> format.precision() != 0 {
        rounded >>= 1;
        unit += 1;
    }
    let is_normal = rounded >> (format.precision() - 1) != 0;
    let biased = if is_normal { unit - format.lowest() + 1 } else { 0 };
    if biased >= format.top() as i32 {
        return format.infinity(sign);
    }
    let stored = rounded as u64 & (u64::MAX >> (64 - format.stored()));
    format.assemble(sign, biased as u32, stored)
}

/// `x * 2^by`, rounded to an integer, halves to even. A shift to the left loses nothing here.
const fn shifted(x: u128, by: i32) -> u128 {
    if by >= 0 {
        return x << by;
    }
    let cut = by.unsigned_abs();
    if cut > 128 {
        return 0;
    }
    let half = 1u128 << (cut - 1);
    let (kept, rest) = if cut == 128 { (0, x) } else { (x >> cut, x & ((1 << cut) - 1)) };
    if rest > half || (rest == half && kept & 1 == 1) { kept + 1 } else { kept }
}

/// A float in another format: rounded to nearest even; what is not a number keeps the high bits of its payload and
/// becomes quiet.
pub const fn convert(from: Format, to: Format, bits: u128) -> u128 {
    let x = unpack(from, bits);
    match x.class {
        Class::Infinite => to.infinity(x.sign),
        Class::Finite if from as u8 == to as u8 && !matches!(to, Format::Extended) => bits,
        Class::Finite => pack(to, x.sign, x.significand as u128, x.exponent),
        Class::Nan => {
            let quiet = from.quiet(bits);
            let payload = quiet & ((1 << (from.precision() - 1)) - 1);
            let (have, want) = (from.precision(), to.precision());
            let payload = if want >= have { payload << (want - have) } else { payload >> (have - want) };
            let sign = quiet >> (from.width() - 1) & 1 == 1;
            to.infinity(sign) | payload
        }
    }
}

/// Position of a float on the line of all floats of its format: neighbouring numbers differ by 1, both zeros are 0,
/// negative numbers are negative. Infinities follow the largest numbers, and what is not a number follows them.
pub const fn ordinal(format: Format, bits: u128) -> i128 {
    let sign = bits >> (format.width() - 1) & 1 == 1;
    let magnitude = bits & ((1 << (format.width() - 1)) - 1);
    // The x87's integer bit says nothing that the exponent does not.
    let magnitude = match format {
        Format::Extended => magnitude >> 64 << 63 | (magnitude & (u64::MAX >> 1) as u128),
        _ => magnitude,
    };
    if sign { -(magnitude as i128) } else { magnitude as i128 }
}

/// The float at this position; beyond infinity: infinity.
pub const fn from_ordinal(format: Format, ordinal: i128) -> u128 {
    let infinity = self::ordinal(format, format.infinity(false));
    let sign = ordinal < 0;
    let magnitude = ordinal.unsigned_abs();
    if magnitude >= infinity as u128 {
        return format.infinity(sign);
    }
    let magnitude = match format {
        Format::Extended => {
            let exponent = magnitude >> 63;
            exponent << 64 | ((exponent != 0) as u128) << 63 | (magnitude & (u64::MAX >> 1) as u128)
        }
        _ => magnitude,
    };
    (sign as u128) << (format.width() - 1) | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_have_neighbouring_ordinals() {
        for format in Format::ALL {
            let infinity = ordinal(format, format.infinity(false));
            let one = pack(format, false, 1, 0);
            let (top, at) = (format.precision() as i32 - 1, ordinal(format, one));
            // One and its successor differ in the last place.
            let next = pack(format, false, (1 << top) + 1, -top);
            assert_eq!(from_ordinal(format, at + 1), next);
            for position in [0, 1, 2, at - 1, at, infinity - 1, infinity] {
                for position in [position, -position] {
                    assert_eq!(ordinal(format, from_ordinal(format, position)), position);
                }
            }
            // The largest denormal and the smallest normal number; the ends.
            let normal = 1i128 << (format.precision() - 1);
            assert_eq!(unpack(format, from_ordinal(format, normal)).significand, 1 << top);
            assert_eq!(unpack(format, from_ordinal(format, normal - 1)).significand, (1 << top) - 1);
            assert_eq!(from_ordinal(format, infinity + 7), format.infinity(false));
            assert_eq!(ordinal(format, 1 << (format.width() - 1)), 0);
        }
    }

    #[test]
    fn packing_rounds_to_nearest_even_and_overflows_to_infinity() {
        let half = |significand, exponent| pack(Format::Half, false, significand, exponent);
        assert_eq!(half(1, 0), 0x3c00);
        assert_eq!(half(2049, 0), half(2048, 0));
        assert_eq!(half(2051, 0), half(2052, 0));
        assert_eq!(half(65519, 0), half(65504, 0));
        assert_eq!(half(65520, 0), 0x7c00);
        assert_eq!(half(1, -24), 1);
        assert_eq!((half(1, -25), half(3, -26)), (0, 1));
        assert_eq!(half(u128::MAX, 0), 0x7c00);
    }
}
