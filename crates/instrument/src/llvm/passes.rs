//! Running LLVM's own passes.

use super::{Module, TargetMachine, c_string};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::transforms::pass_builder::*;
use std::sync::Once;

/// LLVM's settings that its C interface knows as text only: comparisons with short strings stay calls (expanded into
/// branches of their own, they would decide by symbolic bytes without a marker).
const SETTINGS: [&str; 2] = ["spelunk-instrument", "-strncmp-inline-threshold=0"];

/// Gives LLVM the settings, once per process.
fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let texts = SETTINGS.map(c_string);
        let pointers = texts.each_ref().map(|t| t.as_ptr());
        ll!(LLVMParseCommandLineOptions(pointers.len() as i32, pointers.as_ptr(), std::ptr::null()));
    });
}

/// Runs a textual pipeline (`default<O2>`, `function(early-cse)`), both vectorisers off.
///
/// # Errors
/// LLVM's message, for a pipeline it does not know.
pub fn run(module: &Module, pipeline: &str, machine: &TargetMachine) -> Result<(), String> {
    set_up();
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
