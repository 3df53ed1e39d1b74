//! The results on the terminal: a table a target and budget, then every two strategies.

use crate::compare::{Comparison, Group, Reachable, measure};
use crate::plan::Metric;
use crate::record::Record;
use crate::statistics::Spread;
use crate::text;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// All comparisons that have campaigns, for a screen of so many columns.
pub fn table(comparisons: &[Comparison<'_>], width: u16) -> String {
    let shown = comparisons.iter().filter(|c| !c.is_empty());
    shown.map(|c| one(c, width)).collect::<Vec<_>>().join("\n")
}

fn one(comparison: &Comparison<'_>, width: u16) -> String {
    let Comparison { target, budget, metric, goal, .. } = comparison;
    let unit = if metric.is_share() { " %" } else { "" };
    let paper = comparison.groups.iter().any(|g| g.paper.is_some());
    let mut header = vec!["strategy", "campaigns"];
    let compared = format!("{}{unit}", metric.name());
    header.push(&compared);
    if *metric == Metric::Comparable {
        header.push("reachable %");
    }
    header.extend(["branches", "runs", "runs/s", "CPU s", "findings"]);
    if paper {
        header.insert(3, "paper");
    }
    if goal.is_some() {
        header.push("reached");
    }
    let mut table = plain(&header, width);
    for group in &comparison.groups {
        let mut cells = vec![
            group.strategy.clone(),
            campaigns(group),
            spread(group.measure(), |x| text::value(x, metric.is_share())),
            spread(group.spread(|r| f64::from(r.branches)), |x| text::value(x, false)),
            spread(group.spread(|r| r.runs as f64), text::rough),
            spread(group.spread(|r| r.runs as f64 / r.cpu.max(0.01)), text::rough),
            spread(group.spread(|r| r.cpu), text::short),
            spread(group.spread(|r| f64::from(r.findings)), |x| text::value(x, false)),
        ];
        if *metric == Metric::Comparable {
            let all = |r: &Record| measure(r, Metric::Reachable, &comparison.reachable);
            cells.insert(3, spread(group.spread(all), |x| text::value(x, true)));
        }
        if paper {
            cells.insert(3, group.paper.map_or_else(String::new, |p| text::value(p, metric.is_share())));
        }
        if goal.is_some() {
            cells.push(reached(group));
        }
        add(&mut table, cells);
    }
    let goal = goal.as_ref().map_or_else(String::new, |g| format!("; reached: {g}, in CPU-seconds"));
    let mut text = format!("{target}, {budget}: medians, and ranges below{goal}\n{}\n", table.trim_fmt());
    text += &format!("  {}: {}\n", metric.name(), metric.meaning());
    if let Some(aside) = set_aside(comparison) {
        text += &format!("  {aside}\n");
    }
    if !comparison.pairs.is_empty() {
        text += &format!("\n{}\n", pairs(comparison, width));
    }
    text
}

fn pairs(comparison: &Comparison<'_>, width: u16) -> String {
    let mut table = plain(&["strategies", "U", "p", "", "A12", "effect"], width);
    for pair in &comparison.pairs {
        add(
            &mut table,
            vec![
                format!("{} : {}", pair.first, pair.second),
                text::value(pair.test.u, false),
                text::probability(pair.test.p),
                if pair.test.exact { "exact".into() } else { "normal".into() },
                format!("{:.2}", pair.a12),
                pair.words(),
            ],
        );
    }
    table.trim_fmt()
}

/// What the comparable share leaves out, in a sentence.
pub(crate) fn set_aside(comparison: &Comparison<'_>) -> Option<String> {
    let Reachable { branches, sets_aside, aside, branches_aside } = &comparison.reachable;
    let compared = comparison.metric == Metric::Comparable;
    let names = aside.values().map(String::as_str).collect::<Vec<_>>().join(", ");
    match (sets_aside, compared, aside.is_empty()) {
        (true, _, false) => Some(format!(
            "set aside: {names}, with {branches_aside} of {branches} branches; reachable counts them, comparable does not"
        )),
        (true, true, true) => {
            Some("set aside: nothing, as no campaign entered what the bench file names".to_owned())
        }
        (false, true, _) => Some("the bench file sets nothing aside: comparable is reachable".to_owned()),
        (_, false, _) => None,
    }
}

/// `5`, or `4 of 5 (1 lost)`.
pub(crate) fn campaigns(group: &Group<'_>) -> String {
    let (done, lost) = (group.done.len(), group.lost.len());
    match (done == group.planned, lost) {
        (true, _) => done.to_string(),
        (false, 0) => format!("{done} of {}", group.planned),
        (false, lost) => format!("{done} of {} ({lost} lost)", group.planned),
    }
}

/// `3.1` and below it `2.8–4.0`; `3.1` where all are alike.
fn spread(spread: Option<Spread>, show: impl Fn(f64) -> String) -> String {
    let Some(Spread { median, min, max, .. }) = spread else { return "–".into() };
    let (median, min, max) = (show(median), show(min), show(max));
    if min == max { median } else { format!("{median}\n{min}–{max}") }
}

/// `3 of 3: 0.2` and below it `0.1–0.4`.
fn reached(group: &Group<'_>) -> String {
    let (n, times) = group.reached();
    let of = format!("{n} of {}", group.done.len());
    if times.is_some() { format!("{of}: {}", spread(times, text::short)) } else { of }
}

fn plain(header: &[&str], width: u16) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.max(60));
    table.force_no_tty();
    add(&mut table, header.iter().map(|h| (*h).to_owned()).collect());
    table
}

/// The first column to the left, the others to the right.
fn add(table: &mut Table, cells: Vec<String>) {
    let align = |i| if i == 0 { CellAlignment::Left } else { CellAlignment::Right };
    table.add_row(cells.into_iter().enumerate().map(|(i, text)| Cell::new(text).set_alignment(align(i))));
}
