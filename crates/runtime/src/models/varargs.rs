//! Variable arguments: the callee's side of the x86-64 System V calling convention.
//!
//! Stable Rust cannot define variadic functions, so each one is a few instructions that build a `va_list` on
//! the stack and call a Rust function with the fixed arguments and a pointer to that list, which is also how
//! the `v…` variants are called.

use core::ffi::c_void;

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

    /// The next pointer argument.
    ///
    /// # Safety
    /// There is one.
    pub unsafe fn pointer(&mut self) -> *mut c_void {
        // SAFETY: as the caller promises.
        unsafe { self.next() as *mut c_void }
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
            concat!("mov ", $register, ", rsp"),
            "call {target}",
            "add rsp, 216",
            ".cfi_adjust_cfa_offset -216",
            "ret",
            ".cfi_endproc",
            concat!(".size ", stringify!($model), ", . - ", stringify!($model)),
            ".text",
            target = sym $target,
        );)+
    };
}
pub(crate) use variadic;
