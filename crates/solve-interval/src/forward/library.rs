//! Functions of the mathematics library.
//!
//! They are not rounded correctly, and nothing promises that they are monotone to the last bit. The GNU C library's errors
//! are known, below 12 units in the last place for what is used here ("Errors in Math Functions" in its manual; Innocente and
//! Zimmermann, "Accuracy of Mathematical Functions in Single, Double, Double Extended, and Quadruple Precision"); so a
//! value lies at most twice that beyond what the ends of the range give, and bounds are moved by [`SLACK`] units. The ends of a
//! function's range are never left. What is not monotone in some simple way is not followed.

use super::float::{Line, magnitudes};
use crate::domain::{Domain, infinity, key};
use crate::range::Range;
use floats::Format;
use trace_abi::libm::TABLE;

/// Units in the last place by which bounds are moved.
const SLACK: i128 = 64;

/// How a function goes.
#[derive(Clone, Copy)]
enum Course {
    Rises,
    Falls,
    /// Falls below zero, rises above.
    Bowl,
    /// From this operand on it rises; before, nothing is known.
    RisesFrom(f64),
    /// Between -1 and 1, up and down; where it is highest, in quarters of a period.
    Wave(f64),
}

/// A function of one operand: its course, where it is defined, and the ends of its range.
struct Function {
    name: &'static str,
    course: Course,
    defined: (f64, f64),
    range: (f64, f64),
}

const fn f(name: &'static str, course: Course, defined: (f64, f64), range: (f64, f64)) -> Function {
    Function { name, course, defined, range }
}

const MAX: f64 = f64::INFINITY;
const ALL: (f64, f64) = (-MAX, MAX);

const UNARY: &[Function] = &[
    f("sin", Course::Wave(1.0), ALL, (-1.0, 1.0)),
    f("cos", Course::Wave(0.0), ALL, (-1.0, 1.0)),
    f("asin", Course::Rises, (-1.0, 1.0), ALL),
    f("acos", Course::Falls, (-1.0, 1.0), (0.0, MAX)),
    f("atan", Course::Rises, ALL, ALL),
    f("sinh", Course::Rises, ALL, ALL),
    f("cosh", Course::Bowl, ALL, (1.0, MAX)),
    f("tanh", Course::Rises, ALL, (-1.0, 1.0)),
    f("asinh", Course::Rises, ALL, ALL),
    f("acosh", Course::Rises, (1.0, MAX), (0.0, MAX)),
    f("atanh", Course::Rises, (-1.0, 1.0), ALL),
    f("exp", Course::Rises, ALL, (0.0, MAX)),
    f("exp2", Course::Rises, ALL, (0.0, MAX)),
    f("exp10", Course::Rises, ALL, (0.0, MAX)),
    f("expm1", Course::Rises, ALL, (-1.0, MAX)),
    f("log", Course::Rises, (-0.0, MAX), ALL),
    f("log2", Course::Rises, (-0.0, MAX), ALL),
    f("log10", Course::Rises, (-0.0, MAX), ALL),
    f("log1p", Course::Rises, (-1.0, MAX), ALL),
    f("cbrt", Course::Rises, ALL, ALL),
    f("erf", Course::Rises, ALL, (-1.0, 1.0)),
    f("erfc", Course::Falls, ALL, (0.0, 2.0)),
    // The least value is near 1.46.
    f("tgamma", Course::RisesFrom(1.5), ALL, ALL),
    f("lgamma", Course::RisesFrom(1.5), ALL, ALL),
    f("logb", Course::Bowl, ALL, ALL),
];

/// Position of a double in a format that holds it.
fn position(format: Format, x: f64) -> i128 {
    let bits = floats::apply(expr::Op::FCvt, format.width(), 64, 0, [x.to_bits().into(), 0, 0]);
    key(format, bits).unwrap_or(0)
}

