//! Modules.

use super::{Context, Type, Value, c_string, shim, take_message};
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::path::Path;

/// A module, freed when dropped.
#[derive(Debug)]
pub struct Module {
    pub(super) raw: LLVMModuleRef,
    context: Context,
}

impl Drop for Module {
    fn drop(&mut self) {
        ll!(LLVMDisposeModule(self.raw));
    }
}

impl Module {
    /// Reads bitcode.
    ///
    /// # Errors
    /// `Err(())` when it cannot be read: the reason is in the context's diagnostics.
    pub fn parse(context: Context, name: &str, bitcode: &[u8]) -> Result<Module, ()> {
        let name = c_string(name);
        let buffer = ll!(LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bitcode.as_ptr().cast(),
            bitcode.len(),
            name.as_ptr()
        ));
        let mut raw = std::ptr::null_mut();
        let failed = ll!(llvm_sys::bit_reader::LLVMParseBitcodeInContext2(context.0, buffer, &mut raw));
        ll!(LLVMDisposeMemoryBuffer(buffer));
        if failed != 0 || raw.is_null() { Err(()) } else { Ok(Module { raw, context }) }
    }

    /// Links `other` into this module.
    ///
    /// # Errors
    /// `Err(())` when they conflict: the reason is in the context's diagnostics.
    pub fn link(&mut self, other: Module) -> Result<(), ()> {
        let raw = other.raw;
        // LLVM uses the source module up, also on failure.
        std::mem::forget(other);
        if ll!(llvm_sys::linker::LLVMLinkModules2(self.raw, raw)) != 0 { Err(()) } else { Ok(()) }
    }

    /// Links into this module what it declares and `other` defines, with what that needs.
    ///
    /// # Errors
    /// As [`Module::link`].
    pub fn link_needed(&mut self, other: Module) -> Result<(), ()> {
        let raw = other.raw;
        // LLVM uses the source module up, also on failure.
        std::mem::forget(other);
        if ll!(shim::sp_link_needed(self.raw, raw)) != 0 { Err(()) } else { Ok(()) }
    }

    /// Drops what debug information says of variables; places in the source stay.
    pub fn drop_variables(&self) {
        ll!(shim::sp_drop_variables(self.raw));
    }

    /// Its context.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Target triple.
    pub fn triple(&self) -> String {
        let p = ll!(LLVMGetTarget(self.raw));
        // SAFETY: LLVM returns a NUL-terminated string that it owns; it is copied at once.
        unsafe { std::ffi::CStr::from_ptr(p) }.to_string_lossy().into_owned()
    }

    /// Whether it has assembly at file scope.
    pub fn has_assembly(&self) -> bool {
        let mut length = 0;
        ll!(LLVMGetModuleInlineAsm(self.raw, &mut length));
        length > 0
    }

    /// Checks the module.
    ///
    /// # Errors
    /// The verifier's findings.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let bad =
            ll!(LLVMVerifyModule(self.raw, LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut message));
        let message = take_message(message);
        if bad != 0 { Err(message) } else { Ok(()) }
    }

    /// Writes the module as text, for people who look for a mistake.
    ///
    /// # Errors
    /// The system's answer.
    pub fn print_to(&self, path: &Path) -> Result<(), String> {
        let path = c_string(&path.to_string_lossy());
        let mut message = std::ptr::null_mut();
        let bad = ll!(LLVMPrintModuleToFile(self.raw, path.as_ptr(), &mut message));
        let message = take_message(message);
        if bad != 0 { Err(message) } else { Ok(()) }
    }

    /// All functions, declarations too.
    pub fn functions(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut at = ll!(LLVMGetFirstFunction(self.raw));
        while !at.is_null() {
            all.push(Value(at));
            at = ll!(LLVMGetNextFunction(at));
        }
        all
    }

    /// All global variables.
    pub fn globals(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut at = ll!(LLVMGetFirstGlobal(self.raw));
        while !at.is_null() {
            all.push(Value(at));
            at = ll!(LLVMGetNextGlobal(at));
        }
        all
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        let f = ll!(LLVMGetNamedFunction(self.raw, name.as_ptr()));
        (!f.is_null()).then_some(Value(f))
    }

    /// The global variable of that name.
    pub fn global(&self, name: &str) -> Option<Value> {
        let name = c_string(name);
        let g = ll!(LLVMGetNamedGlobal(self.raw, name.as_ptr()));
        (!g.is_null()).then_some(Value(g))
    }

    /// The function of that name, declared if absent.
    pub fn declare(&self, name: &str, ty: Type) -> Value {
        self.function(name).unwrap_or_else(|| {
            let name = c_string(name);
            Value(ll!(LLVMAddFunction(self.raw, name.as_ptr(), ty.0)))
        })
    }

    /// A new global variable.
    pub fn add_global(&self, name: &str, ty: Type) -> Value {
        let name = c_string(name);
        Value(ll!(LLVMAddGlobal(self.raw, ty.0, name.as_ptr())))
    }

    /// Deletes an unused function.
    pub fn delete_function(&self, function: Value) {
        ll!(LLVMDeleteFunction(function.0));
    }

    /// Keeps a global through optimisation and linking.
    pub fn keep(&self, global: Value) {
        ll!(shim::sp_append_to_used(self.raw, global.0));
    }

    fn layout(&self) -> LLVMTargetDataRef {
        ll!(LLVMGetModuleDataLayout(self.raw))
    }

    /// Bytes that storing a value of this type writes.
    pub fn store_size(&self, ty: Type) -> u64 {
        ll!(LLVMStoreSizeOfType(self.layout(), ty.0))
    }

    /// Distance in bytes between two values of this type in an array.
    pub fn alloc_size(&self, ty: Type) -> u64 {
        ll!(LLVMABISizeOfType(self.layout(), ty.0))
    }

    /// Byte offset of field `k` of a structure.
    pub fn field_offset(&self, ty: Type, k: u32) -> u64 {
        ll!(LLVMOffsetOfElement(self.layout(), ty.0, k))
    }

    /// Size in bytes of a static alloca or of a global defined here.
    pub fn object_size(&self, object: Value) -> Option<u64> {
        u64::try_from(ll!(shim::sp_object_size(self.raw, object.0))).ok()
    }

    /// The intrinsic `name` for these overloaded types, with its function type.
    pub fn intrinsic(&self, name: &str, types: &[Type]) -> (Type, Value) {
        let id = ll!(LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()));
        assert_ne!(id, 0, "no intrinsic {name}");
        let mut types: Vec<LLVMTypeRef> = types.iter().map(|t| t.0).collect();
        let n = types.len();
        let f = ll!(LLVMGetIntrinsicDeclaration(self.raw, id, types.as_mut_ptr(), n));
        (Type(ll!(LLVMIntrinsicGetType(self.context.0, id, types.as_mut_ptr(), n))), Value(f))
    }
}
