//! Decorator: several solvers, cheap ones first. The place of searches.
//!
//! The order is learned: who answered no goal of a kind ([`crate::goals`]) lately, though it could have, is asked about goals of that kind
//! only when the others have given up. So a search does not run to its limit before each query that is infeasible and that
//! intervals or the SMT solver prove at once, and where the SMT solver gives up and a search finds models, that search comes first.
//! Now and then all are asked in the order of their cost again, to see whether that has changed. Counted in queries, so that the same
//! queries always go the same way.

use crate::goals::{ByKind, Goals};
use crate::{Answer, Clock, Limits, Query, Solver, StageStats, Unknown};

/// Unanswered queries of a kind in a row after which a solver is asked about it last.
const PATIENCE: u32 = 4;
/// Of so many queries of a kind one is asked in the order of cost.
const NOW_AND_THEN: u32 = 16;

/// Asks solvers one after the other until one knows the answer. If none does, the reason of one of them stands. They share
/// one time limit; who has others behind leaves them a quarter of what is left.
pub struct InTurn {
    solvers: Vec<Box<dyn Solver>>,
    speaker: usize,
    clock: Clock,
    /// What came of queries, by kind of goal.
    learned: Option<ByKind<Record>>,
}

impl InTurn {
    /// In the order given, that of their cost; `speaker` is the index of the one whose reason for not answering stands.
    pub fn new(solvers: Vec<Box<dyn Solver>>, speaker: usize, clock: Clock) -> InTurn {
        InTurn { solvers, speaker, clock, learned: None }
    }

    /// The same, with an order for each kind of goal, learned from what came of earlier queries.
    #[must_use]
    pub fn learning(self, goals: Goals) -> InTurn {
        InTurn { learned: Some(ByKind::new(goals)), ..self }
    }
}

/// What became of the goals of a kind.
struct Record {
    /// Unanswered in a row, of each solver.
    in_vain: Vec<u32>,
    /// Queries since all were asked in the order of cost.
    since: u32,
}

impl Record {
    /// The solvers' indexes in the order in which they are asked next.
    fn order(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.in_vain.len()).collect();
        self.since = (self.since + 1) % NOW_AND_THEN;
        if self.since != 0 {
            order.sort_by_key(|&k| self.in_vain[k] >= PATIENCE);
        }
        order
    }

    fn add(&mut self, solver: usize, answer: &Answer) {
        match answer {
            Answer::Sat(_) | Answer::Unsat(_) => self.in_vain[solver] = 0,
            // It was not for this one, or something is wrong with it: that says nothing of what it would have come to.
            Answer::Unknown(Unknown::Unsupported(_) | Unknown::WrongModel | Unknown::Failed(_)) => {}
            Answer::Unknown(Unknown::WorkLimit | Unknown::TimeLimit) => self.in_vain[solver] += 1,
        }
    }
}

impl Solver for InTurn {
    fn name(&self) -> &'static str {
        "in turn"
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let new = || Record { in_vain: vec![0; self.solvers.len()], since: 0 };
        let mut record =
            self.learned.as_mut().and_then(|kinds| kinds.of(query, |_| new())).map(|(_, record)| record);
        let order = match &mut record {
            Some(record) => record.order(),
            None => (0..self.solvers.len()).collect(),
        };
        let mut reason = None;
        let began = (self.clock)();
        for (place, &k) in order.iter().enumerate() {
            let Some(mut limits) = limits.left((self.clock)().saturating_sub(began)) else {
                // Who was never asked gave no reason.
                return Answer::Unknown(reason.unwrap_or(Unknown::TimeLimit));
            };
            if place + 1 < order.len() {
                limits.millis = (limits.millis * 3).div_ceil(4);
            }
            let answer = self.solvers[k].solve(query, &limits);
            if let Some(record) = &mut record {
                record.add(k, &answer);
            }
            match answer {
                Answer::Unknown(given) if k == self.speaker => reason = Some(given),
                Answer::Unknown(_) => {}
                answer => return answer,
            }
        }
        Answer::Unknown(reason.unwrap_or_else(|| Unknown::Unsupported("no solver is set up".into())))
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        for solver in &self.solvers {
            solver.stages(stages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, no_clock};
    use expr::{Arena, Op};
    use std::sync::{Arc, Mutex};

    /// Answers goals in which an operation occurs, or does not, and notes that it was asked.
    struct Of {
        name: &'static str,
        product: bool,
        asked: Arc<Mutex<String>>,
    }

    impl Solver for Of {
        fn name(&self) -> &'static str {
            self.name
        }

        fn solve(&mut self, query: &mut Query<'_>, _: &Limits) -> Answer {
            self.asked.lock().unwrap().push_str(self.name);
            let first = query.arena.args(query.constraints[0])[0];
            if (query.arena.op(first) == Op::Mul) == self.product {
                Answer::Sat(Model::new())
            } else {
                Answer::Unknown(Unknown::WorkLimit)
            }
        }
    }

    /// A place for goals that are not for it.
    struct NotForIt;

    impl Solver for NotForIt {
        fn name(&self) -> &'static str {
            "not for it"
        }

        fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
            Answer::Unknown(Unknown::Unsupported("never".into()))
        }
    }

    #[test]
    fn who_answers_no_goal_of_a_kind_is_asked_last_about_it() {
        let asked = Arc::new(Mutex::new(String::new()));
        let of = |name, product| Box::new(Of { name, product, asked: asked.clone() }) as Box<dyn Solver>;
        let solvers = vec![Box::new(NotForIt) as Box<dyn Solver>, of("s", false), of("p", true)];
        let mut solver = InTurn::new(solvers, 2, no_clock()).learning(Goals::default());
        let mut arena = Arena::new();
        let product = arena.parse("(Eq (Mul in0[0] in0[1]) 0x7:8)").unwrap();
        let sum = arena.parse("(Eq (Add in0[0] in0[1]) 0x7:8)").unwrap();
        let mut ask = |goal: &[expr::ExprId], times: u32| {
            asked.lock().unwrap().clear();
            for _ in 0..times {
                let mut query = Query { arena: &mut arena, arena_id: 1, constraints: goal, hint: &|_, _| 0 };
                assert!(matches!(solver.solve(&mut query, &Limits { work: 0, millis: 0 }), Answer::Sat(_)));
            }
            std::mem::take(&mut *asked.lock().unwrap())
        };
        assert_eq!(ask(&product, PATIENCE), "sp".repeat(4));
        assert_eq!(ask(&product, 5), "p".repeat(5), "the one that answers comes first");
        assert_eq!(ask(&sum, 20), "s".repeat(20), "another kind");
        let later = ask(&product, 3 * NOW_AND_THEN);
        assert_eq!(later.matches("sp").count(), 3, "now and then in the order of cost: {later}");
    }

    #[test]
    fn none_answers_and_the_reason_of_one_stands_whatever_the_order() {
        let asked = Arc::new(Mutex::new(String::new()));
        let never = Of { name: "s", product: true, asked };
        let solvers = vec![Box::new(never) as Box<dyn Solver>, Box::new(NotForIt)];
        let mut solver = InTurn::new(solvers, 1, no_clock()).learning(Goals::default());
        let mut arena = Arena::new();
        let sum = arena.parse("(Eq (Add in0[0] in0[1]) 0x7:8)").unwrap();
        for _ in 0..2 * PATIENCE {
            let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &sum, hint: &|_, _| 0 };
            let answer = solver.solve(&mut query, &Limits { work: 0, millis: 0 });
            assert_eq!(answer, Answer::Unknown(Unknown::Unsupported("never".into())));
        }
    }
}
