//! How hard the operations of expressions are for a back end: products of input bytes, floats, and what no back end expresses
//! well. Remembered for the expressions of one arena: queries on it share most of them.

use expr::{Arena, ArrayId, ExprId, Op};

/// What operations an expression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Integers, with products and quotients by constants only.
    Integer,
    /// A product or quotient of integers that both depend on the input; no floats.
    NonLinear,
    /// Floats that a back end expresses exactly.
    Float,
    /// A library function, a float remainder or a long double.
    Odd,
}

/// What is known of the expressions of an arena.
#[derive(Default)]
pub struct Kinds {
    arena_id: Option<u64>,
    kinds: Vec<Option<Kind>>,
}

impl Kinds {
    /// The most demanding kind among the constraints.
    pub fn kind(&mut self, arena: &Arena, arena_id: u64, constraints: &[ExprId]) -> Kind {
        if self.arena_id != Some(arena_id) {
            *self = Kinds { arena_id: Some(arena_id), kinds: Vec::new() };
        }
        self.kinds.resize(arena.len().max(self.kinds.len()), None);
        constraints.iter().map(|&constraint| self.of(arena, constraint)).max().unwrap_or(Kind::Integer)
    }

    fn of(&mut self, arena: &Arena, root: ExprId) -> Kind {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.kinds[e.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let mut kind = of_itself(arena, e);
            for part in parts(arena, e) {
                match self.kinds[part.index()] {
                    None => stack.push(part),
                    Some(known) => kind = kind.max(known),
                }
            }
            if stack.len() == before {
                self.kinds[e.index()] = Some(kind);
                stack.pop();
            }
        }
        self.kinds[root.index()].unwrap_or(Kind::Integer)
    }
}

fn parts(arena: &Arena, e: ExprId) -> impl Iterator<Item = ExprId> {
    let n = arena.node(e);
    let table = (n.op == Op::Read).then(|| arena.table(ArrayId(n.imm as u32)).symbolic.iter().flatten());
    arena.args(e).iter().chain(table.into_iter().flatten()).copied()
}

fn of_itself(arena: &Arena, e: ExprId) -> Kind {
    let n = arena.node(e);
    let is_long = || n.width == 80 || arena.args(e).iter().any(|&a| arena.width(a) == 80);
    match n.op {
        Op::Mul | Op::UMulO | Op::SMulO | Op::UDiv | Op::SDiv | Op::URem | Op::SRem
            if arena.args(e).iter().all(|&a| !arena.is_const(a)) =>
        {
            Kind::NonLinear
        }
        op if !op.is_float() => Kind::Integer,
        Op::Libm1 | Op::Libm2 | Op::FRem => Kind::Odd,
        _ if is_long() => Kind::Odd,
        _ => Kind::Float,
    }
}
