//! A pretend target for tests of the engine: no compiler, no process, yet real program maps, traces and runs.
//!
//! A [`Program`] is a small imperative program over input bytes, built with the functions of this module;
//! [`FakeTarget`] interprets it concretely and symbolically and records what the real runtime would.
//!
//! ```
//! use trace::testing::*;
//! use trace::{Input, Mode, Outcome, Request, Target};
//!
//! let program = Program::main([
//!     let_("n", byte(0).zext(32)),
//!     while_(var("n").gt(3), [let_("n", var("n").sub(1))]),
//!     if_(byte(1).eq(b'!'), [crash()], []),
//! ]);
//! let mut target = FakeTarget::new(&program);
//! let input = Input::stdin("a!");
//! let run = target.run(&Request { input: &input, mode: Mode::Symbolic, value_seed: None, max_inputs: None }).unwrap();
//! assert_eq!(run.outcome, Outcome::Signal(11));
//! assert!(trace::check(&run.trace.unwrap(), &run.input, target.map()).is_clean());
//! ```

mod compile;
mod interpret;

pub use interpret::FakeTarget;

use crate::Op;

/// A program: functions; the first is `main`.
#[derive(Clone, Debug)]
pub struct Program {
    functions: Vec<(String, Vec<Stmt>)>,
}

impl Program {
    /// A program of one function.
    pub fn main(body: impl Into<Vec<Stmt>>) -> Program {
        Program { functions: vec![("main".to_string(), body.into())] }
    }

    /// With another function, to be called by its name.
    pub fn function(mut self, name: &str, body: impl Into<Vec<Stmt>>) -> Program {
        self.functions.push((name.to_string(), body.into()));
        self
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Assignment to a variable of the whole program.
    Let(String, Expr),
    /// Two-way branch.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Loop.
    While(Expr, Vec<Stmt>),
    /// Switch: cases, then default. No fall-through.
    Switch(Expr, Vec<(u64, Vec<Stmt>)>, Vec<Stmt>),
    /// Call of a function by name.
    Call(String),
    /// Call through a pointer (width 64); functions have the addresses [`address_of`].
    CallIndirect(Expr),
    /// Assumption: the run exits with code 0 if it is false.
    Assume(Expr),
    /// A value is pinned (as for a store through a symbolic address).
    Pin(Expr),
    /// A value is lost (as in a call of a function without bitcode).
    Lose(Expr),
    /// Memory fault.
    Crash,
    /// `abort`.
    Abort,
    /// Endless loop.
    Hang,
    /// Exit with this code.
    Exit(i32),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A constant of a width.
    Const(u16, u64),
    /// Byte of the input object with this index; past its end 0, as an end-of-file event records.
    Byte(u32, u32),
    /// A variable; 0 of width 32 before its first assignment.
    Var(String),
    /// A typed input value of so many bytes.
    Value(String, u32),
    /// A cast or unary operation of this result width.
    Unary(Op, u16, Box<Expr>),
    /// A binary operation. A constant operand takes the width of the other.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// Byte of a constant table at a symbolic index (width 64): a read through a symbolic address.
    Lookup(Vec<u8>, Box<Expr>),
}

/// Byte `offset` of input object 0.
pub fn byte(offset: u32) -> Expr {
    Expr::Byte(0, offset)
}
/// A variable.
pub fn var(name: &str) -> Expr {
    Expr::Var(name.to_string())
}
/// A constant; takes its width (32 if alone) from the other operand.
pub fn num(value: u64) -> Expr {
    Expr::Const(0, value)
}
/// A typed input value of `bytes` bytes, asked for when evaluated.
pub fn value(name: &str, bytes: u32) -> Expr {
    Expr::Value(name.to_string(), bytes)
}
/// Byte of `table` at index `index` (of any width up to 64).
pub fn lookup(table: impl Into<Vec<u8>>, index: Expr) -> Expr {
    Expr::Lookup(table.into(), Box::new(index.zext(64)))
}

/// Assignment.
pub fn let_(name: &str, e: Expr) -> Stmt {
    Stmt::Let(name.to_string(), e)
}
/// Two-way branch.
pub fn if_(cond: Expr, then: impl Into<Vec<Stmt>>, otherwise: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::If(cond, then.into(), otherwise.into())
}
/// Loop.
pub fn while_(cond: Expr, body: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::While(cond, body.into())
}
/// Switch.
pub fn switch(e: Expr, cases: impl Into<Vec<(u64, Vec<Stmt>)>>, default: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::Switch(e, cases.into(), default.into())
}
/// Call by name.
pub fn call(name: &str) -> Stmt {
    Stmt::Call(name.to_string())
}
/// Memory fault.
pub fn crash() -> Stmt {
    Stmt::Crash
}
/// `abort`.
pub fn abort() -> Stmt {
    Stmt::Abort
}
/// Exit.
pub fn exit(code: i32) -> Stmt {
    Stmt::Exit(code)
}

/// Address of the function with index `function` in a [`Program`].
pub const fn address_of(function: u32) -> u64 {
    0x40_0000 + 16 * function as u64
}

impl From<u8> for Expr {
    fn from(v: u8) -> Expr {
        num(v.into())
    }
}
impl From<u64> for Expr {
    fn from(v: u64) -> Expr {
        num(v)
    }
}
impl From<i32> for Expr {
    fn from(v: i32) -> Expr {
        num(v as u64)
    }
}

macro_rules! operators {
    ($($name:ident $op:ident $doc:literal;)+) => {$(
        #[doc = $doc]
        pub fn $name(self, other: impl Into<Expr>) -> Expr {
            Expr::Binary(Op::$op, Box::new(self), Box::new(other.into()))
        }
    )+};
}

#[expect(clippy::should_implement_trait, reason = "the names read as in the programs being built")]
impl Expr {
    operators! {
        add Add "Sum.";
        sub Sub "Difference.";
        mul Mul "Product.";
        and And "Bitwise and.";
        xor Xor "Bitwise exclusive or.";
        eq Eq "Equal.";
        ne Ne "Not equal.";
        lt Ult "Unsigned less than.";
        le Ule "Unsigned less or equal.";
        slt Slt "Signed less than.";
        concat Concat "Above the other.";
    }

    /// Unsigned greater than.
    pub fn gt(self, other: impl Into<Expr>) -> Expr {
        Expr::Binary(Op::Ult, Box::new(other.into()), Box::new(self))
    }

    /// Extended with zeros (or cut) to `width` bits.
    pub fn zext(self, width: u16) -> Expr {
        Expr::Unary(Op::ZExt, width, Box::new(self))
    }
}
