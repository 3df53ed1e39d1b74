//! What the C and C++ libraries say on standard error before they abort.
//!
//! Asked only about runs that did abort. The program may have printed the same words itself; then they are wrong about
//! the reason, never about the abort.

use crate::report;
use events::{Kind, SourceFrame};

/// Longest text taken over from a program's output.
const LONGEST: usize = 300;

/// Why a run aborted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind.
    pub kind: Kind,
    /// In one line.
    pub message: String,
    /// Where, if it says so.
    pub place: Option<SourceFrame>,
}

/// The reason that the last lines of standard error give; `sanitized`: those of sanitizers count, which go elsewhere on
/// flavour `check`.
pub fn why_aborted(stderr: &[u8], sanitized: bool) -> Reason {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().collect();
    let found = lines.iter().enumerate().rev().find_map(|(n, line)| {
        assertion(line)
            .or_else(|| exception(line, lines.get(n + 1).copied()))
            .or_else(|| library(line))
            .or_else(|| sanitizer(line).filter(|_| sanitized))
    });
    found.unwrap_or_else(|| Reason {
        kind: Kind::Abort,
        message: "the program calls abort".into(),
        place: None,
    })
}

/// `prog: file.c:12: int main(void): Assertion `x > 0' failed.`; libstdc++ begins its expressions with `'`.
fn assertion(line: &str) -> Option<Reason> {
    let (before, rest) = line.split_once(": Assertion `").or_else(|| line.split_once(": Assertion '"))?;
    let (expression, _) = rest.rsplit_once("' failed")?;
    let place = before.split(": ").find_map(|part| {
        let (file, line) = part.rsplit_once(':')?;
        Some(SourceFrame { function: String::new(), file: clean(file), line: line.parse().ok()? })
    });
    let message = format!("assertion `{}` fails", clean(expression));
    Some(Reason { kind: Kind::AssertionFailure, message, place })
}

/// `terminate called after throwing an instance of 'T'`, and on the next line `  what():  text`; libc++ says it in one.
fn exception(line: &str, next: Option<&str>) -> Option<Reason> {
    let reason = |message: String| Some(Reason { kind: Kind::UncaughtException, message, place: None });
    if let Some((_, rest)) = line.split_once("terminate called after throwing an instance of '") {
        let name = clean(rest.trim_end().trim_end_matches('\''));
        let what = next.and_then(|l| l.trim_start().strip_prefix("what():")).map(|w| clean(w.trim()));
        return reason(match what {
            Some(what) if !what.is_empty() => format!("exception of type {name} is not caught: {what}"),
            _ => format!("exception of type {name} is not caught"),
        });
    }
    if line.contains("terminate called without an active exception") {
        return reason("std::terminate is called without an exception".into());
    }
    let (_, rest) = line.split_once("libc++abi: terminating ")?;
    match rest.split_once("uncaught exception of type ") {
        Some((_, name)) => {
            let (name, what) = name.split_once(": ").map_or((name, None), |(n, w)| (n, Some(w)));
            let what = what.map_or(String::new(), |w| format!(": {}", clean(w)));
            reason(format!("exception of type {} is not caught{what}", clean(name)))
        }
        None => reason(format!("terminating {}", clean(rest))),
    }
}

/// What the sanitizers of the user's own build say; where their stacks are is not known.
fn sanitizer(line: &str) -> Option<Reason> {
    let report = report::parse(line.as_bytes()).into_iter().next()?;
    let place = report.place.map(|(file, line)| SourceFrame { function: String::new(), file, line });
    let message = report.headline.split(" on address ").next().unwrap_or_default().to_owned();
    Some(Reason { kind: report.kind?, message, place })
}

/// What glibc's own checks say.
fn library(line: &str) -> Option<Reason> {
    let table = [
        ("stack smashing detected", Kind::StackBufferOverflow),
        ("buffer overflow detected", Kind::OutOfBounds),
        ("double free", Kind::DoubleFree),
        ("free(): invalid", Kind::BadFree),
        ("munmap_chunk(): invalid", Kind::BadFree),
        ("malloc(): ", Kind::HeapBufferOverflow),
        ("corrupted size vs. prev_size", Kind::HeapBufferOverflow),
    ];
    let from_library = line.starts_with("***") || line.contains("(): ") || line.starts_with("corrupted");
    let (_, kind) = table.into_iter().find(|(words, _)| from_library && line.contains(words))?;
    Some(Reason { kind, message: format!("the C library says: {}", clean(line.trim())), place: None })
}

/// Text of a program, made harmless: one line of bounded length without control characters.
pub fn clean(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let mut out: String = text.chars().take(LONGEST).map(shown).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_assertion_has_its_expression_and_line() {
        let why = why_aborted(
            b"noise\nprog: dir/a.c:17: int main(): Assertion `c != 'a' && \"no\"' failed.\n",
            false,
        );
        assert_eq!(why.kind, Kind::AssertionFailure);
        assert_eq!(why.message, "assertion `c != 'a' && \"no\"` fails");
        let place = why.place.expect("a place");
        assert_eq!((place.file.as_str(), place.line), ("dir/a.c", 17));
    }

    #[test]
    fn an_uncaught_exception_has_its_type() {
        let text = b"terminate called after throwing an instance of 'std::runtime_error'\n  what():  boom\n";
        let why = why_aborted(text, false);
        assert_eq!(why.kind, Kind::UncaughtException);
        assert_eq!(why.message, "exception of type std::runtime_error is not caught: boom");
        let why = why_aborted(b"libc++abi: terminating due to uncaught exception of type int\n", false);
        assert_eq!(why.message, "exception of type int is not caught");
    }

    #[test]
    fn the_last_words_count() {
        let text = b"a: b.c:1: f: Assertion `x' failed.\nfree(): double free detected in tcache 2\n";
        assert_eq!(why_aborted(text, false).kind, Kind::DoubleFree);
        assert_eq!(why_aborted(b"\xff\xfe nothing \x1b[31m", false).kind, Kind::Abort);
    }

    #[test]
    fn sanitizers_of_the_users_build_are_understood_where_they_count() {
        let text =
            b"dir/a.c:5:41: runtime error: signed integer overflow: 2147483647 + 5 cannot be represented\n";
        let why = why_aborted(text, true);
        assert_eq!((why.kind, why.place.map(|p| p.line)), (Kind::SignedOverflow, Some(5)));
        assert!(why.message.contains("2147483647 + 5"));
        assert_eq!(why_aborted(text, false).kind, Kind::Abort);
        let text = b"==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x5020 at pc 0x1\n";
        assert_eq!(why_aborted(text, true).message, "heap-use-after-free");
    }

    #[test]
    fn hostile_text_is_cut_and_cleaned() {
        let mut text = b"p: f.c:1: f: Assertion `".to_vec();
        text.extend(std::iter::repeat_n(b'\x1b', 10_000));
        text.extend(b"' failed.");
        let why = why_aborted(&text, false);
        assert!(why.message.chars().count() < LONGEST + 50 && !why.message.contains('\x1b'));
    }
}
