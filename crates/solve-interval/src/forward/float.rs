//! Float arithmetic and conversions.
//!
//! Rounding to nearest is monotone. So an operation that is monotone in each operand (while the others keep their sign) has its
//! extremes at the corners, and these are computed by the machine's own arithmetic: the bounds are exact, and nothing has
//! to be rounded outward. What is not a number comes from few operands (infinities that cancel, 0 times infinity, …), which are
//! looked for; where a corner gives none, what is near it is put in its place.

use super::Operation;
use super::library;
use super::wrap::{unsigned, wrap};
use crate::domain::{Domain, Shape, Value, half, infinity, key, pattern};
use crate::range::Range;
use expr::Op;
use floats::Format;

pub(super) fn forward(o: &Operation, operands: &[Value]) -> Option<Domain> {
    let floats = operands.iter().map(|value| value.as_float());
    let mut all = [Domain::EMPTY; 3];
    all.iter_mut().zip(floats).for_each(|(place, domain)| *place = domain);
    let [a, b, c] = all;
    match o.op {
        Op::FToS | Op::FToU => return to_integer(o, operands[0], a),
        Op::SToF | Op::UToF => return Some(o.float(from_integer(o, operands[0])?)),
        Op::FCvt => {
            let line = Line { format: Format::of_width(operands[0].shape.width)?, o };
            return Some(o.float(line.monotone(a).with_nan(a.nan)));
        }
        _ => {}
    }
    let line = Line { format: Format::of_width(o.shape.width)?, o };
    let result = match o.op {
        Op::FAdd => line.sum(a, b, |range| range),
        Op::FSub if o.same => Domain::FALSE.with_nan(a.nan || line.has_infinity(a)),
        Op::FSub => line.sum(a, b, Range::reversed),
        Op::FMul | Op::FDiv => line.product(a, b),
        Op::FRem => line.remainder(a, b),
        Op::FSqrt => line.root(a),
        Op::FRound => line.monotone(a).with_nan(a.nan),
        Op::FFma if [a, b, c].into_iter().any(|d| line.may_be_invalid(d)) => return None,
        Op::FFma => line.fused(a, b, c),
        Op::Libm1 => library::unary(line, a)?,
        Op::Libm2 => library::binary(line, a, b)?,
        _ => return None,
    };
    Some(o.float(result))
}

impl Range {
    /// With its ends swapped, for what falls as this rises.
    fn reversed(self) -> Range {
        Range { lo: self.hi, hi: self.lo }
    }
}

/// All positions: for a corner that gives no number.
const fn whole(format: Format) -> Range {
    Range::new(-1 - infinity(format), infinity(format))
}

/// An operation on the positions of floats.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Of the operands.
    pub format: Format,
    pub o: &'a Operation,
}

