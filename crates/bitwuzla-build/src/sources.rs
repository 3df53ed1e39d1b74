//! The sources: where each comes from, and the sum it must have.
//!
//! * Bitwuzla: the source distribution on PyPI, by `pip download`. pip insists on asking a source distribution's build
//!   backend for its metadata; a stand-in backend of a few lines answers, so that neither meson nor anything from the
//!   distribution runs.
//! * CaDiCaL: as shipped inside the crate `rustsat-cadical`, by `cargo metadata` on a throwaway manifest.
//! * symfpu: headers of Debian's package `libsymfpu-dev` (BSD-3; upstream's newer versions are GPL and not used).

use crate::BITWUZLA_VERSION;
use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A source and the sum of what was unpacked (for folders: see [`sum_of_folder`]).
pub struct Pin {
    /// What it is.
    pub what: &'static str,
    /// SHA-256, hexadecimal.
    pub sha256: &'static str,
}

/// PyPI's `bitwuzla-0.9.1.tar.gz` (the file's own sum, as PyPI shows it).
const BITWUZLA: Pin = Pin {
    what: "bitwuzla-0.9.1.tar.gz",
    sha256: "2dbb333262e0a8a0438f683748f8acc4079950351dfd26def25dc3b14df37aa1",
};
/// Folder `cppsrc/src` of crate `rustsat-cadical` 0.7.0.
const CADICAL: Pin = Pin {
    what: "CaDiCaL 2.1.3 sources in rustsat-cadical 0.7.0",
    sha256: "fd0ae9765cc0cf88e5019425836c664cab1676e5ba73041cf20f1967e60058a1",
};
/// Folder `cpp-extension` of the same crate: declarations that its copy of CaDiCaL includes.
const CADICAL_EXTENSION: Pin = Pin {
    what: "extension of CaDiCaL in rustsat-cadical 0.7.0",
    sha256: "b50e7aff86047e08268029d882ef7eee920a73ed27683d7b69590a01bedb963e",
};
/// Folder `symfpu` of package `libsymfpu-dev` 0.0~git20190517.8fbe139-2.
const SYMFPU: Pin = Pin {
    what: "symfpu headers of libsymfpu-dev",
    sha256: "d033482eedb4bac34274a0f495358fced1af468b6c82fe5ae5b7b65901cf74fe",
};

/// Every source, for the cache key.
pub const PINS: &[&Pin] = &[&BITWUZLA, &CADICAL, &CADICAL_EXTENSION, &SYMFPU];

/// Crate that ships CaDiCaL, and its version.
const CADICAL_CRATE: (&str, &str) = ("rustsat-cadical", "0.7.0");

/// Unpacked, checked sources.
pub struct Sources {
    /// Bitwuzla's top folder.
    pub bitwuzla: PathBuf,
    /// CaDiCaL's top folder (holds `src`).
    pub cadical: PathBuf,
    /// Headers that CaDiCaL's own include.
    pub cadical_extension: PathBuf,
    /// Folder that holds `symfpu/`.
    pub symfpu: PathBuf,
}

/// Obtains and checks all sources; downloads go to `work`.
///
/// # Errors
/// When a source is missing, cannot be fetched, or has another sum than pinned.
pub fn obtain(work: &Path, progress: &dyn Fn(&str)) -> Result<Sources> {
    let symfpu = symfpu()?;
    progress("fetching CaDiCaL (crate rustsat-cadical, by cargo)");
    let cadical = cadical(work)?;
    progress("fetching Bitwuzla (source distribution on PyPI, by pip)");
    let bitwuzla = bitwuzla(work)?;
    let cadical_extension = cadical.join("cpp-extension");
    let cadical = cadical.join("cppsrc");
    Ok(Sources { bitwuzla, cadical, cadical_extension, symfpu })
}

fn symfpu() -> Result<PathBuf> {
    let include =
        std::env::var_os("SPELUNK_SYMFPU_INCLUDE").map_or(PathBuf::from("/usr/include"), PathBuf::from);
    let folder = include.join("symfpu");
    ensure!(
        folder.is_dir(),
        "no symfpu headers in {}: install Debian's package libsymfpu-dev, or set SPELUNK_SYMFPU_INCLUDE to the folder \
         that holds symfpu/",
        include.display()
    );
    check(&SYMFPU, &sum_of_folder(&folder)?)?;
    Ok(include)
}

