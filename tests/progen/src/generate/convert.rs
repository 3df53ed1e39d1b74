//! Conversions between scalar types that are defined for every value.

use crate::tree::Expr;
use crate::types::Ty;

/// The expression as a value of another type.
pub fn convert(e: Expr, to: Ty) -> Expr {
    let from = e.ty;
    if from == to {
        return e;
    }
    let template = match (from, to) {
        (_, Ty::Bool) => "($ != 0)".to_owned(),
        (Ty::Float(_), Ty::BitInt { .. }) => format!("({})cvt_{}_i64($)", to.name(), from.name()),
        (Ty::Float(_), Ty::Int { .. }) => format!("cvt_{}_{}($)", from.name(), to.name()),
        // Clang's optimiser forgets that _Float16 overflows where it knows enough low bits to be zero.
        (Ty::Int { bits: 17.., .. } | Ty::BitInt { .. }, Ty::Float(16)) => format!("({})(i16)($)", to.name()),
        // Clang's own expansion of the widest conversions is wrong for _Float16.
        (Ty::BitInt { bits: 129.., signed }, Ty::Float(_)) => {
            format!("({}){}$", to.name(), if signed { "(i64)" } else { "(u64)" })
        }
        _ => format!("({})$", to.name()),
    };
    Expr::new(to, &format!("({template})"), vec![wrapped(e)])
}

/// In parentheses: a cast binds tighter than most operators.
fn wrapped(e: Expr) -> Expr {
    Expr::new(e.ty, "($)", vec![e])
}
