//! Compiler builtins on integers.

use super::Gen;
use super::convert::convert;
use crate::feature::Feature;
use crate::tree::Expr;
use crate::types::{I32, I64, Ty, U32, U64};

const U16: Ty = Ty::int(16, false);
const I16: Ty = Ty::int(16, true);

/// Builtins of one argument: template, argument, result.
const UNARY: &[(&str, Ty, Ty)] = &[
    ("__builtin_popcount($)", U32, I32),
    ("__builtin_popcountll($)", U64, I32),
    ("__builtin_parity($)", U32, I32),
    ("__builtin_parityll($)", U64, I32),
    ("__builtin_clz(($) | 1)", U32, I32),
    ("__builtin_clzll(($) | 1)", U64, I32),
    ("__builtin_ctz(($) | 0x80000000u)", U32, I32),
    ("__builtin_ctzll(($) | 0x8000000000000000ull)", U64, I32),
    ("__builtin_ffs($)", I32, I32),
    ("__builtin_ffsll($)", I64, I32),
    ("__builtin_clrsb($)", I32, I32),
    ("__builtin_clrsbll($)", I64, I32),
    ("__builtin_bswap16($)", U16, U16),
    ("__builtin_bswap32($)", U32, U32),
    ("__builtin_bswap64($)", U64, U64),
    ("__builtin_bitreverse8($)", Ty::int(8, false), Ty::int(8, false)),
    ("__builtin_bitreverse16($)", U16, U16),
    ("__builtin_bitreverse32($)", U32, U32),
    ("__builtin_bitreverse64($)", U64, U64),
    ("__builtin_abs((i16)($))", I32, I32),
    ("__builtin_llabs((i32)($))", I64, I64),
    ("__builtin_expect($, 1)", I64, I64),
    ("abs((i16)($))", I32, I32),
    ("llabs((i32)($))", I64, I64),
    ("ffs($)", I32, I32),
];

const BINARY: &[(&str, Ty)] = &[
    ("__builtin_rotateleft8($, $)", Ty::int(8, false)),
    ("__builtin_rotateleft16($, $)", U16),
    ("__builtin_rotateleft32($, $)", U32),
    ("__builtin_rotateright32($, $)", U32),
    ("__builtin_rotateleft64($, $)", U64),
    ("__builtin_rotateright64($, $)", U64),
];

/// A builtin that looks at bits.
pub(super) fn builtin(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Builtin).then_some(())?;
    if g.rng.chance(25) {
        let (template, own) = g.rng.pick(BINARY);
        let subs = vec![g.expr(own, depth), g.expr(own, depth)];
        return Some(convert(Expr::new(own, template, subs), ty));
    }
    let (template, argument, result) = g.rng.pick(UNARY);
    let sub = g.expr(argument, depth);
    Some(convert(Expr::new(result, template, vec![sub]), ty))
}

/// Arithmetic with an overflow flag, with operands and result of different types.
pub(super) fn overflow(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    g.take(Feature::Overflow).then_some(())?;
    let op = g.rng.pick(&["add", "sub", "mul"]);
    let types = [U32, I32, U64, I64, Ty::int(8, true), Ty::int(8, false), I16, U16];
    let (result, left) = (g.rng.pick(&types), g.rng.pick(&types));
    let right = if g.rng.chance(60) { left } else { g.rng.pick(&types) };
    let subs = vec![g.expr(left, depth), g.expr(right, depth)];
    let name = result.name();
    let template = match g.rng.below(2) {
        0 => format!("({{ {name} o_; __builtin_{op}_overflow($, $, &o_) ? ({name})0 : o_; }})"),
        _ => format!("({{ {name} o_; {name} f_ = __builtin_{op}_overflow($, $, &o_); ({name})(o_ ^ f_); }})"),
    };
    Some(convert(Expr::new(result, &template, subs), ty))
}

/// Saturating arithmetic, least and greatest.
pub(super) fn saturating(g: &mut Gen, ty: Ty, depth: usize) -> Option<Expr> {
    if matches!(ty, Ty::BitInt { .. } | Ty::Bool) || !g.take(Feature::Builtin) {
        return None;
    }
    let op = g.rng.pick(&["add_sat", "sub_sat", "min", "max"]);
    let subs = vec![g.expr(ty, depth), g.expr(ty, depth)];
    Some(Expr::new(ty, &format!("__builtin_elementwise_{op}($, $)"), subs))
}
