//! The graph, distances and derived coverage on a small program built by hand.

use program::*;

const NOWHERE: Span = Span { file: Some(FileId(0)), line: 1, column: 0 };

/// ```text
/// main:  B0: call f; if c0 { B1: call via pointer } else { B2 }; B3: x = c1 ? … : …; end
/// f:     B4: if c2 { B5 } else { B6: if c3 { B7 } else { B8 } }
/// g:     B9: if c4 { B10 } else { B11 }        (only called through a pointer)
/// ```
fn map() -> ProgramMap {
    let mut map = ProgramMap { version: MAP_VERSION, files: vec!["x.c".into()], ..ProgramMap::default() };
    for (name, first, n) in [("main", 0, 4), ("f", 4, 5), ("g", 9, 3)] {
        map.functions.push(Function {
            name: name.into(),
            linkage_name: name.into(),
            span: NOWHERE,
            first_block: BlockId(first),
            n_blocks: n,
            address_taken: name == "g",
        });
    }
    let conds = [
        (0, 0, CondKind::If),
        (0, 3, CondKind::Select),
        (1, 4, CondKind::If),
        (1, 6, CondKind::If),
        (2, 9, CondKind::If),
    ];
    for (c, (function, block, kind)) in (0..).zip(conds) {
        let (function, block) = (FunctionId(function), BlockId(block));
        map.conds.push(Cond {
            function,
            block,
            span: NOWHERE,
            kind,
            first_branch: BranchId(2 * c),
            n_branches: 2,
        });
        map.branches.extend([0, 1].map(|outcome| Branch { cond: CondId(c), outcome }));
    }
    map.calls.push(Call { block: BlockId(0), span: NOWHERE, callee: Callee::Function(FunctionId(1)) });
    map.calls.push(Call { block: BlockId(1), span: NOWHERE, callee: Callee::Indirect });
    let split = |cond: u32, no: u32, yes: u32| {
        let edge = |k: u32, to| Succ { to: BlockId(to), branch: Some(BranchId(2 * cond + k)) };
        vec![edge(0, no), edge(1, yes)]
    };
    let jump = |to| vec![Succ { to: BlockId(to), branch: None }];
    let blocks: [(u32, Vec<Step>, Vec<Succ>); 12] = [
        (0, vec![Step::Call(CallId(0))], split(0, 2, 1)),
        (0, vec![Step::Call(CallId(1))], jump(3)),
        (0, vec![], jump(3)),
        (0, vec![Step::Select(CondId(1))], vec![]),
        (1, vec![], split(2, 6, 5)),
        (1, vec![], vec![]),
        (1, vec![], split(3, 8, 7)),
        (1, vec![], vec![]),
        (1, vec![], vec![]),
        (2, vec![], split(4, 11, 10)),
        (2, vec![], vec![]),
        (2, vec![], vec![]),
    ];
    for (i, (function, steps, succs)) in (0..).zip(blocks) {
        map.blocks.push(Block {
            function: FunctionId(function),
            lines: vec![i + 1],
            file: Some(FileId(0)),
            steps,
            succs,
        });
    }
    map
}

fn covered(map: &ProgramMap, branches: &[u32]) -> Coverage {
    let mut c = Coverage::new(map);
    branches.iter().for_each(|&b| assert!(c.add_branch(BranchId(b))));
    c
}

#[test]
fn distances_count_branches_and_enter_calls() {
    let map = map();
    let mut graph = Cfcg::new(&map);
    // Everything is covered but c3 true (7), deep in f.
    let coverage = covered(&map, &[0, 1, 2, 3, 4, 5, 6, 8, 9]);
    let d = Distances::to_uncovered(&graph, &coverage);
    assert_eq!(d.of_branch(BranchId(7)), Some(0));
    assert_eq!(d.of_branch(BranchId(4)), Some(1), "c2 false leads to the block of c3");
    assert_eq!(d.of_branch(BranchId(5)), None, "c2 true ends f, and static paths do not return");
    assert_eq!(d.of(graph.entry(FunctionId(0))), Some(2), "main enters f: c2 false, c3 true");
    assert_eq!(d.of_branch(BranchId(1)), None, "behind the call of f");
    // g is unknown until it is called.
    let to_g = |graph: &Cfcg| Distances::to(graph, [BranchId(9)]).of_branch(BranchId(1));
    assert_eq!(to_g(&graph), None);
    assert!(graph.add_call(CallId(1), FunctionId(2)));
    assert!(!graph.add_call(CallId(1), FunctionId(2)), "known by now");
    assert!(
        !graph.add_call(CallId(9), FunctionId(2)) && !graph.add_call(CallId(1), FunctionId(9)),
        "no such thing"
    );
    assert_eq!(to_g(&graph), Some(1));
}

#[test]
fn selects_are_branches_on_the_way() {
    let map = map();
    let graph = Cfcg::new(&map);
    let d = Distances::to(&graph, [BranchId(3)]);
    assert_eq!(d.of_branch(BranchId(0)), Some(1));
    assert_eq!(d.of(graph.entry(FunctionId(0))), Some(2));
    assert_eq!(graph.place(graph.entry(FunctionId(1))), Some((BlockId(4), 0)));
    assert_eq!(graph.place(graph.branch(BranchId(3))), None);
}

#[test]
fn reachability_from_main() {
    let map = map();
    let graph = Cfcg::new(&map);
    assert_eq!(map.entry(), Some(FunctionId(0)));
    let direct = map.reachable_branches(&graph, false);
    assert_eq!((direct[7], direct[8], direct[9]), (true, false, false));
    assert!(map.reachable_branches(&graph, true).iter().all(|&r| r));
}

#[test]
fn relative_coverage_counts_functions_that_were_entered() {
    let map = map();
    let mut c = covered(&map, &[0, 2]);
    assert_eq!(c.absolute(), Tally { covered: 2, total: 10 });
    assert_eq!(c.relative(&map), Tally { covered: 2, total: 4 });
    assert!(c.add_function(FunctionId(1)) && !c.add_function(FunctionId(1)));
    assert_eq!(c.relative(&map), Tally { covered: 2, total: 8 });
    assert!(!c.add_branch(BranchId(99)) && !c.add_function(FunctionId(99)), "ids that do not exist");
}

#[test]
fn blocks_and_lines_follow_from_branches_and_functions() {
    let map = map();
    let mut c = covered(&map, &[0, 4]);
    c.add_function(FunctionId(0));
    c.add_function(FunctionId(1));
    let blocks = BlockCoverage::new(&map, &c);
    let ran: Vec<u32> = (0..12).filter(|&b| blocks.has(BlockId(b))).collect();
    assert_eq!(ran, [0, 2, 3, 4, 6]);
    let lines = &blocks.lines(&map)[&FileId(0)];
    assert_eq!(lines.values().filter(|ran| **ran).count(), 5);
    assert_eq!((lines[&1], lines[&2]), (true, false));
}