fn cadical(work: &Path) -> Result<PathBuf> {
    let (name, version) = CADICAL_CRATE;
    let manifest = work.join("fetch-cadical");
    write(&manifest.join("src/lib.rs"), "")?;
    write(
        &manifest.join("Cargo.toml"),
        &format!(
            "[package]\nname = \"fetch-cadical\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n{name} = \
             \"={version}\"\n\n[workspace]\n"
        ),
    )?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"])
        .current_dir(&manifest)
        .output()
        .context("cannot start cargo to fetch the crate rustsat-cadical")?;
    ensure!(
        output.status.success(),
        "cargo could not fetch the crate {name} {version} (is there network?):\n{}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let metadata = String::from_utf8_lossy(&output.stdout);
    let marker = format!("{name}-{version}/Cargo.toml\"");
    let end = metadata.find(&marker).context("cargo metadata does not name the crate rustsat-cadical")?;
    let start = metadata[..end].rfind('"').context("cargo metadata has an unexpected form")? + 1;
    let folder = PathBuf::from(&metadata[start..end]).join(format!("{name}-{version}"));
    check(&CADICAL, &sum_of_folder(&folder.join("cppsrc/src"))?)?;
    check(&CADICAL_EXTENSION, &sum_of_folder(&folder.join("cpp-extension"))?)?;
    Ok(folder)
}

/// What pip asks a build backend for, answered without building anything.
const STAND_IN_BACKEND: &str = r#"
import os
def get_requires_for_build_wheel(config_settings=None): return []
def prepare_metadata_for_build_wheel(directory, config_settings=None):
    name = "bitwuzla-VERSION.dist-info"
    os.makedirs(os.path.join(directory, name))
    with open(os.path.join(directory, name, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: bitwuzla\nVersion: VERSION\n")
    return name
"#;

fn bitwuzla(work: &Path) -> Result<PathBuf> {
    let archive = work.join(BITWUZLA.what);
    let folder = work.join(format!("bitwuzla-{BITWUZLA_VERSION}"));
    let unpacked = work.join("unpacked");
    if unpacked.is_file() && folder.is_dir() {
        return Ok(folder);
    }
    if !archive.is_file() || sum_of_file(&archive)? != BITWUZLA.sha256 {
        pip_download(work)?;
    }
    check(&BITWUZLA, &sum_of_file(&archive)?)?;
    let file = fs::File::open(&archive).with_context(|| format!("cannot read {}", archive.display()))?;
    tar::Archive::new(flate2::read::GzDecoder::new(file))
        .unpack(work)
        .with_context(|| format!("cannot unpack {}", archive.display()))?;
    write(&unpacked, "")?;
    Ok(folder)
}

fn pip_download(work: &Path) -> Result<()> {
    let backend = work.join("backend");
    write(&backend.join("mesonpy.py"), &STAND_IN_BACKEND.replace("VERSION", BITWUZLA_VERSION))?;
    let mut last = String::new();
    for pip in [&["python3", "-m", "pip"][..], &["pip3"], &["pip"]] {
        let output = Command::new(pip[0])
            .args(&pip[1..])
            .args(["download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest"])
            .arg(work)
            .arg(format!("bitwuzla=={BITWUZLA_VERSION}"))
            .env("PYTHONPATH", &backend)
            .output();
        match output {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr);
                if !text.contains("No module named pip") || last.is_empty() {
                    last = text.trim().to_owned();
                }
            }
            Err(_) => {}
        }
    }
    if last.is_empty() || last.contains("No module named pip") {
        bail!("pip is needed to fetch Bitwuzla's sources: install it (Debian: python3-pip)");
    }
    bail!("pip could not fetch the sources of bitwuzla {BITWUZLA_VERSION} (is there network?):\n{last}")
}

fn check(pin: &Pin, found: &str) -> Result<()> {
    ensure!(
        pin.sha256 == found,
        "{}: the SHA-256 sum is {found}, expected {}; the source is not the one this version was made for, nothing was \
         compiled",
        pin.what,
        pin.sha256
    );
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn sum_of_file(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(hexadecimal(&Sha256::digest(&bytes)))
}

/// Sum of a folder: SHA-256 over `path\0sum-of-file\n` of all files below it, sorted by path.
///
/// # Errors
/// When a file cannot be read.
pub fn sum_of_folder(folder: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for path in files_below(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        hash.update(format!("{name}\0{}\n", sum_of_file(&path)?).as_bytes());
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// All files below a folder, sorted.
///
/// # Errors
/// When a folder cannot be read.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read the folder {}", folder.display()))?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folders_sum_depends_on_names_and_contents() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("a/x"), "1").unwrap();
        let first = sum_of_folder(folder.path()).unwrap();
        write(&folder.path().join("a/x"), "2").unwrap();
        let second = sum_of_folder(folder.path()).unwrap();
        fs::rename(folder.path().join("a/x"), folder.path().join("a/y")).unwrap();
        let third = sum_of_folder(folder.path()).unwrap();
        assert!(first != second && second != third && first != third);
    }

    #[test]
    fn a_wrong_sum_is_refused_with_both_sums() {
        let error = check(&SYMFPU, "0123").unwrap_err().to_string();
        assert!(error.contains("0123") && error.contains(SYMFPU.sha256), "{error}");
    }
}
