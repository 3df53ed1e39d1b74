//! The folder of a finding: everything a person needs of it.
//!
//! `input`, the reproducer; `how-to-replay.txt`; `report.txt`, what is wrong and where, in words; `stack.txt`;
//! `finding.json`, the same for programs.

use crate::files::{content, folder, write};
use crate::{Meta, StoreError};
use events::{Diagnosis, FindingId, Outcome, RunId};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use trace::{Input, ObjectKind};

/// What is written.
pub(crate) struct FindingFiles<'a> {
    pub id: FindingId,
    pub run: RunId,
    pub outcome: Outcome,
    pub input: &'a Input,
    pub stack: &'a [String],
    /// What came of confirming it.
    pub state: State<'a>,
}

/// What came of confirming a finding.
#[derive(Clone, Copy)]
pub(crate) enum State<'a> {
    /// Nobody has tried yet.
    Untried,
    /// No executable shows it.
    Unconfirmed,
    /// What is known of it, and a sanitizer's report.
    Confirmed(&'a Diagnosis, &'a str),
}

impl FindingFiles<'_> {
    /// Writes, or replaces, the files of the folder `name`.
    pub(crate) fn write(&self, dir: &Path, name: &str, meta: &Meta) -> Result<(), StoreError> {
        let at = dir.join("findings").join(name);
        folder(&at)?;
        write(&at.join("input"), &content(self.input))?;
        let built = match self.state {
            State::Confirmed(d, _) if !d.on_own && !d.on_check => {
                "built with -fsanitize=undefined (as you built it, nothing may show)"
            }
            State::Confirmed(d, _) if !d.on_own => {
                "built with -fsanitize=address (as you built it, it survives)"
            }
            State::Confirmed(..) => "as you built it",
            State::Untried => "as you built it (nobody has tried yet whether it shows there)",
            State::Unconfirmed => "as you built it (it does not show there)",
        };
        let replay = how_to_replay(&at, self.input, meta, built);
        write(&at.join("how-to-replay.txt"), replay.as_bytes())?;
        write(&at.join("stack.txt"), self.stack_text().as_bytes())?;
        let text = match self.state {
            State::Confirmed(diagnosis, report) => explanation(self.id, diagnosis, report, self.input),
            State::Unconfirmed => self.doubt(
                "Neither your own executable nor the one with AddressSanitizer shows it: this may be no mistake of the \
                 program. It may depend on time, memory addresses, or on what else runs on this machine.",
            ),
            State::Untried => self.doubt("Whether your own executable shows it is not known yet."),
        };
        write(&at.join("report.txt"), (text + "\n" + &replay).as_bytes())?;
        let facts = serde_json::json!({
            "id": self.id, "run": self.run, "outcome": self.outcome, "stack": self.stack,
            "target": meta.target, "args": meta.args, "input": self.input.objects.iter().map(|o| {
                serde_json::json!({ "kind": o.kind as u32, "name": o.name, "bytes": o.data.len() })
            }).collect::<Vec<_>>(),
            "confirmed": self.diagnosis().is_some(),
            "diagnosis": self.diagnosis(),
            "replay": replay_command(&at),
        });
        let text = serde_json::to_vec_pretty(&facts).expect("plain data");
        write(&at.join("finding.json"), &text)
    }

    fn diagnosis(&self) -> Option<&Diagnosis> {
        match self.state {
            State::Confirmed(diagnosis, _) => Some(diagnosis),
            _ => None,
        }
    }

    /// What is to be said of a finding that is not confirmed.
    fn doubt(&self, why: &str) -> String {
        let mut text = format!("Finding #{}: NOT CONFIRMED\n\n", self.id.0);
        let ended = serde_json::to_string(&self.outcome).unwrap_or_default();
        let _ = writeln!(text, "Spelunk's instrumented program ended with {ended} on this input. {why}");
        for name in self.stack {
            let _ = writeln!(text, "  in {name}");
        }
        text
    }

    fn stack_text(&self) -> String {
        let mut lines: Vec<String> = match self.diagnosis() {
            Some(diagnosis) => diagnosis.stack.iter().map(|frame| frame.text()).collect(),
            None => self.stack.to_vec(),
        };
        if lines.is_empty() {
            lines.push("(no stack is known)".into());
        }
        lines.join("\n") + "\n"
    }
}

