//! Running LLVM's own passes.

use super::{Module, TargetMachine, c_string};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::transforms::pass_builder::*;

/// Runs a textual pipeline (`default<O2>`, `function(early-cse)`), both vectorisers off.
///
/// # Errors
/// LLVM's message, for a pipeline it does not know.
pub fn run(module: &Module, pipeline: &str, machine: &TargetMachine) -> Result<(), String> {
    let options = ll!(LLVMCreatePassBuilderOptions());
    ll!(LLVMPassBuilderOptionsSetLoopVectorization(options, 0));
    ll!(LLVMPassBuilderOptionsSetSLPVectorization(options, 0));
    ll!(LLVMPassBuilderOptionsSetLoopInterleaving(options, 0));
    let text = c_string(pipeline);
    let error = ll!(LLVMRunPasses(module.raw, text.as_ptr(), machine.0, options));
    ll!(LLVMDisposePassBuilderOptions(options));
    if error.is_null() {
        return Ok(());
    }
    let message = ll!(LLVMGetErrorMessage(error));
    // SAFETY: LLVM's error messages are NUL-terminated strings; it is copied before it is freed.
    let copy = unsafe { std::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned();
    ll!(LLVMDisposeErrorMessage(message));
    Err(copy)
}
