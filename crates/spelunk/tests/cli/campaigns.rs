//! Campaign folders over time: in use, of other versions, damaged, on a full disk, interrupted, continued.

use crate::common::{DEAF, GUARD, Place};
use std::process::{Child, Command};

const CAMPAIGN: i32 = 5;
const SYSTEM: i32 = 7;

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// A campaign of `deaf.c` that goes on until it is interrupted.
fn endless(place: &Place) -> Child {
    let mut child = place.start(&["explore", "deaf.c", "--out", "c", "--time", "1h"]);
    Place::wait_for(&mut child, || !place.files("c/corpus").is_empty());
    child
}

#[test]
fn two_campaigns_in_one_folder() {
    let place = Place::with(&[("deaf.c", DEAF)]);
    let first = endless(&place);
    let second =
        |more: &[&str]| place.spelunk(&[&["explore", "deaf.c", "--out", "c", "--runs", "5"], more].concat());
    let pid = format!("process {}", first.id());
    second(&["--resume"]).fails(CAMPAIGN, &["another spelunk", &pid, "working in c", "--out"]);
    second(&[]).fails(CAMPAIGN, &["c already holds a campaign", "--resume", "--out"]);
    place.spelunk(&["coverage", "c"]).exits(0);
    interrupt(&first);
    Place::end(first).exits(0);
    second(&["--resume"]).exits(0);
}

#[test]
fn an_interrupted_campaign_loses_nothing_and_goes_on() {
    let place = Place::with(&[("deaf.c", DEAF)]);
    let child = endless(&place);
    let mut corpus = place.files("c/corpus");
    // What is being written has another name until it is whole.
    corpus.retain(|name| !name.ends_with(".part"));
    interrupt(&child);
    Place::end(child).exits(0).says(&["stopped by the user", "--resume"]);
    assert!(corpus.iter().all(|name| place.files("c/corpus").contains(name)));
    // What there was no time to confirm, this does.
    place.spelunk(&["replay", "c"]).exits(0).says(&["0 different"]);
    assert_eq!(place.files("c/tests").len(), 1);
    let (corpus, tests) = (place.files("c/corpus"), place.files("c/tests"));
    place.spelunk(&["explore", "deaf.c", "--out", "c", "--resume", "--runs", "5"]).exits(0);
    assert_eq!((place.files("c/corpus"), place.files("c/tests")), (corpus, tests));
    place.spelunk(&["replay", "c"]).exits(0).says(&["1 replayed", "0 different"]);
}

#[test]
fn tests_that_wait_to_be_confirmed_are_confirmed_by_replay() {
    let place = Place::with(&[("guard.c", GUARD)]);
    place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "60"]).exits(0);
    let tests = place.files("c/tests");
    assert!(tests.len() > 1, "{tests:?}");
    // As a session leaves it that had no time: the runs are known, the files are not in the suite.
    let run = |name: &String| events::RunId(name[..6].parse().expect("a run's number"));
    let runs: Vec<events::RunId> = tests.iter().map(run).collect();
    let mut session = store::Session::resume(&place.path("c")).expect("a campaign");
    session.set_pending(&runs).expect("written");
    drop(session);
    for name in &tests {
        std::fs::remove_file(place.path("c/tests").join(name)).expect("removed");
    }
    place.spelunk(&["report", "c"]).exits(0).says(&["not yet confirmed", "--resume or replay"]);
    let all = format!("{0} of {0} tests that were not confirmed yet are so now", tests.len());
    place.spelunk(&["replay", "c"]).exits(0).says(&["confirmed", &all]);
    assert_eq!(place.files("c/tests"), tests);
    place.spelunk(&["replay", "c"]).exits(0).says(&["0 different"]);
}

#[test]
fn findings_keep_their_numbers_when_a_campaign_goes_on() {
    let program = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         static void first(void) { abort(); }\n\
         static void second(void) { volatile int *p = 0; *p = 1; }\n\
         int main(void) { int c = getchar();\n\
         if (c == 'a') first(); if (c == 'h') for (;;) pause(); if (c == 'z') second(); return 0; }\n";
    let place = Place::with(&[("two.c", program), ("seeds/a", "a"), ("seeds/h", "h")]);
    let explore = |more: &[&str]| {
        let all = ["explore", "two.c", "--out", "c", "--timeout", "300ms"];
        place.spelunk(&[&all, more].concat()).exits(0)
    };
    explore(&["--runs", "2", "--seeds", "seeds"]);
    assert_eq!(place.files("c/findings"), ["0000-abort", "0001-hang"]);
    let input = |name: &str| std::fs::read(place.path("c/findings").join(name).join("input")).expect("there");
    explore(&["--resume", "--runs", "40"]).says(&["Findings: 3"]);
    let all = place.files("c/findings");
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(all[..2], ["0000-abort", "0001-hang"]);
    assert!(all[2].starts_with("0002-"), "{all:?}");
    assert_eq!((input(&all[0]), input(&all[1])), (b"a".to_vec(), b"h".to_vec()));
    assert_eq!(input(&all[2]).first(), Some(&b'z'));
    place.spelunk(&["replay", "c"]).exits(0).says(&["0 different"]);
}

