//! Goals beside the source's branches: what enters the map, and what a run tells of calling contexts.

#[expect(dead_code, reason = "another test reads the rest")]
mod support;

use program::{CondKind, GoalKind, ProgramMap};
use support::{Program, read_mapping};

const SOURCE: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    static void assume(int c) { if (!c) exit(3); }
    static void require(int c) { assume(c); }
    static int sign(int c) { if (c > 0) return 1; return c < 0 ? -1 : 0; }
    static int limit = 5;
    static void within(int c) { if (limit > 3) limit += c; }
    int main(void) {
        int a = getchar(), b = getchar();
        assume(a > 10);
        require(b > 20);
        require(a < 200);
        void (*through)(int) = limit ? assume : require;
        through(b < 210);
        within(a); within(b);
        if (sign(a) + sign(b) == 2 && limit == 4711) abort();
        return 0;
    }"#;

/// The calls that lead to each context of `assume`, by line, innermost first.
fn contexts(map: &ProgramMap) -> Vec<Vec<u32>> {
    let lines = |goal: &GoalKind| match goal {
        GoalKind::Context { of, calls } => {
            let function = map.conds[of.index()].function;
            assert_eq!(map.functions[function.index()].name, "assume");
            Some(calls.iter().map(|call| map.calls[call.index()].span.line).collect())
        }
        GoalKind::ErrorCall(_) => None,
    };
    map.goal_conds().filter_map(|(_, goal)| lines(goal)).collect()
}

#[test]
fn callers_of_small_checks_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("goals.c");
    std::fs::write(&source, SOURCE).unwrap();
    for level in ["-O0", "-O2"] {
        let program = Program::build(&source, &[level.into(), "-g".into()]);
        let map = &program.map;
        let mut all = contexts(map);
        assert_eq!(all[0], [0; 0], "{level}: calls through pointers are not told apart");
        all.sort();
        let expected: [&[u32]; 5] = [&[], &[], &[5, 12], &[5, 13], &[11]];
        assert_eq!(all, expected, "{level}");
        let own = map.branches.len() - map.goal_branches as usize;
        assert_eq!(
            (map.n_own_branches(), map.first_goal()),
            (own, own),
            "{level}: no branches of the source"
        );

        let mapping = folder.path().join("mapping");
        for flavour in [&program.flavours[0], &program.flavours[2]] {
            let ran = Program::run(flavour, b"!!", Some(&mapping));
            assert_eq!(ran.status.code(), Some(0), "{level}");
            let recorded = read_mapping(&mapping);
            let told: Vec<Vec<u32>> = trace::decisions(&recorded.trace, map)
                .iter()
                .filter(|d| d.context > 0)
                .map(|d| {
                    let within = map.in_context(d.step.branch().unwrap(), d.context).unwrap();
                    assert_eq!(
                        map.branches[within.index()].outcome,
                        1,
                        "the compiler jumps by `c`, which is true"
                    );
                    let calls = map.context_calls(d.context);
                    calls.iter().map(|call| map.calls[call.index()].span.line).collect()
                })
                .collect();
            let expected: [&[u32]; 4] = [&[11], &[5, 12], &[5, 13], &[]];
            assert_eq!(told, expected, "{level} {}", flavour.display());
        }
    }
}

#[test]
fn calls_that_report_errors_are_goals() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("goals.c");
    std::fs::write(&source, SOURCE).unwrap();
    let program = Program::build(&source, &["-O2".into(), "-g".into()]);
    let map = &program.map;
    let calls = map.goal_conds().filter_map(|(id, goal)| match goal {
        GoalKind::ErrorCall(call) => Some((id, *call)),
        GoalKind::Context { .. } => None,
    });
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(map.callee_name(calls[0].1), Some("abort"));
    let cond = &map.conds[calls[0].0.index()];
    assert_eq!((cond.n_branches, cond.span.line), (1, 17));
    assert!(matches!(cond.kind, CondKind::Goal(_)));
}
