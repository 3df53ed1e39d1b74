//! Vectors of the GNU extension.

use super::convert::convert;
use super::{Gen, Rule};
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::{Ty, U32, VECTORS};

/// The rules with their weights.
pub(super) const RULES: &[(usize, Rule)] = &[
    (20, arithmetic),
    (10, bitwise),
    (8, shift),
    (8, compare),
    (6, shuffle),
    (6, elementwise),
    (5, with_scalar),
    (5, recast),
    (4, convert_lanes),
    (3, negate),
    (5, build),
];

fn shape(ty: Ty) -> (usize, Ty) {
    match ty {
        Ty::Vector(k) => VECTORS[k],
        _ => unreachable!("the rules of vectors are for vectors"),
    }
}

fn two(g: &mut Gen, ty: Ty, depth: usize) -> Vec<Expr> {
    vec![g.expr(ty, depth), g.expr(ty, depth)]
}

fn arithmetic(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (_, element) = shape(ty);
    let subs = two(g, ty, depth);
    let template = match g.rng.below(8) {
        0 if element.is_float() => "($ / $)",
        0 | 1 if !element.is_signed() && !element.is_float() => "($ / ($ | 1))",
        2 if !element.is_signed() && !element.is_float() => "($ % ($ | 1))",
        3 | 4 => "($ - $)",
        5 => "($ * $)",
        _ => "($ + $)",
    };
    Some(Expr::new(ty, template, subs))
}

fn bitwise(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    shape(ty).1.is_int().then_some(())?;
    let op = g.rng.pick(&["&", "|", "^"]);
    Some(Expr::new(ty, &format!("($ {op} $)"), two(g, ty, depth)))
}

fn shift(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (_, element) = shape(ty);
    element.is_int().then_some(())?;
    let op = if element.is_signed() { ">>" } else { g.rng.pick(&["<<", ">>"]) };
    Some(Expr::new(ty, &format!("($ {op} ($ & {}))", element.bits() - 1), two(g, ty, depth)))
}

/// All ones where it holds, zero elsewhere.
fn compare(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (lanes, element) = shape(ty);
    element.is_int().then_some(())?;
    let op = g.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
    let same: Vec<usize> = (0..VECTORS.len())
        .filter(|&k| VECTORS[k].0 == lanes && VECTORS[k].1.bits() == element.bits())
        .collect();
    let of = Ty::Vector(g.rng.pick(&same));
    let known = shape(of).1.is_int() || g.has(Feature::VectorFloat);
    known.then_some(())?;
    Some(Expr::new(ty, &format!("(({})($ {op} $))", ty.name()), two(g, of, depth)))
}

fn shuffle(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (lanes, _) = shape(ty);
    let picks: Vec<String> = (0..lanes).map(|_| g.rng.below(2 * lanes).to_string()).collect();
    Some(Expr::new(ty, &format!("__builtin_shufflevector($, $, {})", picks.join(", ")), two(g, ty, depth)))
}

fn elementwise(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (_, element) = shape(ty);
    if element.is_float() {
        let name = g.rng.pick(&["floor", "ceil", "trunc", "abs", "sqrt", "rint"]);
        return Some(Expr::new(ty, &format!("__builtin_elementwise_{name}($)"), vec![g.expr(ty, depth)]));
    }
    if g.rng.chance(30) {
        let name = if element.is_signed() { "abs" } else { "bitreverse" };
        return Some(Expr::new(ty, &format!("__builtin_elementwise_{name}($)"), vec![g.expr(ty, depth)]));
    }
    let name = g.rng.pick(&["min", "max", "add_sat", "sub_sat"]);
    Some(Expr::new(ty, &format!("__builtin_elementwise_{name}($, $)"), two(g, ty, depth)))
}

fn with_scalar(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (_, element) = shape(ty);
    let op = g.rng.pick(&["+", "-", "*"]);
    let subs = vec![g.expr(ty, depth), g.expr(element, depth)];
    Some(Expr::new(ty, &format!("($ {op} ({})$)", element.name()), subs))
}

/// The same bits as other lanes. Not from floats, for the bits of a NaN, and not to them, for signalling ones.
fn recast(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    shape(ty).1.is_int().then_some(())?;
    let fits = |&k: &usize| VECTORS[k].1.is_int() && Ty::Vector(k).bits() == ty.bits();
    let from: Vec<usize> = (0..VECTORS.len()).filter(fits).collect();
    let from = Ty::Vector(g.rng.pick(&from));
    Some(Expr::new(ty, &format!("(({})$)", ty.name()), vec![g.expr(from, depth)]))
}

fn convert_lanes(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (lanes, _) = shape(ty);
    let fits = |&k: &usize| VECTORS[k].0 == lanes && VECTORS[k].1.is_int();
    let from: Vec<usize> = (0..VECTORS.len()).filter(fits).collect();
    let from = Ty::Vector(g.rng.pick(&from));
    Some(Expr::new(ty, &format!("__builtin_convertvector($, {})", ty.name()), vec![g.expr(from, depth)]))
}

fn negate(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let op = if shape(ty).1.is_int() { g.rng.pick(&["-", "~"]) } else { "-" };
    Some(Expr::new(ty, &format!("({op}$)"), vec![g.expr(ty, depth)]))
}

fn build(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (lanes, element) = shape(ty);
    let subs: Vec<Expr> =
        (0..lanes).map(|k| if k < 2 { g.expr(element, depth) } else { g.leaf(element) }).collect();
    Some(Expr::new(ty, &format!("(({}){{{}}})", ty.name(), vec!["$"; lanes].join(", ")), subs))
}

/// A vector variable's name with its lanes.
fn variable(g: &mut Gen, is_float: bool) -> Option<(String, usize, Ty)> {
    let fits = |v: &&super::Value| matches!(v.ty, Ty::Vector(k) if VECTORS[k].1.is_float() == is_float);
    let all: Vec<(String, Ty)> = g.scope.values.iter().filter(fits).map(|v| (v.name.clone(), v.ty)).collect();
    if all.is_empty() {
        return None;
    }
    let (name, ty) = all[g.rng.below(all.len())].clone();
    let (lanes, element) = shape(ty);
    Some((name, lanes, element))
}

/// One lane, also by a computed number.
pub(super) fn lane(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (name, lanes, element) = variable(g, ty.is_float())?;
    let (template, subs) = if g.rng.chance(25) && g.take(Feature::VectorLane) {
        (format!("{name}[$ & {}]", lanes - 1), vec![g.expr(U32, depth)])
    } else {
        (format!("{name}[{}]", g.rng.below(lanes)), Vec::new())
    };
    Some(convert(Expr::new(element, &template, subs), ty))
}

/// All lanes combined.
pub(super) fn reduce(g: &mut Gen, ty: Ty, _: usize) -> Option<Expr> {
    let (name, _, element) = variable(g, false)?;
    let how = g.rng.pick(&["add", "xor", "or", "and", "max", "min", "mul"]);
    Some(convert(Expr::text(element, format!("__builtin_reduce_{how}({name})")), ty))
}
