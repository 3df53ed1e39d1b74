//! The results as CSV: one line a campaign, and one line a point of a curve.

use crate::compare::{Comparison, Reachable, measure};
use crate::plan::Metric;
use crate::record::{Record, Status};

const CAMPAIGNS: &[&str] = &[
    "target",
    "strategy",
    "budget",
    "seed",
    "repetition",
    "status",
    "ended",
    "runs",
    "cheap_runs",
    "queries",
    "cpu_seconds",
    "cpu_seconds_in_all",
    "wall_seconds",
    "branches",
    "branches_in_all",
    "branches_of_functions_entered",
    "branches_of_reachable_functions",
    "absolute_percent",
    "relative_percent",
    "reachable_percent",
    "functions_entered",
    "functions_in_all",
    "tests",
    "findings",
    "findings_unconfirmed",
    "reached_wall_seconds",
    "reached_cpu_seconds",
    "reached_runs",
    "paper",
    "began_unix",
    "load",
    "spelunk",
    "commit",
    "build",
    "clang",
    "cpu_model",
    "cores",
    "memory_mib",
    "kernel",
    "system",
    "key",
    "command",
    "branches_set_aside",
    "comparable_percent",
];

/// One line a campaign.
pub fn campaigns_csv(comparisons: &[Comparison<'_>]) -> String {
    let mut file = File::new(CAMPAIGNS);
    for comparison in comparisons {
        for group in &comparison.groups {
            for record in group.done.iter().chain(&group.lost) {
                file.line(campaign(record, &comparison.reachable, group.paper));
            }
        }
    }
    file.text()
}

fn campaign(r: &Record, reachable: &Reachable, paper: Option<f64>) -> Vec<String> {
    let percent = |metric| format!("{:.3}", measure(r, metric, reachable));
    let seconds = |s: f64| format!("{s:.3}");
    let reached = |part: &dyn Fn(crate::Reached) -> String| r.reached.map(part).unwrap_or_default();
    let status = match &r.status {
        Status::Done => "done".to_owned(),
        Status::Lost(what) => format!("lost: {what}"),
    };
    let (versions, machine) = (&r.versions, &r.machine);
    vec![
        r.target.clone(),
        r.strategy.clone(),
        r.budget.clone(),
        r.seed.to_string(),
        r.repetition.to_string(),
        status,
        r.ended.clone(),
        r.runs.to_string(),
        r.cheap_runs.to_string(),
        r.queries.to_string(),
        seconds(r.cpu),
        seconds(r.cpu_in_all),
        seconds(r.wall),
        r.branches.to_string(),
        r.branches_in_all.to_string(),
        r.branches_entered().to_string(),
        reachable.branches.to_string(),
        percent(Metric::Absolute),
        percent(Metric::Relative),
        percent(Metric::Reachable),
        r.entered.len().to_string(),
        r.functions_in_all.to_string(),
        r.tests.to_string(),
        r.findings.to_string(),
        r.unconfirmed.to_string(),
        reached(&|at| seconds(at.wall)),
        reached(&|at| seconds(at.cpu)),
        reached(&|at| at.runs.to_string()),
        paper.map(|p| p.to_string()).unwrap_or_default(),
        r.began_unix.to_string(),
        format!("{:.2}", r.load),
        versions.spelunk.clone(),
        versions.commit.clone(),
        versions.build.clone(),
        versions.clang.clone(),
        machine.cpu.clone(),
        machine.cores.to_string(),
        machine.memory_mib.to_string(),
        machine.kernel.clone(),
        machine.system.clone(),
        r.key.clone(),
        r.command.clone(),
        reachable.branches_aside.to_string(),
        percent(Metric::Comparable),
    ]
}

/// One line a point: from then on so many branches.
pub fn curves_csv(comparisons: &[Comparison<'_>]) -> String {
    let header = [
        "target",
        "strategy",
        "budget",
        "seed",
        "repetition",
        "runs",
        "cpu_seconds",
        "wall_seconds",
        "branches",
    ];
    let mut file = File::new(&header);
    for record in comparisons.iter().flat_map(|c| &c.groups).flat_map(|g| &g.done) {
        for point in &record.curve {
            file.line([
                record.target.clone(),
                record.strategy.clone(),
                record.budget.clone(),
                record.seed.to_string(),
                record.repetition.to_string(),
                point.runs.to_string(),
                format!("{:.3}", point.cpu),
                format!("{:.3}", point.wall),
                point.branches.to_string(),
            ]);
        }
    }
    file.text()
}

/// CSV in memory, which cannot fail: every line has as many cells as the header.
struct File(csv::Writer<Vec<u8>>);

impl File {
    fn new(header: &[&str]) -> File {
        let mut file = File(csv::Writer::from_writer(Vec::new()));
        file.line(header.iter().map(|h| (*h).to_owned()));
        file
    }

    fn line(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.write_record(cells).expect("a line as long as the header, into memory");
    }

    fn text(self) -> String {
        String::from_utf8(self.0.into_inner().expect("memory")).expect("made of strings")
    }
}
