//! Decorator: a solver that is asked only while it answers often enough.
//!
//! An attempt that costs more than it saves is worse than none, and which attempts pay differs from program to program: the
//! goal's own bytes decide nearly every flip of one parser and, once a search has taken the easy ones, none of another.
//! So the share of answers is followed, and below a limit the solver is asked now and then only, to see whether that
//! has changed. Counted in queries, so that the same queries always go the same way.

use crate::{Answer, Limits, Query, Solver, StageStats, Unknown};

/// Share of answers below which the solver is asked now and then only.
const WORTH: f64 = 1.0 / 16.0;
/// How fast old answers are forgotten.
const RECENT: f64 = 1.0 / 32.0;
/// Of so many queries one is asked all the same.
const NOW_AND_THEN: u64 = 32;

/// Asks `S` while that is promising.
pub struct Promising<S> {
    inner: S,
    /// Recent share of answers.
    share: f64,
    skipped: u64,
}

impl<S: Solver> Promising<S> {
    /// Around `inner`, of which much is expected at first.
    pub fn new(inner: S) -> Promising<S> {
        Promising { inner, share: 0.5, skipped: 0 }
    }
}

impl<S: Solver> Solver for Promising<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        if self.share < WORTH {
            self.skipped += 1;
            if !self.skipped.is_multiple_of(NOW_AND_THEN) {
                return Answer::Unknown(Unknown::Unsupported("it has not paid lately".into()));
            }
        }
        let answer = self.inner.solve(query, limits);
        let answered = f64::from(u8::from(!matches!(answer, Answer::Unknown(_))));
        self.share += (answered - self.share) * RECENT;
        answer
    }

    fn stages(&self, stages: &mut Vec<StageStats>) {
        self.inner.stages(stages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    /// Answers if told to, and counts.
    struct Counter {
        answers: std::sync::Arc<std::sync::Mutex<(bool, u64)>>,
    }

    impl Solver for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn solve(&mut self, _: &mut Query<'_>, _: &Limits) -> Answer {
            let mut state = self.answers.lock().unwrap();
            state.1 += 1;
            if state.0 { Answer::Sat(Model::new()) } else { Answer::Unknown(Unknown::WorkLimit) }
        }
    }

    #[test]
    fn what_never_answers_is_soon_asked_seldom_and_what_answers_always_is() {
        let answers = std::sync::Arc::new(std::sync::Mutex::new((false, 0)));
        let mut solver = Promising::new(Counter { answers: answers.clone() });
        let mut arena = expr::Arena::new();
        let mut ask = |count: u64| {
            answers.lock().unwrap().1 = 0;
            for _ in 0..count {
                let mut query = Query { arena: &mut arena, arena_id: 1, constraints: &[], hint: &|_, _| 0 };
                solver.solve(&mut query, &Limits { work: 0, millis: 0 });
            }
            answers.lock().unwrap().1
        };
        assert!(ask(64) > 60, "much is expected at first");
        ask(64);
        assert_eq!(ask(320), 10);
        answers.lock().unwrap().0 = true;
        ask(320);
        assert_eq!(ask(100), 100);
    }
}
