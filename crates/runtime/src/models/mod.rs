//! Models of library functions: `__spm_NAME` stands for `NAME` wherever the program uses it undefined.
//!
//! A model does what the function does (mostly by calling it), and computes the labels of its results.
//! Pure functions of bytes (`strcmp`, `strtol`, …) get the whole meaning as one expression over the bytes
//! they might look at, up to [`MAX_SCAN`] bytes, so that one flip of the caller's test solves a whole
//! string. Names are listed in `trace_abi::MODELED`; a test compares the list with the symbols here.
//!
//! # Safety
//! Every model has the contract of the C function it stands for; pointers are used only as that function uses them.

#![expect(clippy::missing_safety_doc, reason = "one contract for all models, at the top of this module")]

/// The address of a function that this program's libraries may or may not have; null if not.
macro_rules! weak_address {
    ($name:literal) => {{
        let p: *const ();
        // SAFETY: declares the symbol weak and reads its entry of the global offset table.
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("mov {p}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                p = out(reg) p,
                options(nostack, pure, readonly),
            );
        }
        p
    }};
}
pub(crate) use weak_address;

pub mod args;
pub mod atomics;
pub mod collate;
pub mod ctype;
pub mod cut;
pub mod cxx;
pub mod environ;
pub mod fixed;
pub mod float_text;
pub mod format_print;
pub mod format_scan;
pub mod heap;
pub mod input;
pub mod memory;
pub mod multibyte;
pub mod number;
pub mod options;
pub mod order;
pub mod output;
pub mod plain;
pub mod pointer;
pub mod print;
pub mod process;
pub mod ready;
pub mod scan;
pub mod scanf;
pub mod search;
pub mod socket;
pub mod stdio;
pub mod string;
#[cfg(test)]
mod tests;
pub mod token;
pub mod value;
pub mod varargs;
pub mod wide;
pub mod wide_class;
pub mod write;
pub mod written;

/// How many bytes from its start a string or buffer is followed symbolically by a model; for the rest see [`cut`].
pub const MAX_SCAN: usize = 256;
