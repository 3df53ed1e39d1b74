//! Reading the user's seeds: every file of a folder (or one file, or a zipped Test-Comp suite) is one input.

use crate::cli::MAX_INPUT;
use crate::exit;
use crate::failure::Failure;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use trace::{Input, Object, ObjectKind};

/// Reads all seeds below `from`, in the order of their names. Each becomes the bytes of the input's stream object
/// in `shape` (standard input, the `@@` file, the fuzz buffer or the first connection); files in Spelunk's JSON form, KLEE's .ktest and
/// Test-Comp's XML become what they say.
///
/// # Errors
/// When there is none, one cannot be read, or one is larger than `max_input` bytes.
pub fn read(from: &Path, shape: &Input, max_input: u64) -> Result<Vec<Input>, Failure> {
    if from.extension().is_some_and(|e| e == "zip") && !shape.objects.iter().any(is_stream) {
        return read_zip(from, shape, max_input);
    }
    let files = files(from)?;
    if files.is_empty() {
        return Err(Failure::new(
            exit::INPUT,
            format!(
                "{}: no seed files in this folder; put one input per file there, or leave out --seeds",
                from.display()
            ),
        ));
    }
    let seeds = files.iter().map(|file| read_one(file, shape, max_input)).filter_map(Result::transpose);
    seeds.collect()
}

fn files(from: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |e: &std::io::Error| {
        Failure::new(
            exit::INPUT,
            format!("{}: cannot read the seeds: {e}; --seeds wants a folder of inputs", from.display()),
        )
    };
    if from.is_file() {
        return Ok(vec![from.to_path_buf()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(from).map_err(|e| unreadable(&e))? {
        let path = entry.map_err(|e| unreadable(&e))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// One seed; `None` for the description of a Test-Comp suite that lies beside its tests.
fn read_one(file: &Path, shape: &Input, max_input: u64) -> Result<Option<Input>, Failure> {
    let failure = |what: String| Failure::new(exit::INPUT, format!("{}: {what}", file.display()));
    let size = std::fs::metadata(file).map_err(|e| failure(e.to_string()))?.len();
    if size > max_input {
        let raise = if size <= MAX_INPUT { " or raise --max-input" } else { "" };
        return Err(failure(format!(
            "this seed has {size} bytes, more than the {max_input} an input may have; give a smaller one{raise}"
        )));
    }
    let bytes = std::fs::read(file).map_err(|e| failure(format!("cannot read the seed: {e}")))?;
    if !shape.objects.iter().any(is_stream) && testgen::test_comp::is_metadata(&bytes) {
        return Ok(None);
    }
    understand(&file.display().to_string(), bytes, shape).map(Some)
}

/// A seed by its content: in a format that is known, or plain bytes.
fn understand(name: &str, bytes: Vec<u8>, shape: &Input) -> Result<Input, Failure> {
    if name.ends_with(".json")
        && let Ok(input) = serde_json::from_slice::<Input>(&bytes)
        && !input.objects.is_empty()
    {
        return Ok(input);
    }
    match testgen::read(&bytes, shape) {
        Some(Ok(input)) => Ok(input),
        Some(Err(e)) => Err(Failure::new(exit::INPUT, format!("{name}: {e}"))),
        None => Ok(with_stream(shape, bytes)),
    }
}

/// The tests of a zipped Test-Comp suite.
fn read_zip(from: &Path, shape: &Input, max_input: u64) -> Result<Vec<Input>, Failure> {
    let failure = |what: String| Failure::new(exit::INPUT, format!("{}: {what}", from.display()));
    let file = std::fs::File::open(from).map_err(|e| failure(format!("cannot read the seeds: {e}")))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| failure(format!("not a zip archive: {e}")))?;
    let mut names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    names.retain(|name| name.ends_with(".xml") && !name.ends_with("metadata.xml"));
    names.sort();
    let mut seeds = Vec::new();
    for name in names {
        let damaged = |e: &dyn std::fmt::Display| failure(format!("{name}: {e}"));
        let mut bytes = Vec::new();
        let entry = archive.by_name(&name).map_err(|e| damaged(&e))?;
        // XML of numbers is longer than the numbers, but not without bound: archives may lie about their sizes.
        entry.take(max_input.saturating_mul(64)).read_to_end(&mut bytes).map_err(|e| damaged(&e))?;
        seeds.push(understand(&format!("{}: {name}", from.display()), bytes, shape)?);
    }
    if seeds.is_empty() {
        return Err(failure("no tests in this archive; a Test-Comp suite has files like test-1.xml".into()));
    }
    Ok(seeds)
}

/// `shape` with `bytes` as its byte stream (its first object that is one; typed values stay as they are).
pub fn with_stream(shape: &Input, bytes: Vec<u8>) -> Input {
    let mut input = shape.clone();
    let stream = input.objects.iter_mut().find(|o| is_stream(o));
    if let Some(object) = stream {
        object.data = bytes;
    }
    input
}

fn is_stream(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz | ObjectKind::Connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_in_order_and_checked() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::fs::write(dir.path().join("b"), "two").expect("written");
        std::fs::write(dir.path().join("a"), "").expect("written");
        let shape = Input::stdin([]);
        let seeds = read(dir.path(), &shape, 3).expect("readable");
        assert_eq!(seeds, [Input::stdin([]), Input::stdin(*b"two")]);
        let failure = read(dir.path(), &shape, 2).expect_err("too large");
        assert_eq!(failure.code, exit::INPUT);
        assert!(failure.message.contains("3 bytes, more than the 2"), "{}", failure.message);
        assert!(read(&dir.path().join("none"), &shape, 2).is_err());
    }
}
