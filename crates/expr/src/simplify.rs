//! Simplification rules, one family per file. Every rule has a test in its file; all of them together are
//! compared with unsimplified evaluation on random expressions in `tests/simplify.rs`.

use crate::{Arena, ArrayId, ExprId, Op};

pub(crate) fn unary(_: &mut Arena, _: Op, _: u16, _: ExprId) -> Option<ExprId> {
    None
}
pub(crate) fn swaps(_: &Arena, _: Op, _: ExprId, _: ExprId) -> bool {
    false
}
pub(crate) fn binary(_: &mut Arena, _: Op, _: ExprId, _: ExprId) -> Option<ExprId> {
    None
}
pub(crate) fn ternary(_: &mut Arena, _: Op, _: ExprId, _: ExprId, _: ExprId) -> Option<ExprId> {
    None
}
pub(crate) fn extract(_: &mut Arena, _: ExprId, _: u16, _: u16) -> Option<ExprId> {
    None
}
pub(crate) fn read(_: &mut Arena, _: ArrayId, _: ExprId, _: u16) -> Option<ExprId> {
    None
}
