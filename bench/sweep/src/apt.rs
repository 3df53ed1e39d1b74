//! Debian's own tools with lists of their own: the machine's package sources with their source indices besides. Nothing of
//! the machine's configuration is changed; root (or sudo) is used for installing build dependencies alone.

use crate::stanza::{self, Stanza};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// apt with a folder of its own.
pub struct Apt {
    folder: PathBuf,
    /// One at a time: dpkg has one lock.
    turn: Mutex<()>,
}

impl Apt {
    /// Makes the folder and fetches the indices if they are not there.
    pub fn new(folder: &Path) -> anyhow::Result<Apt> {
        for part in ["parts", "lists/partial", "cache/archives/partial"] {
            fs_err::create_dir_all(folder.join(part))?;
        }
        let apt = Apt { folder: folder.to_path_buf(), turn: Mutex::new(()) };
        write_sources(&folder.join("parts"))?;
        fs_err::write(folder.join("apt.conf"), configuration(folder))?;
        if apt.index_files("Sources")?.is_empty() {
            apt.run(false, &["update", "-qq"])?;
        }
        Ok(apt)
    }

    /// All paragraphs of the indices of a kind (`Sources` or `Packages`).
    pub fn index(&self, kind: &str) -> anyhow::Result<Vec<Stanza>> {
        let mut all = Vec::new();
        for file in self.index_files(kind)? {
            let output = Command::new("/usr/lib/apt/apt-helper").arg("cat-file").arg(&file).output()?;
            all.extend(stanza::parse(&String::from_utf8_lossy(&output.stdout)));
        }
        Ok(all)
    }

    fn index_files(&self, kind: &str) -> anyhow::Result<Vec<PathBuf>> {
        let line = ["indextargets", "--format", "$(CREATED_BY) $(FILENAME)"];
        let output = self.command(false).args(line).stderr(Stdio::null()).output().context("apt-get")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let files = text.lines().filter_map(|l| l.strip_prefix(kind)?.strip_prefix(' ').map(PathBuf::from));
        // The release before its updates and security fixes: those hold newer versions.
        let mut files: Vec<PathBuf> = files.filter(|f| f.exists()).collect();
        let rank = |f: &PathBuf| {
            let name = f.to_string_lossy().into_owned();
            (name.contains("security"), name.contains("updates"), name)
        };
        files.sort_by_key(rank);
        Ok(files)
    }

    /// Downloads a source package into `folder`. Archives do not always serve Debian's part: the upstream archive does alone.
    pub fn source(&self, name: &str, version: &str, folder: &Path) -> anyhow::Result<Source> {
        if let Some(source) = source_in(folder) {
            return Ok(source);
        }
        let package = format!("{name}={version}");
        let mut wrong = String::new();
        for only in [&[][..], &["--tar-only"]] {
            fs_err::create_dir_all(folder)?;
            let mut command = self.command(false);
            command.args(["source", "-qq", "--download-only", "--only-source"]).args(only).arg(&package);
            let output =
                command.current_dir(folder).stdin(Stdio::null()).output().context("apt-get source")?;
            if output.status.success() {
                fs_err::write(folder.join("complete"), only.concat())?;
                return source_in(folder).with_context(|| format!("no archive came for {package}"));
            }
            wrong = first_error(&output.stderr);
            let _ = fs_err::remove_dir_all(folder);
        }
        bail!("{wrong}")
    }

    /// Installs what a package is built with; nothing that is installed may be removed for it.
    pub fn build_dep(&self, name: &str, version: &str) -> anyhow::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let package = format!("{name}={version}");
        self.run(
            true,
            &[
                "build-dep",
                "-y",
                "-qq",
                "--no-install-recommends",
                "--no-remove",
                "--arch-only",
                "--only-source",
                &package,
            ],
        )
    }

    fn run(&self, as_root: bool, words: &[&str]) -> anyhow::Result<()> {
        let output = self.command(as_root).args(words).stdin(Stdio::null()).output().context("apt-get")?;
        if output.status.success() {
            return Ok(());
        }
        bail!("apt-get {}: {}", words[0], first_error(&output.stderr))
    }

    fn command(&self, as_root: bool) -> Command {
        let configuration = format!("APT_CONFIG={}", self.folder.join("apt.conf").display());
        let mut words = Vec::new();
        if as_root && !nix::unistd::geteuid().is_root() {
            words.push("sudo".to_string());
        }
        words.extend([
            "env".into(),
            configuration,
            "DEBIAN_FRONTEND=noninteractive".into(),
            "apt-get".into(),
        ]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }
}

/// What was downloaded of a source package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Everything: its `.dsc`.
    Debian(PathBuf),
    /// The upstream archive alone.
    Upstream(PathBuf),
}

/// What an earlier download left, if it was complete.
fn source_in(folder: &Path) -> Option<Source> {
    let only = std::fs::read_to_string(folder.join("complete")).ok()?;
    let files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|e| e.path());
    let ends = |p: &PathBuf, end: &str| p.to_string_lossy().ends_with(end);
    let mut files: Vec<PathBuf> = files.filter(|p| !ends(p, ".asc")).collect();
    files.sort();
    match only.is_empty() {
        true => files.into_iter().find(|p| ends(p, ".dsc")).map(Source::Debian),
        false => files.into_iter().find(|p| p.to_string_lossy().contains(".tar.")).map(Source::Upstream),
    }
}

fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let errors: Vec<&str> = text.lines().filter(|l| l.starts_with("E:")).collect();
    let lines = if errors.is_empty() { text.lines().take(3).collect() } else { errors };
    // Addresses of archives are no part of what went wrong.
    let words = lines.join("; ");
    let words = words.split(' ').filter(|w| !w.contains("://") && !w.contains("[IP"));
    words.collect::<Vec<_>>().join(" ").chars().take(400).collect()
}

fn configuration(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "Dir::Etc::SourceList \"/dev/null\";\nDir::Etc::SourceParts \"{folder}/parts\";\n\
         Dir::State::Lists \"{folder}/lists\";\nDir::State::status \"/var/lib/dpkg/status\";\n\
         Dir::Cache \"{folder}/cache\";\nAPT::Sandbox::User \"\";\nDPkg::Lock::Timeout \"900\";\n"
    )
}

/// The machine's own entries of Debian's archive, for binary and source packages.
fn write_sources(parts: &Path) -> anyhow::Result<()> {
    let mut lines = String::new();
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(entries) = std::fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(entries.filter_map(Result::ok).map(|e| e.path()));
    }
    files.sort();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let extension = file.extension().and_then(|e| e.to_str());
        if extension == Some("sources") && text.contains("/debian") {
            let both = text.lines().map(|l| if l.starts_with("Types:") { "Types: deb deb-src" } else { l });
            let name = file.file_name().unwrap_or_default();
            fs_err::write(parts.join(name), both.collect::<Vec<_>>().join("\n") + "\n")?;
        } else if extension == Some("list") {
            for line in text.lines().filter(|l| l.starts_with("deb ") && l.contains("debian")) {
                lines.push_str(&format!("{line}\ndeb-src {}\n", &line[4..]));
            }
        }
    }
    fs_err::write(parts.join("all.list"), lines)?;
    Ok(())
}
