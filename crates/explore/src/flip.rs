//! From a question to an input: the two ways of asking, and what came of it.
//!
//! Decisions that no jump depends on (optimisation makes `n += c == 'a'` of a branch) are first kept, so that the input changes little;
//! if that is unsatisfiable and one of them is part of the reason, the question is asked once more without it: the path is the same, with
//! other values.
//!
//! Values that were pinned where precision was lost come next (the path is known to be followed only
//! under them): where one is part of the reason, the question is asked without them. A wrong guess shows as
//! a divergence.

use crate::lifted::{LiftedRun, Question};
use crate::recent::Recorded;
use events::{FlipAnswer, Unsolved};
use expr::ExprId;
use program::BranchId;
use solve::{Answer, Limits, Model, Query, Solver, Unknown};
use std::sync::Arc;
use trace::{Input, ObjectKind};

/// What came of a flip's question.
pub struct Solved {
    /// The parent's trace, if it could be had.
    pub recorded: Option<Arc<Recorded>>,
    /// The input, if there is one.
    pub input: Option<Input>,
    /// The answer.
    pub answer: FlipAnswer,
    /// If there is no input whatever was pinned: branches of the path that contradict the goal, in order. `None` if what
    /// contradicts it has more than branches in it.
    pub contradicts: Option<Vec<BranchId>>,
    /// Decisions of the parent's path that no jump depends on and that may come out otherwise, ascending.
    pub free: Vec<u32>,
    /// How many queries it took.
    pub queries: u32,
    /// Time it took, in microseconds.
    pub solve_us: u64,
    /// The worker.
    pub worker: u32,
}

impl Solved {
    /// There is no trace to ask about.
    pub fn trace_lost(worker: u32) -> Solved {
        let answer = FlipAnswer::Unknown(Unsolved::TraceLost);
        let (contradicts, free) = (None, Vec::new());
        Solved { recorded: None, input: None, answer, contradicts, free, queries: 0, solve_us: 0, worker }
    }

    /// The trace does not have what the flip is about.
    pub fn malformed(worker: u32, recorded: Arc<Recorded>, what: String) -> Solved {
        let answer = FlipAnswer::Unknown(Unsolved::Malformed(what));
        Solved { recorded: Some(recorded), answer, ..Solved::trace_lost(worker) }
    }
}

/// How often only what is blamed for a contradiction is let go, before all that can be is: of the decisions that are data, and of the pins.
const ROUNDS: u32 = 3;

/// Asks the solver, with decisions that are data and pins and, where these contradict the goal, without those: each round lets go of those
/// in the core of the contradiction, so that the rest of the path stays as it was. `limits` are those of a query that begins
/// now, `None` when there is no time left for one.
pub fn ask(
    run: &mut LiftedRun,
    question: &Question,
    solver: &mut dyn Solver,
    limits: &dyn Fn() -> Option<Limits>,
) -> Asked {
    relax(question, |kept| {
        let constraints: Vec<ExprId> = kept.iter().map(|&k| question.constraints[k]).collect();
        match limits() {
            Some(limits) => query(run, &constraints, solver, &limits),
            None => Answer::Unknown(Unknown::TimeLimit),
        }
    })
}

/// What came of asking.
pub struct Asked {
    /// The model, if there is one.
    pub model: Option<Model>,
    /// The answer.
    pub answer: FlipAnswer,
    /// Number of queries.
    pub queries: u32,
    /// Of an unsatisfiable question without pins in the reason: the constraints that contradict each other.
    pub core: Option<Vec<usize>>,
    /// Constraints that are data and were let go.
    pub free: Vec<usize>,
}

