//! The bench file: what it means, and what is said of mistakes in it.

use experiment::{Metric, Plan, parse};

/// Uses every key.
const FULL: &str = r#"title = "All keys"
note = "A note."
reference = "somebody, table 2"
metric = "reachable"
seeds = [3, 1]
repetitions = 2
limit = "1.5h"

[[target]]
program = ["src/a.c", "b.c"]
args = ["-x", "@@"]
inputs = "${SAMPLES}/a"
options = { stdin = true, check = false, max-input = 64, symbolic-arg = ["1:8", "2:4"], depth = 9 }
reached = "abort"
paper = { cfg = 60, deep = 40.5 }

[[target]]
name = "small one"
program = "prog"
metric = "branches"
strategies = ["deep"]
seeds = 2

[[strategy]]
name = "cfg"

[[strategy]]
name = "deep"
strategy = "bounded-dfs"
options = { depth = 20 }
budgets = ["4,000 runs"]

[[budget]]
runs = 4000

[[budget]]
name = "short"
queries = 10
cpu = "2s"
time = "1m"
"#;

fn full() -> Plan {
    parse(FULL, "full").expect("a good file")
}

/// The commands of a plan, by slot.
fn commands(plan: &Plan) -> Vec<(String, String)> {
    let text = |c| plan.command(c).into_iter().map(|w| w.text).collect::<Vec<_>>().join(" ");
    plan.campaigns().iter().map(|c| (plan.slot(c), text(c))).collect()
}

#[test]
fn every_key_means_what_it_says() {
    let plan = full();
    assert_eq!(
        (plan.title.as_str(), plan.metric, plan.limit.map(|l| l.as_secs())),
        ("All keys", Metric::Reachable, Some(5400))
    );
    let target = &plan.targets[0];
    assert_eq!(
        (target.name.as_str(), target.metric, target.reached.as_deref()),
        ("a", Metric::Reachable, Some("abort"))
    );
    assert_eq!((target.paper["cfg"], target.paper["deep"]), (60.0, 40.5));
    assert_eq!((plan.targets[1].metric, &plan.targets[1].seeds), (Metric::Branches, &vec![0, 1]));
    assert_eq!(plan.budgets.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["4,000 runs", "short"]);
}

#[test]
fn what_is_set_aside_is_so_for_all_targets_of_a_program() {
    let target =
        |name: &str, aside: &str| format!("[[target]]\nname = \"{name}\"\nprogram = \"p\"\n{aside}\n");
    let rest = "[[strategy]]\nname = \"cfg\"\n[[budget]]\nruns = 5\n";
    let file = |second: &str| target("a", "aside = [\"f\"]") + &target("b", second) + rest;
    let plan = parse(&file("aside = [\"f\"]"), "x").expect("a good file");
    assert!(plan.targets.iter().all(|t| t.aside == ["f"]));
    let error = parse(&file(""), "x").expect_err("a mistake");
    assert_eq!(error.line, 5, "{error}");
    assert!(error.what.contains("\"a\" and \"b\"") && error.what.contains("the same `aside`"), "{error}");
}

