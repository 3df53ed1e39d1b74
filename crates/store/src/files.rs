//! The plain files of a campaign folder: inputs and tests (findings: see `finding_files`).

use crate::StoreError;
use events::{FindingId, Outcome, RunId};
use std::fs;
use std::path::Path;
use trace::{Input, ObjectKind};

/// Whether an input is one stream of bytes, stored raw.
pub fn is_byte_stream(input: &Input) -> bool {
    let stream =
        |k| matches!(k, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz | ObjectKind::Connection);
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

/// Folder below `findings/` of a finding that is not confirmed.
pub fn finding_folder(id: FindingId, outcome: Outcome) -> String {
    let kind = match outcome {
        Outcome::Signal(n) => format!("signal-{n}"),
        Outcome::Exit(n) => format!("exit-{n}"),
        Outcome::Abort => "abort".to_string(),
        Outcome::Timeout => "hang".to_string(),
        Outcome::OutOfMemory => "out-of-memory".to_string(),
        Outcome::OutputLimit => "output-limit".to_string(),
        Outcome::Undefined(kind) => kind.name().to_string(),
    };
    format!("{:04}-unconfirmed-{kind}", id.0)
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

/// Renames a folder; one in the way goes.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    remove_folder(to)?;
    fs::rename(from, to).map_err(|e| StoreError::io("rename", from, e))
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StoreError::io("remove", path, e)),
        _ => Ok(()),
    }
}
