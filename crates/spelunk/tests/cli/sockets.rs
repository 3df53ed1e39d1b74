//! Servers: what a client sends is the input; crashes behind a login are found, confirmed with real connections to the user's
//! own executable, replayed and exported.

use crate::common::Place;
use std::process::Command;

/// A server with commands, line by line, and a crash for those who logged in.
const SERVER: &str = r#"
    #include <netinet/in.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <unistd.h>
    static int line(int client, char *to, int room) {
        int n = 0;
        while (n < room - 1 && recv(client, to + n, 1, 0) == 1) {
            if (to[n] == '\n') {
                to[n] = 0;
                return 1;
            }
            n++;
        }
        return 0;
    }
    int main(void) {
        int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(6543)};
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 4)) return 1;
        for (;;) {
            int client = accept(listener, 0, 0), in = 0;
            char text[24];
            while (line(client, text, sizeof text)) {
                if (strcmp(text, "LOGIN") == 0) in = 1;
                else if (strcmp(text, "QUIT") == 0) break;
                else if (in && atoi(text) == 4711) abort();
                send(client, "ok\n", 3, MSG_NOSIGNAL);
            }
            close(client);
        }
    }"#;

#[test]
fn a_crash_behind_a_login_is_found_confirmed_replayed_and_exported() {
    let place = Place::with(&[("server.c", SERVER)]);
    let told = place
        .spelunk(&["explore", "server.c", "--runs", "1500", "--until", "covered", "--out", "o"])
        .exits(0)
        .says(&["confirmed on the program itself", "the program calls abort"]);
    assert!(told.err.contains("this program accepts connections") && told.err.contains("--connections N"));
    let findings = place.files("o/findings");
    assert_eq!(findings.len(), 1, "{findings:?}");
    let folder = format!("o/findings/{}", findings[0]);
    let input = std::fs::read(place.path(&folder).join("input")).expect("the input");
    let text = String::from_utf8_lossy(&input);
    assert!(text.starts_with("LOGIN\n") && text.contains("4711"), "bytes as the client sends them: {text:?}");
    place.spelunk(&["replay", "o"]).exits(0).says(&["same       findings/", "0 different"]);
    place.spelunk(&["replay", &folder]).exits(0).says(&["abort", "1 replayed"]);
    place.spelunk(&["export", "o", "--format", "c", "-o", "tests.c"]).exits(0);
    place.spelunk(&["export", "o", "--format", "raw", "-o", "raw"]).exits(0);
    let compile = ["-w", "-o", "tests", "tests.c"];
    let compiled =
        Command::new("clang-19").args(compile).current_dir(place.path("")).output().expect("clang");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let compile = ["-w", "-o", "server", "server.c"];
    assert!(
        Command::new("clang-19").args(compile).current_dir(place.path("")).status().expect("clang").success()
    );
    let ran = Command::new(place.path("tests"))
        .arg("./server")
        .current_dir(place.path(""))
        .output()
        .expect("tests");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    place.spelunk(&["explore", "server.c", "--runs", "50", "--out", "o", "--resume"]).exits(0);
}

#[test]
fn several_connections_are_objects_of_one_input() {
    let place = Place::with(&[("server.c", SERVER), ("seeds/a", "LOGIN\nQUIT\n")]);
    let options = ["--connections", "2:line", "--runs", "40", "--seeds", "seeds", "--out", "o", "--no-check"];
    place
        .spelunk(&[&["explore", "server.c"], &options[..]].concat())
        .exits(0)
        .says(&["confirmed on the program itself"]);
    let tests = place.files("o/tests");
    assert!(!tests.is_empty() && tests.iter().all(|t| t.ends_with(".json")), "{tests:?}");
    place.spelunk(&["replay", "o"]).exits(0).says(&["0 different"]);
    let told = place.spelunk(&["explore", "server.c", "--connections", "1:0"]).exits(2);
    assert!(told.err.contains("not N or N:PIECES") && told.err.contains("1:line"), "{}", told.err);
}