#[test]
fn campaigns_are_all_combinations_that_are_wanted() {
    let plan = full();
    let all = commands(&plan);
    // a: cfg with both budgets, deep with one, two seeds; small one: deep with one, two seeds; all of it twice.
    assert_eq!(all.len(), 2 * (3 * 2 + 2));
    assert_eq!(all[0].0, "a/cfg/4-000-runs/3");
    assert!(all.iter().any(|(slot, _)| slot == "small-one/deep/4-000-runs/1-2"), "{all:?}");
    assert!(!all.iter().any(|(slot, _)| slot.contains("deep/short")));
    let distinct: std::collections::BTreeSet<_> = all.iter().map(|(slot, _)| slot).collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn commands_are_those_of_explore() {
    let all = commands(&full());
    let of = |slot: &str| all.iter().find(|(s, _)| s == slot).map(|(_, c)| c.as_str()).expect("there");
    assert_eq!(
        of("a/cfg/short/3"),
        "src/a.c b.c --strategy=cfg --seed=3 --queries=10 --cpu=2s --time=1m --seeds=${SAMPLES}/a --depth=9 --max-input=64 \
         --stdin --symbolic-arg=1:8 --symbolic-arg=2:4 -- -x @@"
    );
    // The strategy's depth wins.
    let deep = of("a/deep/4-000-runs/1");
    assert!(
        deep.contains("--strategy=bounded-dfs") && deep.contains("--depth=20") && !deep.contains("--depth=9"),
        "{deep}"
    );
    assert_eq!(
        of("small-one/deep/4-000-runs/0"),
        "prog --strategy=bounded-dfs --seed=0 --runs=4000 --depth=20"
    );
}

#[test]
fn variables_are_replaced_where_they_are_known() {
    let plan = full();
    let words = plan.command(&plan.campaigns()[0]);
    let word = words.iter().find(|w| w.text.contains("SAMPLES")).expect("there");
    let known = |name: &str| (name == "SAMPLES").then(|| "/data".to_owned());
    assert_eq!(word.expand(&known), Ok("--seeds=/data/a".into()));
    assert_eq!(word.expand(&|_| None), Err("SAMPLES".into()));
    assert_eq!(words[0].expand(&|_| None), Ok("src/a.c".into()));
}

/// A file with one line changed: `from` becomes `to`.
#[track_caller]
fn mistake(from: &str, to: &str, line: usize, words: &[&str]) {
    assert!(FULL.contains(from), "{from}");
    let error = parse(&FULL.replacen(from, to, 1), "full").expect_err("a mistake");
    assert_eq!(error.line, line, "{error}");
    for word in words {
        assert!(error.what.contains(word), "`{word}` is not in: {error}");
    }
    assert!(!error.what.contains('\n'), "{error}");
}

#[test]
fn mistakes_are_told_with_their_line_and_what_is_allowed() {
    mistake(
        "metric = \"reachable\"",
        "metric = \"lines\"",
        4,
        &["no metric \"lines\"", "relative, reachable, comparable, absolute, branches"],
    );
    mistake("title =", "titel =", 1, &["unknown field `titel`", "`title`", "`budget`"]);
    mistake("inputs =", "input =", 12, &["unknown field `input`", "`inputs`"]);
    mistake("name = \"cfg\"", "name = cfg", 25, &["string"]);
    mistake("seeds = [3, 1]", "seeds = \"3\"", 5, &["seeds = 10", "seeds = [0, 7]"]);
    mistake("seeds = [3, 1]", "seeds = [3, -1]", 5, &["seeds = 10"]);
    mistake("seeds = [3, 1]", "seeds = [3, 3]", 5, &["twice", "repetitions"]);
    mistake("repetitions = 2", "repetitions = 0", 6, &["no campaign", "1 or more"]);
    mistake("limit = \"1.5h\"", "limit = \"soon\"", 7, &["\"soon\" is no time", "5m"]);
    mistake("depth = 9 }", "seed = 9 }", 13, &["\"seed\" does not belong into options", "seeds = [0, 1, 2]"]);
    mistake("depth = 9 }", "depth = { a = 1 } }", 13, &["option \"depth\"", "true, false, a text"]);
    mistake("cfg = 60", "csg = 60", 15, &["no strategy named \"csg\"", "cfg, deep"]);
    mistake("strategies = [\"deep\"]", "strategies = [\"shallow\"]", 21, &["\"shallow\"", "cfg, deep"]);
    mistake(
        "budgets = [\"4,000 runs\"]",
        "budgets = [\"long\"]",
        31,
        &["no budget named \"long\"", "4,000 runs, short"],
    );
    mistake("program = \"prog\"", "program = 7", 19, &["program = \"prog\"", "program = [\"a.c\", \"b.c\"]"]);
    mistake("name = \"deep\"", "name = \"cfg\"", 29, &["two strategy entries are named \"cfg\""]);
    mistake("name = \"small one\"", "name = \"a \"", 17, &["\"a\" and \"a \"", "too much alike"]);
    mistake("runs = 4000", "", 33, &["no end", "runs, queries, cpu and time"]);
    mistake("[[budget]]", "[[budgets]]", 33, &["unknown field `budgets`"]);
    mistake("title = \"All keys\"", "title = \"All", 1, &["string"]);
}

#[test]
fn what_is_missing_is_named() {
    let of = |text: &str| parse(text, "x").expect_err("incomplete").what;
    assert!(of("").contains("[[target]]"));
    assert!(of("[[target]]\nprogram = \"a\"").contains("[[strategy]]"));
    assert!(of("[[target]]\nprogram = \"a\"\n[[strategy]]\nname = \"auto\"").contains("[[budget]]"));
    assert!(of("[[target]]\nname = \"a\"").contains("program"));
    let small = "[[target]]\nprogram = \"d/a\"\n[[strategy]]\nname = \"auto\"\n[[budget]]\nruns = 5";
    let plan = parse(small, "stem").expect("enough");
    assert_eq!((plan.title.as_str(), plan.seeds, plan.targets[0].name.as_str()), ("stem", vec![0], "a"));
}
