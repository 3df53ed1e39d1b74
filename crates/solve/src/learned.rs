//! Decorator: how much work a query may cost follows from what queries like it came to.
//!
//! Goals come in kinds: a comparison of characters, a sum of digits, a product of two parsed numbers. Of some kinds the back
//! end decides nothing within any limit worth waiting for, and a path that runs through a loop has hundreds of
//! them. So the goals' kinds (which costly operations, how many expressions, to a power of four) are remembered with
//! what became of them: a kind of which [`PATIENCE`] in a row went unanswered gets [`LITTLE`] work, one of which [`HOPELESS`] did none (circuits are built without
//! a look at limits), and only one in [`NOW_AND_THEN`] the whole limit, to see whether that has changed. A kind that was never
//! met begins as kinds of its class (plain, with products, with floats) mostly end: GSL's goals are of a hundred kinds, most
//! asked about once, and of all those with floats that came here one in ten was answered. Counted in queries and in the back end's own steps, so
//! that the same queries always go the same way.
//!
//! A much simpler relative of solver selection from features of the formula (Xu et al., "SATzilla", JAIR 2008).

use crate::goals::{ByKind, Goals};
use crate::{Answer, Limits, Query, Solver, StageStats, Unknown};

/// Unanswered queries in a row after which a kind gets little work.
const PATIENCE: u32 = 2;
/// Unanswered queries in a row after which a kind is not asked about.
const HOPELESS: u32 = 12;
/// Steps of the back end that it gets before.
const LITTLE: u64 = 1000;
/// Of so many queries of such a kind one gets the whole limit.
const NOW_AND_THEN: u32 = 16;
/// Share of answers below which new kinds of a class begin with little work.
const POOR: f64 = 1.0 / 8.0;
/// How fast a class's old answers are forgotten.
const RECENT: f64 = 1.0 / 8.0;

/// Asks `S` with as much work as queries of this kind are worth.
pub struct Learned<S> {
    inner: S,
    kinds: ByKind<Record>,
    classes: [Class; 3],
}

impl<S: Solver> Learned<S> {
    /// Around `inner`, of which nothing is known yet.
    pub fn new(inner: S, goals: Goals) -> Learned<S> {
        Learned { inner, kinds: ByKind::new(goals), classes: Default::default() }
    }
}

/// Kinds with much in common.
#[derive(Debug)]
struct Class {
    /// Recent share of answers.
    share: f64,
    /// Kinds that were new.
    kinds: u32,
}

impl Default for Class {
    fn default() -> Class {
        Class { share: 0.5, kinds: 0 }
    }
}

impl Class {
    /// What a new kind begins with.
    fn record(&mut self) -> Record {
        self.kinds = (self.kinds + 1) % NOW_AND_THEN;
        Record { in_vain: if self.share < POOR { PATIENCE } else { 0 }, since: self.kinds }
    }

    fn add(&mut self, answer: &Answer) {
        let answered = f64::from(u8::from(!matches!(answer, Answer::Unknown(_))));
        self.share += (answered - self.share) * RECENT;
    }
}

/// What became of the goals of a kind.
#[derive(Clone, Copy, Default, Debug)]
struct Record {
    /// Unanswered in a row.
    in_vain: u32,
    /// Queries since the whole limit was last given.
    since: u32,
}

/// How much work a query gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effort {
    Whole,
    Little,
    None,
}

impl Record {
    /// What the next query gets.
    fn effort(&mut self) -> Effort {
        if self.in_vain < PATIENCE {
            return Effort::Whole;
        }
        self.since = (self.since + 1) % NOW_AND_THEN;
        match self.since {
            0 => Effort::Whole,
            _ if self.in_vain < HOPELESS => Effort::Little,
            _ => Effort::None,
        }
    }

    /// What came of a query.
    fn add(&mut self, answer: &Answer, effort: Effort) {
        match answer {
            Answer::Unknown(Unknown::WrongModel | Unknown::Failed(_)) => {}
            Answer::Unknown(_) => self.in_vain += 1,
            // That little work was enough says nothing of more, but that little is worth it.
            Answer::Sat(_) | Answer::Unsat(_) if effort == Effort::Little => self.in_vain = PATIENCE,
            // The next one in vain is one too many again.
            Answer::Sat(_) | Answer::Unsat(_) if self.in_vain >= PATIENCE => self.in_vain = PATIENCE - 1,
            Answer::Sat(_) | Answer::Unsat(_) => self.in_vain = 0,
        }
    }
}

