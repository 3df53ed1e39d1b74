//! Code for the time before the first label.
//!
//! Until a run has made its first label, all labels are zero, and the tests of labels and shadow only find that out again and
//! again. So a function has its code twice where it can: as the program wrote it, with nothing but its markers, and with labels; it
//! tests once, when it is entered, whether there are labels (`trace_abi::LABELLED_SYMBOL`).
//!
//! Nothing takes a function from one code to the other while it runs. So only functions have two during which no label
//! can come into being: they call, and what they call calls, neither input nor anything unknown ([`silent`]). Of an indirect call that
//! is judged by every function whose address is taken and that has no more parameters than the call has arguments. What
//! interrupts a program between any two instructions, a signal's handler or another thread, could make labels in the middle of such a
//! function: from the installing of a handler that may do so and come back, or the start of a thread, on, only the code with
//! labels runs.
//!
//! Labels in the thread-local record (`trace_abi::Tls`) are all zero during that time, so that the code without
//! labels need not write any; only the addresses of structures passed by value are taken from it.

use super::calls::{is_quiet, is_replaceable};
use super::env::Env;
use crate::llvm::{Block, FUNCTION, Predicate, Value};
use crate::lower::marker_name;
use crate::mark::first_after_allocas;
use rustc_hash::{FxHashMap, FxHashSet};
use trace_abi::{LABELLED_SYMBOL, MODEL_PREFIX, TLS_CALLEE, labelled};

/// Library functions with models that neither make labels of nothing nor call the program back, by how their names begin.
const FAMILIES: &[&str] = &[
    "__ctype_",
    "__cxa_",
    "__isoc23_strto",
    "__mem",
    "__st",
    "__atomic_",
    "_Zd",
    "_Zn",
    "is",
    "mem",
    "str",
    "to",
    "wc",
    "wmem",
];
/// The same, by their whole names.
const FUNCTIONS: &[&str] = &[
    "__assert",
    "__assert_fail",
    "__assert_perror_fail",
    "__errno_location",
    "__fprintf_chk",
    "__printf_chk",
    "__snprintf_chk",
    "__sprintf_chk",
    "__vfprintf_chk",
    "__vprintf_chk",
    "__vsnprintf_chk",
    "__vsprintf_chk",
    "_Exit",
    "_exit",
    "abort",
    "abs",
    "aligned_alloc",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bcmp",
    "bcopy",
    "btowc",
    "bzero",
    "calloc",
    "clock",
    "clock_gettime",
    "difftime",
    "drand48",
    "exit",
    "explicit_bzero",
    "fflush",
    "fflush_unlocked",
    "fprintf",
    "fputc",
    "fputc_unlocked",
    "fputs",
    "fputs_unlocked",
    "free",
    "fwrite",
    "fwrite_unlocked",
    "gettimeofday",
    "imaxabs",
    "index",
    "labs",
    "llabs",
    "lrand48",
    "malloc",
    "malloc_usable_size",
    "mbrtowc",
    "mbsrtowcs",
    "mbstowcs",
    "mbtowc",
    "memalign",
    "mrand48",
    "perror",
    "posix_memalign",
    "printf",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_self",
    "putc",
    "putc_unlocked",
    "putchar",
    "putchar_unlocked",
    "puts",
    "rand",
    "rand_r",
    "random",
    "rawmemchr",
    "realloc",
    "reallocarray",
    "rindex",
    "snprintf",
    "sprintf",
    "srand",
    "srand48",
    "srandom",
    "stpcpy",
    "stpncpy",
    "time",
    "valloc",
    "vfprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
];
/// With one of these in the program, output may call it back, or an indirect call reach what the module does not show.
const BACK_DOORS: &[&str] = &["fopencookie", "dlsym"];

/// The functions that get their code twice.
pub struct Concrete {
    silent: FxHashSet<Value>,
    /// Whether some function that may be a signal's handler interrupts the code without labels with labels.
    any_handler: bool,
    flag: Value,
}

impl Concrete {
    /// Decides which, for a module of which nothing is instrumented yet.
    pub fn new(env: &Env<'_>, functions: &[Value]) -> Concrete {
        let flag = env.module.add_global(LABELLED_SYMBOL, env.context.int(8));
        flag.set_hidden();
        let taken: FxHashSet<Value> =
            env.module.functions().into_iter().filter(|&f| is_address_taken(f)).collect();
        let silent = silent(env, functions, &taken);
        let int = env.i32t;
        let may_be_handler = |&f: &Value| {
            // One that is written without parameters gets its number all the same.
            f.value_type().params().first().is_none_or(|&p| p == int) && interrupts(&silent, f)
        };
        let any_handler = taken.iter().any(may_be_handler);
        Concrete { silent, any_handler, flag }
    }

    /// The second code of a function, before the first is instrumented; to be given to [`Concrete::join`].
    pub fn copy(&self, function: Value) -> Option<Block> {
        if self.silent.contains(&function) { function.copy_code() } else { None }
    }

    /// Puts the test where the function, which is instrumented by now, begins.
    pub fn join(&self, env: &Env<'_>, function: Value, copy: Block) {
        let Some(top) = first_after_allocas(function) else { return };
        env.b.before(top);
        env.b.locate_function(function);
        let state = env.load(env.context.int(8), self.flag, 1);
        let none = env.b.icmp(Predicate::LLVMIntEQ, state, env.context.int(8).zero());
        top.leave_for(none, copy);
        let by_value = |n: usize| function.type_attribute(n as u32 + 1, "byval").is_some();
        if (0..function.parameters().len()).any(by_value)
            && let Some(first) = copy.first_insertion()
        {
            env.b.before(first);
            env.b.locate_function(function);
            env.store(env.ptr.zero(), env.tls(TLS_CALLEE), 8);
        }
    }

