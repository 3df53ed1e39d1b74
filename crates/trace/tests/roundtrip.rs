//! Traces of pretend programs: they check out, their constraints hold, their goals lead where they say, and
//! damaged ones are cut without a panic.

use expr::Evaluator;
use proptest::prelude::*;
use std::sync::Arc;
use trace::testing::*;
use trace::{
    Dropped, Event, EventKind, Goal, Input, Lifted, Mode, Node, Op, Outcome, PackedNode, Request, Run, Step,
    Target, Trace, Values, decisions,
};

/// A program with every kind of event.
fn program() -> Program {
    program_with(6)
}

/// The same, with this value in the end of its table.
fn program_with(last: u8) -> Program {
    Program::main([
        let_("n", byte(0).zext(32)),
        if_(var("n").mul(3).lt(300), [let_("m", num(1))], [let_("m", byte(1).zext(32))]),
        let_("k", num(0)),
        while_(var("k").lt(var("m").and(7)), [let_("k", var("k").add(1))]),
        switch(
            byte(2),
            [(b'a'.into(), vec![call("inner")]), (b'b'.into(), vec![Stmt::Pin(byte(3).add(1))])],
            [Stmt::Lose(byte(3))],
        ),
        let_("t", lookup([3, 1, 4, 1, 5, 9, 2, last], byte(4).and(7))),
        if_(var("t").gt(4), [let_("v", value("v", 4))], []),
        if_(var("v").eq(0x1234_5678), [crash()], []),
        Stmt::CallIndirect(byte(5).zext(64).mul(16).add(address_of(0))),
        if_(byte(9).eq(b'!'), [exit(3)], []),
    ])
    .function("inner", [Stmt::Assume(byte(3).ne(0)), if_(byte(3).slt(0), [abort()], [])])
}

fn run(target: &mut FakeTarget, input: &Input) -> Run {
    target.run(&Request { input, mode: Mode::Symbolic, value_seed: Some(7), max_inputs: None }).unwrap()
}

fn inputs() -> impl Strategy<Value = Input> {
    let bytes = prop_oneof![any::<u8>(), 0u8..4, Just(b'a'), Just(b'b'), Just(b'!')];
    proptest::collection::vec(bytes, 0..12).prop_map(Input::stdin)
}