/// Moved outward.
fn widened(format: Format, range: Range) -> Range {
    let all = Range::new(-1 - infinity(format), infinity(format));
    if range.is_empty() { range } else { Range::new(range.lo - SLACK, range.hi + SLACK).meet(all) }
}

pub(super) fn unary(line: Line<'_>, a: Domain) -> Option<Domain> {
    if line.may_be_invalid(a) {
        return None;
    }
    let name = TABLE.get(line.o.imm as usize)?.name;
    let function = UNARY.iter().find(|f| f.name == name)?;
    let at = |x: f64| position(line.format, x);
    let defined = Range::new(at(function.defined.0), at(function.defined.1));
    let inside = Domain::number(a.hull().meet(defined)).meet(a.with_nan(false));
    let mut result = Domain { nan: a.nan || inside != a.with_nan(false), ..Domain::EMPTY };
    if let Course::Wave(peak) = function.course {
        result.nan |= line.has_infinity(a);
        let numbers = inside.hull();
        return Some(if numbers.is_empty() { result } else { result.join(wave(line, peak, numbers)) });
    }
    let limits = Range::new(at(function.range.0), at(function.range.1));
    for part in inside.parts() {
        if matches!(function.course, Course::RisesFrom(from) if part.lo < at(from)) {
            result = result.join(Domain::number(limits).with_nan(true));
            continue;
        }
        let ends = [part.lo, part.hi].map(|x| line.at([x, 0, 0]));
        let range = match (ends, function.course) {
            ([Some(lo), Some(hi)], Course::Rises | Course::RisesFrom(_)) => {
                Range::new(lo.min(hi), hi.max(lo))
            }
            ([Some(lo), Some(hi)], Course::Falls | Course::Bowl) => Range::point(lo).hull(Range::point(hi)),
            _ => limits,
        };
        result = result.join(Domain::number(widened(line.format, range).meet(limits)));
    }
    Some(result)
}

/// Sine or cosine: all between -1 and 1, unless the operands lie between a valley and a peak.
fn wave(line: Line<'_>, peak: f64, numbers: Range) -> Domain {
    let limits = Range::new(position(line.format, -1.0), position(line.format, 1.0));
    let slope = || {
        // Halves of a period since a peak; beside the turns, and small enough to be computed roughly.
        let half_periods = |x: i128| {
            let bits = floats::apply(
                expr::Op::FCvt,
                64,
                line.format.width(),
                0,
                [crate::domain::pattern(line.format, x), 0, 0],
            );
            f64::from_bits(bits as u64) / std::f64::consts::PI - peak / 2.0
        };
        let (lo, hi) = (half_periods(numbers.lo), half_periods(numbers.hi));
        let is_beside = |x: f64| x.abs() < 1e6 && (x - x.round()).abs() > 1e-6;
        if !(is_beside(lo) && is_beside(hi) && lo.floor() == hi.floor()) {
            return None;
        }
        let ends = [line.at([numbers.lo, 0, 0])?, line.at([numbers.hi, 0, 0])?];
        Some(widened(line.format, Range::point(ends[0]).hull(Range::point(ends[1]))).meet(limits))
    };
    Domain::number(slope().unwrap_or(limits))
}

pub(super) fn binary(line: Line<'_>, a: Domain, b: Domain) -> Option<Domain> {
    if line.may_be_invalid(a) || line.may_be_invalid(b) {
        return None;
    }
    match TABLE.get(line.o.imm as usize)?.name {
        "pow" => power(line, a, b),
        "atan2" => {
            let pi = position(line.format, std::f64::consts::PI) + (1 << 16);
            let single = position(line.format, f64::from(std::f32::consts::PI)) + SLACK;
            let most = if line.format == Format::Single { single } else { pi };
            Some(Domain { nan: a.nan || b.nan, ..Domain::number(Range::new(-1 - most, most)) })
        }
        "hypot" => Some(hypotenuse(line, a, b)),
        "remainder" => Some(remainder(line, a, b)),
        "scalbn" => Some(scaled(line, a, b)),
        _ => None,
    }
}