impl Line<'_> {
    /// Format of the result.
    fn to(self) -> Format {
        Format::of_width(self.o.shape.width).unwrap_or(self.format)
    }

    /// The operation itself; `None` if the result is not a number.
    pub(super) fn at(self, operands: [i128; 3]) -> Option<i128> {
        let from = self.format;
        let patterns = operands.map(|x| pattern(from, x));
        let aux = self.o.imm as u8;
        let result = floats::apply(self.o.op, self.o.shape.width, from.width(), aux, patterns);
        key(self.to(), result)
    }

    pub(super) fn has_infinity(self, d: Domain) -> bool {
        let infinity = infinity(self.format);
        d.plus.contains(infinity) || d.minus.contains(-1 - infinity)
    }

    /// The x87's invalid encodings count as "not a number", but the C library's functions take them for something else.
    pub(super) fn may_be_invalid(self, d: Domain) -> bool {
        d.nan && self.format == Format::Extended
    }

    pub(super) fn has_zero(self, d: Domain) -> bool {
        d.plus.contains(0) || d.minus.contains(-1)
    }

    /// A function of one operand that never falls.
    pub(super) fn monotone(self, a: Domain) -> Domain {
        let mut all = Domain::EMPTY;
        for part in a.parts() {
            let ends = [part.lo, part.hi].map(|x| self.at([x, 0, 0]));
            all = all.join(match ends {
                [Some(lo), Some(hi)] => Domain::number(Range::new(lo, hi)),
                _ => Domain::number(whole(self.to())).with_nan(true),
            });
        }
        all
    }

    /// `turned`: of a difference the second operand, which it falls with, is turned around.
    fn sum(self, a: Domain, b: Domain, turned: impl Fn(Range) -> Range) -> Domain {
        let mut all = Domain { nan: a.nan || b.nan, ..Domain::EMPTY };
        for x in a.parts() {
            for y in b.parts() {
                let y = turned(y);
                let range = match [self.at([x.lo, y.lo, 0]), self.at([x.hi, y.hi, 0])] {
                    [Some(lo), Some(hi)] => Range::new(lo, hi),
                    // Infinities that cancel.
                    _ => whole(self.format),
                };
                all = all.join(Domain::number(range));
            }
        }
        all.nan |= self.has_infinity(a) && self.has_infinity(b);
        all
    }

    /// Of operands of one sign each, the result has one, too, and its extremes are at the corners.
    fn product(self, a: Domain, b: Domain) -> Domain {
        let mut all = Domain { nan: a.nan || b.nan, ..Domain::EMPTY };
        for x in a.parts() {
            for y in b.parts() {
                if self.o.same && x != y {
                    continue;
                }
                let negative = (x.lo < 0) != (y.lo < 0);
                let signed = |x: i128| if negative { -1 - x } else { x };
                let mut range = Range::EMPTY;
                let corners = [(x.lo, y.lo), (x.hi, y.hi), (x.lo, y.hi), (x.hi, y.lo)];
                for &(x, y) in &corners[..if self.o.same { 2 } else { 4 }] {
                    match self.at([x, y, 0]) {
                        Some(corner) => range = range.hull(Range::point(corner)),
                        None => {
                            all.nan = true;
                            let ends = [signed(0), signed(infinity(self.format))].map(Range::point);
                            range = ends[0].hull(ends[1]);
                            break;
                        }
                    }
                }
                all = all.join(Domain::number(range));
            }
        }
        let (zero, infinite) =
            ([self.has_zero(a), self.has_zero(b)], [self.has_infinity(a), self.has_infinity(b)]);
        all.nan |= match self.o.op {
            Op::FMul if self.o.same => false,
            Op::FMul => zero[0] && infinite[1] || zero[1] && infinite[0],
            _ => zero[0] && zero[1] || infinite[0] && infinite[1],
        };
        all
    }

    fn fused(self, a: Domain, b: Domain, c: Domain) -> Domain {
        let nan = a.nan || b.nan || c.nan || [a, b, c].into_iter().any(|d| self.has_infinity(d));
        let mut all = Domain { nan, ..Domain::EMPTY };
        for x in a.parts() {
            for y in b.parts() {
                for z in c.merged() {
                    all = all.join(Domain::number(self.fused_corners(x, y, z)));
                }
            }
        }
        all
    }

    fn fused_corners(self, x: Range, y: Range, z: Range) -> Range {
        let mut range = Range::EMPTY;
        for x in [x.lo, x.hi] {
            for y in [y.lo, y.hi] {
                for z in [z.lo, z.hi] {
                    match self.at([x, y, z]) {
                        Some(corner) => range = range.hull(Range::point(corner)),
                        None => return whole(self.format),
                    }
                }
            }
        }
        // The x87's comes from the C library.
        let slack = i128::from(self.format == Format::Extended);
        Range::new(range.lo - slack, range.hi + slack).meet(whole(self.format))
    }

    /// Only -0 among the negative ones has a root.
    fn root(self, a: Domain) -> Domain {
        let positive = Domain { plus: a.plus, ..Domain::EMPTY };
        let mut root = self.monotone(positive);
        if a.minus.contains(-1) {
            root.minus = Range::point(-1);
        }
        let nan = a.nan || (!a.minus.is_empty() && a.minus.lo < -1);
        root.with_nan(nan)
    }

    /// As `fmod`: the sign is that of the dividend, the magnitude below that of both.
    fn remainder(self, a: Domain, b: Domain) -> Domain {
        let divisors = magnitudes(b);
        let nan = a.nan || b.nan || self.has_infinity(a) || self.has_zero(b);
        let mut all = Domain { nan, ..Domain::EMPTY };
        if divisors.is_empty() {
            return all;
        }
        let of = |dividends: Range| match () {
            () if dividends.is_empty() || dividends.hi < divisors.lo => dividends,
            () => Range::new(0, dividends.hi.min(divisors.hi - 1)),
        };
        all.plus = of(a.plus);
        all.minus = of(a.minus.complement()).complement();
        all
    }
}

