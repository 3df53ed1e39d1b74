//! Making a failing program smaller while it fails in the same way: functions, statements and declarations are left out,
//! blocks take the place of what holds them, expressions that of those they stand in.

use crate::generate::Generated;
use crate::tree::{Expr, Part, Program, Stmt};
use crate::types::Ty;

/// The smallest program found that `fails`, with at most so many tries.
pub fn shrink(generated: &Generated, tries: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = generated.program.clone();
    let mut left = tries;
    loop {
        let before = left;
        let mut changed = without_functions(&mut best, &mut left, fails);
        changed |= smaller_lists(&mut best, &mut left, fails);
        changed |= simpler_statements(&mut best, &mut left, fails);
        if !changed || left == 0 || before == left {
            return best;
        }
    }
}

/// Keeps `candidate` if it fails too.
fn keep(
    best: &mut Program,
    candidate: Program,
    left: &mut usize,
    fails: &mut dyn FnMut(&Program) -> bool,
) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let kept = fails(&candidate);
    if kept {
        *best = candidate;
    }
    kept
}

fn without_functions(best: &mut Program, left: &mut usize, fails: &mut dyn FnMut(&Program) -> bool) -> bool {
    let mut changed = false;
    for k in (0..best.functions.len()).rev() {
        let mut candidate = best.clone();
        candidate.functions.remove(k);
        changed |= keep(best, candidate, left, fails);
    }
    changed
}

/// All lists of statements of a program, outermost first.
fn lists(program: &mut Program) -> Vec<&mut Vec<Stmt>> {
    let mut all = vec![&mut program.globals];
    for f in &mut program.functions {
        all.extend([&mut f.tail, &mut f.body, &mut f.locals]);
    }
    all
}

/// Leaves out runs of statements, long ones first.
fn smaller_lists(best: &mut Program, left: &mut usize, fails: &mut dyn FnMut(&Program) -> bool) -> bool {
    let mut changed = false;
    for n in 0..lists(best).len() {
        let mut size = lists(best)[n].len();
        while size > 0 {
            let mut end = lists(best)[n].len();
            while end > 0 && *left > 0 {
                let start = end.saturating_sub(size);
                let mut candidate = best.clone();
                lists(&mut candidate)[n].drain(start..end);
                changed |= keep(best, candidate, left, fails);
                end = start;
            }
            size /= 2;
        }
    }
    changed
}

/// Tries every place of every statement once: a block instead of its statement, an operand instead of its expression.
fn simpler_statements(best: &mut Program, left: &mut usize, fails: &mut dyn FnMut(&Program) -> bool) -> bool {
    let mut changed = false;
    let mut at = 0;
    while *left > 0 {
        let mut candidate = best.clone();
        let mut place = at;
        let found = lists(&mut candidate).into_iter().any(|list| simplify_list(list, &mut place));
        if !found {
            return changed;
        }
        if keep(best, candidate, left, fails) {
            changed = true;
        } else {
            at += 1;
        }
    }
    changed
}

/// Makes change number `place` in this list; counts down otherwise.
fn simplify_list(list: &mut Vec<Stmt>, place: &mut usize) -> bool {
    for k in 0..list.len() {
        let blocks: Vec<Vec<Stmt>> = list[k]
            .0
            .iter()
            .filter_map(|p| if let Part::Block(b) = p { Some(b.clone()) } else { None })
            .collect();
        for block in blocks {
            if block.is_empty() {
                continue;
            }
            if *place == 0 {
                list.splice(k..=k, block);
                return true;
            }
            *place -= 1;
        }
        for part in &mut list[k].0 {
            let done = match part {
                Part::Block(block) => smaller_block(block, place),
                Part::Expr(e) => simplify_expr(e, place),
                Part::Text(_) => false,
            };
            if done {
                return true;
            }
        }
    }
    false
}

fn smaller_block(block: &mut Vec<Stmt>, place: &mut usize) -> bool {
    if *place < block.len() {
        block.remove(*place);
        return true;
    }
    *place -= block.len();
    simplify_list(block, place)
}

/// An operand, converted, or a constant, instead of the expression.
fn simplify_expr(e: &mut Expr, place: &mut usize) -> bool {
    let subs: Vec<Expr> =
        e.parts.iter().filter_map(|p| if let Part::Expr(s) = p { Some(s.clone()) } else { None }).collect();
    for sub in subs.into_iter().filter(|s| fits(s.ty, e.ty)) {
        if *place == 0 {
            *e = crate::generate::convert(sub, e.ty);
            return true;
        }
        *place -= 1;
    }
    let is_constant = e.parts.len() == 1 && matches!(&e.parts[0], Part::Text(t) if t.len() < 14);
    if !is_constant && !matches!(e.ty, Ty::Vector(_)) {
        if *place == 0 {
            *e = Expr::text(e.ty, format!("(({})1)", e.ty.name()));
            return true;
        }
        *place -= 1;
    }
    e.parts.iter_mut().any(|p| if let Part::Expr(s) = p { simplify_expr(s, place) } else { false })
}

/// Whether one may stand for the other.
fn fits(operand: Ty, whole: Ty) -> bool {
    operand == whole || !matches!((operand, whole), (Ty::Vector(_), _) | (_, Ty::Vector(_)))
}

#[cfg(test)]
mod tests {
    use super::shrink;
    use crate::generate::{Wanted, generate};
    use crate::tree::Program;

    #[test]
    fn what_does_not_matter_goes() {
        let generated = generate(7, &Wanted::default());
        let marker =
            generated.program.to_string().lines().rev().find_map(observation).expect("an observation");
        let mut fails = |p: &Program| p.to_string().contains(&marker);
        let small = shrink(&generated, 10_000, &mut fails);
        let left: usize = small.functions.iter().map(|f| f.body.len() + f.locals.len() + f.tail.len()).sum();
        assert_eq!((small.functions.len(), left), (1, 1));
    }

    fn observation(line: &str) -> Option<String> {
        line.trim().starts_with("OBS(").then(|| line.trim().to_owned())
    }
}
