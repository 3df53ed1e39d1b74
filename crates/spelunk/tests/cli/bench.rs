//! `spelunk bench`: campaigns of a file, made once, and their report.

use crate::common::{DEAF, GUARD, Place};
use std::collections::BTreeMap;
use std::process::Command;

const USAGE: i32 = 2;
const TARGET: i32 = 3;
const CAMPAIGN: i32 = 5;
const INTERRUPTED: i32 = 130;

const FILE: &str = r#"title = "A guard"
reference = "made up"
seeds = [4, 7]
[[target]]
program = "guard.c"
reached = "abort"
paper = { solver = 50 }
[[strategy]]
name = "solver"
strategy = "generational"
options = { no-check = true }
[[strategy]]
name = "random"
[[budget]]
runs = 60
"#;

fn guard() -> Place {
    // The file's folder is not the one that the command is called in.
    Place::with(&[("of/guard.c", GUARD), ("of/guard.toml", FILE)])
}

/// The cells of a line of CSV. A cell with a comma is in quotes; no cell of these tests has a quote.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    for (k, part) in line.split('"').enumerate() {
        // Every other part is between quotes.
        let mut pieces = if k % 2 == 1 { vec![part] } else { part.split(',').collect() }.into_iter();
        cells.last_mut().expect("never empty").push_str(pieces.next().unwrap_or_default());
        cells.extend(pieces.map(str::to_owned));
    }
    cells
}

/// The lines of a CSV file as cells by column.
fn csv(place: &Place, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(place.path(file)).expect("written");
    let mut lines = text.lines().map(cells);
    let header = lines.next().expect("a header");
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

fn records(place: &Place) -> BTreeMap<String, String> {
    let slots =
        ["solver", "random"].iter().flat_map(|s| ["4", "7"].map(|n| format!("guard/{s}/60-runs/{n}")));
    let read = |slot: String| {
        let file = place.path("out/campaigns").join(&slot).join("record.json");
        Some((slot, std::fs::read_to_string(file).ok()?))
    };
    slots.filter_map(read).collect()
}

#[test]
fn campaigns_are_made_once_and_reported() {
    let place = guard();
    let command = ["bench", "of/guard.toml", "--out", "out"];
    let bench = |more: &[&str]| place.spelunk_on_a_wide_terminal(&[&command, more].concat());
    bench(&["--report"]).fails(CAMPAIGN, &["no complete campaign", "without --report"]);
    let told = bench(&["-j", "2"]).exits(0);
    assert!(told.err.contains("4 campaigns, 0 of them complete"), "{}", told.err);
    told.says(&[
        "guard, 60 runs",
        "relative %",
        "2 of 2",
        "0 of 2",
        "50.0",
        "solver : random",
        "report.html",
    ]);

    let rows = csv(&place, "out/campaigns.csv");
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let solver = row["strategy"] == "solver";
        let runs: u32 = row["runs"].parse().expect("a number");
        // The solver covers every branch before the budget ends.
        assert!(
            row["status"] == "done" && if solver { (4..60).contains(&runs) } else { runs == 60 },
            "{row:?}"
        );
        let covered: u32 = row["branches"].parse().expect("a number");
        let percent: f64 = row["absolute_percent"].parse().expect("a number");
        let all: f64 = row["branches_in_all"].parse().expect("a number");
        assert!((percent - f64::from(covered) * 100.0 / all).abs() < 0.01 && covered > 0);
        assert_eq!(row["relative_percent"], row["absolute_percent"], "main is the only function");
        assert_eq!(row["findings"], if solver { "1" } else { "0" });
        assert_eq!(row["reached_runs"].is_empty(), !solver);
        assert_eq!(row["paper"].is_empty(), !solver);
        let curve = csv(&place, "out/curves.csv");
        let own = curve.iter().rfind(|p| p["strategy"] == row["strategy"] && p["seed"] == row["seed"]);
        assert_eq!(
            own.map(|p| p["branches"].as_str()),
            Some(row["branches"].as_str()),
            "where its curve ends"
        );
    }
    let reached: u64 = rows[0]["reached_runs"].parse().expect("a number");
    assert!((2..=60).contains(&reached), "{reached}");

    let page = std::fs::read_to_string(place.path("out/report.html")).expect("written");
    for part in [
        "A guard",
        "made up",
        "solver above random, large",
        "clang 19",
        "Bitwuzla",
        "commit ",
        "--strategy=generational --seed=7",
    ] {
        assert!(page.contains(part), "{part} is not in the page");
    }
    assert_eq!(page.matches("<svg").count(), 2);
    assert_eq!(place.files("out/plots").len(), 4);

    // One was interrupted, one was lost: they are made again, and no others.
    let before = records(&place);
    assert_eq!(before.len(), 4);
    let folder = "out/campaigns/guard/random/60-runs";
    std::fs::remove_file(place.path(folder).join("7/record.json")).expect("removed");
    let lost = before["guard/random/60-runs/4"].replace("\"done\"", "{\"lost\":\"why\"}");
    std::fs::write(place.path(folder).join("4/record.json"), lost).expect("written");
    bench(&["--report"]).exits(0).says(&["0 of 2 (1 lost)"]);
    assert_eq!(records(&place).len(), 3, "a report makes no campaign");
    let told = bench(&[]).exits(0);
    assert!(told.err.contains("4 campaigns, 2 of them complete"), "{}", told.err);
    let after = records(&place);
    let same = |slot: &str| before[slot] == after[slot];
    assert!(same("guard/solver/60-runs/4") && same("guard/solver/60-runs/7"));
    assert!(after.len() == 4 && after.values().all(|record| record.contains("\"done\"")));
    let told = bench(&["--only", "solver"]).exits(0);
    assert!(told.err.contains("2 campaigns, 2 of them complete"), "{}", told.err);

    // Another program: nothing of before counts.
    place.write("of/guard.c", GUARD.replace("return 3", "return 5").as_bytes());
    let told = bench(&["--only", "/4"]).exits(0);
    assert!(told.err.contains("2 campaigns, 0 of them complete"), "{}", told.err);
}

