//! Constraints as native code.
//!
//! The search evaluates the same constraints under thousands of inputs. Here a constraint ([`Part`]) becomes one machine-code
//! function over the input bytes that gives its branch distance, to the bit what the reference evaluator's operations and
//! `solve_search`'s distances give. (Cranelift as the code generator: quick to compile, no files, no processes.)
//!
//! * `emit`: from nodes to values; `integers`, `floating`, `distance`: what single operations and comparisons become.
//! * `memory`: what the code reads and writes besides the input: values of more than 64 bits, tables, descriptions of
//!   the operations that are calls.
//! * `calls`: the Rust functions that the code calls: wide values, long doubles, library functions, results that are not
//!   numbers.
//! * `function`: the compiled function, which owns its code and memory; both are freed with it.
//!
//! Values of at most 64 bits are machine words with zeros above their width. Single and double precision are the
//! processor's own arithmetic, as in crate `floats`. A constraint of more than [`MAX_NODES`] expressions is not compiled.

mod calls;
mod distance;
mod emit;
mod floating;
mod function;
mod integers;
mod memory;

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use function::Function;
use solve_search::{Compiler, Native, Part};

/// Expressions of a constraint that is compiled at most: compiling takes about 1 µs for each.
pub const MAX_NODES: usize = 4_000;

/// Compiles constraints.
pub struct Jit {
    isa: OwnedTargetIsa,
    context: FunctionBuilderContext,
    max_nodes: usize,
}

impl Jit {
    /// For the machine this runs on; `None` if it is none that code can be generated for.
    pub fn new() -> Option<Jit> {
        Jit::with_limit(MAX_NODES)
    }

    /// As [`Jit::new`], with another limit for the expressions of a constraint.
    pub fn with_limit(max_nodes: usize) -> Option<Jit> {
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        for (name, value) in [
            ("opt_level", "none"),
            ("regalloc_algorithm", "single_pass"),
            ("enable_verifier", verify),
            ("is_pic", "false"),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
        Some(Jit { isa, context: FunctionBuilderContext::new(), max_nodes })
    }
}

impl Compiler for Jit {
    fn compile(&mut self, part: &Part) -> Option<Box<dyn Native>> {
        if part.nodes.len() > self.max_nodes {
            return None;
        }
        let function = Function::compile(part, &self.isa, &mut self.context)?;
        Some(Box::new(function))
    }
}