fn validated(run: &Run) -> (Trace, Vec<trace::Problem>) {
    let t = run.trace.clone().unwrap();
    Trace::validated(t.nodes, t.events, t.tables, t.path, t.dropped, &run.input)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_run_checks_out_and_its_constraints_hold(input in inputs()) {
        let mut target = FakeTarget::new(&program());
        let run = run(&mut target, &input);
        let (trace, problems) = validated(&run);
        prop_assert_eq!(&problems, &[]);
        prop_assert_eq!(&trace, run.trace.as_ref().unwrap());
        let report = trace::check(&trace, &run.input, target.map());
        prop_assert!(report.is_clean(), "{:?}", report.first);

        let mut lifted = Lifted::new(Arc::new(trace));
        let all = lifted.path_constraint(usize::MAX, true, target.map());
        let held: Vec<_> = (0..lifted.trace().events.len()).map(|k| lifted.constraint(k, target.map())).collect();
        let goals: Vec<_> = (0..held.len()).map(|k| lifted.goal(k, Goal::Other, target.map())).collect();
        let byte = |o, k| run.input.byte(o, k).unwrap();
        let mut evaluator = Evaluator::new(&lifted.arena, &byte);
        for e in all {
            prop_assert!(evaluator.is_true(e));
        }
        for (h, g) in held.into_iter().zip(goals) {
            prop_assert_eq!(h.is_some(), g.is_some());
            prop_assert!(h.is_none_or(|e| evaluator.is_true(e)));
            prop_assert!(g.is_none_or(|e| !evaluator.is_true(e)));
        }
    }

    /// An input that satisfies the path constraint up to a decision and the goal there takes the wanted branch.
    #[test]
    fn goals_lead_where_they_say(input in inputs(), at in 0usize..12, byte in any::<u8>(), pick in any::<prop::sample::Index>()) {
        let mut target = FakeTarget::new(&program());
        let first = run(&mut target, &input);
        let trace = first.trace.unwrap();
        let path = decisions(&trace, target.map());
        prop_assume!(!path.is_empty() && at < input.len());
        let index = pick.index(path.len());
        let decision = path[index];
        let Some(taken) = decision.step.branch() else { return Ok(()) };
        let cond = target.map().branches[taken.index()].cond;

        let mut changed = first.input.clone();
        changed.objects[0].data[at] = byte;
        let mut lifted = Lifted::new(&trace);
        let constraints = lifted.path_constraint(decision.event as usize, true, target.map());
        for wanted in target.map().branches_of(cond) {
            let goal = lifted.goal(decision.event as usize, Goal::Take(wanted), target.map()).unwrap();
            let arena = lifted.arena.clone();
            let read = |o, k| changed.byte(o, k).unwrap_or(0);
            let mut evaluator = Evaluator::new(&arena, &read);
            if constraints.iter().chain([&goal]).all(|&e| evaluator.is_true(e)) {
                let second = run(&mut target, &changed);
                let steps: Vec<Step> = decisions(&second.trace.unwrap(), target.map()).iter().map(|d| d.step).collect();
                let mut expected: Vec<Step> = path[..index].iter().map(|d| d.step).collect();
                expected.push(Step::Branch(wanted));
                prop_assert_eq!(&steps[..=index], &expected[..]);
            }
        }
    }

    /// What is taken over of an earlier run means what it would if it were made anew, and reaches to where the two part.
    #[test]
    fn what_is_taken_over_means_the_same(
        input in inputs(),
        changes in proptest::collection::vec((0usize..12, any::<u8>()), 0..2),
        last in prop_oneof![Just(2u8), Just(6u8)],
        asked in any::<prop::sample::Index>(),
    ) {
        let mut changed = input.clone();
        for (at, value) in changes {
            if let Some(byte) = changed.objects[0].data.get_mut(at) {
                *byte = value;
            }
        }
        let mut target = FakeTarget::new(&program());
        let earlier = run(&mut target, &input).trace.unwrap();
        let other = run(&mut FakeTarget::new(&program_with(last)), &changed);
        let trace = other.trace.unwrap();

        let mut first = Lifted::new(&earlier);
        for k in 0..=asked.index(earlier.events.len() + 1) {
            first.constraint(k, target.map());
        }
        let mut taken = Lifted::new(&trace);
        let alike = taken.take_over(&first);
        taken.arena = std::mem::take(&mut first.arena);
        let mut fresh = Lifted::new(&trace);

        let same = trace.events.iter().zip(&earlier.events).take_while(|(a, b)| a == b).count();
        prop_assert!(alike <= same);
        prop_assert!(alike == same || last != 6, "the tables are the same: {alike} of {same}");
        let all = trace.events.len();
        let anew: Vec<_> = (0..all).map(|k| fresh.constraint(k, target.map())).collect();
        let held: Vec<_> = (0..all).map(|k| taken.constraint(k, target.map())).collect();
        for bytes in [&other.input, &input, &Input::stdin([7; 12]), &Input::stdin(*b"\x07\x03b\x01\x02\x05xxx!xx")] {
            let byte = |o, k| bytes.byte(o, k).unwrap_or(0);
            let (mut a, mut b) = (Evaluator::new(&fresh.arena, &byte), Evaluator::new(&taken.arena, &byte));
            for (anew, held) in anew.iter().zip(&held) {
                prop_assert_eq!(anew.map(|e| a.is_true(e)), held.map(|e| b.is_true(e)));
            }
        }
    }

    /// Whatever is in shared memory: no panic, and what remains is a trace that everything can work with.
    #[test]
    fn damage_is_cut_off(
        input in inputs(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..20),
    ) {
        let mut target = FakeTarget::new(&program());
        let run = run(&mut target, &input);
        let mut t = run.trace.unwrap();
        for (at, value, area) in damage {
            match area {
                0 => damage_node(&mut t.nodes, at, value),
                1 => damage_event(&mut t.events, at, value),
                _ if !t.tables.is_empty() => { let k = at.index(t.tables.len()); t.tables[k] = value; }
                _ => t.path.push(u32::from(value) << 24),
            }
        }
        let (trace, problems) = Trace::validated(t.nodes, t.events, t.tables, t.path, t.dropped, &run.input);
        for p in problems {
            prop_assert!(!p.to_string().is_empty());
        }
        let report = trace::check(&trace, &run.input, target.map());
        for m in report.first {
            prop_assert!(!m.to_string().is_empty());
        }
        let values = Values::new(&trace, &run.input);
        for label in 1..trace.nodes.len() as u32 {
            prop_assert!(values.chosen(label).is_none_or(|chosen| chosen < label));
        }
        let mut lifted = Lifted::new(&trace);
        lifted.path_constraint(usize::MAX, true, target.map());
        for k in 0..trace.events.len() {
            lifted.goal(k, Goal::Other, target.map());
        }
        decisions(&trace, target.map());
        let (again, problems) =
            Trace::validated(trace.nodes.clone(), trace.events.clone(), trace.tables.clone(), trace.path.clone(), trace.dropped, &run.input);
        prop_assert_eq!(problems, []);
        prop_assert_eq!(again, trace);
    }
}

fn node(op: Op, width: u16, [l, r, t]: [u32; 3], a: u64, b: u64) -> PackedNode {
    PackedNode::new(Node { op: op as u8, aux: 0, width, l, r, t, a, b })
}

fn validated_nodes(nodes: Vec<PackedNode>) -> (Trace, Vec<trace::Problem>) {
    Trace::validated(nodes, Vec::new(), Vec::new(), Vec::new(), Dropped::default(), &Input::stdin("ab"))
}