/// What is wrong, in words.
fn explanation(id: FindingId, diagnosis: &Diagnosis, report: &str, input: &Input) -> String {
    let mut text = format!("Finding #{}: {}\n\n{}\n", id.0, diagnosis.kind.text(), diagnosis.message);
    if let Some(frame) = diagnosis.stack.first() {
        let _ = writeln!(text, "  at {}", frame.text());
    }
    if let Some(line) = &diagnosis.source {
        let _ = writeln!(text, "  {line}");
    }
    for frame in diagnosis.stack.iter().skip(1) {
        let _ = writeln!(text, "  called by {}", frame.text());
    }
    for related in &diagnosis.related {
        let _ = writeln!(text, "{}:", related.what);
        for frame in &related.stack {
            let _ = writeln!(text, "  {}", frame.text());
        }
    }
    let _ = writeln!(text, "\n{}", diagnosis.shown_by());
    if let Some(sentence) = diagnosis.of_every_run() {
        let _ = writeln!(text, "{sentence}");
    }
    let _ = writeln!(
        text,
        "The reproducer has {} bytes (found with {}){}.",
        diagnosis.input_len,
        diagnosis.first_len,
        if diagnosis.minimal { "; no byte can go or become simpler" } else { "" }
    );
    for line in diagnosis.bytes_that_matter(&|object| {
        input.objects.get(object as usize).map_or_else(String::new, |o| o.name.clone())
    }) {
        let _ = writeln!(text, "{line}");
    }
    if !report.is_empty() {
        let _ = write!(text, "\nThe sanitizer's report:\n{report}");
    }
    text
}

/// The command that runs a finding again.
pub(crate) fn replay_command(at: &Path) -> String {
    let absolute = std::path::absolute(at).unwrap_or_else(|_| at.to_path_buf());
    format!("spelunk replay {}", shell_words::quote(&absolute.to_string_lossy()))
}

fn how_to_replay(at: &Path, input: &Input, meta: &Meta, built: &str) -> String {
    let absolute = std::path::absolute(at).unwrap_or_else(|_| at.to_path_buf());
    let quoted = |p: PathBuf| shell_words::quote(&p.to_string_lossy()).into_owned();
    let mut text = format!("With Spelunk:\n  {}\n", replay_command(at));
    let file = quoted(absolute.join("input"));
    let [only] = &input.objects[..] else { return text };
    let path = absolute.join("input").to_string_lossy().into_owned();
    let argument = |a: &String| shell_words::quote(&a.replace("@@", &path)).into_owned();
    let args: Vec<String> = meta.args.iter().map(argument).collect();
    // For sources the executable is one that was linked from them.
    let program = shell_words::quote(meta.options.get("executable").unwrap_or(&meta.target));
    let command = format!("{program} {}", args.join(" "));
    let by_hand = match only.kind {
        ObjectKind::Stdin => Some(format!("{} < {file}", command.trim_end())),
        ObjectKind::File if only.name == "@@" => Some(command),
        ObjectKind::Fuzz => Some(format!("{program} {file}")),
        // `-N`: the sending side is closed at the end.
        ObjectKind::Connection => {
            Some(format!("{}   and, when it listens:   nc -N HOST PORT < {file}", command.trim_end()))
        }
        _ => None,
    };
    if let Some(command) = by_hand {
        let _ = write!(text, "By hand, with the program {built}:\n  {}\n", command.trim_end());
    }
    text
}

/// The input of the finding in this folder.
pub(crate) fn read_finding(folder: &Path) -> Result<Input, String> {
    let read = |name: &str| fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}"));
    let content = read("input")?;
    let facts: serde_json::Value =
        serde_json::from_slice(&read("finding.json")?).map_err(|e| format!("finding.json: {e}"))?;
    let objects = facts["input"].as_array().ok_or("finding.json: no input")?;
    let kind = |object: &serde_json::Value| {
        object["kind"].as_u64().and_then(|n| u32::try_from(n).ok()).and_then(ObjectKind::from_u32)
    };
    if let [only] = &objects[..]
        && let Some(kind @ (ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz | ObjectKind::Connection)) =
            kind(only)
    {
        let name = only["name"].as_str().unwrap_or_default();
        return Ok(Input { objects: vec![trace::Object::new(kind, name, content)] });
    }
    serde_json::from_slice(&content).map_err(|e| format!("input: {e}"))
}
