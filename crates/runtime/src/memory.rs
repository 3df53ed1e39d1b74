//! Labels of values in memory at concrete addresses: loads, stores, copies. Symbolic ones: [`crate::indexed`].

use crate::simplify::{Operand, concat, extract, zero_extend};
use crate::{event, node, shadow, state};
use trace_abi::{EventKind, Op, Reason};

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
        let next = node::get(shadow::get(address + n));
        next.op == node.op && next.width == 8 && next.l == node.l && next.a == node.a + 8 * n as u64
    };
    let n = (1..most).find(|&n| !continues(n)).unwrap_or(most);
    (Operand::new(extract(node.l, node.a as u16, 8 * n as u16), 0), n)
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
    for k in 0..bytes {
        shadow::set(address + k, extract(value, 8 * k as u16, 8));
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
