//! Compiling a source of ours with the user's clang, once per content of the source and of every header it reads.
//!
//! `<cache>/library/KEY.bc` is the bitcode, `KEY.headers` lists the headers with their hashes: an entry whose headers
//! have changed is made anew. KEY hashes the source, the flags and the compiler's identity.

use crate::Error;
use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;
use toolchain::{Clang, Language, write_whole};

/// Flags of all units. The bitcode is that of before optimisation, as the user's is.
const FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-O2",
    "-gline-tables-only",
    "-w",
    "-fPIC",
    "-fno-access-control",
    "-fno-stack-protector",
    "-Xclang",
    "-mno-constructor-aliases",
    "-Xclang",
    "-disable-llvm-passes",
    "-emit-llvm",
    "-c",
];

/// The bitcode of a unit; `None` if its headers are not installed.
///
/// # Errors
/// When there is no clang or the cache cannot be used.
pub fn unit(name: &str, text: &str, flags: &[&str], root: &Path) -> Result<Option<Vec<u8>>, Error> {
    let clang = Clang::find()?;
    let driver = clang.driver(Language::Cxx);
    let folder = root.join("library");
    fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, "make the cache folder", e))?;
    let key = key(driver, text, flags);
    let (bitcode, headers) = (folder.join(format!("{key}.bc")), folder.join(format!("{key}.headers")));
    if is_current(&headers)
        && let Ok(bytes) = fs::read(&bitcode)
    {
        return Ok(Some(bytes));
    }
    let scratch =
        tempfile::tempdir_in(&folder).map_err(|e| Error::io(&folder, "make a scratch folder in", e))?;
    let (source, object, made) =
        (scratch.path().join("unit.cc"), scratch.path().join("unit.bc"), scratch.path().join("unit.d"));
    fs::write(&source, text).map_err(|e| Error::io(&source, "write", e))?;
    let mut command = Command::new(driver);
    command.args(FLAGS).args(flags).arg(&source).arg("-o").arg(&object).arg("-MD").arg("-MF").arg(&made);
    let done = command.output().map_err(|e| Error::io(driver, "start the compiler", e))?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        let first = why.lines().find(|l| l.contains("error:")).unwrap_or("no reason given");
        eprintln!(
            "warning: the C++ library cannot be followed ({name}: {first}); symbolic data is lost in its shared library"
        );
        return Ok(None);
    }
    let bytes = fs::read(&object).map_err(|e| Error::io(&object, "read", e))?;
    let rule = fs::read_to_string(&made).map_err(|e| Error::io(&made, "read", e))?;
    write_whole(&bitcode, &bytes)?;
    write_whole(&headers, listed(&rule, &source).as_bytes())?;
    Ok(Some(bytes))
}

fn key(driver: &Path, text: &str, flags: &[&str]) -> String {
    let mut hash = blake3::Hasher::new();
    let mut add = |part: &str| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    };
    add(text);
    FLAGS.iter().chain(flags).for_each(|f| add(f));
    let real = driver.canonicalize().unwrap_or_else(|_| driver.to_path_buf());
    add(&real.to_string_lossy());
    if let Ok(about) = fs::metadata(&real) {
        let changed =
            about.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        add(&format!("{} {}", about.len(), changed.as_nanos()));
    }
    hash.finalize().to_hex()[..32].to_owned()
}

/// The headers of a dependency rule (`target: file file …`, with `\` before line ends and blanks), a hash and a path a
/// line.
fn listed(rule: &str, source: &Path) -> String {
    let files = rule.split_once(": ").map_or("", |(_, files)| files).replace("\\\n", " ");
    let files = files.replace("\\ ", "\0");
    let names = files.split_ascii_whitespace().map(|f| PathBuf::from(f.replace('\0', " ")));
    names
        .filter(|f| f != source)
        .map(|f| format!("{} {}\n", hash_of(&f).unwrap_or_default(), f.display()))
        .collect()
}

fn hash_of(file: &Path) -> Option<String> {
    fs::read(file).ok().map(|bytes| blake3::hash(&bytes).to_hex().to_string())
}

/// Whether every header is as it was.
fn is_current(list: &Path) -> bool {
    let Ok(text) = fs::read_to_string(list) else { return false };
    text.lines().all(|line| {
        line.split_once(' ').is_some_and(|(hash, file)| hash_of(Path::new(file)).as_deref() == Some(hash))
    })
}

#[cfg(test)]
mod tests {
    use super::listed;
    use std::path::Path;

    #[test]
    fn headers_of_a_rule_are_listed_without_the_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = folder.path().join("a b.h");
        std::fs::write(&header, "x").expect("written");
        let escaped = header.display().to_string().replace(' ', "\\ ");
        let rule = format!("unit.o: /s/unit.cc \\\n  {escaped} \\\n  /nowhere.h\n");
        let list = listed(&rule, Path::new("/s/unit.cc"));
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], format!("{} {}", blake3::hash(b"x").to_hex(), header.display()));
        assert_eq!(lines[1], " /nowhere.h");
    }
}
