//! A compiled constraint: its code and the memory that the code uses, freed together.

use crate::emit::Emitter;
use crate::memory::Memory;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use solve_search::{Native, Part};

/// Takes the input bytes, gives the distance.
type Entry = unsafe extern "C" fn(*const u8) -> f64;

/// The function.
pub(crate) struct Function {
    entry: Entry,
    /// The input has at least so many bytes.
    needed: usize,
    /// Owner of the code; there until the drop.
    module: Option<JITModule>,
    /// What the code refers to.
    _memory: Memory,
}

// SAFETY: the pointers in `Memory` and in the code lead only to what the function itself owns, and the code runs only
// under `&mut self`.
unsafe impl Send for Function {}

impl Function {
    /// Compiles; `None` if the code generator refuses.
    pub(crate) fn compile(
        part: &Part,
        isa: &OwnedTargetIsa,
        context: &mut FunctionBuilderContext,
    ) -> Option<Function> {
        let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
        let mut memory = Memory::new(part);
        let mut code = module.make_context();
        code.func.signature.params.push(AbiParam::new(types::I64));
        code.func.signature.returns.push(AbiParam::new(types::F64));
        let target = module.target_config();
        let builder = FunctionBuilder::new(&mut code.func, context);
        Emitter::new(builder, part, &mut memory, target.default_call_conv).emit(target);
        let Some(entry) = finished(&mut module, &mut code) else {
            // SAFETY: nothing of the module was ever called.
            unsafe { module.free_memory() };
            // A function given up half-way leaves the context in the middle of something.
            *context = FunctionBuilderContext::new();
            return None;
        };
        let needed = part.bytes.last().map_or(0, |&byte| byte + 1);
        Some(Function { entry, needed, module: Some(module), _memory: memory })
    }
}

fn finished(module: &mut JITModule, code: &mut cranelift_codegen::Context) -> Option<Entry> {
    let id = module.declare_anonymous_function(&code.func.signature).ok()?;
    module.define_function(id, code).ok()?;
    module.finalize_definitions().ok()?;
    let entry = module.get_finalized_function(id);
    // SAFETY: the code was generated for this signature, with the machine's C calling convention.
    Some(unsafe { std::mem::transmute::<*const u8, Entry>(entry) })
}

impl Native for Function {
    fn distance(&mut self, bytes: &[u8]) -> f64 {
        assert!(bytes.len() >= self.needed, "the constraint reads {} bytes", self.needed);
        // SAFETY: the code reads the input below `needed`, and otherwise only what `_memory` holds, which lives and is
        // borrowed exclusively.
        unsafe { (self.entry)(bytes.as_ptr()) }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: `entry` is not called any more.
            unsafe { module.free_memory() };
        }
    }
}
