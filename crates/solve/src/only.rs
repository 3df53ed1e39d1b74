//! Decorator: a solver that is asked about some kinds of queries only. What it would decline by itself then does not count as
//! a failure where failures are counted ([`crate::Learned`]).

use crate::{Answer, Kind, Kinds, Limits, Query, Solver, StageStats, Unknown};

/// Asks `S` about queries of one kind.
pub struct Only<S> {
    inner: S,
    kind: Kind,
    kinds: Kinds,
}

impl<S: Solver> Only<S> {
    /// Around `inner`, for queries whose most demanding constraint is of this kind.
    pub fn new(inner: S, kind: Kind) -> Only<S> {
        Only { inner, kind, kinds: Kinds::default() }
    }
}

impl<S: Solver> Solver for Only<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        if self.kinds.kind(query.arena, query.arena_id, query.constraints) == self.kind {
            return self.inner.solve(query, limits);
        }
        Answer::Unknown(Unknown::Unsupported(format!("not a query for {}", self.inner.name())))
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    struct Yes;

    impl Solver for Yes {
        fn name(&self) -> &'static str {
            "yes"
        }

        fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
            Answer::Sat(Model::new())
        }
    }

    #[test]
    fn other_kinds_are_declined_without_asking() {
        let mut arena = expr::Arena::new();
        let mut solver = Only::new(Yes, Kind::NonLinear);
        let mut ask = |text: &str| {
            let constraints = arena.parse(text).unwrap();
            let mut query =
                Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
            solver.solve(&mut query, &Limits { work: 0, millis: 0 })
        };
        assert_eq!(ask("(Eq (Mul in0[0] in0[1]) 0x7:8)\n(Ult in0[0] 0x3:8)"), Answer::Sat(Model::new()));
        let answer = ask("(Ult in0[0] 0x3:8)");
        assert!(
            matches!(&answer, Answer::Unknown(Unknown::Unsupported(why)) if why.contains("yes")),
            "{answer:?}"
        );
    }
}
