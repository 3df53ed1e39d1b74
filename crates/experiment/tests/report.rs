//! Records in, report out: comparison, table, CSV, plots, page.

use experiment::{
    About, Comparison, Entered, Machine, Over, Plan, Plot, Point, Reachable, Reached, Record, Status,
    Versions, campaigns_csv, comparisons, curves_csv, is_named, page, parse, table,
};

const FILE: &str = r#"title = "Trees & <maps>"
reference = "Somebody 2007, table 2"
seeds = [0, 1, 2]
[[target]]
program = "tree.c"
reached = "abort"
paper = { fast = 67.6 }
[[strategy]]
name = "fast"
[[strategy]]
name = "slow"
[[budget]]
cpu = "9s"
"#;

fn plan() -> Plan {
    parse(FILE, "x").expect("a good file")
}

/// Function `f<number>(int)` of so many branches, and so many of these covered.
fn function(number: u32, branches: u32, covered: u32) -> Entered {
    let (name, linkage_name) = (format!("f{number}(int)"), format!("_Z2f{number}i"));
    Entered { number, branches, covered: Some(covered), name, linkage_name }
}

/// A campaign that covered so many branches, in functions 0 (of 10 branches) and, if more than 10, also 1 (of 30), of 100.
fn record(strategy: &str, seed: u64, branches: u32) -> Record {
    let mut entered = vec![function(0, 10, branches.min(10))];
    if branches > 10 {
        entered.push(function(1, 30, branches - 10));
    }
    let point = |share: u32| Point {
        runs: u64::from(share) * 100,
        cpu: f64::from(share) * 2.0,
        wall: f64::from(share) * 3.0,
        branches: branches * share / 4,
    };
    Record {
        target: "tree".into(),
        strategy: strategy.into(),
        budget: "9s CPU".into(),
        seed,
        repetition: 1,
        key: "k".into(),
        command: format!("spelunk explore tree.c --strategy={strategy} --seed={seed} --cpu=9s --out=OUT"),
        ended: "the time is over".into(),
        cpu: 9.0,
        cpu_in_all: 12.0,
        wall: 14.0,
        runs: 1000,
        branches,
        branches_in_all: 100,
        entered,
        functions_in_all: 5,
        findings: 1,
        reached: (strategy == "fast").then_some(Reached { wall: 0.75, cpu: 0.5, runs: 77 }),
        curve: (1..=4).map(point).collect(),
        versions: Versions {
            spelunk: "0.1.0".into(),
            commit: "abc123".into(),
            clang: "19.1".into(),
            ..Versions::default()
        },
        machine: Machine { cpu: "A Processor".into(), cores: 4, kernel: "6.1".into(), ..Machine::default() },
        ..Record::default()
    }
}

fn records() -> Vec<Record> {
    let mut all: Vec<Record> = (0..3).map(|seed| record("fast", seed, 20 + seed as u32)).collect();
    all.extend((0..2).map(|seed| record("slow", seed, 5 + seed as u32)));
    let lost = Status::Lost("spelunk explore ended with signal: 9".into());
    all.push(Record {
        status: lost,
        entered: vec![function(3, 50, 1)],
        curve: Vec::new(),
        ..record("slow", 2, 0)
    });
    // Of another file: no part of the report.
    all.push(Record { strategy: "other".into(), ..record("fast", 0, 99) });
    all
}