impl<S: Solver> Solver for Learned<S> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
        let classes = &mut self.classes;
        let Some((kind, record)) = self.kinds.of(query, |kind| classes[kind.class()].record()) else {
            return self.inner.solve(query, limits);
        };
        let effort = record.effort();
        let work = match (effort, limits.work) {
            (Effort::None, _) => return Answer::Unknown(Unknown::WorkLimit),
            (Effort::Little, 0) => LITTLE,
            (Effort::Little, work) => work.min(LITTLE),
            (Effort::Whole, work) => work,
        };
        let answer = self.inner.solve(query, &Limits { work, ..*limits });
        record.add(&answer, effort);
        self.classes[kind.class()].add(&answer);
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
    use expr::{Arena, ExprId, Op};
    use std::sync::{Arc, Mutex};

    /// Answers queries whose goal has no product, and those with one if there is no limit and it is told to; keeps the limits.
    struct Slow {
        seen: Arc<Mutex<Vec<u64>>>,
        answers: Arc<Mutex<bool>>,
    }

    impl Solver for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn solve(&mut self, query: &mut Query<'_>, limits: &Limits) -> Answer {
            self.seen.lock().unwrap().push(limits.work);
            let goal = query.constraints[0];
            let easy = query.arena.op(query.arena.args(goal)[0]) != Op::Mul;
            if easy || (limits.work == 0 && *self.answers.lock().unwrap()) {
                Answer::Sat(Model::new())
            } else {
                Answer::Unknown(Unknown::WorkLimit)
            }
        }
    }

    #[test]
    fn kinds_that_are_never_answered_get_little_and_others_everything() {
        let (seen, answers) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(false)));
        let mut solver =
            Learned::new(Slow { seen: seen.clone(), answers: answers.clone() }, Goals::default());
        let mut arena = Arena::new();
        let hard = arena.parse("(Eq (Mul in0[0] in0[1]) 0x7:8)").unwrap();
        let same = arena.parse("(Eq (Mul in0[2] in0[3]) 0x9:8)").unwrap();
        let easy = arena.parse("(Eq (Add in0[0] in0[1]) 0x7:8)").unwrap();
        let mut ask = |constraints: &[ExprId], times: u32, work: u64| {
            seen.lock().unwrap().clear();
            for _ in 0..times {
                let mut query = Query { arena: &mut arena, arena_id: 1, constraints, hint: &|_, _| 0 };
                solver.solve(&mut query, &Limits { work, millis: 0 });
            }
            seen.lock().unwrap().clone()
        };
        assert_eq!(ask(&hard, 4, 0), [0, 0, LITTLE, LITTLE]);
        assert_eq!(ask(&same, 2, 0), [LITTLE; 2], "the same kind");
        assert_eq!(ask(&same, 2, 10), [10; 2], "never more than is allowed");
        assert_eq!(ask(&easy, 40, 0), [0; 40]);
        let asked = ask(&hard, 10 * NOW_AND_THEN, 0);
        assert!(
            asked[10..].iter().all(|&work| work == 0),
            "soon only now and then, with the whole limit: {asked:?}"
        );
        let whole = |seen: Vec<u64>| seen.iter().filter(|&&work| work == 0).count();
        assert_eq!(ask(&hard, 10 * NOW_AND_THEN, 0), [0; 10]);
        *answers.lock().unwrap() = true;
        ask(&hard, NOW_AND_THEN, 0);
        assert_eq!(whole(ask(&hard, 40, 0)), 40, "one answer, and it gets everything again");
    }

    #[test]
    fn new_kinds_of_a_class_that_goes_unanswered_begin_with_little() {
        let (seen, answers) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(false)));
        let mut solver = Learned::new(Slow { seen: seen.clone(), answers }, Goals::default());
        let mut arena = Arena::new();
        let mut ask = |goal: &str| {
            let constraints = arena.parse(goal).unwrap();
            let mut query =
                Query { arena: &mut arena, arena_id: 1, constraints: &constraints, hint: &|_, _| 0 };
            solver.solve(&mut query, &Limits { work: 0, millis: 0 });
            seen.lock().unwrap().pop().unwrap()
        };
        // Sixteen kinds, each with other costly operations.
        let operations = ["UDiv", "SDiv", "URem", "SRem"];
        let mut work = Vec::new();
        for kind in 0..16 {
            let chosen = (0..4).filter(|k| kind >> k & 1 == 1);
            let operand = chosen.fold("in0[1]".to_owned(), |e, k| format!("({} {e} in0[2])", operations[k]));
            work.push(ask(&format!("(Eq (Mul in0[0] {operand}) 0x7:8)")));
        }
        assert_eq!(work[..2], [0, 0], "nothing is known yet");
        assert_eq!(work[11..14], [LITTLE; 3], "{work:?}");
        assert_eq!(work[14], 0, "now and then the whole limit");
        assert_eq!(ask("(Eq (Sub in0[0] in0[1]) 0x7:8)"), 0, "another class");
    }
}
