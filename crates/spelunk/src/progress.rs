//! The live status: one line that keeps itself up to date on a terminal, a plain line now and then elsewhere,
//! or all events as JSON. Fed by events only.

use events::{Event, Ledger, Record, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Seconds between plain lines when the output is not a terminal.
const PLAIN_EVERY: u64 = 10;

/// Where the status goes.
enum Out {
    /// A line on a terminal.
    Line(ProgressBar),
    /// Plain lines; the time of the last one.
    Plain(Duration),
    /// One JSON object per event on standard output.
    Json,
}

/// Shows what happens.
pub struct Progress {
    out: Out,
    budget: Option<Duration>,
    newest: Duration,
}

impl Progress {
    /// Shows events as JSON if `json`, else as suits standard error. `budget` is the time the campaign has.
    pub fn new(json: bool, budget: Option<Duration>) -> Progress {
        let out = if json {
            Out::Json
        } else if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            // The template is a constant: a mistake in it only costs the colours.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                bar.set_style(style);
            }
            Out::Line(bar)
        } else {
            Out::Plain(Duration::ZERO)
        };
        Progress { out, budget, newest: Duration::ZERO }
    }

    /// Takes one event.
    pub fn take(&mut self, record: &Record) {
        let now = Duration::from_millis(record.at_ms);
        if let Out::Json = self.out {
            if let Ok(line) = serde_json::to_string(record) {
                // A reader that went away must not end the campaign.
                let _ = writeln!(std::io::stdout().lock(), "{line}");
            }
            return;
        }
        match &record.event {
            Event::BranchCovered { .. } | Event::FunctionEntered { .. } | Event::GoalReached { .. } => {
                self.newest = now
            }
            Event::FindingSeen { outcome, first: true, stack, .. } if outcome.is_finding() => {
                let place = stack.first().map_or(String::new(), |frame| format!(" in {frame}"));
                self.say(&format!("to be confirmed: {}{place}", outcome_text(*outcome)));
            }
            Event::FindingJudged { finding, verdict: Verdict::Unconfirmed } => {
                self.say(&format!("not confirmed: #{}, no executable shows it", finding.0));
            }
            Event::FindingJudged { finding, verdict: Verdict::Confirmed(d) } => {
                let place = d.stack.first().map_or(String::new(), |frame| format!(" in {}", frame.text()));
                self.say(&format!("confirmed: #{} {}{place}", finding.0, d.kind.text()));
            }
            Event::TraceMismatch { what, .. } => {
                self.say(&format!("trace mismatch (a bug in Spelunk): {what}"))
            }
            Event::WorkerLost { worker, what } => self.say(&format!("worker {worker} stopped: {what}")),
            Event::RunFailed { what, .. } => self.say(&format!("a run could not be made: {what}")),
            Event::Progress(ledger) => self.show(ledger, now),
            _ => {}
        }
    }

    /// Prints a line for people above the status line.
    pub fn say(&self, text: &str) {
        match &self.out {
            Out::Line(bar) => bar.suspend(|| eprintln!("{text}")),
            Out::Plain(_) => eprintln!("{text}"),
            Out::Json => {}
        }
    }

    /// Removes the status line.
    pub fn finish(&mut self) {
        if let Out::Line(bar) = &self.out {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, ledger: &Ledger, now: Duration) {
        let text = status(ledger, now, self.newest, self.budget);
        match &mut self.out {
            Out::Line(bar) => {
                bar.set_message(text);
                bar.tick();
            }
            Out::Plain(shown) if now.saturating_sub(*shown).as_secs() >= PLAIN_EVERY => {
                *shown = now;
                eprintln!("{text}");
            }
            Out::Plain(_) | Out::Json => {}
        }
    }
}

/// The status in words.
fn status(ledger: &Ledger, now: Duration, newest: Duration, budget: Option<Duration>) -> String {
    let per_second = |count: u64| count as f64 / now.as_secs_f64().max(0.001);
    let mut text = format!(
        "branches {}/{}  runs {} ({:.0}/s)  queries {} ({:.0}/s)  newest {} ago",
        ledger.branches,
        ledger.branches_total,
        ledger.runs,
        per_second(ledger.runs),
        ledger.queries,
        per_second(ledger.queries),
        short(now.saturating_sub(newest)),
    );
    if ledger.crashes + ledger.hangs > 0 {
        text += &format!("  to be confirmed: crashes {} hangs {}", ledger.crashes, ledger.hangs);
    }
    match budget {
        Some(budget) => text += &format!("  left {}", short(budget.saturating_sub(now))),
        None => text += &format!("  time {}", short(now)),
    }
    text
}

/// A duration in at most two units.
pub fn short(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// How a run ended, for people.
pub fn outcome_text(outcome: trace::Outcome) -> String {
    use trace::Outcome;
    match outcome {
        Outcome::Exit(code) => format!("exit code {code}"),
        Outcome::Signal(signal) => format!("crash, signal {signal}{}", signal_name(signal)),
        Outcome::Abort => "abort or failed assertion".into(),
        Outcome::Timeout => "hang (time limit)".into(),
        Outcome::OutOfMemory => "memory limit reached".into(),
        Outcome::OutputLimit => "output limit reached".into(),
        Outcome::Undefined(kind) => kind.text().into(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        5 => " (SIGTRAP)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        31 => " (SIGSYS)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_says_what_matters() {
        let ledger = Ledger {
            branches: 12,
            branches_total: 40,
            runs: 300,
            queries: 50,
            crashes: 1,
            ..Ledger::default()
        };
        let text =
            status(&ledger, Duration::from_secs(10), Duration::from_secs(7), Some(Duration::from_secs(70)));
        assert_eq!(
            text,
            "branches 12/40  runs 300 (30/s)  queries 50 (5/s)  newest 3s ago  to be confirmed: crashes 1 hangs 0  left 1m00s"
        );
    }
}
