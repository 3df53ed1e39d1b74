//! What a value may be: two ranges, of the patterns with the sign bit clear and of those with it set.
//!
//! Two ranges instead of one are right for signed and unsigned integers alike (a wrapped range in the manner of Navas,
//! Schachte, Søndergaard and Stuckey, "Signedness-Agnostic Program Analysis", APLAS 2012, is two of these at most), and
//! for floats they keep apart what a division by a range around zero gives. A float is a position on the line of all
//! floats of its format ([`key`]): -0 is -1, +0 is 0, neighbours differ by 1, so that both zeros are told apart and a
//! range is exact for machine floats. Whether it may be none ("not a number") is a flag beside the ranges.

use crate::range::Range;
use expr::Bits;
use floats::{Class, Format};

/// Wider values are not followed. Leaves room for one sum and for shifts within 128 bits.
pub const MAX_WIDTH: u16 = 120;

/// How a value's patterns are laid out in a [`Domain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Width in bits.
    pub width: u16,
    /// The format, if ranges are those of float positions; else they are of signed integers.
    pub float: Option<Format>,
}

impl Shape {
    /// An integer of so many bits.
    pub const fn integer(width: u16) -> Shape {
        Shape { width, float: None }
    }

    /// A float.
    pub const fn float(format: Format) -> Shape {
        Shape { width: format.width(), float: Some(format) }
    }

    /// Whether domains of this shape say anything.
    pub const fn is_followed(self) -> bool {
        self.width <= MAX_WIDTH
    }

    /// Everything that a value of this shape may be.
    pub fn top(self) -> Domain {
        match self.float {
            Some(format) => {
                let infinity = infinity(format);
                Domain { plus: Range::new(0, infinity), minus: Range::new(-1 - infinity, -1), nan: true }
            }
            // A stand-in that is never empty: nothing looks inside it.
            None if !self.is_followed() => Domain { plus: Range::point(0), minus: Range::EMPTY, nan: false },
            None => {
                let half = half(self.width);
                Domain { plus: Range::new(0, half - 1), minus: Range::new(-half, -1), nan: false }
            }
        }
    }

    /// The domain of one value.
    pub fn of_bits(self, value: &Bits) -> Domain {
        if !self.is_followed() {
            return self.top();
        }
        let pattern = value.low_128();
        match self.float {
            Some(format) => match key(format, pattern) {
                Some(key) => Domain::number(Range::point(key)),
                None => Domain::NAN,
            },
            None => {
                let half = half(self.width);
                let pattern = pattern as i128;
                Domain::number(Range::point(if pattern >= half { pattern - 2 * half } else { pattern }))
            }
        }
    }
}

/// 2^(width - 1): the first pattern with the sign bit set.
pub const fn half(width: u16) -> i128 {
    1 << (width - 1)
}

/// Position of infinity.
pub const fn infinity(format: Format) -> i128 {
    floats::ordinal(format, format.infinity(false))
}

/// Position of a float on the line of all floats of its format, from -0 (-1) and +0 (0) outward; `None` if it is not a
/// number.
pub fn key(format: Format, bits: u128) -> Option<i128> {
    let unpacked = floats::unpack(format, bits);
    let pattern = match unpacked.class {
        Class::Nan => return None,
        Class::Infinite => format.infinity(false),
        // The x87 has two encodings of some numbers.
        Class::Finite => floats::pack(format, false, unpacked.significand.into(), unpacked.exponent),
    };
    let magnitude = floats::ordinal(format, pattern);
    Some(if unpacked.sign { -1 - magnitude } else { magnitude })
}

/// The float at a position.
pub fn pattern(format: Format, key: i128) -> u128 {
    let sign = 1 << (format.width() - 1);
    if key < 0 { floats::from_ordinal(format, -1 - key) | sign } else { floats::from_ordinal(format, key) }
}

