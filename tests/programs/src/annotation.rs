//! What a program says about itself in its first lines.

use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::path::{Path, PathBuf};

/// A program of the suite. In its source, lines at the top of the form `//! key: value`:
///
/// * `what`: one line, what it shows (required)
/// * `args`: its command line, after `--`
/// * `flags`: compiler flags; those that begin with `-l` or `-Wl,` go to the linker only
/// * `seed`: a seed for standard input or the input file, with C escapes (may be repeated)
/// * `runs`: work budget in runs (default 300)
/// * `options`: further options of `spelunk explore`; without `--until` there, a campaign ends with the last branch
/// * `goals`: how many different lines `SOLVED …` the tests of the suite must print on standard error (default 1)
/// * `infeasible`: instead of goals: so many queries, or more, must be shown unsatisfiable, and none be without an answer
/// * `finding`: instead of goals: the one finding there must be, by its kind
/// * `gap`: it is not solved today, and why
#[derive(Clone, Debug)]
pub struct Program {
    /// Folder and name, as in `strings/strcmp`.
    pub name: String,
    /// The folder.
    pub feature: String,
    /// The source.
    pub file: PathBuf,
    /// One line: what it shows.
    pub what: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Compiler flags.
    pub cflags: Vec<String>,
    /// Linker flags.
    pub ldflags: Vec<String>,
    /// Seeds.
    pub seeds: Vec<Vec<u8>>,
    /// Budget in runs.
    pub runs: u32,
    /// Further options.
    pub options: Vec<String>,
    /// What counts as solved.
    pub wanted: Wanted,
    /// Why it is not solved today.
    pub gap: Option<String>,
}

/// What counts as solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// So many different lines that begin with `SOLVED`.
    Goals(usize),
    /// So many queries without a solution, and an answer to every query.
    Infeasible(u64),
    /// Exactly one finding, of this kind.
    Finding(String),
}

/// All programs below `root`, by name.
///
/// # Errors
/// When a file cannot be read or its annotations are wrong.
pub fn all(root: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for entry in walkdir::WalkDir::new(root).min_depth(2).max_depth(2).sort_by_file_name() {
        let path = entry.context("listing the programs")?.into_path();
        if path.extension().is_some_and(|e| ["c", "cpp"].iter().any(|known| e == *known)) {
            let program =
                Program::read(&path).with_context(|| format!("annotations of {}", path.display()))?;
            programs.push(program);
        }
    }
    Ok(programs)
}

impl Program {
    /// Reads the annotations of a source file.
    fn read(file: &Path) -> Result<Program> {
        let text = fs::read_to_string(file)?;
        let part = |path: Option<&Path>| {
            path.and_then(|p| p.file_stem()).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let feature = part(file.parent());
        let mut program = Program {
            name: format!("{feature}/{}", part(Some(file))),
            feature,
            file: file.to_owned(),
            what: String::new(),
            args: Vec::new(),
            cflags: Vec::new(),
            ldflags: Vec::new(),
            seeds: Vec::new(),
            runs: 300,
            options: Vec::new(),
            wanted: Wanted::Goals(1),
            gap: None,
        };
        for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
            let Some((key, value)) = line.split_once(':') else { bail!("`{line}` is no `key: value`") };
            program.annotate(key.trim(), value.trim())?;
        }
        if program.what.is_empty() {
            bail!("no line `//! what: …`");
        }
        Ok(program)
    }

    fn annotate(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "what" => self.what = value.into(),
            "args" => self.args = shell_words::split(value)?,
            "flags" => {
                let is_linked = |flag: &String| flag.starts_with("-l") || flag.starts_with("-Wl,");
                (self.ldflags, self.cflags) = shell_words::split(value)?.into_iter().partition(is_linked);
            }
            "seed" => self.seeds.push(unescape(value)?),
            "runs" => self.runs = value.parse()?,
            "options" => self.options = shell_words::split(value)?,
            "goals" => self.wanted = Wanted::Goals(value.parse()?),
            "infeasible" => self.wanted = Wanted::Infeasible(value.parse()?),
            "finding" => self.wanted = Wanted::Finding(value.into()),
            "gap" => self.gap = Some(value.into()),
            _ => bail!("`{key}` is no key of an annotation"),
        }
        Ok(())
    }
}

/// C's escapes `\n \t \r \\ \ooo \xHH`.
fn unescape(text: &str) -> Result<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(first @ b'0'..=b'7') => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = rest.clone().next() else { break };
                    rest.next();
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value)?
            }
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?
            }
            other => bail!("unknown escape {:?} in a seed", other.map(char::from)),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(unescape(r"a\n\x41\0\\\1018").expect("right"), b"a\nA\0\\A8");
        assert!(unescape(r"\777").is_err());
        assert!(unescape(r"\q").is_err());
        assert!(unescape(r"\xg1").is_err());
    }

    #[test]
    fn flags_are_parted() {
        let folder = tempfile::tempdir().expect("folder");
        fs::create_dir(folder.path().join("f")).expect("made");
        let source = "//! what: w\n//! flags: -O0 -lm -std=c23\n//! goals: 2\nint main;\n";
        fs::write(folder.path().join("f/p.c"), source).expect("written");
        let programs = all(folder.path()).expect("read");
        let [p] = &programs[..] else { panic!("one program") };
        assert_eq!((p.name.as_str(), p.feature.as_str()), ("f/p", "f"));
        assert_eq!((p.cflags.join(" "), p.ldflags.join(" ")), ("-O0 -std=c23".into(), "-lm".into()));
        assert_eq!(p.wanted, Wanted::Goals(2));
        fs::write(folder.path().join("f/p.c"), "//! when: never\n").expect("written");
        assert!(all(folder.path()).is_err());
    }
}
