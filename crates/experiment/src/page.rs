//! Everything as one page of HTML that needs nothing else: tables, comparisons, plots, campaigns with their commands,
//! machine and versions. Light and dark.

use crate::compare::{Comparison, Group, measure};
use crate::plan::{Metric, Plan};
use crate::plot::{self, Plot};
use crate::record::{Machine, Record, Status, Versions};
use crate::statistics::Spread;
use crate::table::{campaigns, set_aside};
use crate::{campaigns_csv, text};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plotters::style::RGBColor;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the page says of itself.
#[derive(Clone, Debug)]
pub struct About {
    /// When it was made, for people.
    pub date: String,
    /// Name of the bench file.
    pub file: String,
    /// Text of the bench file.
    pub text: String,
    /// Version of Spelunk that made the page.
    pub spelunk: String,
    /// A date for people, of seconds since 1970.
    pub day: fn(u64) -> String,
}

/// The page.
pub fn page(plan: &Plan, comparisons: &[Comparison<'_>], about: &About) -> String {
    let shown: Vec<&Comparison<'_>> = comparisons.iter().filter(|c| !c.is_empty()).collect();
    let records: Vec<&Record> =
        shown.iter().flat_map(|c| &c.groups).flat_map(|g| g.done.iter().chain(&g.lost).copied()).collect();
    let body = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (plan.title) }
                style { (PreEscaped(style())) }
            }
            body {
                header {
                    h1 { (plan.title) }
                    @if let Some(note) = &plan.note { @for part in note.trim().split("\n\n") { p { (part) } } }
                    p.soft { (overview(&shown, &records)) " Values are medians, with the range below." }
                }
                main {
                    @for comparison in &shown { (section(comparison, plan)) }
                    (reading(plan, &shown))
                    (made(&records, about))
                    (all_campaigns(&records, comparisons))
                    section {
                        h2 { "The bench file" }
                        details { summary { (about.file) } pre { code { (about.text) } } }
                    }
                }
                footer { "Made by Spelunk " (about.spelunk) " on " (about.date) "." }
            }
        }
    };
    body.into_string()
}

fn overview(shown: &[&Comparison<'_>], records: &[&Record]) -> String {
    let targets: BTreeSet<&str> = shown.iter().map(|c| c.target.as_str()).collect();
    let strategies: BTreeSet<&str> = records.iter().map(|r| r.strategy.as_str()).collect();
    let (done, cpu) =
        (records.iter().filter(|r| r.is_done()).count(), records.iter().map(|r| r.cpu_in_all).sum::<f64>());
    format!(
        "{}, {}, {}; {} of CPU in all.",
        count(targets.len(), "target"),
        strategies_text(strategies.len()),
        count(done, "campaign"),
        duration(cpu)
    )
}

fn strategies_text(n: usize) -> String {
    if n == 1 { "1 strategy".into() } else { format!("{n} strategies") }
}

fn count(n: usize, what: &str) -> String {
    format!("{} {what}{}", text::grouped(n as u64), if n == 1 { "" } else { "s" })
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} seconds"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.1} hours", s / 3600.0),
    }
}

fn section(comparison: &Comparison<'_>, plan: &Plan) -> Markup {
    let metric = comparison.metric;
    html! {
        section {
            h2 { (comparison.target) ", " (comparison.budget) }
            p.soft {
                "Compared by " (metric.meaning()) "."
                @if let Some(aside) = set_aside(comparison) { " " (aside) "." }
                @if let Some(goal) = &comparison.goal { " Reached: " code { (goal) } ", after so many CPU-seconds of the search." }
                @if let (Some(reference), true) = (&plan.reference, has_paper(comparison)) { " Paper: " (reference) "." }
            }
            div.scroll { (results(comparison)) }
            div.plots {
                @for over in comparison.axes() { figure { (PreEscaped(inline(&Plot::new(comparison, over).svg()))) } }
            }
            @if !comparison.pairs.is_empty() { div.scroll { (pairs(comparison)) } }
        }
    }
}

fn has_paper(comparison: &Comparison<'_>) -> bool {
    comparison.groups.iter().any(|g| g.paper.is_some())
}

