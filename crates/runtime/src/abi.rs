//! The functions that instrumented code calls: `trace_abi::SYMBOLS`, to the letter.
//!
//! Each one checks its numbers and hands over to the module that does the work.
//!
//! # Safety
//! All of them are called by instrumented code only, with addresses that the program is about to access or has just accessed.

#![expect(clippy::missing_safety_doc, reason = "one contract for all, at the top of the module")]

use crate::arithmetic::Arithmetic;
use crate::indexed::{self, Access};
use crate::simplify::{self, Operand};
use crate::{event, external, float_mode, icall, memory, node, objects::Object, state};
use trace_abi::{EventKind, Lanes, OBJECT_IS_CONSTANT, OBJECT_IS_PROMISED, Op, Reason};

/// The operation and its `aux`; `None` if there is no such operation.
fn op(n: u32) -> Option<(Op, u8)> {
    Some((Op::from_u8(n as u8)?, (n >> 8) as u8))
}

fn reason(n: u32) -> Reason {
    Reason::from_u8(n as u8).unwrap_or(Reason::Unsupported)
}

/// A label of this run, or 0: labels of a scribbled shadow or of an earlier life mean nothing.
fn known(label: u32) -> u32 {
    if node::is_known(label) && state::recording() { label } else { 0 }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_bin(op_number: u32, width: u32, l: u32, r: u32, a: u64, b: u64) -> u32 {
    let (l, r) = (known(l), known(r));
    if l | r == 0 {
        return 0;
    }
    match op(op_number) {
        Some((op, _)) if op.is_float() && !float_mode::is_usual(width as u16) => 0,
        Some((op, aux)) if op.is_float() => {
            simplify::float_bin(op, aux, width as u16, Operand::new(l, a), Operand::new(r, b))
        }
        Some((op, _)) => simplify::bin(op, width as u16, Operand::new(l, a), Operand::new(r, b)),
        None => 0,
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_un(op_number: u32, width: u32, l: u32) -> u32 {
    let l = known(l);
    match op(op_number) {
        Some((op, _)) if l != 0 && op.is_float() && !float_mode::is_usual(width as u16) => 0,
        Some((op, aux)) if op.is_float() => simplify::float_un(op, aux, width as u16, l),
        Some((op, _)) => simplify::unary(op, width as u16, l),
        None => 0,
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_extract(l: u32, low: u32, width: u32) -> u32 {
    simplify::extract(known(l), low as u16, width as u16)
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_tri(
    op_number: u32,
    width: u32,
    l: u32,
    r: u32,
    t: u32,
    a: u64,
    b: u64,
    c: u64,
) -> u32 {
    let (l, r, t) = (known(l), known(r), known(t));
    if l | r | t == 0 {
        return 0;
    }
    match op(op_number) {
        Some((op, _)) if op.is_float() && !float_mode::is_usual(width as u16) => 0,
        Some((op, _)) => {
            simplify::tri(op, width as u16, Operand::new(l, a), Operand::new(r, b), Operand::new(t, c))
        }
        None => 0,
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_const(width: u32, value: *const u8) -> u32 {
    let bytes = (width as usize).div_ceil(8);
    let word = |at: usize| {
        let mut w = [0u8; 8];
        let n = bytes.saturating_sub(at).min(8);
        // SAFETY: the caller gives `bytes` readable bytes.
        unsafe { core::ptr::copy_nonoverlapping(value.add(at.min(bytes)), w.as_mut_ptr(), n) };
        u64::from_le_bytes(w)
    };
    if width <= 128 {
        return node::constant(width as u16, word(0), word(8));
    }
    let mut label = node::constant(128, word(0), word(8));
    let mut done = 128;
    while done < width && label != 0 {
        let n = (width - done).min(64);
        let part = Operand::new(node::constant(n as u16, word(done as usize / 8), 0), 0);
        label = simplify::concat(part, n as u16, Operand::new(label, 0), done as u16);
        done += n;
    }
    label
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_load(address: *const u8, bytes: u32, width: u32) -> u32 {
    memory::load(address as usize, bytes as usize, width as u16)
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_load_sym(
    address: *const u8,
    bytes: u32,
    width: u32,
    label: u32,
    object: *const u8,
    size: u64,
    flags: u32,
    site: u32,
    id: u32,
) -> u32 {
    let declared = declared(object, size, flags);
    let (address, bytes) = (address as usize, bytes as usize);
    let access = Access { address, bytes, label: known(label), index: None, declared, site, id };
    indexed::load(&access, width as u16)
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_load_index(
    address: *const u8,
    bytes: u32,
    width: u32,
    base: u32,
    index: u32,
    value: u64,
    form: u64,
    constant: u64,
    object: *const u8,
    size: u64,
    flags: u32,
    site: u32,
    id: u32,
) -> u32 {
    let declared = declared(object, size, flags);
    let parts = Arithmetic::new(known(base), known(index), value, form, constant);
    let access = Access::through(parts, address as usize, bytes as usize, declared, site, id);
    indexed::load(&access, width as u16)
}

/// The object that instrumented code knows of, if any.
fn declared(object: *const u8, size: u64, flags: u32) -> Option<Object> {
    let (constant, complete) = (flags & OBJECT_IS_CONSTANT != 0, flags & OBJECT_IS_PROMISED == 0);
    let given = Object { base: object as usize, size: size as usize, constant, complete };
    (!object.is_null() && size > 0).then_some(given)
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_store(address: *mut u8, bytes: u32, label: u32) {
    memory::store(address as usize, bytes as usize, label);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_store_sym(
    address: *mut u8,
    bytes: u32,
    label: u32,
    value: u64,
    address_label: u32,
    object: *const u8,
    size: u64,
    flags: u32,
    site: u32,
    id: u32,
) {
    let declared = declared(object, size, flags);
    let (address, bytes) = (address as usize, bytes as usize);
    let access = Access { address, bytes, label: known(address_label), index: None, declared, site, id };
    indexed::store(&access, Operand::new(known(label), value));
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_store_index(
    address: *mut u8,
    bytes: u32,
    label: u32,
    stored: u64,
    base: u32,
    index: u32,
    value: u64,
    form: u64,
    constant: u64,
    object: *const u8,
    size: u64,
    flags: u32,
    site: u32,
    id: u32,
) {
    let declared = declared(object, size, flags);
    let parts = Arithmetic::new(known(base), known(index), value, form, constant);
    let access = Access::through(parts, address as usize, bytes as usize, declared, site, id);
    indexed::store(&access, Operand::new(known(label), stored));
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_clear(address: *mut u8, bytes: u64) {
    crate::shadow::clear(address as usize, bytes as usize);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_memcpy(dst: *mut u8, src: *const u8, bytes: u64, size: u32, site: u32) {
    memory::copy(dst as usize, src as usize, bytes as usize, known(size), site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_memset(dst: *mut u8, label: u32, bytes: u64, size: u32, site: u32) {
    memory::set(dst as usize, known(label), bytes as usize, known(size), site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_branch(label: u32, taken: u32, site: u32) {
    memory::decide_two(known(label), taken, site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_branch_in(label: u32, taken: u32, site: u32, context: u32) {
    let label = known(label);
    if label != 0 {
        event::append(event::new(EventKind::Context, 0, 0, context));
    }
    memory::decide_two(label, taken, site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_switch(label: u32, value: u64, site: u32) {
    let label = known(label);
    memory::decide(EventKind::Switch, label, value & node::mask(node::width(label)), site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_icall_sym(label: u32, value: u64, site: u32) {
    icall::decide(known(label), value, site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_icall(callee: *const u8, call: u32) {
    icall::record(callee, call);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_pin(label: u32, value: u64, why: u32, site: u32) {
    event::pin(known(label), value, reason(why), site);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_lost(label: u32, why: u32, site: u32) {
    if known(label) != 0 {
        event::lose(reason(why), site, 0);
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_lanes(family: u32, operands: *const Lanes, n: u32, result: *const Lanes) {
    // SAFETY: the caller gives an array of `n` operands and one result.
    let (operands, result) = unsafe { (core::slice::from_raw_parts(operands, n as usize), &*result) };
    // SAFETY: each of them leads to as many values and labels as it says.
    unsafe { crate::vectors::label(trace_abi::Vector::from_u32(family), operands, result) };
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_any(address: *const u8, bytes: u64) -> u32 {
    crate::shadow::any(address as usize, bytes as usize).into()
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_unfollowed(address: *const u8, bytes: u64, why: u32, site: u32) {
    if state::recording() && crate::shadow::any(address as usize, bytes as usize) {
        event::lose(reason(why), site, bytes);
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_failed(check: u32) {
    event::failed(check);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_path(entry: u32) {
    event::log_path(entry);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_external_before(call: u32, n: u32, pointers: *const *const u8) {
    if n > 0 && !pointers.is_null() {
        // SAFETY: the caller gives an array of `n` pointers.
        external::before(call, unsafe { core::slice::from_raw_parts(pointers, n as usize) });
    }
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_external_after(call: u32) {
    external::after(call);
}

/// See `trace_abi::SYMBOLS`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sp_va_enter(list: *const u8, callee: *const u8) {
    // SAFETY: the list was just started by the callee.
    unsafe { crate::models::varargs::enter(&*list.cast(), callee as usize) };
}
