//! From expressions to terms, remembering every term made.
//!
//! A Boolean of ours is a bit-vector of width 1; Bitwuzla's own Booleans are another sort. A value of width 1 is made
//! in the sort that its operation has natively (comparisons and connectives: Boolean; extracted bits: bit-vector) and
//! converted at its first use in the other one, so that a formula of comparisons and connectives stays Boolean.
//!
//! Floats are bit-vectors of ours, too, and another sort of Bitwuzla's. There is a function from bits to floats but none
//! back: where the bits of a computed float are needed they are a fresh variable, and every query in which it occurs has
//! the condition that defines it among its assumptions ([`Translation::conditions`]).

use crate::budget::Budget;
use crate::context::{Context, Error, Term};
use crate::float::Float;
use expr::{Arena, ArrayId, ExprId, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why there is no term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The budget ended.
    Stopped,
    /// Too large an operation, named.
    Unsupported(String),
    /// Bitwuzla reported an error.
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Failed(error)
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The term of a value, in the sort it was made in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// Native Boolean.
    Bool(Term),
    /// Bit-vector.
    Bv(Term),
    /// Float.
    Float(Float),
}

/// A term of each sort that was asked for so far.
#[derive(Clone, Copy, Default)]
struct Known {
    boolean: Option<Term>,
    bv: Option<Term>,
    float: Option<Float>,
}

/// What a query needs beside its own constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    /// Definitions of the fresh variables in it.
    pub definitions: Vec<Term>,
    /// Some fresh variable has no (complete) definition: a model is a candidate only.
    pub is_approximate: bool,
}

/// Widest product, quotient or remainder, in bits: its circuit has the square of that many full adders, and Bitwuzla
/// builds circuits without asking whether to stop.
pub(crate) const MAX_PRODUCT_WIDTH: u16 = 1024;

/// Terms of the expressions of one arena.
pub(crate) struct Translation {
    known: FxHashMap<ExprId, Known>,
    inputs: FxHashMap<(u32, u32), Term>,
    gates: u64,
    /// Expressions with float operations below.
    floats: FxHashSet<ExprId>,
    /// Definitions of fresh variables, by the expression they stand for.
    definitions: FxHashMap<ExprId, Vec<Term>>,
    /// Expressions whose fresh variables may have values that the expression cannot have.
    approximate: FxHashSet<ExprId>,
    /// Of each constraint translated that has floats.
    conditions: FxHashMap<ExprId, Conditions>,
}

