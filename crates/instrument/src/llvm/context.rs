//! The LLVM context and its diagnostics.

use super::take_message;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, core};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// A context; never freed, see the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(pub(super) LLVMContextRef);

/// Errors that LLVM reported through the context's handler (instead of ending the process).
#[derive(Clone, Debug, Default)]
pub struct Diagnostics(Arc<Mutex<Vec<String>>>);

impl Diagnostics {
    /// Takes what was reported so far, joined by "; ".
    pub fn take(&self) -> String {
        let mut all = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::take(&mut *all).join("; ")
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, target: *mut c_void) {
    if ll!(core::LLVMGetDiagInfoSeverity(info)) != LLVMDiagnosticSeverity::LLVMDSError {
        return;
    }
    let message = take_message(ll!(LLVMGetDiagInfoDescription(info)));
    // SAFETY: `target` is the pointer given in `Context::new`, to a mutex that is never freed.
    let all = unsafe { &*target.cast::<Mutex<Vec<String>>>() };
    all.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(message);
}

impl Context {
    /// A new context with its diagnostics.
    pub fn new() -> (Context, Diagnostics) {
        let context = Context(ll!(LLVMContextCreate()));
        let diagnostics = Diagnostics::default();
        // Deliberately never freed: the context, which is never freed either, keeps the pointer.
        let target = Arc::into_raw(diagnostics.0.clone()).cast_mut().cast::<c_void>();
        ll!(LLVMContextSetDiagnosticHandler(context.0, Some(collect), target));
        (context, diagnostics)
    }

    /// The context of a value.
    pub fn of(value: super::Value) -> Context {
        Context(ll!(LLVMGetTypeContext(value.ty().0)))
    }

    /// Number of a metadata kind, made if new.
    pub fn metadata_kind(self, name: &str) -> u32 {
        ll!(LLVMGetMDKindIDInContext(self.0, name.as_ptr().cast(), name.len() as u32))
    }
}
