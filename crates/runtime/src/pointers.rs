//! What values a symbolic pointer can have, read off its expression.
//!
//! Pointers that programs compute from input are mostly *chosen*, not calculated: an entry of a table of pointers, one
//! of two by a condition, a chain of such choices. [`leaves`] lists the values of such an expression; [`split`] finds the
//! chosen pointer inside an address (`table[i]->field[j]`); [`form`] says on which raster an address lies (`base + k ·
//! stride`), so that elements of an array are told apart and not bytes.

use crate::node;
use crate::simplify::sign_extended;
use crate::state;
use crate::tables;
use trace_abi::{Node, Op};

/// Most values that are listed.
pub const MAX_LEAVES: usize = trace_abi::MAX_CALLEES as usize;
/// Most nodes that are looked at.
const MAX_STEPS: u32 = 512;
/// Most terms of a sum that are told apart.
const MAX_TERMS: usize = 6;

/// Distinct values, ascending.
#[derive(Clone, Copy, Debug)]
pub struct Leaves {
    all: [u64; MAX_LEAVES],
    n: usize,
}

impl Leaves {
    const fn new() -> Leaves {
        Leaves { all: [0; MAX_LEAVES], n: 0 }
    }

    /// The values.
    pub fn as_slice(&self) -> &[u64] {
        &self.all[..self.n]
    }

    /// Adds a value; `None` if there are too many.
    fn add(&mut self, value: u64) -> Option<()> {
        let Err(at) = self.as_slice().binary_search(&value) else { return Some(()) };
        if self.n == MAX_LEAVES {
            return None;
        }
        self.all.copy_within(at..self.n, at + 1);
        self.all[at] = value;
        self.n += 1;
        Some(())
    }
}

/// All values that `label` (64 bits wide) can have, if its expression chooses among constants; a superset where the choices
/// depend on each other. `None` if it calculates.
pub fn leaves(label: u32) -> Option<Leaves> {
    let mut found = Leaves::new();
    let mut steps = MAX_STEPS;
    collect(label, Outer { sign_from: 0, plus: 0 }, &mut found, &mut steps)?;
    (found.n > 0).then_some(found)
}

/// What is done to a value on the way out: an extension to 64 bits, then an addition.
#[derive(Clone, Copy)]
struct Outer {
    /// Width of which the sign is extended; 0: zeros.
    sign_from: u16,
    plus: u64,
}

impl Outer {
    fn of(self, value: u64) -> u64 {
        let wide = if self.sign_from == 0 { value } else { sign_extended(value, self.sign_from) };
        wide.wrapping_add(self.plus)
    }
}

fn collect(label: u32, outer: Outer, found: &mut Leaves, steps: &mut u32) -> Option<()> {
    *steps = steps.checked_sub(1)?;
    let n = node::get(label);
    match n.op()? {
        Op::Const => found.add(outer.of(n.a)),
        Op::Add if n.r == 0 && n.width == 64 => {
            collect(n.l, Outer { plus: outer.plus.wrapping_add(n.b), ..outer }, found, steps)
        }
        Op::SExt if n.width == 64 => {
            collect(n.l, Outer { sign_from: node::width(n.l), ..outer }, found, steps)
        }
        Op::ZExt if n.width == 64 => collect(n.l, outer, found, steps),
        Op::Ite => {
            collect(n.r, outer, found, steps)?;
            collect(n.t, outer, found, steps)
        }
        // Tables of pointers, or of distances of 32 bits from the table.
        Op::Read if n.width >= 32 => entries(&n, outer, found),
        _ => None,
    }
}

/// The entries of the table that a read may give: those on the raster of its address.
fn entries(read: &Node, outer: Outer, found: &mut Leaves) -> Option<()> {
    let table = tables::view(read.a)?;
    let (start, stride) = form(read.l);
    let step = stride.max(1) as usize;
    let phase = start.wrapping_sub(table.base) % step as u64;
    let bytes_read = usize::from(read.width / 8).min(8);
    if stride < bytes_read as u64
        || (table.len as u64).saturating_sub(phase) / step as u64 > 8 * MAX_LEAVES as u64
    {
        return None;
    }
    let mut at = phase as usize;
    while at + bytes_read <= table.len {
        let mut bytes = [0; 8];
        for (k, byte) in bytes.iter_mut().enumerate().take(bytes_read) {
            *byte = table.constant(at + k)?;
        }
        found.add(outer.of(u64::from_le_bytes(bytes)))?;
        at += step;
    }
    Some(())
}

/// `(start, stride)`: every value of `label` is `start + k · stride`, up to wrapping around; stride 0: it is `start`.
pub fn form(label: u32) -> (u64, u64) {
    let mut steps = 64;
    form_of(label, &mut steps)
}

