//! Where libraries are: for `-lNAME` at link time, and for the names an executable needs at run time.

use std::path::{Path, PathBuf};

/// Folders of installed libraries; what is found there stays `-lNAME` when linking again.
const SYSTEM: &[&str] = &["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];

/// Whether a folder holds installed libraries rather than parts of a build.
pub fn is_system(dir: &Path) -> bool {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    SYSTEM.iter().any(|s| real.starts_with(s))
}

/// The file that `-lNAME` means, looked for in `dirs` alone (the `-L` folders), as linkers do.
pub fn find(name: &str, dirs: &[PathBuf], only_static: bool) -> Option<PathBuf> {
    if let Some(exact) = name.strip_prefix(':') {
        return dirs.iter().map(|d| d.join(exact)).find(|f| f.is_file());
    }
    let (shared, archive) = (format!("lib{name}.so"), format!("lib{name}.a"));
    dirs.iter().find_map(|dir| {
        let shared = Some(dir.join(&shared)).filter(|f| !only_static && f.is_file());
        shared.or_else(|| Some(dir.join(&archive)).filter(|f| f.is_file()))
    })
}

/// The file the dynamic loader would take for `soname`: run path first, then `LD_LIBRARY_PATH`, then the
/// system's folders.
pub fn needed(soname: &str, run_path: &[PathBuf]) -> Option<PathBuf> {
    if soname.contains('/') {
        return Some(PathBuf::from(soname)).filter(|f| f.is_file());
    }
    let from_env = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let from_env = std::env::split_paths(&from_env).filter(|d| !d.as_os_str().is_empty()).collect::<Vec<_>>();
    let multiarch = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"].map(PathBuf::from);
    let system = SYSTEM.iter().map(PathBuf::from);
    let dirs = run_path.iter().cloned().chain(from_env).chain(multiarch).chain(system);
    dirs.chain(configured()).map(|d| d.join(soname)).find(|f| f.is_file())
}

/// Folders named in the files below `/etc/ld.so.conf.d`.
fn configured() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/etc/ld.so.conf.d") else { return Vec::new() };
    let files = entries.flatten().filter_map(|e| std::fs::read_to_string(e.path()).ok());
    files
        .flat_map(|text| text.lines().map(str::trim).map(String::from).collect::<Vec<_>>())
        .filter(|line| line.starts_with('/'))
        .map(PathBuf::from)
        .collect()
}
