//! Strategy `hybrid`: programs that ask for input in a loop, through values, standard input and connections.

use crate::common::Place;
use trace::ObjectKind;

/// Letters in order lead to a state in which a word is an error; between them, anything.
const MACHINE: &str = r#"
    #include <spelunk.h>
    #include <stdlib.h>
    #include <string.h>
    int main(void) {
        int state = 0;
        for (;;) {
            unsigned char key = spelunk_uchar("key");
            char word[4];
            spelunk_bytes(word, sizeof word, "word");
            if (key == '(' && state == 0) state = 1;
            if (key == '[' && state == 1) state = 2;
            if (key == ']' && state == 2) state = 3;
            if (key == ')' && state == 3) state = 4;
            if (state == 4 && word[0] == 'r' && word[1] == 'e' && word[2] == 'd' && word[3] == 0) abort();
        }
    }"#;

/// Lines of standard input: a login, then a command that gets longer.
fn server(read_line: &str) -> String {
    let rest = r#"
    int main(void) {
        char line[32];
        int user = 0, steps = 0;
        while (read_line(line, sizeof line)) {
            if (strcmp(line, "user") == 0) user = 1;
            else if (user == 1 && strcmp(line, "pass") == 0) user = 2;
            else if (user == 2 && line[0] == '+') { if (++steps == 4) abort(); }
            else if (strcmp(line, "quit") == 0) return 0;
        }
        return 1;
    }"#;
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n{read_line}{rest}"
    )
}

const BY_READ: &str = r#"
    static int read_line(char *to, size_t room) {
        for (size_t n = 0; n < room; n++) {
            if (read(0, to + n, 1) != 1) return 0;
            if (to[n] == '\n') { to[n] = 0; return 1; }
        }
        to[room - 1] = 0;
        return 1;
    }"#;

const BY_STREAM: &str = r#"
    static int read_line(char *to, size_t room) {
        if (!fgets(to, room, stdin)) return 0;
        to[strcspn(to, "\n")] = 0;
        return 1;
    }"#;

/// Explores; the reproducer of the one finding.
fn found(place: &Place, source: &str, out: &str, more: &[&str]) -> Vec<u8> {
    found_within("60000", place, source, out, more)
}

/// The same with another budget of runs.
fn found_within(runs: &str, place: &Place, source: &str, out: &str, more: &[&str]) -> Vec<u8> {
    let args = [
        "explore",
        source,
        "--strategy",
        "hybrid",
        "--runs",
        runs,
        "--seed",
        "1",
        "--out",
        out,
        "--no-check",
    ];
    place.spelunk(&[&args[..], more].concat()).exits(0);
    assert_eq!(place.files(&format!("{out}/findings")), ["0000-abort"]);
    place.spelunk(&["replay", &format!("{out}/findings/0000-abort")]).exits(0).says(&["0 different"]);
    place.spelunk(&["replay", out]).exits(0).says(&["0 different"]);
    let folder = place.path(out).join("findings/0000-abort");
    let input = std::fs::read_dir(folder).expect("a finding").filter_map(|e| Some(e.ok()?.path()));
    let input = input.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("input")));
    std::fs::read(input.min().expect("an input")).expect("an input")
}

#[test]
fn values_lead_to_a_deep_state_and_tests_are_short() {
    let place = Place::with(&[("machine.c", MACHINE)]);
    let first = found(&place, "machine.c", "one", &[]);
    let input: serde_json::Value = serde_json::from_slice(&first).expect("JSON");
    let values = input["objects"].as_array().expect("objects").len();
    assert!(values <= 12, "an end, and a key and a word in each of few rounds: {input}");
    assert_eq!(found(&place, "machine.c", "two", &[]), first, "the same seed, the same test");
    assert_eq!(place.contents("one/tests"), place.contents("two/tests"));
    for test in place.contents("one/tests") {
        let input: serde_json::Value = serde_json::from_slice(&test).expect("JSON");
        let values = input["objects"].as_array().expect("objects").len();
        assert!(values <= 24, "each test of the suite is short: {values} in {input}");
    }
}

#[test]
fn the_papers_algorithm_with_its_numbers() {
    let place = Place::with(&[("machine.c", MACHINE)]);
    found(&place, "machine.c", "letter", &["--theta2", "2000", "--lookahead", "8", "--depth", "20"]);
    let args = ["explore", "machine.c", "--strategy", "hybrid", "--theta1", "0.5", "--out", "half"];
    place.spelunk(&args).exits(0).says(&["as many branches as were asked for"]);
    for (option, value, says) in [("--theta1", "1.5", "0 to 1"), ("--from-snapshot", "fuzz", "bounded-dfs")] {
        let told = place.spelunk(&["explore", "machine.c", option, value]).exits(2);
        assert!(told.err.contains(value) && told.err.contains(says), "{}", told.err);
    }
}

/// Words that are values, and lines of standard input, in turns, each of which is to be right.
const MIXED: &str = r#"
    #include <spelunk.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(void) {
        for (int state = 0;;) {
            unsigned first = spelunk_uint("first"), last = spelunk_uint("last");
            char line[3];
            if (read(0, line, 3) != 3) return 1;
            if (state == 0 && first == 0x13579bdf && last == ~first && line[1] == 'a') state = 1;
            else if (state == 1 && first == 0xfedcba98 && last == ~first && line[1] == 'b') state = 2;
            else if (state == 2 && first == 0x01234567 && last == ~first && line[1] == 'c') abort();
        }
    }"#;

