//! Labels of values in memory at concrete addresses: loads, stores, copies. Symbolic ones: [`crate::indexed`].

use crate::simplify::{Operand, concat, extract, zero_extend};
use crate::{event, node, shadow, state};
use trace_abi::{DATA, DATA_OUTCOME, EventKind, Op, Reason};

/// Label of the `width`-bit value in `bytes` bytes at `address`, little-endian. 0 if all bytes are concrete.
pub fn load(address: usize, bytes: usize, width: u16) -> u32 {
    if !state::recording() || !shadow::any(address, bytes) {
        return 0;
    }
    if bytes > usize::from(trace_abi::MAX_WIDTH / 8) {
        event::lose(Reason::Unsupported, 0, bytes as u64);
        return 0;
    }
    let whole = if bytes <= 8 { chunk(address, bytes).label } else { wide(address, bytes) };
    if usize::from(width) < bytes * 8 { extract(whole, 0, width) } else { whole }
}

/// At most 8 bytes as one operand; bytes that the program can read.
pub fn operand(address: usize, bytes: usize) -> Operand {
    chunk(address, bytes)
}

/// At most 8 bytes as one operand.
fn chunk(address: usize, bytes: usize) -> Operand {
    let (mut acc, mut done) = piece(address, bytes);
    while done < bytes {
        let (next, n) = piece(address + done, bytes - done);
        acc = Operand::new(concat(next, 8 * n as u16, acc, 8 * done as u16), 0);
        done += n;
    }
    acc
}

/// The bytes from `address` on that are one value as they lie there, `most` of them (at most 8): constants, or slices of one
/// expression in order, which mostly is what was stored. Also how many these are.
fn piece(address: usize, most: usize) -> (Operand, usize) {
    if let Some((label, k)) = shadow::part(shadow::word(address)) {
        return parts(address, most, label, k);
    }
    let first = byte(address);
    if first.is_const() {
        let (mut value, mut n) = (first.value, 1);
        while n < most {
            let next = byte(address + n);
            if !next.is_const() {
                break;
            }
            value |= next.value << (8 * n);
            n += 1;
        }
        return (Operand::constant(value), n);
    }
    let node = node::get(first.label);
    if node.op != Op::Extract as u8 {
        return (first, 1);
    }
    let continues = |n: usize| {
        let next = node::get(shadow::word(address + n));
        next.op == node.op && next.width == 8 && next.l == node.l && next.a == node.a + 8 * n as u64
    };
    let n = (1..most).find(|&n| !continues(n)).unwrap_or(most);
    (Operand::new(extract(node.l, node.a as u16, 8 * n as u16), 0), n)
}

/// As [`piece`] where byte `k` of `label` comes first.
fn parts(address: usize, most: usize, label: u32, k: u16) -> (Operand, usize) {
    let first = shadow::word(address);
    let most = most.min(shadow::MAX_PARTS - usize::from(k));
    let follows = |n: usize| shadow::word(address + n) == first + n as u32 * shadow::NEXT_PART;
    let n = (1..most).find(|&n| !follows(n)).unwrap_or(most);
    let label = extract(label, 8 * k, 8 * n as u16);
    let mut value = [0; 8];
    // SAFETY: the program is about to read these bytes itself.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), n) };
    (Operand::new(label, if label == 0 { u64::from_le_bytes(value) } else { 0 }), n)
}

/// One byte in memory.
pub fn byte(address: usize) -> Operand {
    let label = shadow::get(address);
    if label != 0 && node::width(label) == 8 {
        return Operand::new(label, 0);
    }
    // SAFETY: the program is about to read this byte itself.
    Operand::constant(u64::from(unsafe { *(address as *const u8) }))
}

/// More than 8 bytes: chunks of 64 bits, the constant ones below a labelled one as `Const` nodes.
fn wide(address: usize, bytes: usize) -> u32 {
    let mut acc = chunk(address, 8).to_label(64);
    let mut done = 8;
    while done < bytes {
        let n = (bytes - done).min(8);
        let (next, have) = (chunk(address + done, n), Operand::new(acc, 0));
        acc = concat(next, 8 * n as u16, have, 8 * done as u16);
        if acc == 0 {
            return 0;
        }
        done += n;
    }
    acc
}

/// Stores a value's label into the shadow of `bytes` bytes at `address`; label 0 clears them. A value narrower
/// than its bytes is zero-extended, as LLVM stores it.
pub fn store(address: usize, bytes: usize, label: u32) {
    if label == 0 || !node::is_known(label) || !state::recording() {
        shadow::clear(address, bytes);
        return;
    }
    let value = zero_extend(label, (bytes * 8).min(usize::from(u16::MAX)) as u16);
    if (2..=shadow::MAX_PARTS).contains(&bytes) && is_solid(value) && shadow::set_parts(address, bytes, value)
    {
        return;
    }
    for k in 0..bytes {
        shadow::set(address + k, extract(value, 8 * k as u16, 8));
    }
}