/// [`ask`], with `solve` answering for the constraints of these indexes; cores count within them.
fn relax(question: &Question, mut solve: impl FnMut(&[usize]) -> Answer) -> Asked {
    let mut kept: Vec<usize> = (0..question.constraints.len()).collect();
    let (mut queries, mut unpinned, mut freed) = (0, 0, 0);
    loop {
        let answer = solve(&kept);
        queries += 1;
        let gone = |k: &usize| kept.binary_search(k).is_err();
        let free = question.data.iter().copied().filter(gone).collect();
        let without = |answer| Asked { model: None, answer, queries, core: None, free };
        let pinned = unpinned > 0;
        match answer {
            Answer::Sat(model) => {
                return Asked { model: Some(model), ..without(FlipAnswer::Sat { unpinned: pinned }) };
            }
            Answer::Unknown(_) if pinned => return without(FlipAnswer::Unsat { pinned }),
            Answer::Unknown(why) => return without(FlipAnswer::Unknown(unsolved(why))),
            Answer::Unsat(core) => {
                let blamed: Vec<usize> = core.iter().filter_map(|&k| kept.get(k).copied()).collect();
                if blamed.iter().any(|&k| question.is_data(k)) {
                    freed += 1;
                    let all = freed >= ROUNDS;
                    kept.retain(|k| !question.is_data(*k) || !(all || blamed.contains(k)));
                } else if blamed.iter().any(|&k| question.is_pin(k)) {
                    unpinned += 1;
                    let all = unpinned >= ROUNDS;
                    kept.retain(|k| !question.is_pin(*k) || !(all || blamed.contains(k)));
                } else {
                    // Without any of these in what contradicts each other, letting more go changes nothing.
                    return Asked { core: Some(blamed), ..without(FlipAnswer::Unsat { pinned: false }) };
                }
            }
        }
    }
}

fn query(run: &mut LiftedRun, constraints: &[ExprId], solver: &mut dyn Solver, limits: &Limits) -> Answer {
    let recorded = run.recorded().clone();
    let hint = |object, offset| recorded.input.byte(object, offset).unwrap_or(0);
    let (arena_id, arena) = (run.arena_id, &mut run.lifted.arena);
    solver.solve(&mut Query { arena, arena_id, constraints, hint: &hint }, limits)
}

fn unsolved(why: Unknown) -> Unsolved {
    match why {
        Unknown::WorkLimit => Unsolved::WorkLimit,
        Unknown::TimeLimit => Unsolved::TimeLimit,
        Unknown::Unsupported(what) => Unsolved::Unsupported(what),
        Unknown::WrongModel => Unsolved::WrongModel,
        Unknown::Failed(what) => Unsolved::Failed(what),
    }
}

