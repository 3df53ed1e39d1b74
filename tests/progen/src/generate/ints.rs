//! Integer expressions.

use super::convert::convert;
use super::{Gen, Rule, bits, calls, floats, memory, structs, text, vectors};
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::{Ty, U32};

/// The rules with their weights.
pub(super) const RULES: &[(usize, Rule)] = &[
    (18, arithmetic),
    (12, bitwise),
    (8, narrow_arithmetic),
    (6, unsigned_division),
    (4, signed_division),
    (5, constant_division),
    (8, shift_left),
    (8, shift_right),
    (3, rotate),
    (10, compare),
    (4, logical),
    (6, ternary),
    (5, unary),
    (6, conversion),
    (7, bits::builtin),
    (4, bits::overflow),
    (3, bits::saturating),
    (4, floats::to_int),
    (6, floats::compare),
    (3, floats::classify),
    (3, floats::bits_of),
    (8, memory::element),
    (2, memory::unaligned),
    (2, memory::input_element),
    (4, structs::union_part),
    (4, vectors::lane),
    (3, vectors::reduce),
    (6, calls::call),
    (3, calls::varargs),
    (3, calls::indirect),
    (2, text::ctype),
];

fn two(g: &mut Gen, ty: Ty, depth: usize) -> Vec<Expr> {
    vec![g.expr(ty, depth), g.expr(ty, depth)]
}

/// Wraps, in an unsigned type.
fn arithmetic(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let (name, wrapping) = (ty.name(), ty.wrapping().name());
    let op = g.rng.pick(&["+", "-", "*", "+", "-"]);
    let subs = two(g, ty, depth);
    Some(Expr::new(ty, &format!("(({name})(({wrapping})($) {op} ({wrapping})($)))"), subs))
}

/// Cannot overflow: operands of half the width, or promoted to `int`.
fn narrow_arithmetic(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let name = ty.name();
    if ty.is_promoted() {
        let op = if ty == Ty::int(16, false) { "-" } else { g.rng.pick(&["+", "-", "*"]) };
        let subs = two(g, ty, depth);
        return Some(Expr::new(ty, &format!("(({name})(($) {op} ($)))"), subs));
    }
    if !ty.is_signed() || ty.bits() < 8 {
        return None;
    }
    let op = g.rng.pick(&["+", "-", "*"]);
    let half = ty.half().name();
    let subs = two(g, ty, depth);
    Some(Expr::new(ty, &format!("(({name})({half})($) {op} ({name})({half})($))"), subs))
}

fn bitwise(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let op = g.rng.pick(&["&", "|", "^"]);
    let subs = two(g, ty, depth);
    Some(Expr::new(ty, &format!("(({})(($) {op} ($)))", ty.name()), subs))
}

fn unsigned_division(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Division).then_some(())?;
    let (name, wrapping) = (ty.name(), ty.wrapping().name());
    let op = g.rng.pick(&["/", "%"]);
    let subs = two(g, ty, depth);
    Some(Expr::new(ty, &format!("(({name})(({wrapping})($) {op} (({wrapping})($) | 1)))"), subs))
}

/// The least number over -1 cannot happen: operands of half the width.
fn signed_division(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    if !ty.is_signed() || (ty.bits() < 8 && !ty.is_promoted()) || !g.take(Feature::Division) {
        return None;
    }
    let (name, half) = (ty.name(), ty.half().name());
    let op = g.rng.pick(&["/", "%"]);
    let subs = two(g, ty, depth);
    Some(Expr::new(ty, &format!("(({name})(({name})({half})($) {op} (({name})({half})($) | 1)))"), subs))
}

fn constant_division(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    if matches!(ty, Ty::BitInt { .. }) || ty == Ty::Bool || !g.take(Feature::Division) {
        return None;
    }
    let op = g.rng.pick(&["/", "%"]);
    let by = g.rng.pick(&[2, 3, 5, 7, 8, 10, 16, 60, 100]);
    let sub = g.expr(ty, depth);
    Some(Expr::new(ty, &format!("(({})(($) {op} {by}))", ty.name()), vec![sub]))
}

/// A count below the width.
fn count(g: &mut Gen, width: u16, depth: usize) -> Expr {
    if g.rng.chance(40) {
        return Expr::text(U32, g.rng.below(width.into()).to_string());
    }
    let sub = g.expr(U32, depth);
    let mask = if width.is_power_of_two() { format!("& {}", width - 1) } else { format!("% {width}") };
    Expr::new(U32, &format!("(($) {mask})"), vec![sub])
}

fn shift_left(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Shift).then_some(())?;
    let wrapping = ty.wrapping();
    let subs = vec![g.expr(ty, depth), count(g, wrapping.bits(), depth)];
    Some(Expr::new(ty, &format!("(({})(({})($) << $))", ty.name(), wrapping.name()), subs))
}

fn shift_right(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Shift).then_some(())?;
    let width = if ty.is_promoted() { 32 } else { ty.bits() };
    let subs = vec![g.expr(ty, depth), count(g, width, depth)];
    Some(Expr::new(ty, &format!("(({})(($) >> $))", ty.name()), subs))
}

/// Two shifts that compilers know as one rotation.
fn rotate(g: &mut Gen, wanted: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Shift).then_some(())?;
    let ty = Ty::int(g.rng.pick(&[32, 64]), false);
    let (name, mask) = (ty.name(), ty.bits() - 1);
    let (value, by) = (g.leaf(ty), g.expr(U32, depth));
    let subs = vec![value.clone(), by.clone(), value, by];
    let template = format!("(({name})($) << (($) & {mask}) | ({name})($) >> (-($) & {mask}))");
    Some(convert(Expr::new(ty, &template, subs), wanted))
}

fn compare(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Compare).then_some(())?;
    let of = g.int_type();
    let op = g.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
    let subs = two(g, of, depth);
    Some(Expr::new(ty, &format!("(({})(($) {op} ($)))", ty.name()), subs))
}

fn logical(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let of = g.int_type();
    let op = g.rng.pick(&["&&", "||"]);
    let subs = two(g, of, depth);
    Some(Expr::new(ty, &format!("(({})(($) {op} ($)))", ty.name()), subs))
}

fn ternary(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Ternary).then_some(())?;
    let of = g.int_type();
    let subs = vec![g.expr(of, depth), g.expr(ty, depth), g.expr(ty, depth)];
    Some(Expr::new(ty, &format!("(({})(($) ? ($) : ($)))", ty.name()), subs))
}

fn unary(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let sub = g.expr(ty, depth);
    let (name, wrapping) = (ty.name(), ty.wrapping().name());
    let template = match g.rng.below(3) {
        0 => format!("(({name})(-({wrapping})($)))"),
        1 if ty != Ty::Bool => format!("(({name})(~($)))"),
        _ => format!("(({name})(!($)))"),
    };
    Some(Expr::new(ty, &template, vec![sub]))
}

fn conversion(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let from = g.int_type();
    Some(convert(g.expr(from, depth), ty))
}
