//! The thread-local record through which labels cross calls ([`trace_abi::Tls`]).
//!
//! Stable Rust has no C-ABI thread-locals, so the variable is defined in assembly, with the initial-exec
//! model: the runtime is always part of the executable.

use trace_abi::{ARG_SLOTS, RET_SLOTS, Tls};

core::arch::global_asm!(
    ".section .tbss.__sp_tls,\"awT\",@nobits",
    ".globl __sp_tls",
    ".type __sp_tls,@object",
    ".size __sp_tls, {size}",
    ".p2align 4",
    "__sp_tls:",
    ".zero {size}",
    ".text",
    size = const trace_abi::TLS_SIZE,
);

/// This thread's record.
#[inline(always)]
pub fn tls() -> *mut Tls {
    let p: *mut Tls;
    // SAFETY: reads the thread pointer and a linker-resolved offset; touches no memory of the program.
    unsafe {
        core::arch::asm!(
            "mov {p}, qword ptr fs:[0]",
            "add {p}, qword ptr [rip + __sp_tls@GOTTPOFF]",
            p = out(reg) p,
            options(nostack, pure, readonly),
        );
    }
    p
}

/// The address of the thread control block: a number that differs between threads that live at once.
#[inline(always)]
pub fn thread_id() -> u64 {
    let p: u64;
    // SAFETY: reads the thread pointer only.
    unsafe {
        core::arch::asm!("mov {p}, qword ptr fs:[0]", p = out(reg) p, options(nostack, pure, readonly))
    };
    p
}

/// Takes the argument labels that the caller left for the function at address `callee`, if any, and marks
/// them as taken. `None`: every argument is concrete.
#[inline]
pub fn take_args(callee: usize) -> Option<[u32; ARG_SLOTS]> {
    let t = tls();
    // SAFETY: `tls` points to this thread's record, which nobody else touches.
    unsafe {
        let mine = (*t).callee as usize == callee;
        (*t).callee = core::ptr::null();
        if mine { Some((*t).args) } else { None }
    }
}

/// Leaves the label of a scalar result for the caller.
#[inline]
pub fn set_ret(label: u32) {
    // SAFETY: as above.
    unsafe { (*tls()).ret[0] = label };
}

/// Empties the record of this thread: no label of an earlier run is left in it.
pub fn clear() {
    // SAFETY: as above; all zero is a record without labels.
    unsafe { tls().write_bytes(0, 1) };
}

/// Zeroes every return label.
pub fn clear_ret() {
    // SAFETY: as above.
    unsafe { (*tls()).ret = [0; RET_SLOTS] };
}
