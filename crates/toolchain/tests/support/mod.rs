//! Small projects in temporary folders, built with and without the wrappers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use toolchain::{Cache, Clang, Language, Options, ProgramSource};

/// A project: a folder with files, and a cache of its own.
pub struct Project {
    _temporary: TempDir,
    /// Where its files are.
    pub dir: PathBuf,
    /// Its cache.
    pub cache: Cache,
}

impl Project {
    /// A project with these files.
    pub fn new(files: &[(&str, &str)]) -> Project {
        Project::in_folder("project", files)
    }

    /// The same in a folder of this name.
    pub fn in_folder(folder: &str, files: &[(&str, &str)]) -> Project {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let dir = temporary.path().join(folder);
        let cache = Cache::at(temporary.path().join("cache"));
        for (name, text) in files {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        Project { _temporary: temporary, dir, cache }
    }

    /// Runs `build -- sh -c SCRIPT` in the project; panics with its output if it fails.
    pub fn build(&self, script: &str) -> String {
        let output = self.wrapper(&["build", "sh", "-ec", script]);
        text_of(output, script)
    }

    /// Runs the stand-in for `spelunk`.
    pub fn wrapper(&self, words: &[&str]) -> Output {
        let mut command = Command::new(wrapper());
        command.args(words).current_dir(&self.dir).env("SPELUNK_CACHE", self.cache.root());
        command.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("CFLAGS");
        command.output().expect("the wrapper starts")
    }

    /// Reads a target back.
    pub fn program(&self, targets: &[&str]) -> Result<ProgramSource, toolchain::Error> {
        let targets: Vec<PathBuf> = targets.iter().map(|t| self.dir.join(t)).collect();
        toolchain::program_of(&targets, &Options::default(), &self.cache)
    }

    /// Reads an executable back, checks that its units are these, links it again from its bitcode as the plan
    /// says, and checks that the executable so made behaves as the first.
    pub fn check(&self, executable: &str, units: &[&str]) -> ProgramSource {
        let program = self.program(&[executable]).unwrap_or_else(|e| panic!("{e}"));
        let mut names: Vec<&str> = program.modules.iter().map(|m| base(&m.name)).collect();
        names.sort();
        assert_eq!(names, units);
        let again = self.link_again(&program);
        for arguments in [&[][..], &["one"], &["one", "two words"]] {
            let run = |file: &Path| {
                let output = Command::new(file).args(arguments).output().expect("it starts");
                (output.status.code(), output.stdout)
            };
            assert_eq!(run(&program.executable), run(&again), "{executable} behaves the same");
        }
        program
    }

    fn link_again(&self, program: &ProgramSource) -> PathBuf {
        let clang = Clang::find().expect("clang");
        let out = self.dir.join(".again");
        let driver = clang.driver(if program.link.cxx { Language::Cxx } else { Language::C });
        let mut command = Command::new(driver);
        command.args(["-x", "ir"]).args(program.modules.iter().map(|m| &m.path)).args(["-x", "none"]);
        command.arg("-Wl,--start-group").args(&program.link.objects).arg("-Wl,--end-group");
        command.args(&program.link.args).arg("-o").arg(&out).arg("-Wno-override-module");
        for dir in &program.link.library_dirs {
            command.arg(format!("-Wl,-rpath,{}", dir.display()));
        }
        text_of(command.output().expect("clang starts"), "linking again");
        out
    }
}

/// Output as text; panics with it if the command failed.
pub fn text_of(output: Output, what: &str) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{what} failed: {}\n{out}\n{err}", output.status);
    out + &err
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The example `wrapper`, built along with the tests.
fn wrapper() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let folder = test.parent().and_then(Path::parent).expect("deps in a profile's folder");
    folder.join("examples/wrapper")
}

/// Whether all these tools are installed. In CI a missing one is an error, elsewhere the test says that it
/// does nothing.
pub fn installed(tools: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing: Vec<&&str> =
        tools.iter().filter(|t| !std::env::split_paths(&path).any(|d| d.join(t).is_file())).collect();
    assert!(missing.is_empty() || std::env::var_os("CI").is_none(), "CI lacks {missing:?}");
    if !missing.is_empty() {
        eprintln!("SKIPPED: {missing:?} not installed");
    }
    missing.is_empty()
}
