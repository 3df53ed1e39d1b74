//! The tables that the runtime reads, and object code.

use crate::llvm::{Linkage, Module, TargetMachine, Type, Value};
use crate::{Error, Flavour};
use program::ProgramMap;
use std::path::{Path, PathBuf};
use trace_abi::{
    MAGIC, MODULE_SYMBOL, OBJECT_CONSTANT, PAGE, USER_MAIN, VERSION, compared_at, coverage_bytes,
};

/// Name prefix of the globals made here.
const OURS: &str = "spelunk.";

/// Globals that instrumented code refers to.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// Coverage bytes: branches, then functions; then what conditionals compared. Page-aligned, both padded to whole pages.
    pub coverage: Value,
    /// Where in it the comparisons begin.
    pub compared_at: u64,
    /// How many there are.
    pub n_compared: usize,
    /// One pointer per call: the callee last seen there.
    pub last_callee: Value,
}

impl Tables {
    /// Adds them to `module`.
    pub fn new(module: &Module, map: &ProgramMap, flavour: Flavour) -> Tables {
        let context = module.context();
        let (n_branches, n_functions) = (map.branches.len() as u64, map.functions.len() as u64);
        let n_compared = if flavour == Flavour::Fast { 0 } else { map.conds.len() };
        let bytes = coverage_bytes(n_branches, n_functions, n_compared as u64).max(PAGE);
        let coverage = zeroed(module, "coverage", context.array(context.int(8), bytes));
        coverage.set_alignment(PAGE as u32);
        let calls = context.array(context.pointer(), map.calls.len().max(1) as u64);
        let last_callee = zeroed(module, "last_callee", calls);
        last_callee.set_alignment(8);
        Tables { coverage, compared_at: compared_at(n_branches, n_functions), n_compared, last_callee }
    }
}

fn zeroed(module: &Module, name: &str, ty: Type) -> Value {
    let global = module.add_global(&format!("{OURS}{name}"), ty);
    global.set_initializer(ty.zero());
    global.set_linkage(Linkage::LLVMInternalLinkage);
    global
}

/// Adds the [`trace_abi::ModuleInfo`] that describes the module to the runtime.
pub fn describe(
    module: &Module,
    tables: &Tables,
    map: &ProgramMap,
    map_hash: [u8; 16],
    flavour: trace_abi::Flavour,
) {
    let context = module.context();
    let (i32t, i64t, ptr) = (context.int(32), context.int(64), context.pointer());
    let entry =
        |name: &str| module.function(name).filter(|f| !f.is_declaration()).unwrap_or_else(|| ptr.zero());
    let k32 = |n: usize| i32t.int(n as u64);

    let functions: Vec<Value> = map.functions.iter().map(|f| entry(symbol(f))).collect();
    let functions = constant(module, "functions", context.const_array(ptr, &functions));
    let objects: Vec<Value> = objects(module)
        .into_iter()
        .map(|(global, size)| {
            let flag = if global.is_constant_global() { OBJECT_CONSTANT } else { 0 };
            context.const_struct(&[global, i64t.int(size | flag)])
        })
        .collect();
    let n_objects = objects.len();
    let object_type = context.const_struct(&[ptr.zero(), i64t.zero()]).ty();
    let objects = constant(module, "objects", context.const_array(object_type, &objects));

    // Field for field `trace_abi::ModuleInfo`.
    let info = context.const_struct(&[
        i32t.int(MAGIC.into()),
        i32t.int(VERSION.into()),
        i32t.int(flavour as u64),
        k32(map.branches.len()),
        k32(map.functions.len()),
        k32(map.calls.len()),
        k32(n_objects),
        k32(tables.n_compared),
        tables.coverage,
        functions,
        objects,
        entry(USER_MAIN),
        entry("LLVMFuzzerTestOneInput"),
        entry("LLVMFuzzerInitialize"),
        tables.last_callee,
        context.const_bytes(&map_hash),
    ]);
    let global = module.add_global(MODULE_SYMBOL, info.ty());
    global.set_initializer(info);
    global.set_constant();
    module.keep(global);
}

/// The name under which a function of the map stands in the module.
pub fn symbol(function: &program::Function) -> &str {
    if function.linkage_name == "main" { USER_MAIN } else { &function.linkage_name }
}

fn constant(module: &Module, name: &str, value: Value) -> Value {
    let global = module.add_global(&format!("{OURS}{name}"), value.ty());
    global.set_initializer(value);
    global.set_constant();
    global.set_linkage(Linkage::LLVMInternalLinkage);
    global
}

/// The program's global variables of known size.
fn objects(module: &Module) -> Vec<(Value, u64)> {
    let is_data = |g: &Value| {
        let name = g.name();
        let made_up = name.starts_with("llvm.") || name.starts_with(OURS) || name.starts_with("__sp_");
        !made_up && !g.is_declaration() && !g.is_thread_local() && g.section() != "llvm.metadata"
    };
    let sized = |g: Value| module.object_size(g).filter(|&n| n > 0).map(|n| (g, n));
    module.globals().into_iter().filter(is_data).filter_map(sized).collect()
}

/// Instructions per part when code generation is split: register allocation is most of the time it takes.
const INSTRUCTIONS_PER_PART: usize = 8_000;

/// Writes the module's object code into `folder`, in several files and threads if it is large.
///
/// # Errors
/// [`Error::Internal`] with LLVM's message.
pub fn objects_of(module: Module, machine: &TargetMachine, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    let instructions: usize = blocks.map(|b| b.instructions().len()).sum();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = (instructions / INSTRUCTIONS_PER_PART).clamp(1, threads);
    let files: Vec<PathBuf> = (0..parts).map(|k| folder.join(format!("part{k}.o"))).collect();
    machine.emit(module, &files).map_err(|why| Error::Internal { during: "writing object code", why })?;
    Ok(files)
}
