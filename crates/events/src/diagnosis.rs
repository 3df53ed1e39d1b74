//! What a finding is, once it was confirmed and looked at.

use crate::FindingId;
use serde::{Deserialize, Serialize};
use trace::Outcome;

/// What came of confirming a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum Verdict {
    /// It shows on the user's own executable or on flavour `check`.
    Confirmed(Box<Diagnosis>),
    /// It is another one, seen from elsewhere.
    SameAs {
        /// The other one.
        finding: FindingId,
    },
    /// It shows on neither.
    Unconfirmed,
}

/// A confirmed finding, explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What is wrong.
    pub kind: Kind,
    /// What is wrong in this case, in one line.
    pub message: String,
    /// Where, innermost first: frames with a source line, or at least a name.
    pub stack: Vec<SourceFrame>,
    /// Text of the source line of the first frame, if it can be read.
    pub source: Option<String>,
    /// Other places that belong to it: where the memory was allocated, freed.
    pub related: Vec<Related>,
    /// How the user's own executable ends; `None` if it could not be run.
    pub own: Option<Outcome>,
    /// It shows on the user's own executable.
    pub on_own: bool,
    /// It shows on flavour `check`.
    pub on_check: bool,
    /// Bytes of the reproducer.
    pub input_len: u64,
    /// Bytes of the input that showed it first.
    pub first_len: u64,
    /// Bytes of the reproducer that must be what they are, up to a few dozen of them; found by changing them.
    pub bytes: Vec<InputByte>,
    /// Runs spent on making the reproducer small.
    pub minimise_runs: u32,
    /// They were enough: no byte can be removed or made simpler.
    pub minimal: bool,
    /// Every run that ended by itself shows it, also that of the empty input: it is more likely a mistake of the test driver
    /// than of what it drives. It is told once, apart. Campaigns of earlier versions do not know.
    #[serde(default)]
    pub every_run: bool,
}

/// A place in the source, in a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFrame {
    /// Function, for people; empty if unknown.
    pub function: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
}

/// A stack that explains another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// What happened there.
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<SourceFrame>,
}

/// A byte of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputByte {
    /// Index of the input object.
    pub object: u32,
    /// Offset in it.
    pub offset: u32,
    /// Its value.
    pub value: u8,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $text:literal, $cwe:literal, $level:ident;)+) => {
        /// What is wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind { $(#[doc = $text] #[serde(rename = $name)] $variant,)+ }

        impl Kind {
            /// All of them, in the order of this table.
            pub const ALL: &[Kind] = &[$(Kind::$variant,)+];

            /// Its name: stable, for programs and folders.
            pub const fn name(self) -> &'static str { match self { $(Kind::$variant => $name,)+ } }

            /// Its name for people.
            pub const fn text(self) -> &'static str { match self { $(Kind::$variant => $text,)+ } }

            /// The weakness's number in the Common Weakness Enumeration.
            pub const fn cwe(self) -> u32 { match self { $(Kind::$variant => $cwe,)+ } }

            /// How bad it is.
            pub const fn level(self) -> Level { match self { $(Kind::$variant => Level::$level,)+ } }
        }
    };
}

// One row a kind: name, text, CWE number, level. More precise kinds of one mistake come first.
kinds! {
    HeapBufferOverflow = "heap-buffer-overflow", "heap buffer overflow", 122, Error;
    StackBufferOverflow = "stack-buffer-overflow", "stack buffer overflow", 121, Error;
    GlobalBufferOverflow = "global-buffer-overflow", "global buffer overflow", 787, Error;
    ContainerOverflow = "container-overflow", "container overflow", 787, Error;
    OutOfBounds = "out-of-bounds", "index out of bounds", 129, Error;
    UseAfterFree = "use-after-free", "use after free", 416, Error;
    UseAfterReturn = "use-after-return", "use of a local variable that is gone", 562, Error;
    DoubleFree = "double-free", "double free", 415, Error;
    BadFree = "bad-free", "free of memory that was not allocated so", 763, Error;
    NullDereference = "null-dereference", "null dereference", 476, Error;
    BadAccess = "bad-access", "access to memory that is not there", 119, Error;
    DivisionByZero = "division-by-zero", "division by zero", 369, Error;
    SignedOverflow = "signed-overflow", "signed integer overflow", 190, Warning;
    Shift = "shift", "shift by too much", 1335, Warning;
    BadCast = "bad-cast", "conversion that loses the value", 704, Warning;
    Undefined = "undefined-behaviour", "undefined behaviour", 758, Warning;
    AssertionFailure = "assertion-failure", "assertion failure", 617, Error;
    UncaughtException = "uncaught-exception", "uncaught exception", 248, Error;
    Abort = "abort", "abort", 617, Error;
    Trap = "trap", "trap or illegal instruction", 248, Error;
    Crash = "crash", "crash", 248, Error;
    StackExhaustion = "stack-exhaustion", "stack exhaustion", 674, Error;
    MemoryExhaustion = "memory-exhaustion", "memory exhaustion", 770, Warning;
    Hang = "hang", "hang", 835, Warning;
    Leak = "leak", "memory leak", 401, Note;
}

