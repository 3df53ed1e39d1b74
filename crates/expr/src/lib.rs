//! Hash-consed bit-vector expressions over input bytes, their text form, and the **reference evaluator**
//! against which everything faster (native code, SMT, the instrumented program) is compared.
//!
//! Operations and their meaning are those of [`Op`], defined once in `trace-abi`.

#![forbid(unsafe_code)]

mod arena;
mod bits;
mod build;
mod eval;
mod hash;
mod inputs;
mod plan;
pub mod semantics;
mod simplify;
mod text;

pub use arena::{Arena, ArrayId, ExprId, Node, Table};
pub use bits::Bits;
pub use eval::Evaluator;
pub use inputs::{InputSet, Inputs};
pub use plan::Plan;
pub use text::TextError;
pub use trace_abi::{Arity, Op};