impl Translation {
    pub(crate) fn new() -> Translation {
        Translation {
            known: FxHashMap::default(),
            inputs: FxHashMap::default(),
            gates: 0,
            floats: FxHashSet::default(),
            definitions: FxHashMap::default(),
            approximate: FxHashSet::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// A rough count of the gates of everything translated, as a measure of memory.
    pub(crate) fn gates(&self) -> u64 {
        self.gates
    }

    /// The variable of an input byte, if it occurs in something translated.
    pub(crate) fn input(&self, byte: (u32, u32)) -> Option<Term> {
        self.inputs.get(&byte).copied()
    }

    /// The variables of all input bytes in something translated, in the order of the bytes.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = ((u32, u32), Term)> {
        let mut all: Vec<_> = self.inputs.iter().map(|(&byte, &term)| (byte, term)).collect();
        all.sort_unstable_by_key(|&(byte, _)| byte);
        all.into_iter()
    }

    /// The Boolean term of an expression of width 1, with all expressions below it.
    pub(crate) fn constraint(
        &mut self,
        context: &mut Context,
        arena: &Arena,
        root: ExprId,
        budget: &mut Budget,
    ) -> Result<Term> {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.known.contains_key(&e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(arena, e, &mut stack);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let gates = gates(arena, e)?;
            if budget.stop_translating(gates) {
                return Err(Failure::Stopped);
            }
            self.gates += gates;
            let value = self.make(context, arena, e)?;
            let known = self.known.entry(e).or_default();
            match value {
                Value::Bool(term) => known.boolean = Some(term),
                Value::Bv(term) => known.bv = Some(term),
                Value::Float(float) => known.float = Some(float),
            }
            self.note_floats(arena, e);
        }
        let term = self.boolean(context, root)?;
        if self.floats.contains(&root) && !self.conditions.contains_key(&root) {
            let conditions = self.find_conditions(arena, root);
            self.conditions.insert(root, conditions);
        }
        Ok(term)
    }

    /// What a query with this constraint, translated before, needs; `None` if nothing.
    pub(crate) fn conditions(&self, constraint: ExprId) -> Option<&Conditions> {
        self.conditions.get(&constraint)
    }

    /// `definition` (a Boolean) holds of a fresh variable that stands for part of `e`.
    pub(crate) fn define(&mut self, e: ExprId, definition: Term) {
        self.definitions.entry(e).or_default().push(definition);
    }

    /// A fresh variable that stands for (part of) `e` may have values that it cannot have.
    pub(crate) fn approximate(&mut self, e: ExprId) {
        self.approximate.insert(e);
    }

    fn note_floats(&mut self, arena: &Arena, e: ExprId) {
        let below = |a: &ExprId| self.floats.contains(a);
        let in_table = || arena.op(e) == Op::Read && table_of(arena, e).symbolic.iter().flatten().any(below);
        if arena.op(e).is_float() || arena.args(e).iter().any(below) || in_table() {
            self.floats.insert(e);
        }
    }

    /// All that was defined so far below `root`: what its term refers to is among it.
    fn find_conditions(&self, arena: &Arena, root: ExprId) -> Conditions {
        let mut found = Conditions::default();
        let (mut stack, mut seen) = (vec![root], FxHashSet::default());
        while let Some(e) = stack.pop() {
            if !self.floats.contains(&e) || !seen.insert(e) {
                continue;
            }
            found.definitions.extend(self.definitions.get(&e).into_iter().flatten());
            found.is_approximate |= self.approximate.contains(&e);
            stack.extend(arena.args(e));
            if arena.op(e) == Op::Read {
                stack.extend(table_of(arena, e).symbolic.iter().flatten());
            }
        }
        found
    }

    fn push_missing(&self, arena: &Arena, e: ExprId, stack: &mut Vec<ExprId>) {
        let missing = |e: &ExprId| !self.known.contains_key(e);
        stack.extend(arena.args(e).iter().copied().filter(missing));
        if arena.op(e) == Op::Read {
            stack.extend(table_of(arena, e).symbolic.iter().copied().flatten().filter(missing));
        }
    }

    fn make(&mut self, context: &mut Context, arena: &Arena, e: ExprId) -> Result<Value> {
        let node = arena.node(e);
        match node.op {
            Op::Input => {
                let byte = ((node.imm >> 32) as u32, node.imm as u32);
                let term = context.variable(8)?;
                self.inputs.insert(byte, term);
                Ok(Value::Bv(term))
            }
            Op::Const if node.width == 1 => Ok(Value::Bool(context.boolean(node.imm & 1 == 1)?)),
            Op::Const => match arena.as_const(e) {
                Some(bits) => Ok(Value::Bv(context.bits(&bits)?)),
                None => Err(Failure::Unsupported("a constant without a value".into())),
            },
            Op::Read => crate::select::read(self, context, arena, e),
            op if op.is_float() => crate::floating::operation(self, context, arena, e),
            _ => crate::operation::operation(self, context, arena, e),
        }
    }

    /// The term of an expression translated before, in the sort it was made in.
    pub(crate) fn native(&self, e: ExprId) -> Result<Value> {
        match self.known.get(&e) {
            Some(Known { boolean: Some(term), bv: None, .. }) => Ok(Value::Bool(*term)),
            Some(Known { bv: Some(term), .. }) => Ok(Value::Bv(*term)),
            Some(Known { float: Some(float), .. }) => Ok(Value::Float(*float)),
            _ => Err(Failure::Failed(Error("an operand was not translated".into()))),
        }
    }

    /// Whether an expression translated before has a Boolean term already.
    pub(crate) fn is_boolean(&self, e: ExprId) -> bool {
        self.known.get(&e).is_some_and(|known| known.boolean.is_some())
    }

    /// The Boolean term of an expression of width 1 translated before.
    pub(crate) fn boolean(&mut self, context: &mut Context, e: ExprId) -> Result<Term> {
        if let Some(term) = self.known.get(&e).and_then(|known| known.boolean) {
            return Ok(term);
        }
        let bv = self.bv(context, e)?;
        let one = context.value_u64(1, 1)?;
        let term = context.mk2(crate::sys::Kind::Equal, bv, one)?;
        self.known.entry(e).or_default().boolean = Some(term);
        Ok(term)
    }

    /// The float of an expression of a format's width translated before.
    pub(crate) fn float(&mut self, context: &mut Context, arena: &Arena, e: ExprId) -> Result<Float> {
        if let Some(float) = self.known.get(&e).and_then(|known| known.float) {
            return Ok(float);
        }
        let bits = self.bv(context, e)?;
        let float = Float::from_bits(context, crate::float::format(arena.width(e))?, bits)?;
        self.known.entry(e).or_default().float = Some(float);
        Ok(float)
    }

    /// The float of an expression, if it was made as one.
    pub(crate) fn made_as_float(&self, e: ExprId) -> Option<Float> {
        match self.native(e) {
            Ok(Value::Float(float)) => Some(float),
            _ => None,
        }
    }

    /// The bit-vector term of an expression translated before.
    pub(crate) fn bv(&mut self, context: &mut Context, e: ExprId) -> Result<Term> {
        let boolean = match self.known.get(&e) {
            Some(Known { bv: Some(term), .. }) => return Ok(*term),
            Some(Known { boolean: Some(term), .. }) => *term,
            Some(Known { float: Some(float), .. }) => {
                let float = *float;
                let bits = float.to_bits(self, context, e)?;
                self.known.entry(e).or_default().bv = Some(bits);
                return Ok(bits);
            }
            _ => return Err(Failure::Failed(Error("an operand was not translated".into()))),
        };
        let (one, zero) = (context.value_u64(1, 1)?, context.value_u64(1, 0)?);
        let term = context.ite(boolean, one, zero)?;
        self.known.entry(e).or_default().bv = Some(term);
        Ok(term)
    }
}

/// The table that a `Read` reads from.
pub(crate) fn table_of(arena: &Arena, read: ExprId) -> &expr::Table {
    arena.table(ArrayId(arena.node(read).imm as u32))
}

/// Rough number of gates of one operation.
fn gates(arena: &Arena, e: ExprId) -> Result<u64> {
    let node = arena.node(e);
    let operand = if node.op.is_predicate() { arena.width(node.args[0]) } else { node.width };
    let width = u64::from(operand);
    Ok(match node.op {
        Op::Mul | Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::UMulO | Op::SMulO => {
            let constant = node.args[..2].iter().any(|&a| arena.is_const(a));
            if operand > MAX_PRODUCT_WIDTH && !constant {
                return Err(Failure::Unsupported(format!(
                    "{} of {operand} bits (at most {MAX_PRODUCT_WIDTH})",
                    node.op.name()
                )));
            }
            width * width
        }
        Op::Shl | Op::LShr | Op::AShr | Op::Fshl | Op::Fshr | Op::Ctpop | Op::Ctlz | Op::Cttz => {
            width * u64::from(width.ilog2() + 1)
        }
        Op::Read => width * table_of(arena, e).bytes.len() as u64,
        Op::FAdd | Op::FSub | Op::FRound | Op::FCvt | Op::SToF | Op::UToF | Op::FToS | Op::FToU => 32 * width,
        Op::FMul => 2 * width * width,
        Op::FDiv | Op::FSqrt | Op::FFma => 8 * width * width,
        Op::Input | Op::Const | Op::Trunc | Op::ZExt | Op::SExt | Op::Extract | Op::Concat => 1,
        _ => width,
    })
}
