//! The phases of a session: what is shown while nothing else is, and what each took.

use crate::cpu_time;
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Between plain lines when the output is not a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// What a phase took.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// By the clock on the wall.
    pub time: Duration,
    /// CPU time of the whole process tree.
    pub cpu: Duration,
}

/// How phases are shown.
enum Out {
    /// A line on a terminal that keeps itself up to date.
    Line(Option<ProgressBar>),
    /// Plain lines now and then.
    Plain(Instant),
    /// Not at all: events are shown.
    Quiet,
}

/// See the module.
pub struct Phases {
    out: Out,
    rows: Vec<Row>,
    now: Option<(&'static str, Instant, Duration)>,
}

impl Phases {
    /// None yet; shown unless `quiet`.
    pub fn new(quiet: bool) -> Phases {
        let out = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Out::Quiet,
            (false, true) => Out::Line(None),
            (false, false) => Out::Plain(Instant::now()),
        };
        Phases { out, rows: Vec::new(), now: None }
    }

    /// The phase before ends, this one begins and is shown.
    pub fn begin(&mut self, name: &'static str) {
        self.enter(name);
        if let Out::Line(line) = &mut self.out {
            let bar = ProgressBar::new_spinner();
            // The template is a constant: a mistake in it only costs the looks.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(name);
            bar.enable_steady_tick(Duration::from_millis(100));
            *line = Some(bar);
        }
    }

    /// The phase before ends, this one begins and shows itself.
    pub fn enter(&mut self, name: &'static str) {
        self.end();
        self.now = Some((name, Instant::now(), cpu_time::all()));
        if let Out::Plain(shown) = &mut self.out {
            *shown = Instant::now();
        }
    }

    /// How far the phase is, for people.
    pub fn tell(&mut self, how_far: &str) {
        let Some((name, began, _)) = self.now else { return };
        match &mut self.out {
            Out::Line(Some(bar)) => bar.set_message(format!("{name}  {how_far}")),
            Out::Plain(shown) if shown.elapsed() >= PLAIN_EVERY => {
                *shown = Instant::now();
                eprintln!("{name} {how_far} ({}s)", began.elapsed().as_secs());
            }
            _ => {}
        }
    }

    /// The phase ends.
    pub fn end(&mut self) {
        if let Out::Line(line) = &mut self.out
            && let Some(bar) = line.take()
        {
            bar.finish_and_clear();
        }
        if let Some((name, began, cpu)) = self.now.take() {
            let (time, cpu) = (began.elapsed(), cpu_time::all().saturating_sub(cpu));
            self.rows.push(Row { name, time, cpu });
        }
    }

    /// The phases that are over.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// A phase is told as two: its first part with its own name, and what `rest` is called.
    pub fn split(&mut self, name: &str, first: (Duration, Duration), rest: &'static str) {
        let Some(at) = self.rows.iter().position(|row| row.name == name) else { return };
        let row = &mut self.rows[at];
        let other =
            Row { name: rest, time: row.time.saturating_sub(first.0), cpu: row.cpu.saturating_sub(first.1) };
        (row.time, row.cpu) = (row.time.min(first.0), row.cpu.min(first.1));
        self.rows.insert(at + 1, other);
    }
}

/// A table for the terminal, with what the time of the search went for below it: `uses`, of so many workers.
pub fn table(rows: &[Row], search: &str, uses: &[(&'static str, Duration)]) -> String {
    let mut text = format!("\nWhere the time went (seconds)\n  {:34}{:>10}{:>10}\n", "phase", "clock", "CPU");
    let line = |text: &mut String, name: &str, time: Duration, cpu: Option<Duration>| {
        let cpu = cpu.map_or(String::new(), |cpu| format!("{:.2}", cpu.as_secs_f64()));
        let _ = writeln!(text, "  {name:34}{:>10.2}{cpu:>10}", time.as_secs_f64());
    };
    for row in rows {
        line(&mut text, row.name, row.time, Some(row.cpu));
        for (name, time) in uses.iter().filter(|_| row.name == search) {
            line(&mut text, &format!("  {name}"), *time, None);
        }
    }
    let all = |of: fn(&Row) -> Duration| rows.iter().map(of).sum();
    line(&mut text, "all", all(|row| row.time), Some(all(|row| row.cpu)));
    text
}

/// For `summary.json`.
pub fn to_json(rows: &[Row]) -> serde_json::Value {
    let row = |row: &Row| {
        serde_json::json!({
            "phase": row.name, "seconds": row.time.as_secs_f64(), "cpu_seconds": row.cpu.as_secs_f64(),
        })
    };
    rows.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, time: u64, cpu: u64) -> Row {
        Row { name, time: Duration::from_secs(time), cpu: Duration::from_secs(cpu) }
    }

    #[test]
    fn all_time_has_a_row() {
        let rows = [row("instrumenting", 5, 4), row("searching", 20, 18), row("confirming tests", 2, 1)];
        let text = table(&rows, "searching", &[("waiting for runs that hang", Duration::from_millis(1500))]);
        for part in ["instrumenting", "    waiting for runs that hang", "1.50", "27.00", "23.00"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn a_phase_is_told_as_two() {
        let mut phases = Phases::new(true);
        phases.rows = vec![row("searching", 20, 18), row("rest", 1, 1)];
        phases.split("searching", (Duration::from_secs(15), Duration::from_secs(14)), "shortening tests");
        assert_eq!(
            phases.rows(),
            [row("searching", 15, 14), row("shortening tests", 5, 4), row("rest", 1, 1)]
        );
    }
}
