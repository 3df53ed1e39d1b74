//! Safe, small wrappers over LLVM's C API: the only place in this crate that calls it.
//!
//! # Why the handles are `Copy` and what keeps them valid
//!
//! [`Value`], [`Type`], [`Block`] and [`Builder`] are plain handles, as in the C API. Two rules make every
//! call below sound, and the rest of the crate keeps them:
//! * the [`Context`] is never freed (one per process is made, and the process is short-lived), so types,
//!   constants and metadata live for ever;
//! * handles into a [`Module`] are used only while that module is owned by a variable of the caller, and an
//!   instruction is never used after [`Value::erase`].
//!
//! Handles are never null: functions that may find nothing return `Option`. Calls that LLVM only defines for
//! certain kinds of values test the kind first. The macro [`ll!`] carries this argument to each call.

/// Calls a function of LLVM's C API or of the shim.
macro_rules! ll {
    ($call:expr) => {
        // SAFETY: handles are non-null and alive by the two rules in the documentation of module `llvm`;
        // slices passed along outlive the call; the callee's demands on kinds are met by the caller.
        unsafe { $call }
    };
}

mod attributes;
mod builder;
mod context;
mod debug;
mod float;
mod module;
mod passes;
mod shim;
mod target;
mod types;
mod value;

pub use attributes::FUNCTION;
pub use builder::{Builder, Predicate};
pub use context::{Context, Diagnostics};
pub use debug::Location;
pub use float::FloatPredicate;
pub use llvm_sys::LLVMAtomicOrdering as Ordering;
pub use llvm_sys::LLVMAtomicRMWBinOp as RmwOperation;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use module::Module;
pub use passes::run as run_passes;
pub use target::TargetMachine;
pub use types::{Kind, Type};
pub use value::{Block, Gep, Value};

use std::ffi::{CStr, CString};

/// A C string; a NUL inside ends it early (names from bitcode never have one).
fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Takes over a message that LLVM allocated; empty if there is none.
fn take_message(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM's messages are NUL-terminated strings that the caller frees.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    ll!(llvm_sys::core::LLVMDisposeMessage(message));
    text
}

/// Text at `(pointer, length)` that LLVM owns.
fn text(pointer: *const std::ffi::c_char, length: usize) -> String {
    if pointer.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: LLVM returned this pointer with this length, and it is copied before anything else is called.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
