//! Bringing the joined module into the form the following steps expect.
//!
//! * `main` becomes [`trace_abi::USER_MAIN`]: the runtime brings the real one.
//! * Weak definitions of input functions (`__VERIFIER_nondet_*`, `CREST_*`, `klee_*` …) that the runtime has
//!   itself lose their bodies, so that the runtime's win.
//! * Copies for inlining of functions that a shared library has (`extern inline` and `extern template` of headers) become
//!   functions of the program, or declarations where the runtime has a model: inlined as they are, their conditions
//!   would be followed without being numbered.
//! * Debug information of variables goes: nothing reads it, and code that is put in would have to keep it in order.
//! * What `-O0` left behind (`optnone` with its `noinline`) goes, else nothing would be optimised.
//! * What other instrumentation of the user's build left in the bitcode goes too: counters of
//!   `-fprofile-instr-generate` (their lowering is a pass that we do not run), and attributes that ask the code
//!   generator for run-time support that flavours do not have (`-fsanitize=safe-stack`, `-pg`, XRay), and tests of
//!   control-flow integrity (`-fsanitize=cfi`).

use crate::asm;
use crate::llvm::{Builder, FUNCTION, Linkage, Module, Opcode, Value};
use trace_abi::{MODELED, USER_MAIN};

/// Prefixes of functions by which programs ask for input: for these the runtime's meaning replaces a weak one
/// in the program.
const INPUT_FUNCTIONS: &[&str] = &["__VERIFIER_", "CREST_", "__Crest", "klee_", "spelunk_"];

/// Attributes that make LLVM put other instrumentation into code.
const FOREIGN_ATTRIBUTES: &[&str] = &[
    "safestack",
    "shadowcallstack",
    "sanitize_address",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_thread",
];
/// The same, as strings.
const FOREIGN_STRINGS: &[&str] = &[
    "instrument-function-entry",
    "instrument-function-entry-inlined",
    "instrument-function-exit",
    "instrument-function-exit-inlined",
    "fentry-call",
    "mnop-mcount",
    "mrecord-mcount",
    "function-instrument",
    "xray-instruction-threshold",
    "split-stack",
];

/// Removes what other instrumentation of the user's build left.
pub fn drop_foreign(module: &Module) {
    drop_profile(module);
    pass_type_tests(module);
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        FOREIGN_ATTRIBUTES.iter().for_each(|name| function.remove_attribute(FUNCTION, name));
        FOREIGN_STRINGS.iter().for_each(|name| function.remove_string_attribute(name));
    }
}

/// Removes counters of `-fprofile-instr-generate`; the tables that describe them are plain data and do no harm.
fn drop_profile(module: &Module) {
    for function in module.functions().into_iter().filter(|f| f.name().starts_with("llvm.instrprof.")) {
        function.users().into_iter().filter(|u| u.is_call()).for_each(Value::erase);
        if !function.is_used() {
            module.delete_function(function);
        }
    }
}

/// Checks of control-flow integrity succeed: they are lowered only where the whole program is linked with
/// link-time optimisation, and flavours are not made to stop at bad calls.
fn pass_type_tests(module: &Module) {
    for function in module.functions() {
        if !matches!(function.name().as_str(), "llvm.type.test" | "llvm.public.type.test") {
            continue;
        }
        for call in function.users().into_iter().filter(|u| u.is_call()) {
            call.replace_all_uses(module.context().int(1).int(1));
            call.erase();
        }
    }
}

/// Does all of the above.
pub fn prepare(module: &Module) {
    module.drop_variables();
    drop_foreign(module);
    for function in module.functions() {
        let name = function.name();
        if function.is_declaration() {
            continue;
        }
        if name == "main" {
            function.set_name(USER_MAIN);
            function.set_linkage(Linkage::LLVMExternalLinkage);
        }
        if function.is_weak()
            && trace_abi::PROVIDED.contains(&name.as_str())
            && INPUT_FUNCTIONS.iter().any(|p| name.starts_with(p))
        {
            function.undefine();
            continue;
        }
        if function.is_available_externally() {
            if MODELED.contains(&name.as_str()) {
                function.undefine();
                continue;
            }
            function.set_linkage(Linkage::LLVMLinkOnceODRLinkage);
        }
        if function.has_attribute(FUNCTION, "optnone") {
            function.remove_attribute(FUNCTION, "optnone");
            function.remove_attribute(FUNCTION, "noinline");
        }
    }
}

