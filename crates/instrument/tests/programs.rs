//! Small programs, one file each in `tests/programs`: in every flavour they behave as when built plainly, and
//! every expression and event of a symbolic run agrees with what the program did.
//!
//! Directives are comments at the top of a program: `// stdin: TEXT` (with \xNN, \n escapes; may repeat),
//! `// flags: …` for the compiler, `// events: N` for the least number of decisions that must be recorded.
//! `SPELUNK_ONLY=name` runs one.

mod support;

use std::path::{Path, PathBuf};
use support::{Program, read_mapping};
use trace::EventKind;

#[derive(Debug, Default)]
struct Directives {
    inputs: Vec<Vec<u8>>,
    flags: Vec<String>,
    events: usize,
}

fn directives(text: &str) -> Directives {
    let mut found = Directives { flags: vec!["-O2".into(), "-g".into()], ..Directives::default() };
    for line in text.lines() {
        if let Some(input) = line.strip_prefix("// stdin: ") {
            found.inputs.push(unescape(input));
        } else if let Some(flags) = line.strip_prefix("// flags: ") {
            found.flags = flags.split_whitespace().map(str::to_owned).collect();
        } else if let Some(n) = line.strip_prefix("// events: ") {
            found.events = n.trim().parse().unwrap();
        }
    }
    if found.inputs.is_empty() {
        found.inputs.push(b"Hello, 12345 world!\n".to_vec());
    }
    found
}

fn unescape(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'\\', [b'x', a, b, end @ ..]) => {
                let hex = [*a, *b];
                out.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
                rest = end;
            }
            (b'\\', [b'n', end @ ..]) => {
                out.push(b'\n');
                rest = end;
            }
            _ => out.push(*first),
        }
    }
    out
}

fn check(file: &Path) {
    let d = directives(&std::fs::read_to_string(file).unwrap());
    let program = Program::build(file, &d.flags);
    let folder = tempfile::tempdir().unwrap();
    for (k, input) in d.inputs.iter().enumerate() {
        let expected = Program::run(&program.plain, input, None);
        for flavour in &program.flavours {
            let context = format!("{} input {k} {}", file.display(), flavour.display());
            let got = Program::run(flavour, input, None);
            assert_eq!((got.status, &got.stdout), (expected.status, &expected.stdout), "{context}");
        }
        for flavour in [&program.flavours[0], &program.flavours[2]] {
            let context = format!("{} input {k} {}", file.display(), flavour.display());
            let mapping = folder.path().join("mapping");
            let got = Program::run(flavour, input, Some(&mapping));
            assert_eq!(
                (got.status, &got.stdout),
                (expected.status, &expected.stdout),
                "{context} (symbolic)"
            );
            let recorded = read_mapping(&mapping);
            assert!(recorded.problems.is_empty(), "{context}: {:?}", recorded.problems);
            let report = trace::check(&recorded.trace, &recorded.input, &program.map);
            let first: Vec<String> = report.first.iter().map(ToString::to_string).collect();
            assert!(report.is_clean(), "{context}: {} mismatches\n{}", report.total(), first.join("\n"));
            let decisions = recorded.trace.events.iter().filter(|e| is_decision(e.kind)).count();
            assert!(decisions >= d.events, "{context}: {decisions} decisions, expected {} or more", d.events);
        }
    }
}

fn is_decision(kind: u8) -> bool {
    use EventKind::{Branch, IndirectCall, Switch};
    EventKind::from_u8(kind).is_some_and(|k| matches!(k, Branch | Switch | IndirectCall))
}

#[test]
fn programs_behave_and_expressions_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let only = std::env::var("SPELUNK_ONLY").ok();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| only.as_deref().is_none_or(|o| f.to_string_lossy().contains(o)));
    files.sort();
    assert!(!files.is_empty());
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| std::panic::catch_unwind(|| check(file)).err())
        .map(|e| e.downcast_ref::<String>().cloned().unwrap_or_else(|| "failed".into()))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} programs:\n{}",
        failures.len(),
        files.len(),
        failures.join("\n\n")
    );
}

#[test]
fn operands_of_joined_conditions_are_branches_of_their_own_wherever_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("joined.c");
    let text = r#"
        #include <stdio.h>
        int main(void) {
            int n = getchar(), steps = 0;
            for (; n != 1 && steps < 40; steps++) n = n / 2;
            while (n == 1 || (steps > 5 && n)) n--;
            _Bool all = n == 0 && steps == 3 && n < 9;
            if (n > 8 && steps > 9) steps++;
            return all;
        }"#;
    std::fs::write(&source, text).unwrap();
    for level in ["-O0", "-O1", "-O2"] {
        let program = Program::build(&source, &[level.into(), "-g".into()]);
        let on = |line: u32| program.map.conds.iter().filter(|c| c.span.line == line).count();
        assert_eq!([5, 6, 7, 8].map(on), [2, 3, 3, 2], "{level}");
    }
}

#[test]
fn words_of_the_program_are_in_its_map() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("words.c");
    let many: String = (0..300).map(|k| format!("\"entry{k}\", ")).collect();
    let text = format!(
        r#"#include <stdio.h>
        #include <string.h>
        static const char *const keywords[] = {{"alpha", "beta", "to"}};
        static const struct {{ char name[8]; int n; }} inside[] = {{{{"gamma", 1}}, {{"x", 2}}}};
        static const char *const crowd[] = {{{many}}};
        int main(void) {{
            char line[64];
            if (!fgets(line, sizeof line, stdin)) {{ puts("no line"); return 1; }}
            if (!strcmp(line, "delta")) return 2;
            for (int i = 0; i < 3; i++) if (strstr(line, keywords[i])) return i;
            for (int i = 0; i < 300; i++) if (strstr(line, crowd[i])) return i;
            return strcmp(line, inside[line[0] & 1].name);
        }}"#
    );
    std::fs::write(&source, text).unwrap();
    let mut words = Program::build(&source, &["-O0".into(), "-g".into()]).map.words;
    words.sort();
    let words: Vec<_> = words.iter().map(|w| String::from_utf8_lossy(w)).collect();
    assert_eq!(words, ["alpha", "beta", "delta", "gamma", "to"]);
}
