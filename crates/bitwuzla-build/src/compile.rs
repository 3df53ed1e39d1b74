//! Compiles the sources with the system's C++ compiler, several files at once, into one archive.

use crate::sources::{Sources, files_below};
use crate::{ARCHIVE, BITWUZLA_VERSION, CADICAL_VERSION};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The C++ compiler: `$CXX` or `c++`.
pub struct Compiler {
    program: OsString,
    identity: String,
}

impl Compiler {
    /// Looks for the compiler and asks for its version.
    ///
    /// # Errors
    /// When there is none.
    pub fn find() -> Result<Compiler> {
        let program =
            std::env::var_os("CXX").filter(|value| !value.is_empty()).unwrap_or_else(|| "c++".into());
        let output = Command::new(&program).arg("--version").output().with_context(|| {
            format!("no C++ compiler `{}`: install one (Debian: g++) or set CXX", program.to_string_lossy())
        })?;
        ensure!(
            output.status.success(),
            "`{} --version` failed; set CXX to a C++ compiler",
            program.to_string_lossy()
        );
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(Compiler { program, identity: text.lines().next().unwrap_or_default().to_owned() })
    }

    /// Folder of the static library `lib<name>.a`, or `None` if the compiler finds only a shared one.
    ///
    /// # Errors
    /// When the compiler cannot be started.
    pub fn static_library(&self, name: &str) -> Result<Option<PathBuf>> {
        let file = format!("lib{name}.a");
        let output = Command::new(&self.program)
            .arg(format!("-print-file-name={file}"))
            .output()
            .with_context(|| format!("cannot start `{}`", self.program.to_string_lossy()))?;
        // What is not found is printed as it was asked for, without a folder.
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        Ok(path.is_file().then(|| path.parent().map(Path::to_path_buf)).flatten())
    }

