//! Reading the user's seeds: every file of a folder (or one file) is one input.

use crate::cli::MAX_INPUT;
use crate::exit;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
use trace::{Input, ObjectKind};

/// Reads all seeds below `from`, in the order of their names. Each becomes the bytes of the input's stream object
/// in `shape` (standard input, the `@@` file or the fuzz buffer); a file in Spelunk's JSON form is taken as it is.
///
/// # Errors
/// When there is none, one cannot be read, or one is larger than `max_input` bytes.
pub fn read(from: &Path, shape: &Input, max_input: u64) -> Result<Vec<Input>, Failure> {
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
    files.iter().map(|file| read_one(file, shape, max_input)).collect()
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

fn read_one(file: &Path, shape: &Input, max_input: u64) -> Result<Input, Failure> {
    let failure = |what: String| Failure::new(exit::INPUT, format!("{}: {what}", file.display()));
    let size = std::fs::metadata(file).map_err(|e| failure(e.to_string()))?.len();
    if size > max_input {
        let raise = if size <= MAX_INPUT { " or raise --max-input" } else { "" };
        return Err(failure(format!(
            "this seed has {size} bytes, more than the {max_input} an input may have; give a smaller one{raise}"
        )));
    }
    let bytes = std::fs::read(file).map_err(|e| failure(format!("cannot read the seed: {e}")))?;
    if file.extension().is_some_and(|e| e == "json")
        && let Ok(input) = serde_json::from_slice::<Input>(&bytes)
        && !input.objects.is_empty()
    {
        return Ok(input);
    }
    Ok(with_stream(shape, bytes))
}

/// `shape` with `bytes` as its byte stream (its first object that is one; typed values stay as they are).
pub fn with_stream(shape: &Input, bytes: Vec<u8>) -> Input {
    let mut input = shape.clone();
    let stream = input
        .objects
        .iter_mut()
        .find(|o| matches!(o.kind, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz));
    if let Some(object) = stream {
        object.data = bytes;
    }
    input
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