/// Whether the bytes of a value are nothing but its bytes: none is constant or of something smaller.
fn is_solid(label: u32) -> bool {
    let n = node::get(label);
    match n.op() {
        Some(
            Op::Const
            | Op::Input
            | Op::Extract
            | Op::ZExt
            | Op::SExt
            | Op::Concat
            | Op::And
            | Op::Or
            | Op::Shl
            | Op::LShr
            | Op::Bswap,
        )
        | None => false,
        // Exclusive ors are sums of many terms (checksums): each byte may be of one term alone, but mostly all of it is wanted.
        Some(_) => true,
    }
}

/// `memcpy` and `memmove`, before the copy itself.
pub fn copy(dst: usize, src: usize, bytes: usize, size_label: u32, site: u32) {
    event::pin(size_label, bytes as u64, Reason::Size, site);
    shadow::copy(dst, src, bytes);
}

/// `memset`: the label may be that of the `int` given or of a byte.
pub fn set(dst: usize, label: u32, bytes: usize, size_label: u32, site: u32) {
    event::pin(size_label, bytes as u64, Reason::Size, site);
    let byte = if label == 0 { 0 } else { extract(label, 0, 8) };
    if byte == 0 {
        shadow::clear(dst, bytes);
        return;
    }
    for k in 0..bytes {
        shadow::set(dst + k, byte);
    }
}

/// Records that a decision on `label` went to `value`.
pub fn decide(kind: EventKind, label: u32, value: u64, site: u32) {
    if label != 0 {
        event::append(trace_abi::Event { width: node::width(label), ..event::new(kind, label, value, site) });
    }
}

/// Records a two-way branch; `taken` is its outcome, with [`DATA_OUTCOME`] where no jump depends on it.
pub fn decide_two(label: u32, taken: u32, site: u32) {
    if label != 0 {
        let aux = if taken & DATA_OUTCOME == 0 { 0 } else { DATA };
        let event = event::new(EventKind::Branch, label, u64::from(taken & 1), site);
        event::append(trace_abi::Event { width: node::width(label), aux, ..event });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify::bin;
    use crate::testing::Lab;

    /// A sum of the first four input bytes as one number, in memory at `p`.
    fn sum(lab: &Lab) -> (usize, u32) {
        let p = lab.buffer(4, &[0; 60]) as usize;
        let word = load(p, 4, 32);
        let label = bin(Op::Add, 32, Operand::new(word, 0), Operand::constant(0x0102_0304));
        // SAFETY: the buffer is that long.
        unsafe { *((p + 8) as *mut u32) = (*(p as *const u32)).wrapping_add(0x0102_0304) };
        let before = node::count();
        store(p + 8, 4, label);
        assert_eq!(node::count(), before, "writing a value makes no nodes");
        (p + 8, label)
    }

    #[test]
    fn a_value_is_read_as_it_was_written() {
        let lab = Lab::new(&[0xfe, 2, 3, 4]);
        let (p, label) = sum(&lab);
        shadow::copy(p + 16, p, 4);
        assert_eq!([load(p, 4, 32), load(p + 16, 4, 32)], [label; 2]);
        assert_eq!(load(p + 1, 2, 16), extract(label, 8, 16));
        assert_eq!(shadow::get(p + 3), extract(label, 24, 8));
        assert!(shadow::any(p + 3, 1) && !shadow::any(p + 4, 4));
    }

    #[test]
    fn parts_of_a_value_among_other_bytes_keep_their_values() {
        let input = [0xfe, 2, 3, 4];
        let lab = Lab::new(&input);
        let (p, _) = sum(&lab);
        let bytes = |at: usize, n: usize| {
            // SAFETY: inside the buffer.
            (0..n).rev().fold(0u64, |all, k| all << 8 | u64::from(unsafe { *((at + k) as *const u8) }))
        };
        let mut made = Vec::new();
        let mut look = |at: usize, n: usize| made.push((load(at, n, 8 * n as u16), bytes(at, n)));
        for k in 0..4 {
            look(p + k, 1);
        }
        look(p - 2, 8);
        look(p + 2, 4);
        // The upper half of the value beside itself, and a constant in its middle.
        shadow::copy(p + 20, p + 2, 2);
        // SAFETY: inside the buffer.
        unsafe { core::ptr::copy_nonoverlapping((p + 2) as *const u8, (p + 20) as *mut u8, 2) };
        look(p + 20, 2);
        store(p + 1, 1, 0);
        // SAFETY: inside the buffer.
        unsafe { *((p + 1) as *mut u8) = 0x77 };
        look(p, 4);
        look(p, 8);
        let lifted = lab.lift();
        for (label, value) in made {
            assert_ne!(label, 0);
            assert_eq!(lifted.eval(label, &input).low(), value);
        }
    }

    #[test]
    fn a_snapshot_has_labels_of_bytes() {
        let lab = Lab::new(&[1, 2, 3, 4]);
        let (p, label) = sum(&lab);
        let object = crate::objects::Object { base: p, size: 8, constant: false, complete: true };
        let first = crate::tables::snapshot(object).unwrap();
        let view = crate::tables::view(first).unwrap();
        assert_eq!([view.constant(0), view.constant(4)], [None, Some(0)]);
        store(p, 4, label);
        assert_eq!(crate::tables::snapshot(object), Some(first), "the same bytes with the same labels");
        assert_eq!(load(p, 4, 32), label);
    }
}
