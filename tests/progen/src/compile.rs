//! From the text of a program to its plain executable and its `trace` flavour, and running both.

use anyhow::{Context as _, Result, bail};
use fs_err as fs;
use instrument::{Destination, Flavour};
use program::ProgramMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(10);

/// A program on disk. Its folder is removed with it.
pub struct Built {
    folder: tempfile::TempDir,
    /// As its user builds it.
    pub plain: PathBuf,
    /// The `trace` flavour.
    pub traced: PathBuf,
    /// Its map.
    pub map: ProgramMap,
    flags: Vec<String>,
}

/// What went wrong, and whose fault it is.
#[derive(Debug)]
pub enum Broken {
    /// The program itself does not compile: the generator's.
    Source(String),
    /// The flavour cannot be derived.
    Instrument(String),
}

/// Compiles `text` with clang and these flags and derives the flavour.
///
/// # Errors
/// When one of the two fails.
pub fn build(text: &str, flags: &[String]) -> Result<Built, Broken> {
    let folder =
        tempfile::Builder::new().prefix("progen-").tempdir().map_err(|e| Broken::Source(e.to_string()))?;
    let source = folder.path().join("program.c");
    fs::write(&source, text).map_err(|e| Broken::Source(e.to_string()))?;
    let mut cflags = flags.to_vec();
    cflags.push("-w".into());
    let options = toolchain::Options { cflags, ldflags: vec!["-lm".into()], ..toolchain::Options::default() };
    let cache = toolchain::Cache::at(folder.path());
    let program =
        toolchain::program_of(&[source], &options, &cache).map_err(|e| Broken::Source(e.to_string()))?;
    let traced = folder.path().join("traced");
    let built = instrument::build(&program, &[Flavour::Trace], &[], &Destination::File(traced.clone()))
        .map_err(|e| Broken::Instrument(e.to_string()))?;
    let map = fs::read(&built.map).map_err(anyhow::Error::from).and_then(|b| Ok(postcard::from_bytes(&b)?));
    let map = map.map_err(|e| Broken::Instrument(e.to_string()))?;
    Ok(Built { plain: program.executable, traced, map, folder, flags: flags.to_vec() })
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Exit status in words, so that runs compare and people can read it.
    pub status: String,
    /// Standard output.
    pub stdout: Vec<u8>,
}

impl Ran {
    /// Whether it ended as every generated program should.
    pub fn is_good(&self) -> bool {
        self.status == "exit status: 0"
    }

    /// What was observed, by number.
    pub fn observed(&self) -> Vec<u64> {
        self.stdout.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().expect("eight bytes"))).collect()
    }
}

impl Built {
    /// Runs the plain executable.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn run_plain(&self, input: &[u8]) -> Result<Ran> {
        self.run(&self.plain, input, None)
    }

    /// Runs the flavour, symbolically if there is a file for the mapping.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn run_traced(&self, input: &[u8], mapping: Option<&Path>) -> Result<Ran> {
        self.run(&self.traced, input, mapping)
    }

    /// Where the mapping of a symbolic run may go.
    pub fn mapping(&self) -> PathBuf {
        self.folder.path().join("mapping")
    }

    /// Whether the compiler, at another level of optimisation, makes something of the program that does not write what it wrote.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn levels_disagree(&self, input: &[u8], ran: &Ran) -> Result<bool> {
        let clang = toolchain::Clang::find()?;
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let other = self.folder.path().join("other");
            let mut command = Command::new(clang.driver(toolchain::Language::C));
            command.args(&self.flags).args([level, "-w", "-o"]).arg(&other);
            let status = command.arg(self.folder.path().join("program.c")).arg("-lm").status()?;
            if !status.success() {
                bail!("clang with {level} ended with {status}");
            }
            if self.run(&other, input, None)? != *ran {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn run(&self, executable: &Path, input: &[u8], mapping: Option<&Path>) -> Result<Ran> {
        let (stdin, stdout) = (self.folder.path().join("stdin"), self.folder.path().join("stdout"));
        fs::write(&stdin, input)?;
        let mut command = Command::new(executable);
        command.stdin(fs::File::open(&stdin)?.into_parts().0);
        command.stdout(fs::File::create(&stdout)?.into_parts().0).stderr(Stdio::null());
        if let Some(file) = mapping {
            command.env(trace_abi::ENV_TRACE, file);
        }
        let mut child = command.spawn().with_context(|| format!("starting {}", executable.display()))?;
        let status = wait(&mut child)?;
        Ok(Ran { status, stdout: fs::read(&stdout)? })
    }
}

fn wait(child: &mut Child) -> Result<String> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(300);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.to_string());
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(format!("still running after {} s", LIMIT.as_secs()));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Runs the program once more with the sanitizers for undefined behaviour and addresses: what they report is a mistake of
/// the generator.
///
/// # Errors
/// With what they say.
pub fn sanitize(text: &str, flags: &[String], inputs: &[Vec<u8>]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (source, executable) = (folder.path().join("program.c"), folder.path().join("sanitized"));
    fs::write(&source, text)?;
    let clang = toolchain::Clang::find()?;
    let done = Command::new(clang.driver(toolchain::Language::C))
        .args(flags)
        .args(["-w", "-g", "-fsanitize=undefined,address", "-fno-sanitize=alignment,float-divide-by-zero"])
        .arg("-fno-sanitize-recover=all")
        .arg(&source)
        .arg("-lm")
        .arg("-o")
        .arg(&executable)
        .output()?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr));
    }
    for input in inputs {
        let stdin = folder.path().join("stdin");
        fs::write(&stdin, input)?;
        let done = Command::new(&executable).stdin(fs::File::open(&stdin)?.into_parts().0).output()?;
        if !done.status.success() {
            bail!("{}", String::from_utf8_lossy(&done.stderr));
        }
    }
    Ok(())
}
