//! A solver that tries every value of every byte, one byte after the other, and gives up a branch of its
//! search as soon as a constraint over the bytes set so far is false.

use expr::{Arena, Evaluator, ExprId};
use solve::{Answer, Limits, Model, Query, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// See the module. Complete, and fast only for constraints over few bytes each.
pub struct BruteForce;

impl Solver for BruteForce {
    fn name(&self) -> &'static str {
        "brute force"
    }

    fn solve(&mut self, query: &mut Query<'_>, _: &Limits) -> Answer {
        let arena: &Arena = query.arena;
        let mut vars: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut sets = Vec::new();
        for &c in query.constraints {
            let set: BTreeSet<(u32, u32)> = arena.inputs(c).iter().collect();
            vars.extend(&set);
            sets.push((c, set));
        }
        let vars: Vec<(u32, u32)> = vars.into_iter().collect();
        // Constraints by the last of their bytes.
        let mut due: Vec<Vec<ExprId>> = vec![Vec::new(); vars.len() + 1];
        for (c, set) in &sets {
            let at = set.iter().last().map_or(0, |last| vars.binary_search(last).expect("a variable") + 1);
            due[at].push(*c);
        }
        let mut model: BTreeMap<(u32, u32), u8> = BTreeMap::new();
        if search(arena, &vars, &due, 0, &mut model, query.hint) {
            Answer::Sat(model.into_iter().collect::<Model>())
        } else {
            Answer::Unsat((0..query.constraints.len()).collect())
        }
    }
}

fn search(
    arena: &Arena,
    vars: &[(u32, u32)],
    due: &[Vec<ExprId>],
    at: usize,
    model: &mut BTreeMap<(u32, u32), u8>,
    hint: &dyn Fn(u32, u32) -> u8,
) -> bool {
    let fine = {
        let value = |object, offset| model.get(&(object, offset)).copied().unwrap_or(0);
        let mut evaluator = Evaluator::new(arena, &value);
        due[at].iter().all(|&c| evaluator.is_true(c))
    };
    if !fine || at == vars.len() {
        return fine;
    }
    let (object, offset) = vars[at];
    let start = hint(object, offset);
    for k in 0..=255u8 {
        model.insert(vars[at], start.wrapping_add(k));
        if search(arena, vars, due, at + 1, model, hint) {
            return true;
        }
    }
    model.remove(&vars[at]);
    false
}
