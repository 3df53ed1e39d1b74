//! The plain files of a campaign folder: inputs, tests, findings.

use crate::{Meta, StoreError};
use events::{FindingId, Outcome, RunId};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use trace::{Input, ObjectKind};

/// Whether an input is one stream of bytes, stored raw.
pub fn is_byte_stream(input: &Input) -> bool {
    let stream = |k| matches!(k, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz);
    matches!(&input.objects[..], [only] if stream(only.kind))
}

/// What the file of an input holds.
pub(crate) fn content(input: &Input) -> Vec<u8> {
    if is_byte_stream(input) {
        return input.objects[0].data.clone();
    }
    serde_json::to_vec(input).expect("an input is plain data")
}

/// Hash of an input, in hexadecimal.
pub(crate) fn hash(input: &Input) -> String {
    blake3::hash(&content(input)).to_hex().to_string()
}

/// File name of a run's input: its number and the beginning of its content's hash; the same for the same run.
pub fn corpus_name(run: RunId, input: &Input) -> String {
    let extension = if is_byte_stream(input) { "" } else { ".json" };
    format!("{:06}-{}{extension}", run.0, &hash(input)[..16])
}

/// Folder of a finding below `findings/`.
pub fn finding_folder(id: FindingId, outcome: Outcome) -> String {
    let kind = match outcome {
        Outcome::Signal(n) => format!("signal-{n}"),
        Outcome::Exit(n) => format!("exit-{n}"),
        Outcome::Abort => "abort".to_string(),
        Outcome::Timeout => "hang".to_string(),
        Outcome::OutOfMemory => "out-of-memory".to_string(),
        Outcome::OutputLimit => "output-limit".to_string(),
    };
    format!("{:04}-{kind}", id.0)
}

/// Writes a file so that it is either there as a whole or not at all.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = fs::write(&part, content).and_then(|()| fs::rename(&part, path));
    written.map_err(|e| {
        // The half-written file is of no use; the error that matters is the first.
        let _ = fs::remove_file(&part);
        StoreError::io("write", path, e)
    })
}

/// Makes a folder and those above it.
pub(crate) fn folder(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|e| StoreError::io("create", path, e))
}

/// Everything a person needs of a finding, in its folder.
pub(crate) struct FindingFiles<'a> {
    pub id: FindingId,
    pub run: RunId,
    pub outcome: Outcome,
    pub input: &'a Input,
    pub stack: &'a [String],
}

impl FindingFiles<'_> {
    /// Writes, or replaces, the folder's files.
    pub(crate) fn write(&self, dir: &Path, meta: &Meta) -> Result<(), StoreError> {
        let at = dir.join("findings").join(finding_folder(self.id, self.outcome));
        folder(&at)?;
        write(&at.join("input"), &content(self.input))?;
        write(&at.join("how-to-replay.txt"), self.how_to_replay(&at, meta).as_bytes())?;
        let mut stack = self.stack.join("\n");
        if stack.is_empty() {
            stack.push_str("(no stack is known)");
        }
        write(&at.join("stack.txt"), format!("{stack}\n").as_bytes())?;
        let facts = serde_json::json!({
            "id": self.id, "run": self.run, "outcome": self.outcome, "stack": self.stack,
            "target": meta.target, "args": meta.args, "input": self.input.objects.iter().map(|o| {
                serde_json::json!({ "kind": o.kind as u32, "name": o.name, "bytes": o.data.len() })
            }).collect::<Vec<_>>(),
        });
        let text = serde_json::to_vec_pretty(&facts).expect("plain data");
        write(&at.join("finding.json"), &text)
    }

    fn how_to_replay(&self, at: &Path, meta: &Meta) -> String {
        let absolute = std::path::absolute(at).unwrap_or_else(|_| at.to_path_buf());
        let quoted = |p: PathBuf| shell_words::quote(&p.to_string_lossy()).into_owned();
        let mut text = format!("With Spelunk:\n  spelunk replay {}\n", quoted(absolute.clone()));
        let input = quoted(absolute.join("input"));
        if let [only] = &self.input.objects[..] {
            let args: Vec<String> = meta
                .args
                .iter()
                .map(|a| {
                    if a.contains("@@") {
                        a.replace("@@", &input)
                    } else {
                        shell_words::quote(a).into_owned()
                    }
                })
                .collect();
            // For sources the executable is one that was linked from them.
            let program = shell_words::quote(meta.options.get("executable").unwrap_or(&meta.target));
            let command = format!("{program} {}", args.join(" "));
            let by_hand = match only.kind {
                ObjectKind::Stdin => Some(format!("{} < {input}", command.trim_end())),
                ObjectKind::File if only.name == "@@" => Some(command),
                ObjectKind::Fuzz => Some(format!("{program} {input}")),
                _ => None,
            };
            if let Some(command) = by_hand {
                let _ =
                    write!(text, "By hand, with the program as you built it:\n  {}\n", command.trim_end());
            }
        }
        text
    }
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
        && let Some(kind @ (ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz)) = kind(only)
    {
        let name = only["name"].as_str().unwrap_or_default();
        return Ok(Input { objects: vec![trace::Object::new(kind, name, content)] });
    }
    serde_json::from_slice(&content).map_err(|e| format!("input: {e}"))
}
