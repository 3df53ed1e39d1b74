//! Tests in other people's formats, both ways: inputs to files' contents, and files' contents to inputs.
//!
//! One file a format. Nothing here touches the disk: writers return [`File`]s, readers take bytes.
//!
//! | format | written | read | for |
//! |---|---|---|---|
//! | [`raw`] | yes | (any file is one) | AFL++, libFuzzer, honggfuzz: one file of bytes per input |
//! | [`ktest`] | yes | yes | KLEE: `ktest-tool`, `klee-replay`, libkleeRuntest |
//! | [`test_comp`] | yes | yes | Test-Comp: TestCov and the competition's tools |
//! | [`c_file`] | yes | – | people: one C file with the inputs inside, that runs and checks them |
#![forbid(unsafe_code)]

pub mod c_file;
pub mod ktest;
pub mod raw;
pub mod test_comp;
mod value;

use trace::{Input, ObjectKind, Outcome};

/// C source of the replay library: programs that ask for values, built plainly, read them from the file that the
/// environment variable `SPELUNK_REPLAY` names.
pub const REPLAY_VALUES_C: &str = include_str!("../../../include/replay/values.c");
/// C source of a `main` for `LLVMFuzzerTestOneInput` harnesses.
pub const REPLAY_FUZZ_MAIN_C: &str = include_str!("../../../include/replay/fuzz_main.c");

/// A test of a suite.
#[derive(Clone, Debug)]
pub struct Test<'a> {
    /// Its name, fit for a file name, without extension.
    pub name: String,
    /// Its input.
    pub input: &'a Input,
    /// How the program ends on it.
    pub outcome: Outcome,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// An input cannot be expressed in the format asked for, or a file is not of the format it should be of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The format has no place for such an object.
    #[error("{format} has no form for {what} (in {test}); {advice}")]
    Unfit {
        /// The format.
        format: &'static str,
        /// Kind of the object, for people.
        what: String,
        /// The test.
        test: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// What was read is damaged.
    #[error("not a valid {format} file: {why}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What is wrong, and where.
        why: String,
    },
}

/// What people call an object of this kind.
fn kind_name(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Stdin => "standard input",
        ObjectKind::File => "a file",
        ObjectKind::Arg => "an argument",
        ObjectKind::Env => "an environment variable",
        ObjectKind::Value => "a value",
        ObjectKind::Fuzz => "a fuzz buffer",
        ObjectKind::Connection => "a connection",
        ObjectKind::End => "an end",
    }
}

/// Whether objects of this kind are one stream of bytes.
fn is_stream(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Stdin | ObjectKind::File | ObjectKind::Fuzz | ObjectKind::Connection)
}

/// `shape` with `bytes` as its byte stream: its first object that is one.
fn with_stream(shape: &Input, bytes: &[u8]) -> Input {
    let mut input = shape.clone();
    if let Some(object) = input.objects.iter_mut().find(|o| is_stream(o.kind)) {
        object.data = bytes.to_vec();
    }
    input
}

/// Reads a file that is known by its content to be in one of the formats; `None` if it is in none and must be taken
/// as plain bytes. `shape` is an input of the program without its content: which objects there are.
///
/// Test-Comp's XML is recognised only for programs that take values: others may well read XML themselves.
///
/// # Errors
/// When the file says that it is of a format but is damaged.
pub fn read(bytes: &[u8], shape: &Input) -> Option<Result<Input, Error>> {
    if ktest::is_one(bytes) {
        return Some(ktest::read(bytes, shape));
    }
    let takes_values = !shape.objects.iter().any(|o| is_stream(o.kind));
    (takes_values && test_comp::is_one(bytes)).then(|| test_comp::read(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_a_format_is_taken_for_it() {
        let values = Input::default();
        let stream = Input::stdin([]);
        let xml = b"<?xml version=\"1.0\"?>\n<!DOCTYPE testcase PUBLIC \"x\" \"y\">\n<testcase><input>1</input></testcase>";
        assert!(read(xml, &values).is_some());
        assert!(read(xml, &stream).is_none(), "a seed of a program that reads XML");
        assert!(read(b"KTEST and more", &stream).is_some_and(|r| r.is_err()));
        assert!(read(b"plain", &values).is_none());
    }
}