/// What a value of some [`Shape`] may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Those with the sign bit clear: within [0, 2^(width-1)), or from +0 to infinity.
    pub plus: Range,
    /// Those with the sign bit set: within [-2^(width-1), 0), or from -infinity (-1 less its magnitude's position) to -0.
    pub minus: Range,
    /// A float that may be none.
    pub nan: bool,
}

impl Domain {
    /// No value.
    pub const EMPTY: Domain = Domain { plus: Range::EMPTY, minus: Range::EMPTY, nan: false };

    /// No number.
    pub const NAN: Domain = Domain { nan: true, ..Domain::EMPTY };

    /// A Boolean that is false.
    pub const FALSE: Domain = Domain { plus: Range::point(0), ..Domain::EMPTY };

    /// A Boolean that is true: the only bit is the sign.
    pub const TRUE: Domain = Domain { minus: Range::point(-1), ..Domain::EMPTY };

    /// The numbers (or signed integers) of a range, cut at the sign.
    pub fn number(range: Range) -> Domain {
        let plus = range.meet(Range::new(0, i128::MAX));
        Domain { plus, minus: range.meet(Range::new(i128::MIN, -1)), nan: false }
    }

    /// A Boolean.
    pub fn boolean(may_be_false: bool, may_be_true: bool) -> Domain {
        let false_ = if may_be_false { Domain::FALSE } else { Domain::EMPTY };
        false_.join(if may_be_true { Domain::TRUE } else { Domain::EMPTY })
    }

    /// Whether no value is left.
    pub const fn is_empty(self) -> bool {
        self.plus.is_empty() && self.minus.is_empty() && !self.nan
    }

    /// The two ranges that are not empty, ascending.
    pub fn parts(self) -> impl Iterator<Item = Range> + Clone {
        [self.minus, self.plus].into_iter().filter(|part| !part.is_empty())
    }

    /// Its ranges, as one where they touch.
    pub fn merged(self) -> impl Iterator<Item = Range> + Clone {
        let touch = self.minus.hi == -1 && self.plus.lo == 0;
        let (first, second) = if touch { (self.hull(), Range::EMPTY) } else { (self.minus, self.plus) };
        [first, second].into_iter().filter(|part| !part.is_empty())
    }

    /// The smallest range around all numbers.
    pub fn hull(self) -> Range {
        self.minus.hull(self.plus)
    }

    /// The only value, if there is but one.
    pub fn as_point(self) -> Option<i128> {
        if self.nan { None } else { self.hull().as_point() }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Domain) -> Domain {
        let (plus, minus) = (self.plus.meet(other.plus), self.minus.meet(other.minus));
        Domain { plus, minus, nan: self.nan && other.nan }
    }

    /// A domain around both.
    #[must_use]
    pub fn join(self, other: Domain) -> Domain {
        let (plus, minus) = (self.plus.hull(other.plus), self.minus.hull(other.minus));
        Domain { plus, minus, nan: self.nan || other.nan }
    }

    /// The same with `nan` set as told.
    #[must_use]
    pub fn with_nan(self, nan: bool) -> Domain {
        Domain { nan, ..self }
    }

    /// Whether a value is in it.
    pub fn contains(self, shape: Shape, value: &Bits) -> bool {
        let one = shape.of_bits(value);
        !shape.is_followed() || self.join(one) == self
    }
}

/// A domain with its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// How it is laid out.
    pub shape: Shape,
    /// What it may be.
    pub domain: Domain,
}

impl Value {
    /// As signed integers.
    pub fn as_integer(self) -> Domain {
        let Some(format) = self.shape.float else { return self.domain };
        let half = half(self.shape.width);
        if format == Format::Extended {
            // Patterns and numbers do not match one to one.
            return if self.domain.is_empty() { Domain::EMPTY } else { Shape::integer(80).top() };
        }
        // A negative float's pattern is 2^(width-1) and its magnitude.
        let magnitudes = self.domain.minus.complement();
        let mut integers = Domain { plus: self.domain.plus, minus: magnitudes.moved(-half), nan: false };
        if self.domain.nan {
            let nans = Range::new(infinity(format) + 1, half - 1);
            integers = integers.join(Domain { plus: nans, minus: nans.moved(-half), nan: false });
        }
        integers
    }

