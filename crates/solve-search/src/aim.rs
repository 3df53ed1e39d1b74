//! From what a comparison wants to what the input bytes have to be: a wanted value is carried down through operations
//! that can be inverted, all but one operand staying as they are. Where there is a choice, chance decides.

use crate::inverse;
use crate::part::{NodeId, Part};
use expr::Op;
use floats::{Format, apply, from_ordinal, ordinal};
use solve::Random;

/// New values of some bytes.
pub(crate) type Change = Vec<(usize, u8)>;

/// Operations between a comparison and the bytes at most.
const MAX_WORK: usize = 4096;

/// A wanted value, on its way down.
type Wish = (NodeId, u128);

/// Aims for a comparison (or any node of width 1) to be `want`. `None` if no way down was found.
pub(crate) fn at(part: &Part, random: &mut Random, node: NodeId, want: bool) -> Option<Change> {
    let mut change = Change::new();
    let mut wishes: Vec<Wish> = vec![(node, want.into())];
    for _ in 0..MAX_WORK {
        let Some((node, target)) = wishes.pop() else { return (!change.is_empty()).then_some(change) };
        let n = &part.nodes[node];
        if !n.varies {
            if part.value(node) != target {
                return None;
            }
        } else if n.op == Op::Input {
            change.push((n.imm as usize, target as u8));
        } else {
            step(part, random, node, target, &mut wishes)?;
        }
    }
    None
}

fn ones(width: u16) -> u128 {
    u128::MAX >> (128 - width.min(128))
}

/// The wishes for operands that make a wish come true.
fn step(part: &Part, random: &mut Random, node: NodeId, target: u128, out: &mut Vec<Wish>) -> Option<()> {
    let n = &part.nodes[node];
    if n.width == 1 && crate::atom::is_comparison(n.op) {
        return compared(part, random, node, target == 1, out);
    }
    if n.op.is_float() {
        return through_float(part, random, node, target, out);
    }
    match n.op {
        Op::Concat | Op::ZExt | Op::SExt | Op::Trunc | Op::Extract | Op::Bswap => {
            through_parts(part, node, target, out)
        }
        Op::Ite => {
            let (taken, other) = if part.value(n.arg(0)) == 1 { (1, 2) } else { (2, 1) };
            // Mostly the value that is chosen now; else the choice is changed, too.
            if part.nodes[n.arg(0)].varies && random.one_in(3) {
                out.push((n.arg(0), u128::from(other == 1)));
                out.push((n.arg(other), target));
            } else {
                out.push((n.arg(taken), target));
            }
            Some(())
        }
        Op::Read => through_table(part, random, node, target, out),
        Op::Add if n.args().len() == 2 && random.one_in(2) && digits(part, node, target, out) => Some(()),
        _ => through_integer(part, random, node, target, out),
    }
}

/// An operand that input bytes occur in.
fn varying(part: &Part, random: &mut Random, node: NodeId) -> Option<usize> {
    let args = part.nodes[node].args();
    let choices: Vec<usize> = (0..args.len()).filter(|&k| part.nodes[args[k] as usize].varies).collect();
    random.pick(&choices).copied()
}

fn compared(part: &Part, random: &mut Random, node: NodeId, want: bool, out: &mut Vec<Wish>) -> Option<()> {
    let n = &part.nodes[node];
    let k = varying(part, random, node)?;
    let (this, other) = (n.arg(k), part.value(n.arg(1 - k)));
    let width = part.nodes[this].width;
    // Mostly just so; sometimes further, where the other constraints may leave more room.
    let steps = if random.one_in(2) { 0 } else { i128::from(random.word() >> random.below(64)) >> 1 };
    let away = if random.one_in(2) { steps + 1 } else { -steps - 1 };
    // The side of the other operand's value on which this operand has to be, and whether it may be that value.
    let (less, equal) = match n.op {
        Op::Eq | Op::FEq if want => (None, true),
        Op::Ne if !want => (None, true),
        Op::Ult | Op::Slt | Op::FLt => (Some(want == (k == 0)), !want),
        Op::Ule | Op::Sle | Op::FLe => (Some(want == (k == 0)), want),
        Op::FUno if want => {
            let format = Format::of_width(width)?;
            out.push((this, format.default_nan()));
            return Some(());
        }
        Op::FUno => (None, true),
        _ => (None, false),
    };
    let offset = match (less, equal) {
        (None, true) => 0,
        (None, false) => away,
        (Some(less), equal) => (steps + i128::from(!equal)) * if less { -1 } else { 1 },
    };
    let value = if n.op.is_float() {
        let format = Format::of_width(width)?;
        from_ordinal(format, ordinal(format, other).saturating_add(offset))
    } else {
        other.wrapping_add(offset as u128) & ones(width)
    };
    out.push((this, value));
    Some(())
}

