//! Symbolic instrumentation: every value that may depend on input carries a label beside it.
//!
//! The scheme is DFSan's and SymSan's (shadow memory with a label per byte, labels of values in registers),
//! made cheap for concrete execution by four rules:
//! 1. an optimistic closure ([`may`]) finds the values that may ever carry a label; all others cost nothing;
//! 2. pure operations and loads queue up in a *group* until the next store, call or end of block; then one
//!    test of all incoming labels and shadow words guards one cold block that makes every call of the runtime
//!    ([`group`], [`cold`]);
//! 3. an address is no value that anybody wants a label of: accesses pass its parts on ([`index`]);
//! 4. shadow is read before it is written, so stores of concrete data never dirty it ([`memory`]).
//!
//! Functions during which no label can come into being have their code twice ([`concrete`]): before the first label of a run
//! nothing is tested but that.
//!
//! Vectors and aggregates carry one label per scalar in them ([`shape`]); how labels pass through an
//! instruction is a table ([`rules`]); calls pass labels as `trace_abi::Tls` says ([`calls`]).

mod assembly;
mod atomics;
mod body;
mod calls;
mod cold;
mod compared;
mod concrete;
mod copies;
mod env;
mod extent;
mod floats;
mod group;
mod index;
mod jumps;
mod may;
mod memory;
mod rules;
mod shape;
mod stack;
mod varargs;
mod vectors;

use crate::emit::Tables;
use crate::llvm::{Module, Value};
use rustc_hash::FxHashMap;

/// Instruments every function with a body. `ids` gives the function ids by name, `tables` what is written beside labels.
pub fn instrument(module: &Module, ids: &FxHashMap<String, u32>, tables: &Tables) {
    let functions: Vec<Value> =
        module.functions().into_iter().filter(|&f| crate::prepare::is_instrumented(f)).collect();
    let env = env::Env::new(module, &functions, tables);
    let concrete = concrete::Concrete::new(&env, &functions);
    concrete.mark_interrupters(&env, &functions);
    for &function in &functions {
        let id = ids.get(&function.name()).copied().unwrap_or(0);
        let copy = concrete.copy(function);
        body::Body::new(&env, function, id).run();
        if let Some(copy) = copy {
            concrete.join(&env, function, copy);
        }
    }
}