/// The parent's input with the model's bytes. A NUL in an argument or environment variable ends it there.
pub fn patched(parent: &Input, model: &Model) -> Input {
    let mut input = parent.clone();
    for (&(object, offset), &byte) in model {
        let data = input.objects.get_mut(object as usize).and_then(|o| o.data.get_mut(offset as usize));
        if let Some(b) = data {
            *b = byte;
        }
    }
    for object in &mut input.objects {
        if matches!(object.kind, ObjectKind::Arg | ObjectKind::Env)
            && let Some(end) = object.data.iter().position(|&b| b == 0)
        {
            object.data.truncate(end);
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Decision, Object, Step, ValueType};

    /// Constraints 0 to 5; the pins are 1, 2 and 4.
    fn question() -> Question {
        Question {
            constraints: vec![ExprId(1); 6],
            pins: vec![1, 2, 4],
            data: Vec::new(),
            events: vec![3, 5, 6, 8, 9],
        }
    }

    #[test]
    fn only_the_blamed_pins_are_let_go() {
        let mut asked = Vec::new();
        let Asked { model, answer, queries, .. } = relax(&question(), |kept| {
            asked.push(kept.to_vec());
            if kept.contains(&4) { Answer::Unsat(vec![0, 4, 5]) } else { Answer::Sat(Model::default()) }
        });
        assert!(model.is_some());
        assert_eq!((answer, queries), (FlipAnswer::Sat { unpinned: true }, 2));
        assert_eq!(asked, [vec![0, 1, 2, 3, 4, 5], vec![0, 1, 2, 3, 5]]);
    }

    #[test]
    fn indexes_of_cores_count_within_what_is_left() {
        let mut asked = Vec::new();
        let Asked { answer, queries, core, .. } = relax(&question(), |kept| {
            asked.push(kept.to_vec());
            match asked.len() {
                1 => Answer::Unsat(vec![1, 5]),
                2 => Answer::Unsat(vec![1, 4]),
                _ => Answer::Unsat(vec![0, 1, 3]),
            }
        });
        assert_eq!(core, Some(vec![0, 3, 5]));
        // Two of them are decisions of the path; the last is the goal.
        let at = |event, step| Decision { event, step, callees: 0, context: 0 };
        let branch = |b| Step::Branch(BranchId(b));
        let path = [at(3, branch(30)), at(7, branch(70)), at(8, branch(80))];
        assert_eq!(question().contradicts(&[0, 3, 5], &path), Some(vec![BranchId(30), BranchId(80)]));
        assert_eq!(question().contradicts(&[1, 5], &path), None, "a condition of another kind");
        assert_eq!((answer, queries), (FlipAnswer::Unsat { pinned: false }, 3));
        assert_eq!(asked[1..], [vec![0, 2, 3, 4, 5], vec![0, 3, 4, 5]]);
    }

    #[test]
    fn decisions_that_are_data_go_before_pins_and_are_told() {
        let question = Question { pins: vec![2, 4], data: vec![1, 3], ..question() };
        let mut asked = Vec::new();
        let Asked { answer, queries, free, .. } = relax(&question, |kept| {
            asked.push(kept.to_vec());
            match kept {
                [_, 1, ..] => Answer::Unsat(vec![0, 1, 2, 5]),
                _ if kept.contains(&4) => Answer::Unsat(vec![3]),
                _ => Answer::Sat(Model::default()),
            }
        });
        assert_eq!(asked, [vec![0, 1, 2, 3, 4, 5], vec![0, 2, 3, 4, 5], vec![0, 2, 3, 5]]);
        assert_eq!((answer, queries, free), (FlipAnswer::Sat { unpinned: true }, 3, vec![1]));
        let Asked { answer, queries, core, .. } = relax(&question, |kept| {
            let data = kept.iter().position(|&k| question.is_data(k));
            Answer::Unsat(vec![data.unwrap_or(0)])
        });
        assert_eq!((answer, queries, core), (FlipAnswer::Unsat { pinned: false }, 3, Some(vec![0])));
    }

    #[test]
    fn after_some_rounds_all_pins_go() {
        let (pins, data, events) = ((0..8).collect(), Vec::new(), (0..8).collect());
        let many = Question { constraints: vec![ExprId(1); 9], pins, data, events };
        let Asked { answer, queries, .. } = relax(&many, |kept| {
            if kept == [8] { Answer::Sat(Model::default()) } else { Answer::Unsat(vec![0, kept.len() - 1]) }
        });
        assert_eq!((answer, queries), (FlipAnswer::Sat { unpinned: true }, ROUNDS + 1));
    }

    #[test]
    fn bytes_are_patched_and_everything_else_stays() {
        let value = Object { value_type: ValueType::Signed, ..Object::new(ObjectKind::Value, "x", *b"abcd") };
        let parent = Input { objects: vec![Object::new(ObjectKind::Stdin, "stdin", *b"12"), value.clone()] };
        let model = Model::from([((0, 1), b'!'), ((1, 0), 0), ((1, 99), 7), ((9, 0), 7)]);
        let input = patched(&parent, &model);
        assert_eq!(input.objects[0].data, b"1!");
        assert_eq!(input.objects[1], Object { data: b"\0bcd".to_vec(), ..value });
    }

    #[test]
    fn a_nul_ends_an_argument() {
        let parent = Input { objects: vec![Object::new(ObjectKind::Arg, "1", *b"abcd")] };
        assert_eq!(patched(&parent, &Model::from([((0, 2), 0)])).objects[0].data, b"ab");
    }
}