    /// Before every call that installs an interrupter: from here on there may be labels at any time.
    pub fn mark_interrupters(&self, env: &Env<'_>, functions: &[Value]) {
        let i8t = env.context.int(8);
        for call in
            functions.iter().flat_map(|f| f.blocks()).flat_map(Block::instructions).filter(|i| i.is_call())
        {
            if self.installs(call) {
                env.b.before(call);
                env.b.locate(call);
                let state = env.load(i8t, self.flag, 1);
                env.store(env.b.or(state, i8t.int(labelled::INTERRUPTS.into())), self.flag, 1);
            }
        }
    }

    /// Whether a call installs a handler that [`interrupts`].
    fn installs(&self, call: Value) -> bool {
        match called(call).as_str() {
            "sigaction" => self.any_handler,
            "signal" | "__sysv_signal" | "sysv_signal" | "bsd_signal" | "ssignal" | "sigset" => {
                match call.arguments().get(1) {
                    Some(&handler) if handler.is_function() => interrupts(&self.silent, handler),
                    // SIG_DFL, SIG_IGN
                    Some(handler) if handler.is_constant() => false,
                    _ => self.any_handler,
                }
            }
            _ => false,
        }
    }
}

/// Name of the library function that a call reaches, without the models' prefix; empty for indirect calls.
fn called(call: Value) -> String {
    let callee = call.callee();
    if !callee.is_function() {
        return String::new();
    }
    let name = callee.name();
    name.strip_prefix(MODEL_PREFIX).map_or(name.clone(), str::to_owned)
}

/// Whether a function may make labels and then go on with what it interrupted.
fn interrupts(silent: &FxHashSet<Value>, handler: Value) -> bool {
    !silent.contains(&handler) && !handler.has_attribute(FUNCTION, "noreturn")
}

/// What a function calls.
#[derive(Default)]
struct Calls {
    own: Vec<Value>,
    /// It calls what may make labels.
    loud: bool,
    /// Most arguments of an indirect call in it.
    indirect: Option<usize>,
}

/// Whether a function that is not instrumented neither makes labels of nothing nor calls the program back.
fn is_silent_outside(name: &str, back_doors: bool) -> bool {
    let plain = name.strip_prefix(MODEL_PREFIX);
    let known = plain.is_some_and(|n| FUNCTIONS.contains(&n) || FAMILIES.iter().any(|f| n.starts_with(f)));
    let written = plain.is_some_and(|n| {
        n.contains("print") || n.contains("put") || n.contains("write") || n.contains("flush")
    });
    (known && !(written && back_doors))
        || trace_abi::libm::by_symbol(name).is_some()
        || (plain.is_none() && is_quiet(name))
}

/// Functions during which no label can come into being. `taken`: those whose address is taken.
fn silent(env: &Env<'_>, functions: &[Value], taken: &FxHashSet<Value>) -> FxHashSet<Value> {
    let back_doors = BACK_DOORS.iter().any(|n| env.module.function(n).is_some());
    let calls: FxHashMap<Value, Calls> =
        functions.iter().map(|&f| (f, calls_of(env, f, back_doors))).collect();
    let n_parameters = |f: Value| f.value_type().params().len();
    let outside = |f: &&Value| !env.instrumented.contains(f) && !is_silent_outside(&f.name(), back_doors);
    // The fewest parameters of a function that makes labels and may be called indirectly.
    let mut fewest =
        if back_doors { Some(0) } else { taken.iter().filter(outside).map(|&f| n_parameters(f)).min() };
    let mut loud: FxHashSet<Value> = FxHashSet::default();
    loop {
        let reaches = |c: &Calls| {
            c.loud
                || c.own.iter().any(|f| loud.contains(f))
                || matches!((c.indirect, fewest), (Some(given), Some(taken)) if taken <= given)
        };
        let more: Vec<Value> =
            functions.iter().copied().filter(|f| !loud.contains(f) && reaches(&calls[f])).collect();
        if more.is_empty() {
            return functions.iter().copied().filter(|f| !loud.contains(f)).collect();
        }
        for f in more {
            loud.insert(f);
            if taken.contains(&f) {
                fewest = fewest.into_iter().chain([n_parameters(f)]).min();
            }
        }
    }
}

fn calls_of(env: &Env<'_>, function: Value, back_doors: bool) -> Calls {
    let mut calls = Calls::default();
    for i in function.blocks().into_iter().flat_map(Block::instructions).filter(|i| i.is_call()) {
        if i.is_inline_asm() || i.intrinsic().is_some() || marker_name(i).is_some() {
            continue;
        }
        let callee = i.callee();
        if env.instrumented.contains(&callee) {
            calls.own.push(callee);
            calls.loud |= is_replaceable(callee);
        } else if callee.is_function() {
            calls.loud |= !is_silent_outside(&callee.name(), back_doors);
        } else if callee.is_constant() {
            // Another name of a function, or one that is chosen when the program is loaded.
            calls.loud = true;
        } else {
            calls.indirect = calls.indirect.max(Some(i.arguments().len()));
        }
    }
    calls
}

/// Whether a function may be reached by other than direct calls. (It stands in other functions as that which cleans up
/// behind exceptions, too.)
fn is_address_taken(function: Value) -> bool {
    let direct = |u: &Value| {
        u.is_function()
            || (u.is_instruction()
                && u.is_call()
                && u.callee() == function
                && !u.arguments().contains(&function))
    };
    function.users().iter().any(|u| !direct(u))
}