/// Replaces reads of the processor's time-stamp counter by the runtime's, which is the same in every ordered run.
fn fix_cycle_counter(module: &Module) {
    let context = module.context();
    let wide = context.int(64);
    let ty = wide.function(&[], false);
    let builder = Builder::new(context);
    let calls = module.functions().into_iter().flat_map(Value::blocks).flat_map(|b| b.instructions());
    for call in calls.filter(|i| i.is(Opcode::LLVMCall)).collect::<Vec<_>>() {
        let intrinsic =
            call.intrinsic().is_some_and(|n| n == "llvm.x86.rdtsc" || n == "llvm.readcyclecounter");
        let halves = !intrinsic && call.is_inline_asm() && asm::is_only(call, "rdtsc") && is_pair(call);
        if !intrinsic && !halves {
            continue;
        }
        builder.before(call);
        let mut value = builder.call(ty, module.declare("__sp_cycles", ty), &[]);
        if halves {
            let fields = call.ty().fields();
            let high = builder.lshr(value, wide.int(32));
            let low = builder.and(value, wide.int(u64::from(u32::MAX)));
            let pair = builder.insert_value(call.ty().poison(), builder.trunc(low, fields[0]), 0);
            value = builder.insert_value(pair, builder.trunc(high, fields[1]), 1);
        }
        call.replace_all_uses(value);
        call.erase();
    }
}

/// Whether assembly gives two integers, `eax` and `edx`.
fn is_pair(call: Value) -> bool {
    let named = |name: &str| asm::Place::Named(name.to_owned());
    let constraints = asm::constraints(call).unwrap_or_default();
    let outputs: Vec<&asm::Place> =
        constraints.iter().filter(|c| c.kind == asm::Kind::Output).map(|c| &c.place).collect();
    let fields = call.ty().fields();
    outputs == [&named("ax"), &named("dx")] && fields.len() == 2 && fields.iter().all(|f| f.is_int())
}

/// Prefix of models that stand for no function of a library.
const OURS: &str = "__spelunk_";

/// Redirects every use of an undefined library function in [`MODELED`] to the runtime's model. Done after
/// optimisation, which still knows the library function by its name.
pub fn redirect_models(module: &Module) {
    fix_cycle_counter(module);
    let mut originals = Vec::new();
    for function in module.functions() {
        let name = function.name();
        if !function.is_declaration() || !MODELED.contains(&name.as_str()) {
            continue;
        }
        let model = module.declare(&format!("{}{name}", trace_abi::MODEL_PREFIX), function.value_type());
        function.replace_all_uses(model);
        // What our own sources of the C++ library call has no original.
        if function.is_weak() || name.starts_with(OURS) {
            if !function.is_used() {
                module.delete_function(function);
            }
        } else {
            originals.push(function);
        }
    }
    refer_to(module, &originals);
}

/// Refers to functions whose uses were redirected, as strongly as the program did. The models refer to them weakly,
/// and a weak reference takes nothing out of an archive: `atexit` stands in the static part of the C library alone.
/// A function that no library has is then missing when the executable is linked, as it is in the user's build.
fn refer_to(module: &Module, functions: &[Value]) {
    if functions.is_empty() {
        return;
    }
    let table = module.context().const_array(module.context().pointer(), functions);
    let global = module.add_global("spelunk.originals", table.ty());
    global.set_initializer(table);
    global.set_constant();
    global.set_linkage(Linkage::LLVMInternalLinkage);
    module.keep(global);
}

/// Attributes that promise things instrumented code breaks: it reads and writes shadow memory and labels.
const BROKEN_PROMISES: &[&str] = &["memory", "speculatable", "nosync", "nofree", "willreturn", "norecurse"];

/// Whether instrumentation changes this function.
pub fn is_instrumented(function: Value) -> bool {
    !function.is_declaration()
        && !function.is_available_externally()
        && !function.is_untouchable()
        && !function.has_string_attribute("disable_sanitizer_instrumentation")
}

/// Removes attributes that stop being true, from functions and call sites.
pub fn strip_promises(module: &Module) {
    for function in module.functions() {
        if function.name().starts_with("llvm.") {
            continue;
        }
        for name in BROKEN_PROMISES {
            function.remove_attribute(FUNCTION, name);
        }
        for call in function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call()) {
            if call.intrinsic().is_none() && !call.is(Opcode::LLVMCallBr) {
                for name in BROKEN_PROMISES {
                    call.remove_call_attribute(FUNCTION, name);
                }
            }
        }
    }
}