/// Positions of the numbers' magnitudes.
pub(super) fn magnitudes(d: Domain) -> Range {
    d.plus.hull(d.minus.complement())
}

fn from_integer(o: &Operation, operand: Value) -> Option<Domain> {
    let (format, width) = (Format::of_width(o.shape.width)?, operand.shape.width);
    let integers = operand.as_integer();
    let parts: Vec<Range> = match o.op {
        Op::SToF => integers.merged().collect(),
        _ => unsigned(integers, width).collect(),
    };
    let mask = (1u128 << width) - 1;
    let at = |x: i128| {
        key(format, floats::apply(o.op, format.width(), width, 0, [x as u128 & mask, 0, 0])).unwrap_or(0)
    };
    Some(
        parts
            .iter()
            .fold(Domain::EMPTY, |all, part| all.join(Domain::number(Range::new(at(part.lo), at(part.hi))))),
    )
}

/// Cut towards zero. What does not fit gives the most negative integer of the processor's conversion.
fn to_integer(o: &Operation, operand: Value, a: Domain) -> Option<Domain> {
    let (width, format) = (o.shape.width, Format::of_width(operand.shape.width)?);
    let conversion = match (o.op, width) {
        (Op::FToS, 0..=32) | (Op::FToU, 0..=31) if format != Format::Extended || width > 16 => 32,
        (Op::FToS, 33..=64) | (Op::FToU, 32..=63) => 64,
        // A conversion to 16 bits is looked at only where 16 bits are enough.
        (Op::FToS, 0..=16) | (Op::FToU, 0..=15) => 16,
        (Op::FToU, 16..=31) => 32,
        (Op::FToU, 64) => return Some(o.integer(to_unsigned_64(o, format, a))),
        _ => return None,
    };
    let half = half(conversion);
    let limits = Range::new(-half, half - 1);
    let fitting = integral(format, limits, a)?;
    let mut all = fitting.parts.iter().fold(Domain::EMPTY, |all, &part| all.join(wrap(part, width)));
    if fitting.others {
        all = all.join(wrap(Range::point(-half), width));
    }
    Some(o.integer(all))
}

/// Integers that numbers are cut to.
struct Integral {
    parts: [Range; 2],
    /// There are numbers beyond the limits, or what is none.
    others: bool,
}

/// The integer parts within the limits.
fn integral(format: Format, limits: Range, a: Domain) -> Option<Integral> {
    // 100 bits hold the integer part of all that is within any limits here.
    const WIDTH: u16 = 100;
    let cut = |x: i128| {
        let bits = floats::apply(Op::FToS, 128, format.width(), 0, [pattern(format, x), 0, 0]) as i128;
        // What has no integer part of 128 bits gives the most negative one.
        let bound = 1i128 << WIDTH;
        if x < 0 {
            bits.max(-bound)
        } else if bits < 0 {
            bound
        } else {
            bits.min(bound)
        }
    };
    let mut result = Integral { parts: [Range::EMPTY; 2], others: a.nan };
    for (place, part) in result.parts.iter_mut().zip([a.minus, a.plus]) {
        if part.is_empty() {
            continue;
        }
        let integers = Range::new(cut(part.lo), cut(part.hi));
        *place = integers.meet(limits);
        result.others |= *place != integers;
    }
    Some(result)
}

/// Exact where nothing is negative (below zero all is cut to zero from -1 on) or too large.
fn to_unsigned_64(o: &Operation, format: Format, a: Domain) -> Domain {
    let limits = Range::new(0, u64::MAX.into());
    match integral(format, limits, a) {
        Some(fitting) if !fitting.others => {
            fitting.parts.iter().fold(Domain::EMPTY, |all, &part| all.join(wrap(part, o.shape.width)))
        }
        _ => Shape::integer(o.shape.width).top(),
    }
}
