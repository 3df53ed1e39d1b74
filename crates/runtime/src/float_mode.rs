//! How the processor computes with floats right now.
//!
//! Expressions round to nearest even, keep denormal numbers and have the x87's full precision. Where a program chose
//! something else (`fesetround`, `-ffast-math`'s start-up code, `_controlfp`), results are no expressions: labels are
//! recorded as lost. Code that asks stands right beside the operation, so the mode is that of the operation.

use crate::event;
use core::arch::asm;
use trace_abi::Reason;

/// MXCSR: rounding direction, flush to zero, denormals are zero.
const SSE_MODE: u32 = 0x6000 | 0x8000 | 0x0040;
/// x87 control word: rounding and precision.
const X87_MODE: u16 = 0x0f00;
/// To nearest, 64 bits of precision.
const X87_USUAL: u16 = 0x0300;

/// Whether operations (here one of `width` bits) are computed as expressions say; records the loss where they are not.
pub fn is_usual(width: u16) -> bool {
    let usual = sse() & SSE_MODE == 0 && x87() & X87_MODE == X87_USUAL;
    if !usual {
        event::lose(Reason::Float, 0, u64::from(width));
    }
    usual
}

fn sse() -> u32 {
    let mut mode = 0u32;
    // SAFETY: writes four bytes at `mode`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut mode, options(nostack, preserves_flags)) };
    mode
}

fn x87() -> u16 {
    let mut mode = 0u16;
    // SAFETY: writes two bytes at `mode`.
    unsafe { asm!("fnstcw [{}]", in(reg) &mut mode, options(nostack, preserves_flags)) };
    mode
}