fn with<T>(of: impl FnOnce(&Plan, &[Comparison<'_>]) -> T) -> T {
    let (plan, records) = (plan(), records());
    let all = comparisons(&plan, &records);
    of(&plan, &all)
}

fn about() -> About {
    About {
        date: "2026-11-21".into(),
        file: "tree.toml".into(),
        text: FILE.into(),
        spelunk: "0.1.0".into(),
        day: |_| "2026-11-20".into(),
    }
}

#[test]
fn strategies_are_compared_by_the_measure() {
    with(|_, all| {
        assert_eq!(all.len(), 1);
        let [fast, slow] = &all[0].groups[..] else { panic!("two strategies") };
        // Relative: of 40 branches in the functions entered, of 10 for those that entered one.
        assert_eq!(fast.values, [50.0, 52.5, 55.0]);
        assert_eq!(slow.values, [50.0, 60.0]);
        assert_eq!((slow.planned, slow.done.len(), slow.lost.len()), (3, 2, 1));
        // Functions of any campaign that is done, whichever strategy.
        assert_eq!(all[0].reachable.branches, 40);
        assert_eq!(fast.reached().0, 3);
        assert_eq!(slow.reached(), (0, None));
        let pair = &all[0].pairs[0];
        // One pair equal, of the others three are below 60 and two above 50: 2.5 of 6.
        assert_eq!((pair.test.u, pair.test.exact), (2.5, true));
        assert!((pair.a12 - 2.5 / 6.0).abs() < 1e-12);
        assert_eq!(pair.words(), "slow above fast, small (may be chance)");
    });
}

#[test]
fn functions_count_as_reachable_over_all_targets_of_a_program() {
    let other = "name = \"tree\"\nprogram = \"tree.c\"\n[[target]]\nname = \"short\"\nargs = [\"a\"]\nprogram = \"tree.c\"\n\
                 [[target]]\nprogram = \"bush.c\"";
    let plan = parse(
        &FILE
            .replacen("program = \"tree.c\"", other, 1)
            .replace("reached = \"abort\"\npaper = { fast = 67.6 }\n", ""),
        "x",
    );
    let plan = plan.expect("a good file");
    let mut records = records();
    records.push(Record { target: "short".into(), entered: vec![function(2, 5, 1)], ..record("slow", 0, 3) });
    records.push(Record { target: "bush".into(), entered: vec![function(7, 60, 1)], ..record("slow", 0, 3) });
    let reachable: Vec<u32> = comparisons(&plan, &records).iter().map(|c| c.reachable.branches).collect();
    assert_eq!(reachable, [45, 45, 60]);
}

#[test]
fn what_is_set_aside_counts_neither_as_covered_nor_as_reachable() {
    let file = FILE.replace("paper =", "metric = \"comparable\"\naside = [\"f1\", \"f1\"]\npaper =");
    let plan = parse(&file, "x").expect("a good file");
    let records = records();
    let all = comparisons(&plan, &records);
    let Reachable { branches, branches_aside, .. } = all[0].reachable;
    assert_eq!((branches, branches_aside), (40, 30));
    // Of the ten branches of f0, whatever was covered in f1.
    assert_eq!(
        (&all[0].groups[0].values[..], &all[0].groups[1].values[..]),
        (&[100.0; 3][..], &[50.0, 60.0][..])
    );
    let text = table(&all, 120);
    let line = |start: &str| text.lines().find(|l| l.trim_start().starts_with(start)).expect("a line").trim();
    for part in ["100.0", "52.5", "67.6"] {
        assert!(line("fast").contains(part), "{part}: {text}");
    }
    let sentence = "set aside: f1(int), with 30 of 40 branches; reachable counts them, comparable does not";
    assert_eq!(line("set aside"), sentence);
    assert!(page(&plan, &all, &about()).contains(sentence), "the page says so");
    let csv = campaigns_csv(&all);
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(rows.next().and_then(|names| names.last().copied()), Some("comparable_percent"));
    assert!(rows.take(3).all(|row| row.ends_with(&["30", "100.000"])), "{csv}");
    // Where nothing was entered of what is set aside, there is nothing to leave out; nor where nothing is set aside.
    let slow: Vec<Record> = records.iter().filter(|r| r.strategy == "slow").cloned().collect();
    assert!(table(&comparisons(&plan, &slow), 120).contains("set aside: nothing, as no campaign"));
    let plan = parse(&file.replace("aside = [\"f1\", \"f1\"]", ""), "x").expect("a good file");
    let all = comparisons(&plan, &records);
    assert_eq!(all[0].groups[0].values, [50.0, 52.5, 55.0]);
    assert!(table(&all, 120).contains("sets nothing aside"));
}

#[test]
fn records_of_older_versions_are_read() {
    let now = serde_json::to_value(record("fast", 0, 20)).expect("plain data");
    let mut older = now.clone();
    older["entered"] = serde_json::json!([[0, 10], [1, 30]]);
    let read: Record = serde_json::from_value(older).expect("an older record");
    assert_eq!((read.branches_entered(), read.entered[1].covered), (40, None));
    // Beside newer ones nothing is made up: of f1 all 30 may have been covered.
    let file = FILE.replace("paper =", "metric = \"comparable\"\naside = [\"f1\"]\npaper =");
    let plan = parse(&file, "x").expect("a good file");
    let all = [Record { branches: 35, ..read }, record("fast", 1, 22)];
    assert_eq!(comparisons(&plan, &all)[0].groups[0].values, [50.0, 100.0]);
    assert_eq!(serde_json::from_value::<Record>(now).expect("as written"), record("fast", 0, 20));
}

#[test]
fn functions_are_named_as_people_do() {
    for given in ["n::S::f(int)", "n::S::f", "_ZN1n1S1fEi"] {
        assert!(is_named(given, "n::S::f(int)", "_ZN1n1S1fEi"), "{given}");
    }
    assert!(is_named("h", "h.3", "h.3") && is_named("h.3", "h.3", "h.3"));
    for given in ["f", "n::S", "", "h.3"] {
        assert!(!is_named(given, "n::S::f(int)", "_ZN1n1S1fEi"), "{given}");
    }
    assert!(!is_named("h", "h.cold", "h.cold") && !is_named("", "(anonymous namespace)::f()", "_Z"));
}

#[test]
fn the_table_has_paper_goal_and_losses() {
    let text = with(|_, all| table(all, 120));
    let line =
        |start: &str| text.lines().find(|l| l.trim_start().starts_with(start)).expect("a line").to_owned();
    for part in ["52.5", "67.6", "3 of 3: 0.50"] {
        assert!(line("fast").contains(part), "{part}: {text}");
    }
    for part in ["2 of 3 (1 lost)", "55.0", "0 of 2"] {
        assert!(line("slow").contains(part), "{part}: {text}");
    }
    assert!(text.contains("50.0–55.0") && text.contains("slow above fast, small"), "{text}");
    assert!(text.starts_with("tree, 9s CPU") && text.contains("reached: abort"), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 120), "{text}");
}

#[test]
fn csv_has_a_line_a_campaign_and_a_line_a_point() {
    let (campaigns, curves) = with(|_, all| (campaigns_csv(all), curves_csv(all)));
    let mut reader = csv::Reader::from_reader(campaigns.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<_> = reader.records().map(|r| r.expect("a line as long as the header")).collect();
    assert_eq!(rows.len(), 6);
    let cell = |row: usize, name: &str| {
        let column = header.iter().position(|h| h == name).expect("a column");
        rows[row].get(column).expect("a cell").to_owned()
    };
    assert_eq!(
        (cell(0, "relative_percent"), cell(0, "absolute_percent")),
        ("50.000".into(), "20.000".into())
    );
    assert_eq!((cell(0, "reached_runs"), cell(3, "reached_runs")), ("77".into(), String::new()));
    assert_eq!(
        (cell(3, "reachable_percent"), cell(3, "branches_of_functions_entered")),
        ("12.500".into(), "10".into())
    );
    assert!(cell(5, "status").starts_with("lost: ") && cell(0, "status") == "done");
    assert_eq!((cell(1, "commit"), cell(1, "cpu_model")), ("abc123".into(), "A Processor".into()));
    assert_eq!(curves.lines().count(), 1 + 5 * 4);
    assert!(curves.lines().any(|l| l == "tree,fast,9s CPU,2,1,200,4.000,6.000,11"), "{curves}");
}

#[test]
fn records_are_read_back() {
    let all = records();
    let text = serde_json::to_string(&all).expect("plain");
    assert_eq!(serde_json::from_str::<Vec<Record>>(&text).expect("the same"), all);
}

#[test]
fn plots_are_svg_and_png() {
    with(|_, all| {
        let plot = Plot::new(&all[0], Over::Cpu);
        let svg = plot.svg();
        for part in
            ["<svg", "CPU-seconds of the search", "branches covered", "fast", "slow", "polygon", "polyline"]
        {
            assert!(svg.contains(part), "{part}");
        }
        let png = plot.png();
        let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().expect("a PNG");
        assert!(reader.info().width >= 1000);
    });
}

#[test]
fn the_page_needs_nothing_else() {
    let html = with(|plan, all| page(plan, all, &about()));
    for part in [
        "Trees &amp; &lt;maps&gt;",
        "Somebody 2007, table 2",
        "67.6",
        "-15.1",
        "A Processor",
        "commit abc123",
        "clang 19.1",
        "2026-11-20",
        "slow above fast, small",
        "3 of 3",
        "lost: spelunk explore ended with signal: 9",
        "spelunk explore tree.c --strategy=fast --seed=1 --cpu=9s --out=OUT",
        "prefers-color-scheme: dark",
        "data:text/csv",
    ] {
        assert!(html.contains(part), "{part} is not in the page");
    }
    assert_eq!(html.matches("<svg").count(), 2, "over CPU time and over runs");
    for outside in ["<script", "<link", "<img", "src=", "@import", "url(", "<?xml"] {
        assert!(!html.contains(outside), "{outside} in the page");
    }
    let addresses: Vec<&str> = html.split("http").skip(1).map(|rest| &rest[..rest.len().min(30)]).collect();
    assert!(addresses.iter().all(|a| a.starts_with("://www.w3.org/")), "{addresses:?}");
}

#[test]
fn nothing_done_is_said_and_not_drawn() {
    let plan = plan();
    let all = comparisons(&plan, &[]);
    assert!(all[0].is_empty() && all[0].pairs.is_empty() && table(&all, 100).is_empty());
}