#[test]
fn label_0_is_nothing_whatever_was_written_there() {
    for written in [node(Op::Ite, 8, [0, 0, 99], 0, 0), node(Op::Read, 8, [1, 0, 0], 7, 0)] {
        let (trace, problems) = validated_nodes(vec![written, node(Op::Input, 8, [0; 3], 0, 0)]);
        assert_eq!((problems, trace.nodes[0]), (Vec::new(), PackedNode::default()));
    }
}

#[test]
fn constants_without_bits_are_refused() {
    let byte = node(Op::Input, 8, [0; 3], 0, 0);
    for empty in [node(Op::Concat, 8, [0, 1, 0], 0, 0), node(Op::Concat, 8, [1, 0, 0], 0, 0)] {
        let (trace, problems) = validated_nodes(vec![PackedNode::default(), byte, empty]);
        assert_eq!((trace.nodes.len(), problems.len()), (2, 1), "{problems:?}");
    }
}

fn damage_node(nodes: &mut [PackedNode], at: prop::sample::Index, value: u8) {
    let n = &mut nodes[at.index(nodes.len())];
    match value % 7 {
        0 => n.op = value,
        1 => n.width = u16::from(value) << 7,
        2 => n.first = u32::from(value),
        3 => n.form = value,
        4 => n.rest = u64::from(value),
        5 => n.rest = u64::from(value) << 56,
        _ => n.width = u16::from(value % 65),
    }
}

fn damage_event(events: &mut [Event], at: prop::sample::Index, value: u8) {
    if events.is_empty() {
        return;
    }
    let e = &mut events[at.index(events.len())];
    match value % 5 {
        0 => e.kind = value,
        1 => e.label = u32::from(value),
        2 => e.value = u64::from(value) << 40,
        3 => e.site = u32::from(value) << 16,
        _ => e.width = u16::from(value),
    }
}

#[test]
fn a_wrong_value_is_reported_with_its_place() {
    let mut target = FakeTarget::new(&Program::main([if_(byte(0).eq(b'x'), [], [])]));
    let input = Input::stdin("x");
    let run = run(&mut target, &input);
    let mut trace = run.trace.unwrap();
    trace.events[0].value = 0;
    let report = trace::check(&trace, &input, target.map());
    assert_eq!(report.total(), 1);
    assert_eq!(report.mismatches.keys().next(), Some(&(Op::Eq, 0)));
    assert_eq!(
        report.first[0].to_string(),
        "event 0 (branch) at fake.c:2:1: the program saw 0x0, expression 2 (Eq) gives 0x1:1"
    );
}

#[test]
fn a_trace_a_million_nodes_deep_is_lifted_and_checked() {
    let input = Input::stdin("z");
    let leaf = Node { op: Op::Input as u8, aux: 0, width: 8, l: 0, r: 0, t: 0, a: 0, b: 0 };
    let mut nodes = vec![PackedNode::new(leaf); 2];
    for l in 1..1_000_000u32 {
        let op = if l % 2 == 0 { Op::Add } else { Op::Mul };
        nodes.push(PackedNode::new(Node { op: op as u8, l, b: 3, a: 0, ..leaf }));
    }
    let last = nodes.len() as u32;
    nodes.push(PackedNode::new(Node { op: Op::Eq as u8, width: 1, l: last - 1, b: 5, ..leaf }));
    let event =
        Event { kind: EventKind::Branch as u8, aux: 0, width: 0, site: 0, label: last, pos: 0, value: 0 };
    let (mut trace, problems) =
        Trace::validated(nodes, vec![event], vec![], vec![], Default::default(), &input);
    assert_eq!(problems, []);
    let map = program::ProgramMap::default();
    let computed = u64::from(trace::check(&trace, &input, &map).total() == 1);
    trace.events[0].value = computed;
    assert!(trace::check(&trace, &input, &map).is_clean());
    let mut lifted = Lifted::new(&trace);
    let held = lifted.constraint(0, &map).unwrap();
    let byte = |_, _| b'z';
    assert!(Evaluator::new(&lifted.arena, &byte).is_true(held));
}

#[test]
fn values_are_drawn_recorded_and_given_back() {
    let mut target =
        FakeTarget::new(&Program::main([let_("v", value("v", 4)), if_(var("v").eq(5), [crash()], [])]));
    let drawn = run(&mut target, &Input::default());
    assert_eq!(drawn.outcome, Outcome::Exit(0));
    assert_eq!(drawn.input.len(), 4);
    assert_eq!(run(&mut target, &drawn.input).input, drawn.input);
    let mut five = drawn.input;
    five.objects[0].data = vec![5, 0, 0, 0];
    assert_eq!(run(&mut target, &five).outcome, Outcome::Signal(11));
}

#[test]
fn reading_past_the_end_is_told() {
    let mut target = FakeTarget::new(&Program::main([if_(byte(3).eq(1), [], [])]));
    let run = run(&mut target, &Input::stdin("ab"));
    assert_eq!(run.past_end, [(0, 4)]);
    assert_eq!(run.trace.unwrap().events[0].kind, EventKind::Eof as u8);
}