/// The range of what the corners give, moved outward; `None` if one is not a number.
fn corners(line: Line<'_>, x: Range, y: Range) -> Option<Range> {
    let mut range = Range::EMPTY;
    for (x, y) in [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)] {
        range = range.hull(Range::point(line.at([x, y, 0])?));
    }
    Some(widened(line.format, range))
}

fn is_whole(format: Format, x: i128) -> bool {
    let bits = crate::domain::pattern(format, x);
    let aux = trace_abi::rounding::TOWARD_ZERO;
    floats::apply(expr::Op::FRound, format.width(), format.width(), aux, [bits, 0, 0]) == bits
}

/// Of a base that is not negative it is monotone in each operand; of a negative one it is followed for one whole exponent.
fn power(line: Line<'_>, a: Domain, b: Domain) -> Option<Domain> {
    let positive = Range::new(0, infinity(line.format));
    let mut result = Domain { nan: a.nan || b.nan, ..Domain::EMPTY };
    // 1 to any power, and anything to the power 0, is 1; of what is not a number, too.
    if a.nan || b.nan {
        result = result.join(Domain::number(Range::point(position(line.format, 1.0))));
    }
    for exponent in b.parts() {
        if !a.plus.is_empty() {
            let range = corners(line, a.plus, exponent)?.meet(positive);
            result = result.join(Domain::number(range));
        }
        if !a.minus.is_empty() {
            let exponent = exponent.as_point().filter(|&x| is_whole(line.format, x))?;
            let ends = [line.at([a.minus.lo, exponent, 0])?, line.at([a.minus.hi, exponent, 0])?];
            // The sign is the same throughout, by the exponent's parity.
            if (ends[0] < 0) != (ends[1] < 0) {
                return None;
            }
            let range = widened(line.format, Range::point(ends[0]).hull(Range::point(ends[1])));
            let side = if ends[0] < 0 { positive.complement() } else { positive };
            result = result.join(Domain::number(range.meet(side)));
        }
    }
    Some(result)
}

/// Rises with both magnitudes. Infinite if one operand is, even if the other is not a number.
fn hypotenuse(line: Line<'_>, a: Domain, b: Domain) -> Domain {
    let infinite = Range::point(infinity(line.format));
    let mut result = Domain { nan: a.nan || b.nan, ..Domain::EMPTY };
    if result.nan {
        result = result.join(Domain::number(infinite));
    }
    let (x, y) = (magnitudes(a), magnitudes(b));
    if !x.is_empty() && !y.is_empty() {
        let positive = Range::new(0, infinity(line.format));
        let range = corners(line, x, y).unwrap_or(positive).meet(positive);
        result = result.join(Domain::number(range));
    }
    result
}

/// IEEE's: of either sign, no larger than either operand.
fn remainder(line: Line<'_>, a: Domain, b: Domain) -> Domain {
    let nan = a.nan || b.nan || line.has_infinity(a) || line.has_zero(b);
    let (x, y) = (magnitudes(a), magnitudes(b));
    let mut result = Domain { nan, ..Domain::EMPTY };
    if !x.is_empty() && !y.is_empty() {
        result.plus = Range::new(0, x.hi.min(y.hi));
        result.minus = result.plus.complement();
    }
    result
}

/// A power of two as a factor; an exponent that is not a number counts as 0.
fn scaled(line: Line<'_>, a: Domain, b: Domain) -> Domain {
    let mut result = Domain { nan: a.nan, ..Domain::EMPTY };
    if b.nan {
        result = result.join(a);
    }
    for x in a.parts() {
        for y in b.parts() {
            let all = Range::new(-1 - infinity(line.format), infinity(line.format));
            result = result.join(Domain::number(corners(line, x, y).unwrap_or(all)));
        }
    }
    result
}