#[test]
fn functions_lines_and_findings_are_reached_in_turn() {
    let target = |name: &str, goal: &str| {
        format!("[[target]]\nname = \"{name}\"\nprogram = \"guard.c\"\nreached = \"{goal}\"\n")
    };
    let goals = [("entry", "main"), ("line", "guard.c:9"), ("finding", "finding")]
        .map(|(name, goal)| target(name, goal));
    let file = goals.concat() + "[[strategy]]\nname = \"generational\"\n[[budget]]\nruns = 60\n";
    let random = file.replace("generational", "random");
    let place = Place::with(&[("guard.c", GUARD), ("b.toml", &file), ("r.toml", &random)]);
    place.spelunk(&["bench", "b.toml", "--out", "b"]).exits(0);
    let runs = |row: &BTreeMap<String, String>| row["reached_runs"].parse::<u64>().ok();
    let reached: Vec<Option<u64>> = csv(&place, "b/campaigns.csv").iter().map(runs).collect();
    let [Some(entry), Some(line), Some(finding)] = reached[..] else { panic!("{reached:?}") };
    // Three bytes have to be right for the line, a fourth one for the abort.
    assert!(entry == 1 && (4..finding).contains(&line), "{reached:?}");
    place.spelunk(&["bench", "r.toml", "--out", "r"]).exits(0);
    let reached: Vec<Option<u64>> = csv(&place, "r/campaigns.csv").iter().map(runs).collect();
    assert_eq!(reached, [Some(1), None, None], "sixty random inputs");
}

#[test]
fn functions_are_set_aside() {
    let program = "#include <spelunk.h>\n#include <stdlib.h>\n\
                   static int deep(int c) { return c == 1 ? 1 : c == 2 ? 2 : c == 3 ? 3 : 0; }\n\
                   int main(void) { int c = spelunk_int(\"c\"); if (c > 5) return 1; return deep(c); }\n";
    let file = "metric = \"comparable\"\n[[target]]\nprogram = \"p.c\"\naside = [\"deep\"]\n\
                [[strategy]]\nname = \"generational\"\n[[budget]]\nruns = 30\n";
    let wrong = file.replace("\"deep\"", "\"deap\"");
    let place = Place::with(&[("p.c", program), ("b.toml", file), ("wrong.toml", &wrong)]);
    place
        .spelunk(&["bench", "wrong.toml"])
        .fails(USAGE, &["wrong.toml:2", "deap", "no such function of its own"]);
    place
        .spelunk(&["bench", "b.toml", "--out", "b"])
        .exits(0)
        .says(&["comparable %", "set aside: deep, with 6 of 8 branches; reachable counts them"]);
    let rows = csv(&place, "b/campaigns.csv");
    assert_eq!((rows[0]["branches"].as_str(), rows[0]["comparable_percent"].as_str()), ("8", "100.000"));
    assert_eq!(
        (rows[0]["branches_set_aside"].as_str(), rows[0]["branches_of_reachable_functions"].as_str()),
        ("6", "8")
    );
    // What is set aside is a matter of the report: nothing is made again.
    let others = file.replace("\"deep\"", "\"main\"");
    std::fs::write(place.path("b.toml"), others).expect("written");
    let says = "set aside: main, with 2 of 8 branches";
    let record =
        || std::fs::read(place.path("b/campaigns/p/generational/30-runs/0/record.json")).expect("there");
    let before = record();
    for more in [&["--report"][..], &[]] {
        place.spelunk(&[&["bench", "b.toml", "--out", "b"], more].concat()).exits(0).says(&[says]);
    }
    assert_eq!(record(), before);
}