fn through_float(
    part: &Part,
    random: &mut Random,
    node: NodeId,
    target: u128,
    out: &mut Vec<Wish>,
) -> Option<()> {
    let n = &part.nodes[node];
    let first = n.arg(0);
    let from = part.nodes[first].width;
    match n.op {
        Op::FCvt => out.push((first, apply(Op::FCvt, from, n.width, 0, [target, 0, 0]))),
        Op::SToF | Op::UToF => {
            let op = if n.op == Op::SToF { Op::FToS } else { Op::FToU };
            let nearest = apply(Op::FRound, n.width, n.width, 0, [target, 0, 0]);
            out.push((first, apply(op, from, n.width, 0, [nearest, 0, 0])));
        }
        Op::FToS | Op::FToU => {
            let op = if n.op == Op::FToS { Op::SToF } else { Op::UToF };
            let value = apply(op, from, n.width, 0, [target, 0, 0]);
            out.push((first, value));
        }
        Op::FMul if first == n.arg(1) => {
            let root = apply(Op::FSqrt, n.width, n.width, 0, [target, 0, 0]);
            let sign = u128::from(random.one_in(2)) << (n.width - 1);
            out.push((first, root ^ sign));
        }
        _ => {
            let k = varying(part, random, node)?;
            let values: Vec<u128> = n.args().iter().map(|&a| part.value(a as NodeId)).collect();
            out.push((n.arg(k), inverse::operand(n.op, n.width, n.imm, k, target, &values)?));
        }
    }
    Some(())
}

fn through_parts(part: &Part, node: NodeId, target: u128, out: &mut Vec<Wish>) -> Option<()> {
    let n = &part.nodes[node];
    let x = n.arg(0);
    let w = part.nodes[x].width;
    match n.op {
        Op::Concat => {
            let low = part.nodes[n.arg(1)].width;
            if n.width > 128 {
                return None;
            }
            out.push((x, target >> low));
            out.push((n.arg(1), target & ones(low)));
        }
        Op::ZExt if target & !ones(w) == 0 => out.push((x, target)),
        Op::SExt => {
            let low = target & ones(w);
            let extended = if low >> (w - 1) & 1 == 1 { low | (ones(n.width) & !ones(w)) } else { low };
            if extended != target {
                return None;
            }
            out.push((x, low));
        }
        Op::Trunc | Op::Extract if w <= 128 => {
            let low = if n.op == Op::Extract { n.imm } else { 0 };
            let kept = part.value(x) & !(ones(n.width) << low);
            out.push((x, kept | target << low));
        }
        Op::Bswap if n.width <= 64 => out.push((x, ((target as u64).swap_bytes() >> (64 - n.width)).into())),
        _ => return None,
    }
    Some(())
}

/// An address in the table at which the wanted bytes are.
fn through_table(
    part: &Part,
    random: &mut Random,
    node: NodeId,
    target: u128,
    out: &mut Vec<Wish>,
) -> Option<()> {
    let n = &part.nodes[node];
    let table = &part.tables[n.imm as usize];
    let bytes = usize::from(n.width / 8).min(16);
    let wanted = &target.to_le_bytes()[..bytes];
    let found: Vec<usize> =
        table.bytes.windows(bytes).enumerate().filter(|(_, b)| *b == wanted).map(|(k, _)| k).collect();
    let &offset = random.pick(&found)?;
    out.push((n.arg(0), u128::from(table.base.wrapping_add(offset as u64))));
    Some(())
}

/// `x * c + y = target`: a number made of digits. The new `y` is the remainder, near where `y` is now.
fn digits(part: &Part, node: NodeId, target: u128, out: &mut Vec<Wish>) -> bool {
    let n = &part.nodes[node];
    if n.width > 64 {
        return false;
    }
    for (product, rest) in [(n.arg(0), n.arg(1)), (n.arg(1), n.arg(0))] {
        let p = &part.nodes[product];
        if p.op != Op::Mul || !part.nodes[rest].varies {
            continue;
        }
        let [x, c] = [p.arg(0), p.arg(1)];
        let (x, c) = if part.nodes[c].op == Op::Const { (x, c) } else { (c, x) };
        let c = part.value(c);
        if part.nodes[x].varies && c > 1 {
            out.push((rest, target % c));
            out.push((x, target / c));
            return true;
        }
    }
    false
}

fn through_integer(
    part: &Part,
    random: &mut Random,
    node: NodeId,
    target: u128,
    out: &mut Vec<Wish>,
) -> Option<()> {
    let n = &part.nodes[node];
    if n.width > 64 {
        return None;
    }
    let k = varying(part, random, node)?;
    let now = part.value(n.arg(k));
    let other = n.args().get(1 - k.min(1)).map_or(0, |&a| part.value(a as NodeId));
    let m = ones(n.width);
    let value = match (n.op, k) {
        (Op::Add, _) => target.wrapping_sub(other),
        (Op::Sub, 0) => target.wrapping_add(other),
        (Op::Sub, _) => other.wrapping_sub(target),
        (Op::Xor, _) => target ^ other,
        (Op::And, _) if target & !other == 0 => now & !other | target,
        (Op::Or, _) if other & !target == 0 => now & other | target & !other,
        (Op::Mul, _) if n.arg(0) == n.arg(1) => target.isqrt(),
        (Op::Mul, _) if other & 1 == 1 => target.wrapping_mul(odd_inverse(other)),
        (Op::Mul, _) if other != 0 => target / other,
        (Op::UDiv | Op::SDiv, 0) => {
            target.wrapping_mul(other).wrapping_add(now.checked_rem(other).unwrap_or(0))
        }
        (Op::URem | Op::SRem, 0) => {
            now.wrapping_sub(now.checked_rem(other).unwrap_or(0)).wrapping_add(target)
        }
        (Op::Shl, 0) if other < n.width.into() => target >> other | now & !(m >> other),
        (Op::LShr | Op::AShr, 0) if other < n.width.into() => target << other | now & !(m << other),
        _ => return None,
    };
    out.push((n.arg(k), value & m));
    Some(())
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration.
fn odd_inverse(x: u128) -> u128 {
    (0..7).fold(x, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(x.wrapping_mul(inverse))))
}
