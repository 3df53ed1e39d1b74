//! Calls of the mathematical library.

use super::Gen;
use super::floats::suffix;
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::Ty;

const ONE: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc", "tgamma", "lgamma", "logb",
];

const TWO: &[&str] = &["pow", "atan2", "hypot", "fmod", "remainder", "fdim", "nextafter"];

/// A function of the library on moderate arguments, or on any.
pub(super) fn call(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    let feature = if ty.bits() == 80 { Feature::Libm80 } else { Feature::Libm };
    // Of _Float16 the library has nothing.
    if ty.bits() == 16 || !g.take(feature) {
        return None;
    }
    let s = suffix(ty.bits());
    if g.rng.chance(70) {
        let name = g.rng.pick(ONE);
        let sub = argument(g, ty, depth);
        return Some(Expr::new(ty, &format!("{name}{s}($)"), vec![sub]));
    }
    let name = g.rng.pick(TWO);
    let subs = vec![argument(g, ty, depth), argument(g, ty, depth)];
    Some(Expr::new(ty, &format!("{name}{s}($, $)"), subs))
}

/// Never a constant: compilers replace `pow(2, x)` by `exp2(x)` at some levels and not at others, and the two need not
/// agree in the last bit.
fn argument(g: &mut Gen, ty: Ty, depth: usize) -> Expr {
    let input = g.scope.input;
    let names: Vec<String> =
        g.scope.values.iter().filter(|v| v.ty == ty && v.writable).map(|v| v.name.clone()).collect();
    if depth > 0 && g.rng.chance(40) {
        let sub = g.expr(ty, depth - 1);
        let variable = if input { g.input(ty) } else { sub.clone() };
        return Expr::new(ty, "($ + $)", vec![sub, variable]);
    }
    if input && (names.is_empty() || g.rng.chance(60)) {
        return g.input(ty);
    }
    match names.is_empty() {
        true => g.leaf(ty),
        false => Expr::text(ty, names[g.rng.below(names.len())].clone()),
    }
}
