//! Statements that change a variable.

use super::{Gen, StmtRule, Value, control, memory, structs, text};
use crate::feature::Feature;
use crate::tree::Stmt;
use crate::types::{Ty, U32, VECTORS};

const SIMPLE: &[(usize, StmtRule)] =
    &[(30, assign), (10, compound_assign), (6, lane_store), (3, overflow_into)];

const FAMILIES: &[(usize, Family)] = &[
    (40, Family::Simple),
    (22, Family::Memory),
    (22, Family::Control),
    (9, Family::Structs),
    (7, Family::Text),
];

#[derive(Clone, Copy)]
enum Family {
    Simple,
    Memory,
    Control,
    Structs,
    Text,
}

impl Gen {
    /// A variable that may be written.
    pub(super) fn target(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let all: Vec<Value> = self.scope.values.iter().filter(|v| v.writable && fits(v)).cloned().collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len())].clone())
    }

    /// Any statement; blocks inside have at most `depth` levels.
    pub(super) fn statement(&mut self, depth: usize) -> Option<Stmt> {
        for _ in 0..20 {
            let rules = match self.weighted(FAMILIES) {
                Family::Simple => SIMPLE,
                Family::Memory => memory::STATEMENTS,
                Family::Control if depth > 0 => control::STATEMENTS,
                Family::Structs => structs::STATEMENTS,
                Family::Text if depth > 0 => text::STATEMENTS,
                _ => continue,
            };
            let rule = self.weighted(rules);
            if let Some(statement) = rule(self, depth.saturating_sub(1)) {
                return Some(statement);
            }
        }
        None
    }

    /// A statement without blocks.
    pub(super) fn simple_statement(&mut self) -> Option<Stmt> {
        (0..10).find_map(|_| self.weighted(SIMPLE)(self, 0))
    }

    /// Some statements.
    pub(super) fn block(&mut self, depth: usize) -> Vec<Stmt> {
        (0..self.rng.between(1, 3)).filter_map(|_| self.statement(depth)).collect()
    }
}

fn assign(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|_| true)?;
    let value = g.expr(to.ty, 4);
    Some(Stmt::new(&format!("{} = $;", to.name), vec![value], vec![]))
}

/// Only where it cannot overflow.
fn compound_assign(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|_| true)?;
    let ops: &[&str] = match to.ty {
        Ty::Bool => &["^", "&", "|"],
        Ty::Int { bits: 16, signed: false } => &["+", "-", "^", "|"],
        Ty::Int { bits: 8 | 16, .. } => &["+", "-", "*", "^", "|"],
        Ty::Int { signed: true, .. } | Ty::BitInt { signed: true, .. } => &["^", "&", "|"],
        // A bit-field that is narrower than `int` is promoted to it.
        Ty::Int { .. } if to.name.contains('.') => &["+", "-", "^"],
        Ty::Int { .. } | Ty::BitInt { .. } => &["+", "-", "*", "^", "&", "|"],
        Ty::Float(_) => &["+", "-", "*", "/"],
        Ty::Vector(k) if VECTORS[k].1.is_int() => &["+", "-", "*", "^", "&", "|"],
        Ty::Vector(_) => &["+", "-", "*"],
    };
    let op = g.rng.pick(ops);
    let value = g.expr(to.ty, 3);
    if to.ty.is_int() && !to.ty.is_signed() && to.ty != Ty::Bool && g.rng.chance(15) {
        let step = g.rng.pick(&["++", "--"]);
        return Some(Stmt::text(format!("{}{step};", to.name)));
    }
    Some(Stmt::new(&format!("{} {op}= $;", to.name), vec![value], vec![]))
}

fn lane_store(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|v| matches!(v.ty, Ty::Vector(_)))?;
    let Ty::Vector(k) = to.ty else { return None };
    let (lanes, element) = VECTORS[k];
    let value = g.expr(element, 3);
    if g.rng.chance(25) && g.take(Feature::VectorLane) {
        let at = g.expr(U32, 2);
        return Some(Stmt::new(&format!("{}[$ & {}] = $;", to.name, lanes - 1), vec![at, value], vec![]));
    }
    Some(Stmt::new(&format!("{}[{}] = $;", to.name, g.rng.below(lanes)), vec![value], vec![]))
}

/// The result of checked arithmetic goes straight into a variable.
fn overflow_into(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|v| matches!(v.ty, Ty::Int { bits: 8..=64, .. }) && !v.name.contains('.'))?;
    g.take(Feature::Overflow).then_some(())?;
    let op = g.rng.pick(&["add", "sub", "mul"]);
    let subs = vec![g.expr(to.ty, 2), g.expr(to.ty, 2)];
    let template = format!("if (__builtin_{op}_overflow($, $, &{0})) {0} ^= 1;", to.name);
    Some(Stmt::new(&template, subs, vec![]))
}