fn results(comparison: &Comparison<'_>) -> Markup {
    let metric = comparison.metric;
    let best = comparison.groups.iter().filter_map(|g| Some(g.measure()?.median)).fold(f64::MIN, f64::max);
    let (paper, goal) = (has_paper(comparison), comparison.goal.is_some());
    let tells =
        |m: &Metric| *m != metric && (*m != Metric::Comparable || !comparison.reachable.aside.is_empty());
    let others: Vec<Metric> = Metric::ALL.into_iter().filter(tells).collect();
    html! {
        table {
            thead { tr {
                th { "strategy" } th { "campaigns" } th { (heading(metric)) }
                @if paper { th { "paper" } }
                @if goal { th { "reached" } }
                @for other in &others { th { (heading(*other)) } }
                th { "runs" } th { "runs/CPU-s" } th { "queries" } th { "CPU s" } th { "findings" }
            } }
            tbody { @for (group, colour) in comparison.groups.iter().zip(plot::COLOURS.iter().cycle()) {
                tr {
                    td { span.key style=(format!("background:{}", hex(*colour))) {} (group.strategy) }
                    td { (campaigns(group)) }
                    td.best[group.measure().is_some_and(|m| m.median == best)] { (measured(comparison, group, metric)) }
                    @if paper { td { (against_paper(group, metric.is_share())) } }
                    @if goal { td { (reached(group)) } }
                    @for other in &others { td { (measured(comparison, group, *other)) } }
                    td { (cell(group.spread(|r| r.runs as f64), &text::rough)) }
                    td { (cell(group.spread(|r| r.runs as f64 / r.cpu.max(0.01)), &text::rough)) }
                    td { (cell(group.spread(|r| r.queries as f64), &text::rough)) }
                    td { (cell(group.spread(|r| r.cpu), &text::short)) }
                    td { (cell(group.spread(|r| f64::from(r.findings)), &|x| text::value(x, false))) }
                }
            } }
        }
    }
}

fn heading(metric: Metric) -> String {
    if metric.is_share() { format!("{} %", metric.name()) } else { metric.name().to_owned() }
}

fn measured(comparison: &Comparison<'_>, group: &Group<'_>, metric: Metric) -> Markup {
    let spread = group.spread(|r| measure(r, metric, &comparison.reachable));
    cell(spread, &|x| text::value(x, metric.is_share()))
}

/// A median, with the range below it.
fn cell(spread: Option<Spread>, show: &dyn Fn(f64) -> String) -> Markup {
    let Some(Spread { median, min, max, .. }) = spread else { return html! { "–" } };
    let (median, min, max) = (show(median), show(min), show(max));
    html! { (median) @if min != max { span.range { (min) "–" (max) } } }
}

/// `3 of 3: 0.2`, with the range below.
fn reached(group: &Group<'_>) -> Markup {
    let (n, times) = group.reached();
    html! { (n) " of " (group.done.len()) @if times.is_some() { ": " (cell(times, &text::short)) } }
}

/// The paper's value, and how far ours is from it.
fn against_paper(group: &Group<'_>, share: bool) -> Markup {
    let Some(paper) = group.paper else { return html! {} };
    let difference = group.measure().map(|m| m.median - paper);
    html! {
        (text::value(paper, share))
        @if let Some(d) = difference {
            small.range.above[d > 0.0].below[d < 0.0] { (format!("{d:+.1}")) }
        }
    }
}

fn pairs(comparison: &Comparison<'_>) -> Markup {
    html! {
        table {
            thead { tr {
                th { "strategies" } th { "U" } th { "p" } th.text { "" } th { "A12" } th.text { "effect" }
            } }
            tbody { @for pair in &comparison.pairs {
                tr {
                    td { (pair.first) " : " (pair.second) }
                    td { (text::value(pair.test.u, false)) }
                    td { (text::probability(pair.test.p)) }
                    td.text { small { @if pair.test.exact { "exact" } @else { "normal" } } }
                    td { (format!("{:.2}", pair.a12)) }
                    td.text { (pair.words()) }
                }
            } }
        }
    }
}

