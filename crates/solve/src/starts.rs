//! Inputs to begin a search at, handed from one solver of a chain to later ones.
//!
//! A solver that cannot answer may still know where an answer is likely. (Godefroid-style chains pass nothing on; CORAL does:
//! Borges et al., "Symbolic Execution with Interval Solving and Meta-heuristic Search", ICST 2012, seed the search with
//! samples of the boxes that interval propagation leaves.)

use crate::{Model, Query};
use expr::ExprId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Inputs for the query that was asked last. Clones share them.
#[derive(Clone, Default)]
pub struct Starts(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    arena_id: u64,
    constraints: Vec<ExprId>,
    models: Vec<Model>,
}

impl Starts {
    fn open(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps inputs for a query, best first, instead of what was kept before.
    pub fn offer(&self, query: &Query<'_>, models: Vec<Model>) {
        let constraints = query.constraints.to_vec();
        *self.open() = Kept { arena_id: query.arena_id, constraints, models };
    }

    /// Inputs that were offered for this very query, best first.
    pub fn of(&self, query: &Query<'_>) -> Vec<Model> {
        let kept = self.open();
        let is_same = kept.arena_id == query.arena_id && kept.constraints == query.constraints;
        if is_same { kept.models.clone() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_those_of_the_same_query() {
        let mut arena = expr::Arena::new();
        let constraints = arena.parse("(Ult in0[0] 0x5:8)\n(Ult in0[1] 0x5:8)").unwrap();
        let starts = Starts::default();
        let mut ask = |arena_id: u64, constraints: &[ExprId], models: Option<Vec<Model>>| {
            let query = Query { arena: &mut arena, arena_id, constraints, hint: &|_, _| 0 };
            match models {
                Some(models) => starts.offer(&query, models),
                None => assert!(starts.clone().of(&query).is_empty()),
            }
            starts.of(&query)
        };
        let model = Model::from([((0, 0), 1)]);
        assert!(ask(1, &constraints, None).is_empty());
        assert_eq!(ask(1, &constraints, Some(vec![model.clone()])), [model]);
        ask(2, &constraints, None);
        ask(1, &constraints[..1], None);
    }
}
