//! And, or, exclusive or: bounds of unsigned ranges (Warren, "Hacker's Delight", section 4-3), and the masks that are
//! operations on floats in disguise (`fabs`, negation).

use super::Operation;
use super::wrap::{pairs, unsigned, wrap};
use crate::domain::{Domain, Value, half};
use crate::range::Range;
use expr::Op;
use floats::Format;

pub(super) fn forward(o: &Operation, operands: &[Value]) -> Option<Domain> {
    let width = o.shape.width;
    if o.same {
        let same = operands[0].seen_as(o.shape);
        return Some(if o.op == Op::Xor { o.integer(Domain::FALSE) } else { same });
    }
    if let Some(result) =
        of_sign(o, operands[0], operands[1]).or_else(|| of_sign(o, operands[1], operands[0]))
    {
        return Some(o.float(result));
    }
    let (a, b) = (operands[0].as_integer(), operands[1].as_integer());
    if o.op == Op::Xor {
        // All ones: the complement.
        let complemented =
            |d: Domain| Domain { plus: d.minus.complement(), minus: d.plus.complement(), nan: false };
        if b.as_point() == Some(-1) {
            return Some(o.integer(complemented(a)));
        }
        if a.as_point() == Some(-1) {
            return Some(o.integer(complemented(b)));
        }
    }
    let result = pairs(unsigned(a, width), unsigned(b, width), |a, b| {
        let (a, b) = ((a.lo as u128, a.hi as u128), (b.lo as u128, b.hi as u128));
        let (lo, hi) = match o.op {
            Op::And => (least_and(a, b, width), greatest_and(a, b, width)),
            Op::Or => (least_or(a, b, width), greatest_or(a, b, width)),
            _ => exclusive(a, b),
        };
        wrap(Range::new(lo as i128, hi as i128), width)
    });
    Some(o.integer(result))
}

/// On a float whose sign a constant mask clears, sets or changes.
fn of_sign(o: &Operation, value: Value, mask: Value) -> Option<Domain> {
    let format = value.shape.float.filter(|&format| format != Format::Extended)?;
    let half = half(format.width());
    let mask = mask.as_integer().as_point()?;
    let d = value.domain;
    let magnitudes = d.plus.hull(d.minus.complement());
    match (o.op, mask) {
        (Op::And, mask) if mask == half - 1 => {
            Some(Domain { plus: magnitudes, minus: Range::EMPTY, nan: d.nan })
        }
        (Op::Or, mask) if mask == -half => {
            Some(Domain { plus: Range::EMPTY, minus: magnitudes.complement(), nan: d.nan })
        }
        (Op::Xor, mask) if mask == -half => {
            Some(Domain { plus: d.minus.complement(), minus: d.plus.complement(), nan: d.nan })
        }
        _ => None,
    }
}

type Bounds = (u128, u128);

fn bits(width: u16) -> impl Iterator<Item = u128> {
    (0..width).rev().map(|k| 1u128 << k)
}

fn least_or((mut a, b): Bounds, (mut c, d): Bounds, width: u16) -> u128 {
    for m in bits(width) {
        if !a & c & m != 0 {
            let raised = (a | m) & m.wrapping_neg();
            if raised <= b {
                a = raised;
                break;
            }
        } else if a & !c & m != 0 {
            let raised = (c | m) & m.wrapping_neg();
            if raised <= d {
                c = raised;
                break;
            }
        }
    }
    a | c
}

fn greatest_or((a, mut b): Bounds, (c, mut d): Bounds, width: u16) -> u128 {
    for m in bits(width) {
        if b & d & m != 0 {
            let lowered = (b - m) | (m - 1);
            if lowered >= a {
                b = lowered;
                break;
            }
            let lowered = (d - m) | (m - 1);
            if lowered >= c {
                d = lowered;
                break;
            }
        }
    }
    b | d
}

fn least_and((mut a, b): Bounds, (mut c, d): Bounds, width: u16) -> u128 {
    for m in bits(width) {
        if !a & !c & m != 0 {
            let raised = (a | m) & m.wrapping_neg();
            if raised <= b {
                a = raised;
                break;
            }
            let raised = (c | m) & m.wrapping_neg();
            if raised <= d {
                c = raised;
                break;
            }
        }
    }
    a & c
}

fn greatest_and((a, mut b): Bounds, (c, mut d): Bounds, width: u16) -> u128 {
    for m in bits(width) {
        if b & !d & m != 0 {
            let lowered = (b & !m) | (m - 1);
            if lowered >= a {
                b = lowered;
                break;
            }
        } else if !b & d & m != 0 {
            let lowered = (d & !m) | (m - 1);
            if lowered >= c {
                d = lowered;
                break;
            }
        }
    }
    b & d
}

/// The leading bits that are the same throughout both ranges decide those of the result.
fn exclusive(a: Bounds, b: Bounds) -> Bounds {
    let differing = (a.0 ^ a.1) | (b.0 ^ b.1);
    let unknown = u128::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0);
    let known = (a.0 ^ b.0) & !unknown;
    (known, known | unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_all_values() {
        const WIDTH: u16 = 4;
        let ranges: Vec<Bounds> = (0..16).flat_map(|lo| (lo..16).map(move |hi| (lo, hi))).collect();
        for &a in &ranges {
            for &b in &ranges {
                let all = |f: fn(u128, u128) -> u128| {
                    let values: Vec<u128> =
                        (a.0..=a.1).flat_map(|x| (b.0..=b.1).map(move |y| f(x, y))).collect();
                    (values.iter().copied().min().unwrap(), values.iter().copied().max().unwrap())
                };
                assert_eq!(
                    (least_or(a, b, WIDTH), greatest_or(a, b, WIDTH)),
                    all(|x, y| x | y),
                    "{a:?} {b:?}"
                );
                assert_eq!(
                    (least_and(a, b, WIDTH), greatest_and(a, b, WIDTH)),
                    all(|x, y| x & y),
                    "{a:?} {b:?}"
                );
                let (exact, found) = (all(|x, y| x ^ y), exclusive(a, b));
                assert!(found.0 <= exact.0 && found.1 >= exact.1, "{a:?} {b:?}");
            }
        }
    }
}