fn form_of(label: u32, steps: &mut u32) -> (u64, u64) {
    let unknown = (0, 1);
    if *steps == 0 {
        return unknown;
    }
    *steps -= 1;
    let n = node::get(label);
    let right = |steps: &mut u32| if n.r == 0 { (n.b, 0) } else { form_of(n.r, steps) };
    let left = |steps: &mut u32| if n.l == 0 { (n.a, 0) } else { form_of(n.l, steps) };
    match n.op() {
        Some(Op::Const) => (n.a, 0),
        Some(Op::Add) => {
            let (l, r) = (left(steps), right(steps));
            (l.0.wrapping_add(r.0), gcd(l.1, r.1))
        }
        Some(Op::Mul) if n.r == 0 => {
            let (start, stride) = left(steps);
            (start.wrapping_mul(n.b), stride.saturating_mul(n.b))
        }
        Some(Op::Shl) if n.r == 0 && n.b < 64 => {
            let (start, stride) = left(steps);
            (start << n.b, stride.saturating_mul(1 << n.b))
        }
        Some(Op::And) if n.r == 0 && n.b != 0 => (0, 1 << n.b.trailing_zeros()),
        // Narrow arithmetic wraps around at its own width: only powers of two survive that.
        Some(Op::ZExt | Op::SExt) => {
            let (start, stride) = left(steps);
            let power = if stride == 0 { 1 } else { 1 << stride.trailing_zeros() };
            (start % power, power)
        }
        Some(Op::Ite) => {
            let (r, t) = (right(steps), form_of(n.t, steps));
            (r.0, gcd(gcd(r.1, t.1), r.0.abs_diff(t.0)))
        }
        _ => (0, 1 << crate::simplify::maybe(label).trailing_zeros().min(12)),
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An address taken apart: a chosen pointer, and what is added to it.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The pointer's label.
    pub pointer: u32,
    /// Its values.
    pub leaves: Leaves,
    /// The symbolic rest's label, or 0.
    pub rest: u32,
    /// The constant rest.
    pub constant: u64,
}

/// Finds a term of the sum `label` that is a chosen pointer: at least two values, one of which, with the constants of the sum,
/// `is_object`.
pub fn split(label: u32, is_object: impl Fn(u64) -> bool) -> Option<Split> {
    let (mut terms, mut n, mut constant) = ([0u32; MAX_TERMS], 0, 0u64);
    flatten(label, &mut terms, &mut n, &mut constant)?;
    let terms = &terms[..n];
    let (at, leaves) = terms.iter().enumerate().find_map(|(k, &term)| {
        let leaves = leaves(term)?;
        let several = leaves.n > 1 && leaves.as_slice().iter().any(|&v| is_object(v.wrapping_add(constant)));
        several.then_some((k, leaves))
    })?;
    let rest = terms.iter().enumerate().filter(|&(k, _)| k != at).fold(0, |sum, (_, &term)| match sum {
        0 => term,
        sum => crate::simplify::bin(
            Op::Add,
            64,
            crate::simplify::Operand::new(sum, 0),
            crate::simplify::Operand::new(term, 0),
        ),
    });
    Some(Split { pointer: terms[at], leaves, rest, constant })
}

fn flatten(label: u32, terms: &mut [u32; MAX_TERMS], n: &mut usize, constant: &mut u64) -> Option<()> {
    let node = node::get(label);
    if node.op == Op::Add as u8 && node.width == 64 {
        for (label, value) in [(node.l, node.a), (node.r, node.b)] {
            match label {
                0 => *constant = constant.wrapping_add(value),
                label => flatten(label, terms, n, constant)?,
            }
        }
        return Some(());
    }
    *terms.get_mut(*n)? = label;
    *n += 1;
    state::recording().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify::{Operand, bin, tri, zero_extend};
    use crate::testing::Lab;

    fn on(label: u32) -> Operand {
        Operand::new(label, 0)
    }

    #[test]
    fn choices_are_listed_and_calculations_are_not() {
        let _lab = Lab::new(&[1, 2]);
        let (x, y) = (node::input(0, 0), node::input(0, 1));
        let cond = |v, k| on(bin(Op::Eq, 8, on(v), Operand::constant(k)));
        let inner = tri(Op::Ite, 64, cond(x, 1), Operand::constant(0x1000), Operand::constant(0x2000));
        let outer = tri(Op::Ite, 64, cond(y, 2), on(inner), Operand::constant(0));
        let moved = bin(Op::Add, 64, on(outer), Operand::constant(8));
        assert_eq!(leaves(moved).expect("a choice").as_slice(), [8, 0x1008, 0x2008]);
        assert!(leaves(zero_extend(x, 64)).is_none());
        let address = bin(Op::Add, 64, on(moved), on(zero_extend(y, 64)));
        let split = split(address, |v| v == 0x2008).expect("a pointer and an index");
        assert_eq!((split.leaves.as_slice(), split.constant), (&[0, 0x1000, 0x2000][..], 8));
        assert_eq!(split.rest, zero_extend(y, 64));
    }

    #[test]
    fn addresses_lie_on_a_raster() {
        let _lab = Lab::new(&[1]);
        let x = zero_extend(node::input(0, 0), 64);
        let scaled = bin(Op::Mul, 64, on(x), Operand::constant(24));
        let address = bin(Op::Add, 64, on(scaled), Operand::constant(0x1010));
        assert_eq!(form(address), (0x1010, 24));
        let shifted = bin(Op::Shl, 64, on(x), Operand::constant(3));
        let both = bin(Op::Add, 64, on(address), on(shifted));
        assert_eq!(form(both), (0x1010, 8));
        assert_eq!(form(x), (0, 1));
    }
}