#[test]
fn interrupted_it_keeps_what_has_ended() {
    let file = "[[target]]\nprogram = \"deaf.c\"\n[[strategy]]\nname = \"random\"\n[[budget]]\nruns = 5\n[[budget]]\ntime = \"1h\"\n";
    let place = Place::with(&[("deaf.c", DEAF), ("b.toml", file)]);
    let mut child = place.start(&["bench", "b.toml"]);
    Place::wait_for(&mut child, || {
        !place.files("spelunk-bench/b/campaigns/deaf/random/1h/0/campaign/corpus").is_empty()
    });
    place.spelunk(&["bench", "b.toml"]).fails(CAMPAIGN, &["another spelunk bench is working", "--out"]);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let told = Place::end(child).exits(INTERRUPTED).says(&["deaf, 5 runs", "report.html"]);
    assert!(
        told.err.contains("goes on with what is missing") && !told.out.contains("deaf, 1h"),
        "{}",
        told.out
    );
    let there = |slot: &str| {
        place.path(&format!("spelunk-bench/b/campaigns/deaf/random/{slot}/0/record.json")).is_file()
    };
    assert!(there("5-runs") && !there("1h"));
    let out = place.path("spelunk-bench");
    assert_eq!(place.left_behind(&out.display().to_string()), Vec::<String>::new());
}

#[test]
fn a_campaign_that_is_lost_takes_no_other_with_it() {
    let file = "limit = \"3s\"\n[[target]]\nprogram = \"deaf.c\"\n[[strategy]]\nname = \"random\"\n[[budget]]\ntime = \"1h\"\n\
                [[budget]]\nname = \"few\"\nruns = 5\n";
    let place = Place::with(&[("deaf.c", DEAF), ("b.toml", file)]);
    let told =
        place.spelunk(&["bench", "b.toml", "--out", "o"]).fails(CAMPAIGN, &["a campaign was lost", "again"]);
    told.says(&["deaf, 1h", "0 of 1 (1 lost)", "deaf, few"]);
    let rows = csv(&place, "o/campaigns.csv");
    let status: Vec<&str> = rows.iter().map(|row| row["status"].as_str()).collect();
    assert_eq!(status, ["lost: it took longer than the limit of the bench file", "done"]);
}

#[test]
fn mistakes_are_told_before_the_first_campaign() {
    let place = guard();
    let with = |from: &str, to: &str| {
        assert!(FILE.contains(from));
        place.write("of/bad.toml", FILE.replacen(from, to, 1).as_bytes());
        place.spelunk(&["bench", "of/bad.toml", "--out", "bad"])
    };
    with("seeds =", "seed =").fails(USAGE, &["of/bad.toml:3:", "unknown field `seed`", "`seeds`"]);
    with("\"generational\"", "\"generous\"")
        .fails(USAGE, &["of/bad.toml:10:", "there is no strategy \"generous\"", "auto"]);
    with("no-check = true", "checks = 3").fails(USAGE, &["of/bad.toml:11:", "--checks"]);
    with("runs = 60", "cpu = \"soon\"").fails(USAGE, &["of/bad.toml:14:", "`soon` is no time", "30s"]);
    with("\"abort\"", "\"nowhere\"")
        .fails(USAGE, &["of/bad.toml:4:", "\"guard\"", "nowhere", "a function", "hang"]);
    with("\"abort\"", "\"guard.c:2\"").fails(USAGE, &["guard.c has no code on line 2"]);
    with("\"guard.c\"", "\"gone.c\"").fails(TARGET, &["of/bad.toml:4:", "gone.c"]);
    with("\"guard.c\"", "\"${NOT_THERE}/x.c\"").fails(USAGE, &["of/bad.toml:4:", "NOT_THERE", "not set"]);
    place
        .spelunk(&["bench", "of/guard.toml", "--only", "nobody"])
        .fails(USAGE, &["nobody", "guard/solver/60-runs/4"]);
    assert!(place.files("bad/campaigns").is_empty());
}
