//! Control flow, and what passes by it.

use super::{Gen, StmtRule, Value};
use crate::feature::Feature;
use crate::tree::{Expr, Stmt};
use crate::types::{I32, Ty, U8, U32, U64};

/// The rules with their weights.
pub(super) const STATEMENTS: &[(usize, StmtRule)] = &[
    (14, branch),
    (10, counted_loop),
    (5, bounded_loop),
    (6, switch),
    (2, goto),
    (2, computed_goto),
    (2, setjmp),
    (3, atomics),
];

/// Loops may not stand deeper than this in each other.
const MAX_LOOPS: usize = 2;

fn condition(g: &mut Gen) -> Expr {
    let ty = g.int_type();
    if g.rng.chance(25)
        && let Some(e) = super::floats::compare(g, I32, 2)
    {
        return e;
    }
    g.expr(ty, 3)
}

fn branch(g: &mut Gen, depth: usize) -> Option<Stmt> {
    g.take(Feature::If).then_some(())?;
    let subs = vec![condition(g)];
    let then = g.block(depth);
    if g.rng.chance(50) {
        return Some(Stmt::new("if ($) {#}", subs, vec![then]));
    }
    let other = g.block(depth);
    Some(Stmt::new("if ($) {#} else {#}", subs, vec![then, other]))
}

/// With a variable of its own that the block may read.
fn looped(g: &mut Gen, name: &str, depth: usize) -> Vec<Stmt> {
    g.loops += 1;
    g.scope.values.push(Value { name: name.to_owned(), ty: I32, writable: false });
    let mut block = g.block(depth);
    if g.rng.chance(15) {
        let test = g.expr(U8, 2);
        let how = g.rng.pick(&["break", "continue"]);
        block.push(Stmt::new(&format!("if (($ & 7) == 5) {how};"), vec![test], vec![]));
    }
    g.scope.values.retain(|v| v.name != name);
    g.loops -= 1;
    block
}

fn counted_loop(g: &mut Gen, depth: usize) -> Option<Stmt> {
    if g.loops >= MAX_LOOPS || !g.take(Feature::Loop) {
        return None;
    }
    let (i, n) = (g.name("i"), g.rng.between(2, 5));
    let block = looped(g, &i, depth);
    let head = match g.rng.below(3) {
        0 => format!("for (int {i} = {n}; {i} > 0; {i}--) {{#}}"),
        1 => format!("for (int {i} = 0; {i} < {}; {i} += 3) {{#}}", 3 * n),
        _ => format!("for (int {i} = 0; {i} < {n}; {i}++) {{#}}"),
    };
    Some(Stmt::new(&head, vec![], vec![block]))
}

/// Data decides how often it turns.
fn bounded_loop(g: &mut Gen, depth: usize) -> Option<Stmt> {
    if g.loops >= MAX_LOOPS || !g.take(Feature::SymbolicLoop) {
        return None;
    }
    let i = g.name("i");
    let bound = g.expr(U32, 2);
    let block = looped(g, &i, depth);
    let head = match g.rng.below(2) {
        0 => format!("for (int {i} = 0, n_ = $ & 3; {i} < n_; {i}++) {{#}}"),
        _ => format!("{{ int {i} = $ & 3; do {{#}} while ({i}-- > 0); }}"),
    };
    Some(Stmt::new(&head, vec![bound], vec![block]))
}

fn switch(g: &mut Gen, depth: usize) -> Option<Stmt> {
    g.take(Feature::Switch).then_some(())?;
    let of = g.rng.pick(&[U32, U8, U64, I32, Ty::int(16, true)]);
    let (mut template, subs) = ("switch ($) {".to_owned(), vec![g.expr(of, 3)]);
    if g.rng.chance(60) {
        template = "switch ($ & 7) {".to_owned();
    }
    let mut blocks = Vec::new();
    for k in 0..g.rng.between(1, 5) {
        let label = if g.rng.chance(20) { format!("case {}: ", k * 3 + 1) } else { String::new() };
        let end = if g.rng.chance(75) { "break; " } else { "" };
        template.push_str(&format!(" {label}case {}: {{#}} {end}", k * 3));
        blocks.push(g.block(depth));
    }
    if g.rng.chance(70) {
        template.push_str("default: {#}");
        blocks.push(g.block(depth));
    }
    template.push_str(" }");
    Some(Stmt::new(&template, subs, blocks))
}

fn goto(g: &mut Gen, depth: usize) -> Option<Stmt> {
    g.take(Feature::Goto).then_some(())?;
    let label = g.name("l");
    let subs = vec![condition(g)];
    let block = g.block(depth);
    Some(Stmt::new(&format!("if ($) goto {label}; {{#}} {label}: ;"), subs, vec![block]))
}

fn computed_goto(g: &mut Gen, depth: usize) -> Option<Stmt> {
    g.take(Feature::ComputedGoto).then_some(())?;
    let (t, a, b, c) = (g.name("t"), g.name("l"), g.name("l"), g.name("l"));
    let subs = vec![g.expr(U32, 2)];
    let blocks = vec![g.block(depth), g.block(depth)];
    let template = format!(
        "{{ static const void *const {t}[4] = {{ &&{a}, &&{b}, &&{c}, &&{b} }}; goto *{t}[$ & 3]; {a}: {{#}} {b}: {{#}} {c}: ; }}"
    );
    Some(Stmt::new(&template, subs, blocks))
}

/// Variables that are written between `setjmp` and `longjmp` and read behind it are volatile; nothing else is written.
fn setjmp(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|v| v.ty.is_int())?;
    g.take(Feature::Setjmp).then_some(())?;
    let name = g.name("j");
    let subs = vec![g.expr(U64, 2), g.expr(U64, 1), g.expr(to.ty, 2)];
    let template = format!(
        "{{ static jmp_buf {name}; volatile u64 kept_ = $; if (!setjmp({name})) {{ kept_ ^= $; if (kept_ & 4) longjmp({name}, 1); }} {} = ({})(kept_ + $); }}",
        to.name,
        to.ty.name()
    );
    Some(Stmt::new(&template, subs, vec![]))
}

fn atomics(g: &mut Gen, _: usize) -> Option<Stmt> {
    let to = g.target(|v| matches!(v.ty, Ty::Int { bits: 8..=64, .. }) && !v.name.contains('.'))?;
    g.take(Feature::Atomics).then_some(())?;
    let (own, name) = (to.ty.name(), &to.name);
    let subs = vec![g.expr(to.ty, 2), g.expr(to.ty, 2)];
    let op = g.rng.pick(&["add", "sub", "and", "or", "xor", "nand"]);
    let template = match g.rng.below(4) {
        0 => format!("{{ {own} o_ = __atomic_fetch_{op}(&{name}, $, __ATOMIC_SEQ_CST); {name} ^= o_ & $; }}"),
        1 => format!(
            "__atomic_{op}_fetch(&{name}, $, __ATOMIC_RELAXED); __atomic_store_n(&{name}, $, __ATOMIC_RELEASE);"
        ),
        2 => format!(
            "{{ {own} e_ = $; __atomic_compare_exchange_n(&{name}, &e_, $, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); {name} ^= e_; }}"
        ),
        _ => format!("{{ {own} e_ = __atomic_exchange_n(&{name}, $, __ATOMIC_ACQ_REL); {name} ^= e_ & $; }}"),
    };
    Some(Stmt::new(&template, subs, vec![]))
}
