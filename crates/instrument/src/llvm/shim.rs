//! Declarations of `shim/shim.cc`.

use llvm_sys::prelude::*;
use llvm_sys::target_machine::LLVMTargetMachineRef;
use std::ffi::c_char;

unsafe extern "C" {
    pub fn sp_split_if_then(cond: LLVMValueRef, at: LLVMValueRef) -> LLVMValueRef;
    pub fn sp_split_edge(terminator: LLVMValueRef, k: u32) -> LLVMBasicBlockRef;
    pub fn sp_forget_predecessor(block: LLVMBasicBlockRef, predecessor: LLVMBasicBlockRef);
    pub fn sp_copy_code(function: LLVMValueRef) -> LLVMBasicBlockRef;
    pub fn sp_leave_for(cond: LLVMValueRef, at: LLVMValueRef, other: LLVMBasicBlockRef);
    pub fn sp_first_insertion(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub fn sp_is_inline_asm(call: LLVMValueRef) -> i32;
    pub fn sp_is_static_alloca(alloca: LLVMValueRef) -> i32;
    pub fn sp_param_is_readonly(call: LLVMValueRef, k: u32) -> i32;
    pub fn sp_is_untouchable(function: LLVMValueRef) -> i32;
    pub fn sp_underlying_object(pointer: LLVMValueRef) -> LLVMValueRef;
    pub fn sp_gep_offsets(
        gep: LLVMValueRef,
        vars: *mut LLVMValueRef,
        scales: *mut i64,
        cap: u32,
        constant: *mut i64,
    ) -> i32;
    pub fn sp_append_to_used(module: LLVMModuleRef, global: LLVMValueRef);
    pub fn sp_object_size(module: LLVMModuleRef, object: LLVMValueRef) -> i64;
    pub fn sp_emit_parallel(
        module: LLVMModuleRef,
        machine: LLVMTargetMachineRef,
        paths: *mut *const c_char,
        n: u32,
    ) -> i32;
    pub fn sp_link_needed(into: LLVMModuleRef, from: LLVMModuleRef) -> i32;
    pub fn sp_drop_variables(module: LLVMModuleRef);
    pub fn sp_undefine(global: LLVMValueRef);
}
