//! The target machine and object code.

use super::{Module, c_string, shim, take_message};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use std::ffi::{CString, c_char};
use std::path::PathBuf;

/// LLVM's list of targets is global and unguarded: two threads that register at once make it circular.
static REGISTER: std::sync::Once = std::sync::Once::new();

fn register_targets() {
    ll!(LLVM_InitializeAllTargetInfos());
    ll!(LLVM_InitializeAllTargets());
    ll!(LLVM_InitializeAllTargetMCs());
    ll!(LLVM_InitializeAllAsmPrinters());
    ll!(LLVM_InitializeAllAsmParsers());
}

/// A code generator for one target: position-independent.
#[derive(Debug)]
pub struct TargetMachine(pub(super) LLVMTargetMachineRef);

impl Drop for TargetMachine {
    fn drop(&mut self) {
        ll!(LLVMDisposeTargetMachine(self.0));
    }
}

impl TargetMachine {
    /// For this triple; processor features come from each function's own attributes.
    ///
    /// # Errors
    /// LLVM's message, for a target it was built without.
    pub fn new(triple: &str) -> Result<TargetMachine, String> {
        TargetMachine::with_level(triple, LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault)
    }

    /// The same without optimisation in code generation: every instruction keeps its own source line.
    ///
    /// # Errors
    /// As [`TargetMachine::new`].
    pub fn plain(triple: &str) -> Result<TargetMachine, String> {
        TargetMachine::with_level(triple, LLVMCodeGenOptLevel::LLVMCodeGenLevelNone)
    }

    fn with_level(triple: &str, level: LLVMCodeGenOptLevel) -> Result<TargetMachine, String> {
        REGISTER.call_once(register_targets);
        let triple = c_string(triple);
        let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        if ll!(LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message)) != 0 {
            return Err(take_message(message));
        }
        let machine = ll!(LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            c"x86-64".as_ptr(),
            c"".as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocPIC,
            LLVMCodeModel::LLVMCodeModelDefault
        ));
        if machine.is_null() { Err("no target machine".into()) } else { Ok(TargetMachine(machine)) }
    }

    /// Writes object code into the files, the module split evenly over them, one thread each.
    ///
    /// # Errors
    /// A message if a file cannot be written.
    pub fn emit(&self, module: Module, files: &[PathBuf]) -> Result<(), String> {
        let names: Vec<CString> = files.iter().map(|f| c_string(&f.to_string_lossy())).collect();
        let mut pointers: Vec<*const c_char> = names.iter().map(|n| n.as_ptr()).collect();
        let n = pointers.len() as u32;
        if ll!(shim::sp_emit_parallel(module.raw, self.0, pointers.as_mut_ptr(), n)) != 0 {
            return Err(format!("cannot write object code to {}", files[0].display()));
        }
        Ok(())
    }
}
