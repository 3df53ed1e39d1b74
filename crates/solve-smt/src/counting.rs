//! Operations on the bits of a word that SMT-LIB lacks: counts and reversals, built by halving.

use crate::context::{Context, Term};
use crate::sys::Kind;
use crate::translate::Result;
use expr::Bits;

/// Only bit `k` set.
pub(crate) fn single_bit(c: &mut Context, width: u16, k: u16) -> Result<Term> {
    let mut words = vec![0u64; usize::from(width).div_ceil(64)];
    words[usize::from(k / 64)] = 1 << (k % 64);
    Ok(c.bits(&Bits::from_words(width, words.into()))?)
}

/// `a`, or zero bits above it, brought to `width` bits; what is cut off is known to be zero.
fn resized(c: &mut Context, a: Term, from: u16, width: u16) -> Result<Term> {
    Ok(if from < width {
        c.extend(Kind::BvZeroExtend, a, width - from)?
    } else if from > width {
        c.extract(a, width - 1, 0)?
    } else {
        a
    })
}

/// Bits needed for a count of up to `width`.
fn count_width(width: u16) -> u16 {
    (width.ilog2() + 1) as u16
}

/// Number of ones: a tree of additions, each just wide enough.
pub(crate) fn ones(c: &mut Context, a: Term, width: u16) -> Result<Term> {
    let mut sums = Vec::new();
    for k in 0..width {
        sums.push((if width == 1 { a } else { c.extract(a, k, k)? }, 1u16));
    }
    while sums.len() > 1 {
        let mut next = Vec::with_capacity(sums.len().div_ceil(2));
        for pair in sums.chunks(2) {
            if let &[(x, v), (y, w)] = pair {
                let sum_width = v.max(w) + 1;
                let (x, y) = (resized(c, x, v, sum_width)?, resized(c, y, w, sum_width)?);
                next.push((c.mk2(Kind::BvAdd, x, y)?, sum_width));
            } else {
                next.push(pair[0]);
            }
        }
        sums = next;
    }
    resized(c, sums[0].0, sums[0].1, width)
}

/// Leading zeros, `width` for zero.
pub(crate) fn leading_zeros(c: &mut Context, a: Term, width: u16) -> Result<Term> {
    edge_zeros(c, a, width, true)
}

/// Trailing zeros, `width` for zero.
pub(crate) fn trailing_zeros(c: &mut Context, a: Term, width: u16) -> Result<Term> {
    edge_zeros(c, a, width, false)
}

/// Zeros at one edge, by binary search: `a` is first extended with ones on the far side to a power of two (they end
/// the count); then each step looks whether the half at the edge is zero, counts it, and goes on with the other half.
fn edge_zeros(c: &mut Context, a: Term, width: u16, leading: bool) -> Result<Term> {
    let padded = width.next_power_of_two();
    let mut rest = a;
    if padded > width {
        let ones = c.bits(&Bits::ones(padded - width))?;
        rest = if leading { c.mk2(Kind::BvConcat, a, ones)? } else { c.mk2(Kind::BvConcat, ones, a)? };
    }
    let wide = count_width(padded);
    let mut count = c.value_u64(wide, 0)?;
    let mut size = padded;
    while size > 1 {
        let half = size / 2;
        let (high, low) = (c.extract(rest, size - 1, half)?, c.extract(rest, half - 1, 0)?);
        let (edge, far) = if leading { (high, low) } else { (low, high) };
        let zero = c.bits(&Bits::zero(half))?;
        let empty = c.mk2(Kind::Equal, edge, zero)?;
        let amount = c.value_u64(wide, half.into())?;
        let more = c.mk2(Kind::BvAdd, count, amount)?;
        count = c.ite(empty, more, count)?;
        rest = c.ite(empty, far, edge)?;
        size = half;
    }
    // One bit is left; if it is zero, so was everything.
    let zero = c.value_u64(1, 0)?;
    let (empty, one) = (c.mk2(Kind::Equal, rest, zero)?, c.value_u64(wide, 1)?);
    let more = c.mk2(Kind::BvAdd, count, one)?;
    let count = c.ite(empty, more, count)?;
    resized(c, count, wide, width)
}

/// Pieces of `piece` bits in the opposite order, concatenated as a balanced tree.
pub(crate) fn reversed(c: &mut Context, a: Term, width: u16, piece: u16) -> Result<Term> {
    let mut parts = Vec::new();
    for low in (0..width).step_by(usize::from(piece)) {
        let whole = width <= piece;
        parts.push(if whole { a } else { c.extract(a, low + piece - 1, low)? });
    }
    // The lowest piece becomes the highest: `parts` is in order from the highest on.
    while parts.len() > 1 {
        let mut next = Vec::with_capacity(parts.len().div_ceil(2));
        for pair in parts.chunks(2) {
            next.push(if let &[high, low] = pair { c.mk2(Kind::BvConcat, high, low)? } else { pair[0] });
        }
        parts = next;
    }
    Ok(parts[0])
}