/// How bad a kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The program is wrong and breaks.
    Error,
    /// The program is wrong and may go on.
    Warning,
    /// Worth knowing.
    Note,
}

impl Kind {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|k| k.name() == name)
    }
}

impl Diagnosis {
    /// Which executable shows it, in a sentence.
    pub fn shown_by(&self) -> &'static str {
        match (self.on_own, self.on_check) {
            (true, true) => "Your own executable shows it, and so does the one with AddressSanitizer.",
            (true, false) => "Your own executable shows it.",
            (false, true) => "Your own executable survives it; the one with AddressSanitizer shows it.",
            (false, false) => "Your own executable survives it; the one with the checks of --find shows it.",
        }
    }

    /// For what every run shows, a sentence about it.
    pub fn of_every_run(&self) -> Option<&'static str> {
        match self.kind {
            _ if !self.every_run => None,
            Kind::Leak => {
                Some("It leaks on every input, also the empty one: a leak of the harness, told once.")
            }
            _ => Some("It shows on every input, also the empty one: of the harness, told once."),
        }
    }

    /// The bytes of the input that must be what they are, in lines of neighbours; `name` names an input object.
    pub fn bytes_that_matter(&self, name: &dyn Fn(u32) -> String) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut before: Option<&InputByte> = None;
        for byte in &self.bytes {
            let follows = before
                .is_some_and(|b| b.object == byte.object && b.offset.checked_add(1) == Some(byte.offset));
            match lines.last_mut().filter(|_| follows) {
                Some(line) => *line += &format!(" {}", value_text(byte.value)),
                None => lines.push(format!(
                    "Must stay: {} from byte {} on: {}",
                    name(byte.object),
                    byte.offset,
                    value_text(byte.value)
                )),
            }
            before = Some(byte);
        }
        lines
    }
}

/// `'k'`, or `0x07` for a byte that is no letter.
fn value_text(value: u8) -> String {
    if value.is_ascii_graphic() || value == b' ' {
        format!("'{}'", value as char)
    } else {
        format!("0x{value:02x}")
    }
}

impl SourceFrame {
    /// `function file:line`, as much as is known.
    pub fn text(&self) -> String {
        let name = if self.function.is_empty() { "(unknown function)" } else { &self.function };
        match (self.file.is_empty(), self.line) {
            (true, _) => name.to_owned(),
            (false, 0) => format!("{name} {}", self.file),
            (false, line) => format!("{name} {}:{line}", self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_among_bytes_share_a_line() {
        let byte = |object, offset, value| InputByte { object, offset, value };
        let bytes = vec![byte(0, 3, b'k'), byte(0, 4, 7), byte(0, 6, b' '), byte(1, 7, b'x')];
        let diagnosis = Diagnosis {
            kind: Kind::Abort,
            message: String::new(),
            stack: Vec::new(),
            source: None,
            related: Vec::new(),
            own: None,
            on_own: true,
            on_check: false,
            input_len: 8,
            first_len: 9,
            bytes,
            minimise_runs: 0,
            minimal: true,
            every_run: false,
        };
        let lines = diagnosis.bytes_that_matter(&|k| format!("object {k}"));
        assert_eq!(lines[0], "Must stay: object 0 from byte 3 on: 'k' 0x07");
        assert_eq!(
            lines[1..],
            ["Must stay: object 0 from byte 6 on: ' '", "Must stay: object 1 from byte 7 on: 'x'"]
        );
    }

    #[test]
    fn names_are_distinct_and_what_is_stored() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::named(kind.name()), Some(kind), "two kinds are called {}", kind.name());
            assert_eq!(serde_json::to_string(&kind).expect("plain"), format!("\"{}\"", kind.name()));
        }
    }
}