/// How to read it.
fn reading(plan: &Plan, shown: &[&Comparison<'_>]) -> Markup {
    let smallest = shown.iter().flat_map(|c| &c.groups).map(|g| g.done.len()).filter(|&n| n > 0).min();
    html! {
        section {
            h2 { "How to read this" }
            p { "A campaign is one exploration with one seed, in a process of its own. A branch is one outcome of a condition, counted by "
                "Spelunk in the program's own code; code of libraries does not count. Relative: of the branches in functions that the "
                "campaign entered. Reachable: of those in functions that any campaign on the program entered. Comparable: the same without "
                "functions that the bench file sets aside, as what it compares with cannot have had them. Absolute: of all." }
            p { "Lines are medians over campaigns, bands go from the lowest to the highest. A campaign that ended before others of its "
                "line keeps its branches." }
            p { "U and p: Mann–Whitney test, two-sided, counted out for up to 60 campaigns of a pair (values may be equal), else the "
                "normal approximation with corrections for ties and continuity; one test a pair, not corrected for their number. A12 (Vargha and Delaney): how "
                "likely a campaign of the first strategy is above one of the second; from 0.56 on the effect is called small, from 0.64 "
                "medium, from 0.71 large; with p above 0.05 it may be chance." }
            @if let Some(n @ 1..4) = smallest {
                p { "With " (count(n, "campaign")) " a strategy, no difference can come below p = " (text::probability(least_p(n))) "." }
            }
            @if let Some(reference) = &plan.reference { p { "Values of the paper: " (reference) "." } }
        }
    }
}

/// The smallest p of two samples of `n` values.
fn least_p(n: usize) -> f64 {
    let (low, high): (Vec<f64>, Vec<f64>) = (0..2 * n).map(|x| x as f64).partition(|&x| x < n as f64);
    crate::mann_whitney(&low, &high).map_or(1.0, |test| test.p)
}

/// Machines, versions, dates.
fn made(records: &[&Record], about: &About) -> Markup {
    let machines: BTreeSet<&Machine> = records.iter().map(|r| &r.machine).collect();
    let versions: BTreeSet<&Versions> = records.iter().map(|r| &r.versions).collect();
    let days: BTreeSet<String> = records.iter().map(|r| (about.day)(r.began_unix)).collect();
    let load = Spread::of(records.iter().map(|r| r.load));
    html! {
        section {
            h2 { "Made on" }
            dl {
                @for m in machines {
                    dt { "Machine" }
                    dd { (m.cpu) ", " (m.cores) " cores, " (text::grouped(m.memory_mib)) " MiB, " (m.system) ", kernel " (m.kernel) }
                }
                @if let Some(load) = load { dt { "Load" } dd { (text::short(load.median)) " when campaigns began (" (text::short(load.min)) " to " (text::short(load.max)) ")" } }
                @for v in versions {
                    dt { "Versions" }
                    dd { "spelunk " (v.spelunk) ", commit " (v.commit) " (build " (v.build) "), clang " (v.clang) ", Bitwuzla " (v.bitwuzla) }
                }
                dt { "Dates" }
                dd { (days.into_iter().collect::<Vec<_>>().join(", ")) }
            }
        }
    }
}

fn all_campaigns(records: &[&Record], comparisons: &[Comparison<'_>]) -> Markup {
    let csv = percent_encoded(&campaigns_csv(comparisons));
    html! {
        section {
            h2 { "Campaigns" }
            p { "All of it, one line a campaign: "
                a download="campaigns.csv" href=(format!("data:text/csv;charset=utf-8,{csv}")) { "campaigns.csv" }
                " (inside this page); curves: curves.csv, beside it." }
            details {
                summary { "Commands of all " (count(records.len(), "campaign")) }
                div.scroll { table.wide {
                    thead { tr { th { "campaign" } th { "branches" } th { "CPU s" } th.text { "ended" } th.text { "command" } } }
                    tbody { @for r in records {
                        tr {
                            td { (r.name()) }
                            td { (text::grouped(r.branches.into())) }
                            td { (text::short(r.cpu)) }
                            td.text { @match &r.status {
                                Status::Done => (r.ended),
                                Status::Lost(what) => { span.below { "lost: " (what) } }
                            } }
                            td.text { code { (r.command) } }
                        }
                    } }
                } }
            }
        }
    }
}

/// The SVG inside a page: without what stands before its element.
fn inline(svg: &str) -> String {
    svg.find("<svg").map_or("", |at| &svg[at..]).to_owned()
}

fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// The style sheet, with the colours of plots on a dark ground.
fn style() -> String {
    let mut css = include_str!("page.css").to_owned();
    let dark = [(plot::INK, "#e6edf3"), (plot::GRID, "#2d3742"), (plot::PAPER, "#10151b")];
    let strategies = ["#58a6ff", "#ff9e57", "#3ddc97", "#f0a5cf", "#ffcc4d", "#8fd3ff", "#b3a9f5"];
    css += "@media (prefers-color-scheme: dark) {\n";
    let all = dark.into_iter().chain(plot::COLOURS.into_iter().zip(strategies));
    for (light, dark) in all {
        let light = hex(light);
        // Writing into a string cannot fail.
        let _ = writeln!(
            css,
            "svg [fill=\"{light}\"] {{ fill: {dark}; }} svg [stroke=\"{light}\"] {{ stroke: {dark}; }} .key[style*=\"{light}\"] \
             {{ background: {dark} !important; }}"
        );
    }
    css + "}\n"
}

/// What can stand in a `data:` address.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9'
            | b'A'..=b'Z'
            | b'a'..=b'z'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b','
            | b'/'
            | b':'
            | b'=' => {
                out.push(byte as char);
            }
            // Writing into a string cannot fail.
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}
