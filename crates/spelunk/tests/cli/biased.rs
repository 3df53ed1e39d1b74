//! Random input by distributions: of an option, of the campaign's first session, of the program itself.

use crate::common::Place;
use std::process::Command;

/// Uniform numbers never meet what is asked for here; `SAYS` is what the program says of them.
const PAIR: &str = r#"
    #include <spelunk.h>
    #include <stdlib.h>
    SAYS
    int main(void) {
        unsigned a = spelunk_uint("a"), sum = 0;
        double x = spelunk_double("x");
        unsigned char text[4];
        spelunk_bytes(text, sizeof text, "text");
        for (int k = 0; k < 4; k++) sum += text[k] == 'p' || text[k] == 'q';
        if (a - 100 < 4 && x > 0.25 && x < 0.75 && sum == 4) abort();
        return 0;
    }"#;
/// What there is to say.
const SAID: [&str; 3] = ["a=100..120", "x=0..1", "*='p','q' 1:'\\n'"];

fn pair(says: &str) -> Place {
    Place::with(&[("pair.c", &(PAIR.replace("SAYS", says) + "\n"))])
}

/// Explores with random input alone; whether the program was made to abort.
fn reached(place: &Place, out: &str, more: &[&str]) -> bool {
    let args = ["explore", "pair.c", "--strategy", "random", "--seed", "3", "--no-check", "--out", out];
    place.spelunk(&[&args[..], more].concat()).exits(0);
    !place.files(&format!("{out}/findings")).is_empty()
}

fn options(said: &[&'static str]) -> Vec<&'static str> {
    said.iter().flat_map(|text| ["--random", text]).collect()
}

#[test]
fn what_is_rare_is_reached_with_a_distribution() {
    let place = pair("");
    let all = [&options(&SAID)[..], &["--runs", "2000"]].concat();
    assert!(reached(&place, "with", &all));
    assert!(!reached(&place, "without", &["--runs", "2000"]));
    let some = [&options(&SAID[1..])[..], &["--runs", "2000"]].concat();
    assert!(!reached(&place, "some", &some), "that of all others is none of `a`'s range");
    assert!(reached(&place, "again", &all));
    assert_eq!(place.contents("with/tests"), place.contents("again/tests"), "the same seed, the same tests");
}

#[test]
fn hybrid_draws_by_it_and_solves_beyond_it() {
    let place = Place::with(&[(
        "loop.c",
        "#include <spelunk.h>\n#include <stdlib.h>\nint main(void) {\n  for (int n = 0;;) {\n    unsigned key = \
         spelunk_uint(\"key\");\n    if (key < 4) n++;\n    else if (n > 40 && key == 0x12345678) abort();\n    else if (key > 9) return 0;\n  \
         }\n}\n",
    )]);
    let args = ["explore", "loop.c", "--strategy", "hybrid", "--seed", "1", "--runs", "3000", "--no-check"];
    place.spelunk(&[&args[..], &["--random", "key=0..9", "--out", "o"]].concat()).exits(0);
    assert_eq!(place.files("o/findings"), ["0000-abort"], "a key that no distribution gives");
}

#[test]
fn a_further_session_goes_on_with_it() {
    let place = pair("");
    assert!(!reached(&place, "o", &[&options(&SAID)[..], &["--runs", "2"]].concat()));
    assert!(reached(&place, "o", &["--runs", "2000", "--resume"]));
    assert!(!reached(&place, "p", &[&options(&SAID)[..], &["--runs", "2"]].concat()));
    let other = ["--runs", "2000", "--resume", "--random", "a=0..9"];
    assert!(!reached(&place, "p", &other), "what a session is given itself comes in its place");
}

#[test]
fn a_program_says_so_itself() {
    let says: Vec<String> = SAID
        .iter()
        .filter_map(|text| text.split_once('='))
        .map(|(name, text)| format!("SPELUNK_RANDOM(\"{name}\", \"{}\");\n", text.replace('\\', "\\\\")))
        .collect();
    let place = pair(&says.concat());
    assert!(reached(&place, "said", &["--runs", "2000"]));
    assert!(!reached(&place, "other", &["--runs", "2000", "--random", "a=0..9"]), "options come first");
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../../include");
    for (compiler, standard) in [("clang-19", "-std=c11"), ("clang++-19", "-std=c++17")] {
        let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x"];
        let language = if standard.contains("++") { "c++" } else { "c" };
        let compiled = Command::new(compiler)
            .args(strict)
            .args([language, standard, "-I", header, "pair.c"])
            .current_dir(place.path(""))
            .output()
            .expect("clang");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    }
    let wrong = pair("SPELUNK_RANDOM(\"a\", \"9..0\");");
    let told = wrong.spelunk(&["explore", "pair.c", "--runs", "2"]).exits(3);
    assert!(told.err.contains("SPELUNK_RANDOM in") && told.err.contains("above the last"), "{}", told.err);
}

#[test]
fn streams_are_drawn_by_it() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char line[5];\n  while (fgets(line, sizeof line, stdin))\n    \
                  if (line[0] == 'x' && line[1] == 'y' && line[2] == 'x' && line[3] == '\\n') abort();\n  return 0;\n}\n";
    let place = Place::with(&[("pair.c", source)]);
    let all = ["--random", "stdin=3:\"xy\" 1:'\\n'", "--runs", "300"];
    assert!(reached(&place, "with", &all));
    assert!(!reached(&place, "without", &all[2..]));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let place = pair("");
    for (text, says) in [("a=1..", "was expected"), ("a=5:", "was expected"), ("a", "not NAME=DISTRIBUTION")]
    {
        let told = place.spelunk(&["explore", "pair.c", "--random", text]).exits(2);
        assert!(told.err.contains(says), "{text}: {}", told.err);
    }
    let told = place.spelunk(&["explore", "pair.c", "--random", "a=0..9 'b"]).exits(2);
    assert!(told.err.contains("\n    a=0..9 'b\n             ^"), "{}", told.err);
}
