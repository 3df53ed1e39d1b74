//! Wrong targets, seeds and folders: one message each, the documented exit code, and nothing left behind.

use crate::common::{DEAF, GUARD, Place};
use std::process::Command;

const TARGET: i32 = 3;
const CAMPAIGN: i32 = 5;
const INPUT: i32 = 6;
const SYSTEM: i32 = 7;

#[test]
fn targets_that_are_no_programs() {
    let place = Place::with(&[("notes", "only words\n"), ("empty", "")]);
    let explore = |target: &str| place.spelunk(&["explore", target, "--out", "c", "--runs", "5"]);
    explore("./none").fails(TARGET, &["./none", "no such file"]);
    explore("./notes").fails(TARGET, &["./notes", "a text file", "give an executable"]);
    explore("./empty").fails(TARGET, &["./empty", "an empty file", "give an executable"]);
    explore(".").fails(TARGET, &["a folder", "give an executable"]);
    assert!(!place.path("c").exists(), "a campaign was made for nothing");
}

#[test]
fn a_program_built_without_spelunk() {
    let place = Place::with(&[("guard.c", GUARD)]);
    let built = Command::new("cc").args(["guard.c", "-o", "guard"]).current_dir(place.path(".")).status();
    assert!(built.expect("a C compiler").success());
    let told = place.spelunk(&["explore", "./guard", "--out", "c", "--runs", "5"]);
    told.fails(TARGET, &["guard: built without bitcode", "spelunk build -- "]);
    assert!(!place.path("c").exists());
}

#[test]
fn a_program_for_another_machine() {
    let place = Place::with(&[("main.c", "int main(void) { return 0; }\n")]);
    let told = place.spelunk(&["explore", "main.c", "--cflags", "-m32", "--out", "c"]);
    told.fails(TARGET, &["main.c: built for another machine", "-m64"]);
    place.spelunk(&["cc", "-m32", "-c", "main.c", "-o", "main.o"]).exits(0);
    let told = place.spelunk(&["explore", "main.o", "--out", "c"]);
    told.fails(TARGET, &["main.o: built for 32-bit", "-m64"]);
}

#[test]
fn sources_that_do_not_compile_or_link() {
    let place = Place::with(&[
        ("bad.c", "int main(void) { return 0 }\n"),
        ("open.c", "int far(int); int main(void) { return far(1); }\n"),
        ("part.c", "int part(void) { return 0; }\n"),
    ]);
    let explore = |args: &[&str]| {
        let told = place.spelunk(&[&["explore", "--out", "c", "--runs", "5"], args].concat());
        assert!(!place.path("c").exists());
        told
    };
    let told = explore(&["bad.c"]).fails(TARGET, &["compiling the sources failed"]);
    assert!(told.err.contains("bad.c:1:"), "{}", told.err);
    let told = explore(&["open.c"]).fails(TARGET, &["linking the program", "--ldflags"]);
    assert!(told.err.contains("`far'"), "{}", told.err);
    explore(&["part.c"]).fails(TARGET, &["needs main or LLVMFuzzerTestOneInput"]);
    explore(&["open.c", "--cflags", "-I'x"]).fails(2, &["--cflags", "quote"]);
}

#[test]
fn seeds_that_cannot_be_used() {
    let place = Place::with(&[("guard.c", GUARD)]);
    std::fs::create_dir(place.path("nothing")).expect("folder");
    place.write("big/seed", b"");
    let big = std::fs::File::options().write(true).open(place.path("big/seed")).expect("there");
    big.set_len(100 << 20).expect("a sparse file");
    let explore = |more: &[&str]| {
        place.spelunk(&[&["explore", "guard.c", "--out", "c", "--runs", "5", "--seeds"], more].concat())
    };
    explore(&["none"]).fails(INPUT, &["none: cannot read the seeds", "folder of inputs"]);
    explore(&["nothing"]).fails(INPUT, &["nothing: no seed files", "leave out --seeds"]);
    explore(&["big"]).fails(INPUT, &["big/seed", "104857600 bytes", "65536", "give a smaller one"]);
    explore(&["big", "--max-input", "200000000"]).exits(2);
    assert!(!place.path("c").exists());
}

#[test]
fn an_empty_seed_is_a_seed() {
    let place = Place::with(&[("guard.c", GUARD), ("seeds/empty", "")]);
    place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "60", "--seeds", "seeds"]).exits(0);
    let found: Vec<_> = place.contents("c/tests").into_iter().filter(|t| t.starts_with(b"Spe")).collect();
    // One returns, one aborts as expected.
    assert_eq!(found.len(), 2);
    assert_eq!(place.files("c/findings"), ["0000-abort"]);
}

#[test]
fn campaign_folders_that_cannot_be_made() {
    let place = Place::with(&[("deaf.c", DEAF), ("file", "")]);
    let explore = |out: &str| place.spelunk(&["explore", "deaf.c", "--runs", "5", "--out", out]);
    explore("file").fails(SYSTEM, &["cannot create file"]);
    explore("file/below").fails(SYSTEM, &["cannot create file/below"]);
    explore("/proc/nothing").fails(SYSTEM, &["cannot create /proc/nothing"]);
}

#[test]
fn folders_that_are_no_campaigns() {
    let place = Place::with(&[("deaf.c", DEAF), ("file", "")]);
    let told = place.spelunk(&["explore", "deaf.c", "--out", "c", "--resume", "--runs", "5"]);
    told.fails(CAMPAIGN, &["c holds no campaign", "makes one"]);
    place.spelunk(&["coverage", "c"]).fails(CAMPAIGN, &["c holds no campaign"]);
    place.spelunk(&["replay", "c"]).fails(CAMPAIGN, &["c: ", "No such file"]);
    place.spelunk(&["replay", "file"]).fails(CAMPAIGN, &["file: not a campaign folder"]);
}