#[test]
fn values_and_lines_in_turns() {
    let place = Place::with(&[("mixed.c", MIXED)]);
    let input = found(&place, "mixed.c", "c", &["--stdin"]);
    assert!(!input.is_empty());
}

/// The totals of a campaign.
fn totals(place: &Place, out: &str, options: &[&str]) -> serde_json::Value {
    let args = ["explore", "machine.c", "--strategy", "hybrid", "--seed", "1", "--no-check", "--out", out];
    place.spelunk(&[&args[..], options].concat()).exits(0);
    let text = std::fs::read(place.path(out).join("summary.json")).expect("a summary");
    serde_json::from_slice::<serde_json::Value>(&text).expect("JSON")["ledger"].clone()
}

#[test]
fn budgets_hold_within_searches() {
    // A machine that nobody gets through: every search would go on for long.
    let hard = MACHINE.replace("if (state == 4", "if (key * key * key == 251 && state == 4");
    let place = Place::with(&[("machine.c", &hard)]);
    for (out, runs, jobs) in [("one", "150", "1"), ("three", "150", "3")] {
        let ledger = totals(&place, out, &["--runs", runs, "--jobs", jobs]);
        assert_eq!(ledger["runs"], 150, "{jobs}: {ledger}");
    }
    let ledger = totals(&place, "queries", &["--queries", "12", "--runs", "20000"]);
    let (queries, runs) = (ledger["queries"].as_u64().expect("a number"), ledger["runs"].as_u64());
    assert!((12..=20).contains(&queries), "to within a flip: {ledger}");
    assert!(runs < Some(20_000), "{ledger}");
}

#[test]
fn lines_of_standard_input() {
    for (name, read_line) in [("read", BY_READ), ("stream", BY_STREAM)] {
        let place = Place::with(&[("server.c", &server(read_line))]);
        let input = found(&place, "server.c", "c", &[]);
        let text = String::from_utf8_lossy(&input);
        assert!(text.contains("user") && text.contains("pass"), "{name}: {text}");
        assert!(text.lines().count() <= 20, "{name}: {text}");
    }
}

/// The same over connections.
const CLIENTS: &str = r#"
    #include <netinet/in.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static int read_line(int c, char *to, size_t room) {
        for (size_t n = 0; n < room; n++) {
            if (recv(c, to + n, 1, 0) != 1) return 0;
            if (to[n] == '\n') { to[n] = 0; return 1; }
        }
        to[room - 1] = 0;
        return 1;
    }
    int main(void) {
        int l = socket(AF_INET, SOCK_STREAM, 0), allowed = 0, hung_up = 0;
        struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(6543)};
        bind(l, (struct sockaddr *)&here, sizeof here);
        listen(l, 4);
        for (;;) {
            int c = accept(l, 0, 0), user = 0, steps = 0, more;
            char line[32];
            while ((more = read_line(c, line, sizeof line))) {
                if (strcmp(line, "user") == 0) user = 1;
                else if (user == 1 && strcmp(line, "allow") == 0) allowed = 1;
                else if (user == 1 && ALLOWED && line[0] == '+') { if (++steps == 3) abort(); }
                else if (strcmp(line, "quit") == 0) break;
                send(c, "ok\n", 3, MSG_NOSIGNAL);
            }
            if (!more) hung_up++;
            close(c);
        }
    }"#;

#[test]
fn what_clients_say_is_found_line_by_line() {
    let place = Place::with(&[("server.c", &CLIENTS.replace("ALLOWED", "allowed"))]);
    let input = found(&place, "server.c", "c", &["--check-trace"]);
    let text = String::from_utf8_lossy(&input);
    assert!(text.contains("user") && text.contains("allow\n"), "as the client sends it: {text}");
    assert!(text.lines().count() <= 20, "{text}");
    assert_eq!(found(&place, "server.c", "again", &["--check-trace"]), input, "the same seed, the same test");
    let args = ["export", "c", "--format", "c", "-o", "tests.c"];
    place.spelunk(&args).exits(0);
}

#[test]
fn one_client_after_the_other() {
    // Somebody hung up before.
    let place = Place::with(&[("server.c", &CLIENTS.replace("ALLOWED", "hung_up > 0"))]);
    let input = found_within("4000", &place, "server.c", "c", &["--connections", "3"]);
    let input: serde_json::Value = serde_json::from_slice(&input).expect("JSON");
    let lengths: Vec<usize> = input["objects"]
        .as_array()
        .expect("objects")
        .iter()
        .filter(|o| o["kind"] == ObjectKind::Connection as u32)
        .map(|o| o["data"].as_array().expect("bytes").len())
        .collect();
    assert!(
        lengths.len() == 3 && lengths[1] + lengths[2] > 0,
        "all are there, and a later one speaks: {input}"
    );
}

#[test]
fn programs_that_never_stop_asking_end() {
    let place = Place::with(&[("machine.c", MACHINE)]);
    let args = ["explore", "machine.c", "--strategy", "random", "--runs", "300", "--max-inputs", "50"];
    place.spelunk(&[&args[..], &["--out", "c"]].concat()).exits(0);
    assert!(place.files("c/findings").is_empty(), "no hang: {:?}", place.files("c/findings"));
}
