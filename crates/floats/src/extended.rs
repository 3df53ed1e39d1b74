//! Extended precision: the x87 itself, through inline assembly.
//!
//! The x87 is in its initial state in every thread: 64-bit precision, round to nearest even, exceptions masked.

use std::arch::asm;
use trace_abi::Op;

/// Bytes of a value in memory, as `fld tbyte` reads and `fstp tbyte` writes them.
pub(crate) type Memory = [u8; 16];

/// Gives the block's whole x87 stack to the assembler.
macro_rules! x87 {
    ($($line:literal),+ ; $($operand:tt)*) => {
        asm!(
            $($line),+,
            $($operand)*
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            options(nostack)
        )
    };
}

pub(crate) fn load(bits: u128) -> Memory {
    bits.to_le_bytes()
}

pub(crate) fn value(memory: &Memory) -> u128 {
    u128::from_le_bytes(*memory) & ((1 << 80) - 1)
}

/// A binary operation.
pub(crate) fn arithmetic(op: Op, a: u128, b: u128) -> u128 {
    if op == Op::FRem {
        return crate::library::remainder_extended(a, b);
    }
    let (a, b) = (load(a), load(b));
    let mut result: Memory = [0; 16];
    macro_rules! run {
        ($line:literal) => {
            // SAFETY: reads 10 bytes at `a` and `b`, writes 10 at `result`; the x87 stack is empty before and after.
            unsafe {
                x87!("fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", $line, "fstp tbyte ptr [{r}]";
                    a = in(reg) &a, b = in(reg) &b, r = in(reg) &mut result,)
            }
        };
    }
    match op {
        Op::FAdd => run!("faddp st(1), st"),
        Op::FSub => run!("fsubp st(1), st"),
        Op::FMul => run!("fmulp st(1), st"),
        _ => run!("fdivp st(1), st"),
    }
    value(&result)
}

/// Square root.
pub(crate) fn square_root(a: u128) -> u128 {
    let a = load(a);
    let mut result: Memory = [0; 16];
    // SAFETY: reads 10 bytes at `a`, writes 10 at `result`; the x87 stack is empty before and after.
    unsafe {
        x87!("fld tbyte ptr [{a}]", "fsqrt", "fstp tbyte ptr [{r}]"; a = in(reg) &a, r = in(reg) &mut result,);
    }
    value(&result)
}

/// A comparison.
pub(crate) fn compare(op: Op, a: u128, b: u128) -> bool {
    let (a, b) = (load(a), load(b));
    let (below, equal, unordered): (u8, u8, u8);
    // SAFETY: reads 10 bytes at `a` and `b`; the x87 stack is empty before and after.
    unsafe {
        x87!("fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fucomip st, st(1)", "fstp st(0)",
            "setb {below}", "sete {equal}", "setp {unordered}";
            a = in(reg) &a, b = in(reg) &b,
            below = out(reg_byte) below, equal = out(reg_byte) equal, unordered = out(reg_byte) unordered,);
    }
    let ordered = unordered == 0;
    match op {
        Op::FEq => ordered && equal == 1,
        Op::FLt => ordered && below == 1,
        Op::FLe => ordered && (below | equal) == 1,
        _ => !ordered,
    }
}
