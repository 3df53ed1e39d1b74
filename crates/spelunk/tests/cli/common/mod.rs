//! A folder with programs in it, and `spelunk` called there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Stops at each of three bytes of standard input, and aborts behind the last.
pub const GUARD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    unsigned char b[4];
    if (fread(b, 1, 4, stdin) != 4) return 1;
    if (b[0] == 'S' && b[1] == 'p' && b[2] == 'e') {
        if (b[3] == '!') abort();
        return 3;
    }
    return 0;
}
"#;

/// Never reads its input and has one branch that no input takes: a campaign that goes on until its budget ends.
pub const DEAF: &str = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) puts("an argument");
    return 0;
}
"#;

/// What a command did.
pub struct Told {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Told {
    fn of(output: &Output) -> Told {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Told { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// It ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Told {
        assert_eq!(self.code, Some(code), "standard output:\n{}\nstandard error:\n{}", self.out, self.err);
        self
    }

    /// It failed with this code and one message of one line, which holds all of `words`.
    #[track_caller]
    pub fn fails(self, code: i32, words: &[&str]) -> Told {
        let told = self.exits(code);
        let errors: Vec<&str> = told.err.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "not one message:\n{}", told.err);
        assert!(told.err.trim_end().ends_with(errors[0]), "more than one line:\n{}", told.err);
        for word in words {
            assert!(errors[0].contains(word), "`{word}` is not in: {}", errors[0]);
        }
        assert!(!told.err.contains("bug in Spelunk") && !told.err.contains("panicked"), "{}", told.err);
        told
    }

    /// It said all of this on standard output.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Told {
        for word in words {
            assert!(self.out.contains(word), "`{word}` is not in:\n{}", self.out);
        }
        self
    }
}

/// A folder of its own, with `spelunk` and its cache.
pub struct Place {
    dir: TempDir,
}

impl Place {
    /// An empty place.
    pub fn new() -> Place {
        Place { dir: tempfile::tempdir().expect("temporary folder") }
    }

    /// A place with these files.
    pub fn with(files: &[(&str, &str)]) -> Place {
        let place = Place::new();
        for (name, text) in files {
            place.write(name, text.as_bytes());
        }
        place
    }

    /// The file or folder of this name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the place")).expect("folder");
        std::fs::write(path, bytes).expect("written");
    }

    /// Names of the files in a folder, sorted; none if there is no such folder.
    pub fn files(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|e| e.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The contents of all files in a folder.
    pub fn contents(&self, folder: &str) -> Vec<Vec<u8>> {
        let read = |name: &String| std::fs::read(self.path(folder).join(name)).expect("readable");
        self.files(folder).iter().map(read).collect()
    }

    /// `spelunk` in this folder, with a cache shared by all tests of this run of the suite.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(spelunk());
        command.args(args).current_dir(self.dir.path()).env("SPELUNK_CACHE", cache()).stdin(Stdio::null());
        command
    }

    /// Calls `spelunk`.
    pub fn spelunk(&self, args: &[&str]) -> Told {
        Told::of(&self.command(args).output().expect("spelunk starts"))
    }

    /// The same with room for tables, so that no cell is broken.
    pub fn spelunk_on_a_wide_terminal(&self, args: &[&str]) -> Told {
        Told::of(&self.command(args).env("COLUMNS", "160").output().expect("spelunk starts"))
    }

    /// Starts `spelunk` and does not wait.
    pub fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("spelunk starts")
    }

    /// Waits for what [`Place::start`] started.
    pub fn end(child: Child) -> Told {
        Told::of(&child.wait_with_output().expect("spelunk ends"))
    }

    /// Waits until `there` holds, or the child has ended.
    pub fn wait_for(child: &mut Child, there: impl Fn() -> bool) {
        while !there() && child.try_wait().expect("known").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Whether a process still runs an executable below the shared cache that belongs to this place, by the name
    /// of its target.
    pub fn left_behind(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("readable").flatten() {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(name) {
                found.push(line);
            }
        }
        found
    }
}

/// The cache of this run of the suite; removed with the build results.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-cache")
}

/// The built command, with `spelunk-instrument` beside it: cargo builds only the former for these tests.
fn spelunk() -> &'static Path {
    static BUILT: OnceLock<()> = OnceLock::new();
    let spelunk = Path::new(env!("CARGO_BIN_EXE_spelunk"));
    BUILT.get_or_init(|| {
        let beside = spelunk.with_file_name("spelunk-instrument");
        assert!(
            beside.is_file(),
            "{} is missing; these tests need it: run `cargo build -p instrument` (with the same profile) first, or \
             `make test`",
            beside.display()
        );
    });
    spelunk
}
