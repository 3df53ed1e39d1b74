//! One C file with the inputs inside, that runs the program on each and checks how it ends.

use crate::{REPLAY_VALUES_C, Test};
use std::fmt::Write as _;
use trace::{ObjectKind, Outcome};

/// What runs the tests: see the comment at its top.
const RUNNER: &str = include_str!("../c/runner.c");

/// The C file. `program` is how people call the program; `arguments` its command line, with `@@`.
pub fn file(tests: &[Test<'_>], program: &str, arguments: &[String]) -> String {
    let mut data = String::new();
    let mut table = String::new();
    for (k, test) in tests.iter().enumerate() {
        let _ = writeln!(table, "static const struct object objects_{k}[] = {{");
        for (j, object) in test.input.objects.iter().enumerate() {
            let name = literal(object.name.as_bytes());
            let (kind, length) = (kind(object.kind), object.data.len());
            let _ =
                writeln!(data, "static const unsigned char data_{k}_{j}[] = {{{}}};", bytes(&object.data));
            let _ = writeln!(table, "    {{{kind}, {name}, data_{k}_{j}, {length}}},");
        }
        table.push_str("    {0, 0, 0, 0}};\n");
    }
    let _ = writeln!(table, "static const struct test tests[] = {{");
    for (k, test) in tests.iter().enumerate() {
        let (end, number) = end(test.outcome);
        let _ = writeln!(table, "    {{{}, objects_{k}, {end}, {number}}},", literal(test.name.as_bytes()));
    }
    table.push_str("    {0, 0, 0, 0}};\n");
    let words: Vec<String> = arguments.iter().map(|a| literal(a.as_bytes())).chain(["0".into()]).collect();
    let arguments = format!("static const char *const arguments[] = {{{}}};\n", words.join(", "));
    let name = format!("#define PROGRAM {}\n", literal(program.as_bytes()));
    RUNNER
        .replace("/* @VALUES@ */", REPLAY_VALUES_C)
        .replace("/* @TESTS@ */", &[name, arguments, data, table].concat())
}

fn kind(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Stdin => "STDIN",
        ObjectKind::File => "FILE_CONTENT",
        ObjectKind::Arg => "ARGUMENT",
        ObjectKind::Env => "ENVIRONMENT",
        ObjectKind::Value => "VALUE",
        ObjectKind::Fuzz => "FUZZ",
        ObjectKind::Connection => "CONNECTION",
        ObjectKind::End => "END",
    }
}

fn end(outcome: Outcome) -> (&'static str, i32) {
    match outcome {
        Outcome::Exit(code) => ("EXITS", code),
        Outcome::Signal(signal) => ("DIES", signal),
        Outcome::Abort => ("ABORTS", 0),
        Outcome::Timeout => ("HANGS", 0),
        Outcome::OutOfMemory | Outcome::OutputLimit | Outcome::Undefined(_) => ("ENDS_SOMEHOW", 0),
    }
}

/// Numbers of an initialiser; empty arrays are not C.
fn bytes(data: &[u8]) -> String {
    let numbers: Vec<String> = data.iter().map(u8::to_string).collect();
    if numbers.is_empty() { "0".into() } else { numbers.join(",") }
}

/// A C string literal. Octal escapes of three digits end by themselves, unlike hexadecimal ones.
fn literal(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' | b'?' => {
                let _ = write!(out, "\\{}", char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(literal(b"a\"b\\\n1?"), r#""a\"b\\\0121\?""#);
    }
}