    /// First line of its version text.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

const COMMON: &[&str] = &["-O3", "-fPIC", "-w", "-DNDEBUG", "-fno-plt"];
const FOR_CADICAL: &[&str] =
    &["-std=c++11", "-DNBUILD", "-DNTRACING", "-DNCONTRACTS", "-DNCLOSEFROM", "-DVERSION=\"2.1.3\""];
const FOR_BITWUZLA: &[&str] = &[
    "-std=c++17",
    "-DBZLA_USE_CADICAL",
    "-DBZLA_IS_SAT_SOLVER_CONFIGURED",
    "-DHAVE_RUSAGE",
    "-DMPFR_USE_C99_FEATURE=1",
    // Formats beside IEEE's four are called experimental. The x87's is one, and solve-smt's tests compare it.
    "-DBZLA_USE_FPEXP",
];

/// Everything about the way of building that is part of the cache key.
pub fn recipe() -> String {
    [COMMON, FOR_CADICAL, FOR_BITWUZLA].concat().join(" ")
}

struct Job {
    source: PathBuf,
    object: PathBuf,
    flags: Vec<OsString>,
}

/// Compiles and archives; the folder returned holds the archive and the licences.
///
/// # Errors
/// With the compiler's words when it fails.
pub fn compile(
    sources: &Sources,
    compiler: &Compiler,
    work: &Path,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<PathBuf> {
    let generated = generate_headers(sources, work)?;
    let objects = work.join("objects");
    fs::create_dir_all(&objects).with_context(|| format!("cannot create {}", objects.display()))?;
    let mut jobs = bitwuzla_jobs(sources, &generated, &objects)?;
    jobs.extend(cadical_jobs(sources, &objects)?);
    run_jobs(&jobs, compiler, progress)?;
    let result = work.join("result");
    fs::create_dir_all(&result).with_context(|| format!("cannot create {}", result.display()))?;
    archive(&jobs, &result.join(ARCHIVE))?;
    for (from, to) in [
        (sources.bitwuzla.join("COPYING"), "LICENSE.bitwuzla"),
        (sources.cadical.join("LICENSE"), "LICENSE.cadical"),
        (sources.bitwuzla.join("include/bitwuzla/enums.h"), "enums.h"),
        (sources.bitwuzla.join("include/bitwuzla/c/bitwuzla.h"), "bitwuzla.h"),
    ] {
        fs::copy(&from, result.join(to)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(result)
}

/// `config.h`, which meson would generate, and CaDiCaL's headers under the name Bitwuzla includes them by.
fn generate_headers(sources: &Sources, work: &Path) -> Result<PathBuf> {
    let folder = work.join("generated");
    fs::create_dir_all(folder.join("cadical"))
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for header in ["cadical.hpp", "tracer.hpp"] {
        let from = sources.cadical.join("src").join(header);
        fs::copy(&from, folder.join("cadical").join(header))
            .with_context(|| format!("cannot copy {}", from.display()))?;
    }
    let template = sources.bitwuzla.join("src/config.h.in");
    let mut text =
        fs::read_to_string(&template).with_context(|| format!("cannot read {}", template.display()))?;
    for (name, value) in [
        ("@is_debug_build@", "false"),
        ("@is_dev_version@", "false"),
        ("@is_git_version@", "false"),
        ("@git_id@", ""),
        ("@version@", BITWUZLA_VERSION),
        ("@license@", "MIT"),
        ("@os@", "linux"),
        ("@cc@", "cc"),
        ("@cxx@", "c++"),
    ] {
        text = text.replace(name, value);
    }
    fs::write(folder.join("config.h"), text).context("cannot write config.h")?;
    Ok(folder)
}

fn bitwuzla_jobs(sources: &Sources, generated: &Path, objects: &Path) -> Result<Vec<Job>> {
    let top = &sources.bitwuzla;
    let mut flags: Vec<OsString> = COMMON.iter().chain(FOR_BITWUZLA).map(OsString::from).collect();
    for folder in
        [&top.join("src"), &top.join("include"), &top.join("src/lib"), generated, &sources.cadical_extension]
    {
        flags.push("-I".into());
        flags.push(folder.into());
    }
    // The headers of symfpu may lie in a folder of the compiler's own, which must not change its place in the order.
    flags.push("-idirafter".into());
    flags.push(sources.symfpu.clone().into());
    let unwanted = ["main/", "api/python/", "api/c/parser.cpp", "api/cpp/parser.cpp"];
    jobs_in(&top.join("src"), "bitwuzla", &flags, objects, &unwanted)
}

fn cadical_jobs(sources: &Sources, objects: &Path) -> Result<Vec<Job>> {
    let mut flags: Vec<OsString> = COMMON.iter().chain(FOR_CADICAL).map(OsString::from).collect();
    flags.push("-I".into());
    flags.push(sources.cadical_extension.clone().into());
    let unwanted = ["cadical.cpp", "mobical.cpp", "ccadical.cpp", "ipasir.cpp"];
    let jobs = jobs_in(&sources.cadical.join("src"), "cadical", &flags, objects, &unwanted)?;
    ensure!(!jobs.is_empty(), "CaDiCaL {CADICAL_VERSION} has no sources");
    Ok(jobs)
}

fn jobs_in(
    folder: &Path,
    prefix: &str,
    flags: &[OsString],
    objects: &Path,
    unwanted: &[&str],
) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for source in files_below(folder)? {
        let name = source.strip_prefix(folder).unwrap_or(&source).to_string_lossy().into_owned();
        if !name.ends_with(".cpp") || unwanted.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let object = objects.join(format!("{prefix}.{}.o", name.trim_end_matches(".cpp").replace('/', ".")));
        jobs.push(Job { source, object, flags: flags.to_vec() });
    }
    Ok(jobs)
}

/// How many compilers run at once: `NUM_JOBS` (set by cargo for build scripts) or the number of processors.
fn parallelism() -> usize {
    let asked = std::env::var("NUM_JOBS").ok().and_then(|text| text.parse().ok()).filter(|&jobs| jobs > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

fn run_jobs(jobs: &[Job], compiler: &Compiler, progress: &(dyn Fn(&str) + Sync)) -> Result<()> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let worker = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = run_job(job, compiler) {
                next.store(jobs.len(), Ordering::Relaxed);
                failure.lock().unwrap_or_else(|poison| poison.into_inner()).get_or_insert(error);
                break;
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let name = job.source.file_name().unwrap_or_default().to_string_lossy();
            progress(&format!("compiled {done} of {}: {name}", jobs.len()));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..parallelism() {
            scope.spawn(worker);
        }
    });
    match failure.into_inner().unwrap_or_else(|poison| poison.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Compiles one file, unless an earlier, interrupted build already did. Objects appear under their name only complete.
fn run_job(job: &Job, compiler: &Compiler) -> Result<()> {
    if job.object.is_file() {
        return Ok(());
    }
    let partial = job.object.with_extension("o.partial");
    let output = Command::new(&compiler.program)
        .args(&job.flags)
        .arg("-c")
        .arg(&job.source)
        .arg("-o")
        .arg(&partial)
        .output()
        .with_context(|| format!("cannot start `{}`", compiler.program.to_string_lossy()))?;
    if !output.status.success() {
        bail!(
            "`{}` could not compile {} ({}):\n{}\nIf a header of GMP or MPFR is missing, install Debian's packages \
             libgmp-dev and libmpfr-dev",
            compiler.program.to_string_lossy(),
            job.source.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    fs::rename(&partial, &job.object).with_context(|| format!("cannot write {}", job.object.display()))
}

fn archive(jobs: &[Job], path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_file(path).with_context(|| format!("cannot replace {}", path.display()))?;
    }
    let ar = std::env::var_os("AR").filter(|value| !value.is_empty()).unwrap_or_else(|| "ar".into());
    let output = Command::new(&ar)
        .arg("crs")
        .arg(path)
        .args(jobs.iter().map(|job| &job.object))
        .output()
        .with_context(|| format!("cannot start `{}` (Debian: binutils)", ar.to_string_lossy()))?;
    ensure!(output.status.success(), "`ar` failed:\n{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
