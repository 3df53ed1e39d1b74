//! The functions that compiled code calls.

use crate::memory::{Step, TableView};
use expr::semantics::{apply, apply64};
use expr::{Bits, Op};
use std::cell::Cell;

/// Operation and widths in one word.
pub(crate) fn shape(op: Op, width: u16, operand_width: u16) -> u64 {
    op as u64 | u64::from(width) << 16 | u64::from(operand_width) << 32
}

fn parts(shape: u64) -> (Op, u16, u16) {
    let op = Op::from_u8(shape as u8).expect("it was an operation");
    (op, (shape >> 16) as u16, (shape >> 32) as u16)
}

/// Any operation on at most 64 bits.
pub(crate) extern "C" fn narrow(shape: u64, imm: u64, a: u64, b: u64, c: u64) -> u64 {
    let (op, width, operand_width) = parts(shape);
    apply64(op, width, operand_width, imm, a, b, c)
}

/// An operation on more than 64 bits; the low word of its value.
///
/// # Safety
/// The step's memory must be there.
pub(crate) unsafe extern "C" fn wide(step: *const Step) -> u64 {
    // SAFETY: the caller's promise.
    let step = unsafe { &*step };
    // SAFETY: the same.
    let values: Vec<Bits> = step.operands.iter().map(|operand| unsafe { operand.value() }).collect();
    let refs: Vec<&Bits> = values.iter().collect();
    let value = apply(step.op, step.width, step.imm, &refs);
    if step.width > 64 {
        // SAFETY: the memory has room for the result.
        unsafe { store(&value, step.result) };
    }
    value.low()
}

/// # Safety
/// There must be room for the value.
unsafe fn store(value: &Bits, result: *const Cell<u64>) {
    // SAFETY: the caller's promise.
    let result = unsafe { std::slice::from_raw_parts(result, value.words().len()) };
    result.iter().zip(value.words()).for_each(|(to, &word)| to.set(word));
}

fn bytes_at(table: &TableView, width: u64, address: u64) -> Bits {
    let offset = address.wrapping_sub(table.base);
    let byte = |k: u64| table.bytes.get(offset.wrapping_add(k) as usize).map_or(0, Cell::get);
    let bytes: Vec<u8> = (0..width / 8).map(byte).collect();
    Bits::from_le_bytes(width as u16, &bytes)
}

/// A read of at most 64 bits.
///
/// # Safety
/// The table must be there.
pub(crate) unsafe extern "C" fn read(table: *const TableView, width: u64, address: u64) -> u64 {
    // SAFETY: the caller's promise.
    bytes_at(unsafe { &*table }, width, address).low()
}

/// A read of more than 64 bits.
///
/// # Safety
/// The table and the result's memory must be there.
pub(crate) unsafe extern "C" fn read_wide(
    table: *const TableView,
    width: u64,
    address: u64,
    result: *const Cell<u64>,
) {
    // SAFETY: the caller's promise.
    let value = bytes_at(unsafe { &*table }, width, address);
    // SAFETY: the memory has room for the value.
    unsafe { store(&value, result) };
}

/// Distance of a comparison of at most 64 bits.
pub(crate) extern "C" fn distance(shape: u64, a: u64, b: u64, want: u64) -> f64 {
    let (op, _, operand_width) = parts(shape);
    solve_search::distance(op, operand_width, a.into(), b.into(), want == 1)
}

/// Distance of a comparison of more than 64 bits.
///
/// # Safety
/// The step's memory must be there.
pub(crate) unsafe extern "C" fn distance_wide(step: *const Step, truth: u64, want: u64) -> f64 {
    // SAFETY: the caller's promise.
    let step = unsafe { &*step };
    // SAFETY: the same.
    let value = |k: usize| unsafe { step.operands[k].value() }.low_128();
    solve_search::wide_distance(step.op, step.operands[0].width, value(0), value(1), truth == 1, want == 1)
}