#[test]
fn what_was_proved_infeasible_is_not_asked_again_when_a_campaign_goes_on() {
    // What no input reaches is one odd and even number: more than the values of single bytes tell.
    let program = "#include <stdio.h>\nint main(void) { unsigned char b[4] = {0};\n\
         if (fread(b, 1, 4, stdin) != 4) return 1;\n\
         unsigned x = b[0] * 251u + b[1], y = b[2] * 7u + b[3];\n\
         if (x * 3 + y == 4711) { puts(\"a\"); if ((x ^ y) == 1234) puts(\"b\"); }\n\
         return 0; }\n";
    let place = Place::with(&[("sums.c", program), ("seeds/a", "abcd")]);
    let asked = |more: &[&str]| {
        let all = ["explore", "sums.c", "--out", "c", "--seeds", "seeds", "--runs", "40"];
        place.spelunk(&[&all, more].concat()).exits(0);
        let summary = std::fs::read(place.path("c/summary.json")).expect("a summary");
        let summary: serde_json::Value = serde_json::from_slice(&summary).expect("JSON");
        let stages = summary["solving"].as_array().expect("stages").clone();
        ["cache", "check"].map(|name| {
            stages.iter().filter(|s| s["stage"] == name).map(|s| s["asked"].as_u64().expect("a number")).sum()
        })
    };
    let first: [u64; 2] = asked(&[]);
    assert!(first[1] > 0, "{first:?}");
    let resumed = asked(&["--resume"]);
    assert!(resumed[0] > 0 && resumed[1] == 0, "{resumed:?}");
    let [_, without] = asked(&["--resume", "--solvers", "slice,interval,smt"]);
    assert!(without > 0);
}

#[test]
fn a_program_built_anew() {
    let place = Place::with(&[("guard.c", GUARD)]);
    place.spelunk(&["explore", "guard.c", "--out", "c", "--runs", "10"]).exits(0);
    place.write("guard.c", GUARD.replace("return 0;", "return b[0] == 9 ? 7 : 0;").as_bytes());
    let told = place.spelunk(&["explore", "guard.c", "--out", "c", "--resume", "--runs", "10"]);
    told.fails(CAMPAIGN, &["c: the program was built anew", "c/corpus", "--seeds"]);
    let told = place.spelunk(&["explore", "guard.c", "--out", "d", "--seeds", "c/corpus", "--runs", "60"]);
    told.exits(0);
    assert_eq!(place.files("d/findings"), ["0000-abort"]);
}

#[test]
fn a_campaign_of_another_version_or_damaged() {
    let place = Place::with(&[("deaf.c", DEAF)]);
    place.spelunk(&["explore", "deaf.c", "--out", "c", "--runs", "5"]).exits(0);
    let refused = |words: &[&str]| {
        for command in [
            &["explore", "deaf.c", "--out", "c", "--resume", "--runs", "5"][..],
            &["replay", "c"],
            &["coverage", "c"],
        ] {
            place.spelunk(command).fails(CAMPAIGN, words);
        }
        assert_eq!(place.files("c/tests").len(), 1, "the campaign was touched");
    };
    let db = place.path("c/campaign.db");
    let good = std::fs::read(&db).expect("there");
    // `user_version` is the big-endian number at offset 60 of an SQLite file.
    let mut other = good.clone();
    other[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(&db, &other).expect("written");
    refused(&["campaign.db was written in format 99", "this spelunk reads format", "--seeds"]);
    std::fs::write(&db, b"not at all".repeat(100)).expect("written");
    refused(&["campaign.db is damaged", "not a database", "--seeds"]);
    std::fs::write(&db, &good[..good.len() / 2]).expect("written");
    refused(&["campaign.db is damaged", "--seeds"]);
}

/// A small disk of its own; needs the rights to mount one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(place: &Place, kib: u32) -> Option<SmallDisk> {
        let at = place.path("disk");
        std::fs::create_dir(&at).expect("folder");
        let size = format!("size={kib}k");
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&at).output();
        done.is_ok_and(|output| output.status.success()).then_some(SmallDisk(at))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Nothing better can be done in a test that already failed.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk() {
    let place = Place::with(&[("guard.c", GUARD)]);
    let Some(disk) = SmallDisk::mount(&place, 400) else {
        eprintln!("SKIPPED: a_full_disk needs the right to mount a tmpfs");
        return;
    };
    let explore = |more: &[&str]| place.spelunk(&[&["explore", "guard.c", "--runs", "60"], more].concat());
    explore(&["--out", "disk/c"]).exits(0);
    let tests = place.files("disk/c/tests");
    // The rest of the disk.
    let mut size = 1 << 20;
    while size > 0 && std::fs::write(place.path("disk/rest"), vec![0; size]).is_err() {
        size -= 4096;
    }
    explore(&["--out", "disk/d"]).fails(SYSTEM, &["disk/d", "no space left"]);
    explore(&["--out", "disk/c", "--resume"]).fails(SYSTEM, &["disk/c"]);
    assert_eq!(place.files("disk/c/tests"), tests);
    std::fs::remove_file(place.path("disk/rest")).expect("removed");
    place.spelunk(&["replay", "disk/c"]).exits(0).says(&["0 different"]);
    explore(&["--out", "disk/c", "--resume"]).exits(0);
    drop(disk);
}

#[test]
fn open_branches_explain_themselves() {
    let place = Place::with(&[("guard.c", crate::common::GUARD)]);
    place.spelunk(&["explore", "guard.c", "--runs", "40"]).exits(0);
    place.spelunk(&["why", "guard.c:7"]).exits(0).says(&["guard.c:7 in main", "covered, first by"]);
    place
        .spelunk(&["why", "main", "--dir", "spelunk-out/guard"])
        .exits(0)
        .says(&["guard.c:8 in main", "covered, first by"]);
    place.spelunk(&["why", "nowhere.c:7"]).fails(2, &["nowhere.c"]);
    place.spelunk(&["why", "main", "--dir", "nothing"]).fails(5, &["nothing"]);
}
