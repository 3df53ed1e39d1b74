//! Floating-point expressions, and integers from floats.

use super::convert::convert;
use super::{Gen, Rule, calls, library, memory, vectors};
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::{I32, Ty};

/// The rules with their weights.
pub(super) const RULES: &[(usize, Rule)] = &[
    (30, arithmetic),
    (8, from_int),
    (8, from_float),
    (5, unary),
    (6, rounding),
    (4, fma),
    (4, least_or_greatest),
    (3, copysign),
    (4, root),
    (6, ternary),
    (9, library::call),
    (6, memory::element),
    (4, vectors::lane),
    (5, calls::call),
];

/// What C's library appends to the names of its functions.
pub(super) fn suffix(bits: u16) -> &'static str {
    match bits {
        64 => "",
        80 => "l",
        _ => "f",
    }
}

fn arithmetic(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let op = g.rng.pick(&["+", "-", "*", "/"]);
    let subs = vec![g.expr(ty, depth), g.expr(ty, depth)];
    // Without the cast _Float16 goes on in float, as C allows.
    let template =
        if g.rng.chance(70) { format!("(({})($ {op} $))", ty.name()) } else { format!("($ {op} $)") };
    Some(Expr::new(ty, &template, subs))
}

fn from_int(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::IntToFloat).then_some(())?;
    let from = g.int_type();
    Some(convert(g.expr(from, depth), ty))
}

fn from_float(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let from = g.float_type()?;
    g.take(Feature::FloatToFloat).then_some(())?;
    Some(convert(g.expr(from, depth), ty))
}

fn unary(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let sub = g.expr(ty, depth);
    let template = match g.rng.below(2) {
        0 => "(-$)".to_owned(),
        _ => format!("(({})__builtin_fabs{}($))", ty.name(), suffix(ty.bits())),
    };
    Some(Expr::new(ty, &template, vec![sub]))
}

fn rounding(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Rounding).then_some(())?;
    let name = g.rng.pick(&["floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"]);
    let sub = g.expr(ty, depth);
    let template = format!("(({})__builtin_{name}{}($))", ty.name(), suffix(ty.bits()));
    Some(Expr::new(ty, &template, vec![sub]))
}

/// `fma` itself, and what a compiler may make one where the machine has it.
fn fma(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    if ty.bits() == 16 || !g.take(Feature::Fma) {
        return None;
    }
    let subs = vec![g.expr(ty, depth), g.expr(ty, depth), g.expr(ty, depth)];
    let template = match g.rng.below(2) {
        0 => format!("__builtin_fma{}($, $, $)", suffix(ty.bits())),
        _ => "($ * $ + $)".to_owned(),
    };
    Some(Expr::new(ty, &template, subs))
}

/// The sign of a zero is open: adding zero hides it.
fn least_or_greatest(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::MinMax).then_some(())?;
    let name = g.rng.pick(&["fmin", "fmax"]);
    let subs = vec![g.expr(ty, depth), g.expr(ty, depth)];
    let (own, s) = (ty.name(), suffix(ty.bits()));
    Some(Expr::new(ty, &format!("(({own})(__builtin_{name}{s}($, $) + ({own})0))"), subs))
}

fn copysign(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Classify).then_some(())?;
    let subs = vec![g.expr(ty, depth), g.expr(ty, depth)];
    let (own, s) = (ty.name(), suffix(ty.bits()));
    Some(Expr::new(ty, &format!("(({own})__builtin_copysign{s}($, canon_{own}($)))"), subs))
}

fn root(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let sub = g.expr(ty, depth);
    let name = g.rng.pick(&["__builtin_sqrt", "sqrt"]);
    Some(Expr::new(ty, &format!("(({}){name}{}($))", ty.name(), suffix(ty.bits())), vec![sub]))
}

fn ternary(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Ternary).then_some(())?;
    let condition = compare(g, I32, depth)?;
    let subs = vec![condition, g.expr(ty, depth), g.expr(ty, depth)];
    Some(Expr::new(ty, "(($) ? ($) : ($))", subs))
}

/// A clamped float as an integer.
pub(super) fn to_int(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let from = g.float_type()?;
    g.take(Feature::FloatToInt).then_some(())?;
    Some(convert(g.expr(from, depth), ty))
}

/// An ordered or unordered comparison.
pub(super) fn compare(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let of = g.float_type()?;
    g.take(Feature::FloatCompare).then_some(())?;
    let subs = vec![g.expr(of, depth), g.expr(of, depth)];
    let template = match g.rng.below(10) {
        0 => "(!($ < $))",
        1 => "(!($ <= $))",
        2 => "__builtin_isunordered($, $)",
        3 => "__builtin_islessgreater($, $)",
        4 => "($ == $)",
        5 => "($ != $)",
        6 => "($ >= $)",
        7 => "($ > $)",
        8 => "__builtin_isgreater($, $)",
        _ => "($ < $)",
    };
    Some(convert(Expr::new(I32, template, subs), ty))
}

/// What kind of number it is.
pub(super) fn classify(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let of = g.float_type()?;
    g.take(Feature::Classify).then_some(())?;
    let sub = g.expr(of, depth);
    let template = match g.rng.below(7) {
        0 => "(__builtin_isnan($) != 0)".to_owned(),
        1 => "(__builtin_isinf($) != 0)".to_owned(),
        2 => "(__builtin_isfinite($) != 0)".to_owned(),
        3 => "(__builtin_isnormal($) != 0)".to_owned(),
        4 => "__builtin_fpclassify(1, 2, 3, 4, 5, $)".to_owned(),
        5 => "__builtin_isinf_sign($)".to_owned(),
        _ => format!("(__builtin_signbit(canon_{}($)) != 0)", of.name()),
    };
    Some(convert(Expr::new(I32, &template, vec![sub]), ty))
}

/// Its bits as an integer.
pub(super) fn bits_of(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let Some(Ty::Float(bits)) = g.float_type() else { return None };
    g.take(Feature::FloatBits).then_some(())?;
    let sub = g.expr(Ty::Float(bits), depth);
    let own = Ty::int(if bits == 80 { 128 } else { bits }, false);
    Some(convert(Expr::new(own, &format!("bits_f{bits}($)"), vec![sub]), ty))
}
