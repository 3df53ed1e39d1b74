//! Whole numbers cut to a width.

use crate::domain::{Domain, half};
use crate::range::Range;

/// The domain of all numbers from `lo` to `hi` modulo 2^width.
pub fn wrap(range: Range, width: u16) -> Domain {
    let half = half(width);
    if range.is_empty() {
        return Domain::EMPTY;
    }
    let everything = Domain { plus: Range::new(0, half - 1), minus: Range::new(-half, -1), nan: false };
    let length = match range.hi.checked_sub(range.lo) {
        Some(length) if length < 2 * half - 1 => length,
        _ => return everything,
    };
    let lo = range.lo.rem_euclid(2 * half);
    let range = Range::new(lo, lo + length);
    // Unsigned, and once around.
    let piece = |from: i128| range.meet(Range::new(from, from + half - 1)).moved(-from);
    Domain {
        plus: piece(0).hull(piece(2 * half)),
        minus: piece(half).hull(piece(3 * half)).moved(-half),
        nan: false,
    }
}

/// The parts of a domain of integers as unsigned numbers, ascending; one where they touch.
pub fn unsigned(domain: Domain, width: u16) -> impl Iterator<Item = Range> + Clone {
    let half = half(width);
    let (low, high) = (domain.plus, domain.minus.moved(2 * half));
    let touch = !low.is_empty() && !high.is_empty() && low.hi + 1 == high.lo;
    let parts = if touch { [low.hull(high), Range::EMPTY] } else { [low, high] };
    parts.into_iter().filter(|part| !part.is_empty())
}

/// All of it as one range of unsigned numbers.
pub fn unsigned_hull(domain: Domain, width: u16) -> Range {
    domain.plus.hull(domain.minus.moved(2 * half(width)))
}

/// Union over all pairs of parts.
pub fn pairs(
    a: impl Iterator<Item = Range>,
    b: impl Iterator<Item = Range> + Clone,
    mut f: impl FnMut(Range, Range) -> Domain,
) -> Domain {
    let mut all = Domain::EMPTY;
    for x in a {
        for y in b.clone() {
            all = all.join(f(x, y));
        }
    }
    all
}

/// The range around what `f` gives at the corners of a box, on which it is monotone in each argument by itself; `None` if
/// one of them is too large.
pub fn corners(a: Range, b: Range, f: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
    let all = [f(a.lo, b.lo)?, f(a.lo, b.hi)?, f(a.hi, b.lo)?, f(a.hi, b.hi)?];
    let lo = all.iter().fold(i128::MAX, |m, &x| m.min(x));
    Some(Range::new(lo, all.iter().fold(i128::MIN, |m, &x| m.max(x))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_range_is_in_its_wrapped_domain_and_little_else() {
        for lo in -20..40 {
            for length in 0..18 {
                let wrapped = wrap(Range::new(lo, lo + length), 4);
                let mut exact = Domain::EMPTY;
                for x in lo..=lo + length {
                    let x = (x + 8).rem_euclid(16) - 8;
                    exact = exact.join(Domain::number(Range::point(x)));
                }
                assert_eq!(wrapped, exact, "{lo} and {length} more");
            }
        }
    }
}