    /// As floats of its width's format; everything if there is no such format.
    pub fn as_float(self) -> Domain {
        let format = match (self.shape.float, Format::of_width(self.shape.width)) {
            (None, Some(format)) => format,
            _ => return self.domain,
        };
        if self.domain.is_empty() {
            return Domain::EMPTY;
        }
        if format == Format::Extended {
            return match self.domain.as_point() {
                Some(x) => Shape::float(format).of_bits(&wide(80, x)),
                None => Shape::float(format).top(),
            };
        }
        let magnitudes = self.domain.minus.moved(half(self.shape.width));
        let numbers = Range::new(0, infinity(format));
        let nan = self.domain.plus.hi > numbers.hi || magnitudes.hi > numbers.hi;
        Domain { plus: self.domain.plus.meet(numbers), minus: magnitudes.meet(numbers).complement(), nan }
    }

    /// In another shape of the same width.
    pub fn seen_as(self, shape: Shape) -> Domain {
        match shape.float {
            Some(_) => self.as_float(),
            None => self.as_integer(),
        }
    }

    /// The pattern of a number in it, given as the ranges have it.
    pub fn pattern(self, x: i128) -> u128 {
        match self.shape.float {
            Some(format) => pattern(format, x),
            None if self.shape.width >= 128 => x as u128,
            None => x as u128 & ((1 << self.shape.width) - 1),
        }
    }

    /// The only pattern, if there is but one (a float that is not a number has many).
    pub fn as_bits(self) -> Option<Bits> {
        if !self.shape.is_followed() || self.shape.float == Some(Format::Extended) {
            return None;
        }
        self.domain.as_point().map(|x| wide(self.shape.width, self.pattern(x) as i128))
    }
}

/// A bit-vector of up to 128 bits.
pub fn wide(width: u16, x: i128) -> Bits {
    let x = x as u128;
    Bits::from_words(width, [x as u64, (x >> 64) as u64].into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_ordered_like_the_numbers_and_tell_zeros_apart() {
        for format in Format::ALL {
            let zero = key(format, 0).unwrap();
            let minus_zero = key(format, 1 << (format.width() - 1)).unwrap();
            assert_eq!((zero, minus_zero), (0, -1));
            for at in [0, 1, 5, infinity(format) - 1, infinity(format)] {
                for at in [at, -1 - at] {
                    assert_eq!(key(format, pattern(format, at)), Some(at), "{format:?}");
                }
            }
            assert_eq!(key(format, format.default_nan()), None);
        }
        // The x87's other encoding of its smallest normal number.
        let pseudo = 1u128 << 63;
        assert_eq!(key(Format::Extended, pseudo), key(Format::Extended, 1 << 64 | 1 << 63));
    }

    #[test]
    fn floats_and_integers_of_the_same_bits_are_seen_either_way() {
        let shape = Shape::float(Format::Single);
        let one = f64::from(1.0f32.to_bits()) as i128;
        let domain =
            Domain::number(Range::new(key(Format::Single, (-2.0f32).to_bits().into()).unwrap(), one));
        let integers = Value { shape, domain }.as_integer();
        assert_eq!(integers.plus, Range::new(0, 0x3f80_0000));
        assert_eq!(integers.minus, Range::new(-0x8000_0000, -0x8000_0000 + 0x4000_0000));
        assert_eq!(Value { shape: Shape::integer(32), domain: integers }.as_float(), domain);
        // With what is no number everything above infinity is possible.
        let integers = Value { shape, domain: Domain::NAN }.as_integer();
        assert_eq!(integers.plus, Range::new(0x7f80_0001, 0x7fff_ffff));
        assert_eq!(Value { shape: Shape::integer(32), domain: integers }.as_float(), Domain::NAN);
    }
}
