//! A model made like the run's own input as far as that goes.
//!
//! A solver's model of a few constraints changes every byte that they read to whatever it came upon first, and each change
//! is one more that constraints which were not asked about can break. Bytes that need not change get their value in the
//! run back: all of a range at once, else of its halves (the divisions of Zeller and Hildebrandt's delta debugging, TSE 2002,
//! each tried once), by evaluation.

use crate::{Model, Query};
use expr::{ExprId, Plan};

/// Evaluations of all constraints that this may cost.
const MAX_TRIES: usize = 128;

/// Gives bytes of a model of `constraints` their value in the run back, as long as that leaves it one.
pub(crate) fn nearer(query: &Query<'_>, constraints: &[ExprId], model: &mut Model) {
    let mut changed = Vec::new();
    for (&(object, offset), &value) in &*model {
        let old = (query.hint)(object, offset);
        if old != value {
            changed.push(((object, offset), value, old));
        }
    }
    let mut plan = Plan::new(query.arena, constraints);
    let mut ranges = halves(&changed);
    for _ in 0..MAX_TRIES {
        let Some(range) = ranges.pop() else { return };
        model.extend(range.iter().map(|&(byte, _, old)| (byte, old)));
        let byte = |o, k| model.get(&(o, k)).copied().unwrap_or_else(|| (query.hint)(o, k));
        if plan.first_false(&byte).is_some() {
            model.extend(range.iter().map(|&(byte, value, _)| (byte, value)));
            ranges.extend(halves(range));
        }
    }
}

/// A range in two; nothing if it cannot be halved.
fn halves<T>(range: &[T]) -> Vec<&[T]> {
    match range.len() {
        0 | 1 => Vec::new(),
        length => <[&[T]; 2]>::from(range.split_at(length / 2)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expr::Arena;

    #[test]
    fn only_what_has_to_change_stays_changed_and_the_model_holds() {
        let mut arena = Arena::new();
        let text = "(Ult 0x9:8 (Add in0[3] in0[4]))\n(Eq in0[9] 0x41:8)\n(Ule in0[0] in0[1])";
        let constraints = arena.parse(text).unwrap();
        let mut model: Model = (0..12).map(|k| ((0, k), 0x41)).collect();
        let query =
            Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, k| k as u8 };
        nearer(&query, &constraints, &mut model);
        let changed: Vec<u32> =
            model.iter().filter(|&(&(_, k), &v)| k as u8 != v).map(|(&(_, k), _)| k).collect();
        assert!(crate::satisfies(&query, &model));
        assert!(
            matches!(changed[..], [3, 9] | [4, 9]),
            "one of two summands, and what is compared: {changed:?}"
        );
    }

    #[test]
    fn a_long_model_costs_no_more_than_is_allowed_and_still_holds() {
        let mut arena = Arena::new();
        let text: String = (0..400).map(|k| format!("(Ne in0[{k}] 0x0:8)\n")).collect();
        let constraints = arena.parse(&text).unwrap();
        let mut model: Model = (0..400).map(|k| ((0, k), 7)).collect();
        let query = Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
        nearer(&query, &constraints, &mut model);
        assert!(crate::satisfies(&query, &model));
        assert_eq!(model.len(), 400);
    }
}
