//! One meaning for what a code generator may lower in several ways.
//!
//! What an expression says and what the code of this flavour does must agree to the last bit, so before symbolic
//! instrumentation
//! * permissions to compute something else are withdrawn (`fast`, `contract`, …: the optimiser used them already),
//! * intrinsics with several lowerings become plain instructions: `fmuladd`, minima and maxima, classification
//!   ([`floats`]), three-way comparison, relative loads, fixed point, zeros of zero ([`integers`]), masked accesses ([`masked`]),
//!   vector instructions ([`x86`]),
//! * lanes of divisors that nobody asks for become 1 ([`lanes`]),
//! * library functions that are plain bit arithmetic become it ([`library`]).
//!
//! The instructions are what the code generator would choose itself (but for zeros of zero); concrete code gets no slower.

mod floats;
mod integers;
mod lanes;
mod library;
mod masked;
mod x86;

use crate::llvm::{Builder, Context, Module, Type, Value};

/// What the parts share.
struct Define<'m> {
    module: &'m Module,
    context: Context,
    b: Builder,
}

/// Rewrites all functions of a module.
pub fn define(module: &Module) {
    let context = module.context();
    let define = Define { module, context, b: Builder::new(context) };
    for function in module.functions().into_iter().filter(|f| crate::prepare::is_instrumented(*f)) {
        let fused = function.string_attribute("target-features").is_some_and(|f| has_feature(&f, "+fma"));
        for block in function.blocks() {
            for i in block.instructions() {
                i.strip_fast_math();
                if i.is_call() {
                    define.call(i, fused);
                } else {
                    define.divide_lanes(i);
                }
            }
        }
    }
}

fn has_feature(all: &str, wanted: &str) -> bool {
    all.split(',').any(|f| f == wanted)
}

impl Define<'_> {
    fn call(&self, i: Value, fused: bool) {
        self.b.before(i);
        let new = match i.intrinsic() {
            Some(name) => {
                let rest = name.strip_prefix("llvm.").unwrap_or_default();
                let plain = rest.strip_prefix("experimental.constrained.").unwrap_or(rest);
                if self.masked(rest, i) {
                    return;
                }
                self.float_intrinsic(plain, i, fused)
                    .or_else(|| self.integer_intrinsic(plain, i))
                    .or_else(|| self.x86_intrinsic(rest.strip_prefix("x86.")?, i))
            }
            None => self.library_call(i),
        };
        if let Some(new) = new {
            i.replace_all_uses(new);
            i.erase();
        }
    }

    /// An intrinsic of one type that is its operands' and its result's.
    fn intrinsic(&self, name: &str, operands: &[Value]) -> Value {
        let (ty, function) = self.module.intrinsic(name, &[operands[0].ty()]);
        self.b.call(ty, function, operands)
    }

    /// The integer type with the bits of a float type, lane by lane.
    fn bits_type(&self, ty: Type) -> Type {
        let int = self.context.int(ty.lane().scalar_width().unwrap_or(64));
        match ty.kind() {
            crate::llvm::Kind::Vector(_, n) => self.context.vector(int, n),
            _ => int,
        }
    }
}
