//! Findings in the summary: each confirmed mistake once, with its place and the command that shows it again.

use crate::text::{align, count, grouped, outcome};
use crate::{Data, Finding, Look};
use comfy_table::Cell;
use events::{Diagnosis, FindingId, Verdict};

/// Frames named per finding.
const FRAMES: usize = 3;

/// The findings.
pub fn table(data: &Data<'_>, look: &Look) -> String {
    let all = data.distinct();
    let of_every_run = |f: &Finding| f.diagnosis().is_some_and(|d| d.every_run);
    let held = all.iter().filter(|(_, f, _)| f.diagnosis().is_some() && !of_every_run(f));
    let held: Vec<_> = held.collect();
    let mut text = String::new();
    if !held.is_empty() {
        let mut table = look.table(&["", "what", "where", "runs"], &[3]);
        for (id, finding, runs) in &held {
            let cells = [format!("#{}", id.0), what(finding), place(finding), grouped(*runs)];
            table.add_row(cells.into_iter().enumerate().map(|(i, c)| align(Cell::new(c), i == 3)));
        }
        let title = match held.len() {
            1 => "Findings: 1".into(),
            n => format!("Findings: {}", count(n as u64, "one", "different ones")),
        };
        text += &(look.heading(&title) + &table.trim_fmt() + "\n");
        for (id, finding, _) in &held {
            text += &details(data, *id, finding);
        }
    }
    let usual: Vec<_> = all.iter().filter(|(_, f, _)| of_every_run(f)).collect();
    if !usual.is_empty() {
        let lines: Vec<String> =
            usual.iter().map(|(id, finding, _)| of_the_harness(data, *id, finding)).collect();
        text += &(look.heading("On every input, also the empty one: of the harness, told once")
            + &look.list(&lines));
    }
    let doubts = [
        (
            Some(Verdict::Unconfirmed),
            "No findings: neither your own executable nor the one with AddressSanitizer shows what the instrumented one did",
        ),
        (None, "Not tried yet on your own executable"),
    ];
    let lines = doubts.into_iter().filter_map(|(verdict, says)| {
        let these = all.iter().filter(|(_, f, _)| f.verdict == verdict);
        let these: Vec<String> =
            these.map(|(id, f, _)| format!("#{} ({})", id.0, outcome(f.outcome))).collect();
        (!these.is_empty()).then(|| format!("{says}: {}", these.join(", ")))
    });
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        text += &(look.heading("Not confirmed") + &look.list(&lines));
    }
    text
}

fn what(finding: &Finding) -> String {
    match finding.diagnosis() {
        Some(d) if d.on_own => d.kind.text().into(),
        Some(d) => format!("{} (silent)", d.kind.text()),
        None => outcome(finding.outcome),
    }
}

fn place(finding: &Finding) -> String {
    let names: Vec<String> = match finding.diagnosis() {
        Some(d) => d.stack.iter().take(FRAMES).enumerate().map(|(i, f)| frame(f, i == 0)).collect(),
        None => finding.stack.iter().take(FRAMES).cloned().collect(),
    };
    if names.is_empty() { "unknown".into() } else { names.join(" ← ") }
}

/// `parse (file.c:12)`; of outer frames the function alone.
fn frame(frame: &events::SourceFrame, with_line: bool) -> String {
    let file = frame.file.rsplit('/').next().unwrap_or(&frame.file);
    match (with_line && !file.is_empty(), frame.function.is_empty()) {
        (true, false) => format!("{} ({file}:{})", frame.function, frame.line),
        (true, true) => format!("{file}:{}", frame.line),
        (false, _) => frame.function.clone(),
    }
}

/// What is wrong in this case, and how to see it again.
fn details(data: &Data<'_>, id: FindingId, finding: &Finding) -> String {
    let mut text = String::new();
    let label = format!("  #{}: ", id.0);
    if let Some(d) = finding.diagnosis() {
        text += &format!("{label}{}\n", in_short(d));
    }
    if let Some(file) = &finding.file {
        let path = format!("{}/{file}", data.folder);
        let indent = if text.is_empty() { label } else { " ".repeat(label.len()) };
        text += &format!("{indent}spelunk replay {}\n", shell_words::quote(&path));
    }
    text
}

/// What every run shows, in one line.
fn of_the_harness(data: &Data<'_>, id: FindingId, finding: &Finding) -> String {
    let short = finding.diagnosis().map(in_short).unwrap_or_default();
    let replay = finding.file.as_ref().map_or_else(String::new, |file| {
        format!("; spelunk replay {}", shell_words::quote(&format!("{}/{file}", data.folder)))
    });
    format!("#{}: {} at {}: {short}{replay}", id.0, what(finding), place(finding))
}

fn in_short(diagnosis: &Diagnosis) -> String {
    let bytes = count(diagnosis.input_len, "byte", "bytes");
    match &diagnosis.source {
        Some(line) => format!("{}: `{line}` [{bytes}]", diagnosis.message),
        None => format!("{} [{bytes}]", diagnosis.message),
    }
}
