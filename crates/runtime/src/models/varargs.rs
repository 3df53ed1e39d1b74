//! Variable arguments: the callee's side of the x86-64 System V calling convention.
//!
//! Stable Rust cannot define variadic functions, so each one is a few instructions that build a `va_list` on
//! the stack and call a Rust function with the fixed arguments and a pointer to that list, which is also how
//! the `v…` variants are called. Labels of variable arguments lie in the shadow of the areas that a list leads to
//! ([`VaList::next_operand`]), for lists started here as for those that come from the program.

use super::args::symbolic;
use crate::{memory, shadow, tls};
use core::ffi::c_void;
use trace_abi::{VA_SAVE_AREA, VA_SLOTS, VA_STACK};

/// `va_list`, as the ABI lays it out (System V ABI, AMD64 supplement, section 3.5.7).
#[repr(C)]
#[derive(Debug)]
pub struct VaList {
    gp_offset: u32,
    fp_offset: u32,
    overflow: *mut u64,
    saved: *mut u8,
}

impl VaList {
    /// The next integer or pointer argument.
    ///
    /// # Safety
    /// There is one.
    pub unsafe fn next(&mut self) -> u64 {
        // SAFETY: as the caller promises.
        unsafe {
            if self.gp_offset < 48 {
                let p = self.saved.add(self.gp_offset as usize).cast::<u64>();
                self.gp_offset += 8;
                return *p;
            }
            let p = self.overflow;
            self.overflow = p.add(1);
            *p
        }
    }

    /// A list of these words.
    #[cfg(test)]
    pub fn of(words: *mut u64) -> VaList {
        VaList {
            gp_offset: 48,
            fp_offset: VA_SAVE_AREA as u32,
            overflow: words,
            saved: core::ptr::null_mut(),
        }
    }

    /// The same list once more, to be read independently.
    pub const fn again(&self) -> VaList {
        VaList {
            gp_offset: self.gp_offset,
            fp_offset: self.fp_offset,
            overflow: self.overflow,
            saved: self.saved,
        }
    }

    /// The next `double` argument, as its bits, with its label.
    ///
    /// # Safety
    /// There is one.
    pub unsafe fn next_double(&mut self) -> (u64, u32) {
        let at = if self.fp_offset < 176 {
            self.fp_offset += 16;
            self.saved.wrapping_add(self.fp_offset as usize - 16).cast::<u64>()
        } else {
            self.overflow = self.overflow.wrapping_add(1);
            self.overflow.wrapping_sub(1)
        };
        // SAFETY: as the caller promises.
        (unsafe { *at }, memory::load(at as usize, 8, 64))
    }

    /// The low half of the next `long double` argument (its significand), with the label of that half.
    pub fn next_long_double(&mut self) -> (u64, u32) {
        let at = (self.overflow as usize).next_multiple_of(16) as *mut u64;
        self.overflow = at.wrapping_add(2);
        // SAFETY: the caller passed one there.
        (unsafe { *at }, memory::load(at as usize, 8, 64))
    }

    /// The next integer or pointer argument of `bytes` bytes with its label.
    ///
    /// # Safety
    /// There is one.
    pub unsafe fn next_operand(&mut self, bytes: usize) -> (u64, u32) {
        let at = if self.gp_offset < 48 {
            self.saved as usize + self.gp_offset as usize
        } else {
            self.overflow as usize
        };
        let label = memory::load(at, bytes, 8 * bytes as u16);
        // SAFETY: as the caller promises.
        (unsafe { self.next() }, label)
    }

    /// The next pointer argument.
    ///
    /// # Safety
    /// There is one.
    pub unsafe fn pointer(&mut self) -> *mut c_void {
        // SAFETY: as the caller promises.
        unsafe { self.next() as *mut c_void }
    }
}

/// A variadic function at `callee` was entered and started this list: its variable arguments get the labels that
/// the caller left for it, and no others.
///
/// # Safety
/// The list was just started by that function.
pub unsafe fn enter(list: &VaList, callee: usize) {
    let t = tls::tls();
    // SAFETY: this thread's record; the list's areas are as long as the ABI and the caller say, and so are the
    // structures that the call copied.
    unsafe {
        let stack = (*t).variadic as usize;
        (*t).variadic = 0;
        let n = if (*t).callee as usize == callee { (*t).va_count as usize } else { 0 };
        (*t).va_count = 0;
        if !symbolic() {
            return;
        }
        shadow::clear(list.saved as usize, VA_SAVE_AREA as usize);
        shadow::clear(list.overflow as usize, stack);
        for entry in &(&(*t).va)[..n.min(VA_SLOTS)] {
            let (offset, bytes) = ((entry.offset & !VA_STACK) as usize, entry.bytes as usize);
            let at = match entry.offset & VA_STACK {
                0 => list.saved as usize + offset,
                _ => list.overflow as usize + offset,
            };
            if entry.source.is_null() {
                memory::store(at, bytes, entry.label);
            } else {
                shadow::copy(at, entry.source as usize, bytes);
            }
        }
    }
}

/// Defines a variadic model: its name, the Rust function it calls, how many fixed arguments it has, and the
/// register of the argument behind them.
macro_rules! variadic {
    ($($model:ident => $target:ident, $fixed:literal, $register:literal;)+) => {
        $(core::arch::global_asm!(
            concat!(".section .text.", stringify!($model), ",\"ax\",@progbits"),
            concat!(".globl ", stringify!($model)),
            concat!(".type ", stringify!($model), ",@function"),
            concat!(stringify!($model), ":"),
            ".cfi_startproc",
            "endbr64",
            "sub rsp, 216",
            ".cfi_adjust_cfa_offset 216",
            // The register save area: 6 general and 8 vector registers.
            "mov [rsp + 32], rdi",
            "mov [rsp + 40], rsi",
            "mov [rsp + 48], rdx",
            "mov [rsp + 56], rcx",
            "mov [rsp + 64], r8",
            "mov [rsp + 72], r9",
            "test al, al",
            "je 2f",
            "movaps [rsp + 80], xmm0",
            "movaps [rsp + 96], xmm1",
            "movaps [rsp + 112], xmm2",
            "movaps [rsp + 128], xmm3",
            "movaps [rsp + 144], xmm4",
            "movaps [rsp + 160], xmm5",
            "movaps [rsp + 176], xmm6",
            "movaps [rsp + 192], xmm7",
            "2:",
            // The list itself, at the bottom.
            concat!("mov dword ptr [rsp], 8*", stringify!($fixed)),
            "mov dword ptr [rsp + 4], 48",
            "lea rax, [rsp + 224]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 32]",
            "mov [rsp + 16], rax",
            // Labels of the variable arguments, where the list leads to.
            "mov rdi, rsp",
            concat!("lea rsi, [rip + ", stringify!($model), "]"),
            "call {enter}",
            "mov rdi, [rsp + 32]",
            "mov rsi, [rsp + 40]",
            "mov rdx, [rsp + 48]",
            "mov rcx, [rsp + 56]",
            "mov r8, [rsp + 64]",
            "mov r9, [rsp + 72]",
            concat!("mov ", $register, ", rsp"),
            "call {target}",
            "add rsp, 216",
            ".cfi_adjust_cfa_offset -216",
            "ret",
            ".cfi_endproc",
            concat!(".size ", stringify!($model), ", . - ", stringify!($model)),
            ".text",
            target = sym $target,
            enter = sym $crate::abi::__sp_va_enter,
        );)+
    };
}
pub(crate) use variadic;
