//! Why a program cannot start: what the dynamic loader says before `main` (glibc's `elf/dl-error.c`, `elf/dl-version.c`,
//! `elf/dl-lookup.c`).

use trace::Outcome;

/// How the dynamic loader ends a program whose libraries or symbols it does not find.
const NOT_FOUND: Outcome = Outcome::Exit(127);
/// How it ends one whose library is of another version.
const WRONG_VERSION: Outcome = Outcome::Exit(1);

/// What the loader says is missing and what to do about it, if it was the loader that ended the run.
pub fn cannot_start(outcome: Outcome, stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    text.lines().find_map(|line| explained(outcome, line))
}

fn explained(outcome: Outcome, line: &str) -> Option<String> {
    if let Some((_, rest)) =
        line.split_once(": error while loading shared libraries: ").filter(|_| outcome == NOT_FOUND)
    {
        let (library, why) = rest.split_once(": ").unwrap_or((rest, ""));
        return Some(match why.contains("No such file") {
            true => format!(
                "the shared library {library} is not found (exit code 127). Install it, or say in which folder it is: \
                 LD_LIBRARY_PATH=/ITS/FOLDER spelunk explore …"
            ),
            false => format!("the shared library {library} cannot be loaded (exit code 127): {why}"),
        });
    }
    if let Some((_, rest)) = line.split_once(": symbol lookup error: ").filter(|_| outcome == NOT_FOUND) {
        return Some(format!(
            "a shared library is of another version than the program was linked with (exit code 127): {rest}. Link the program \
             again, or say in which folder the right one is: LD_LIBRARY_PATH=/ITS/FOLDER spelunk explore …"
        ));
    }
    let (before, after) = line.split_once(": version `").filter(|_| outcome == WRONG_VERSION)?;
    let (version, by) = after.split_once("' not found (required by ")?;
    let library = before.rsplit(' ').next().unwrap_or(before);
    Some(format!(
        "{library} has no version {version}, which {} needs. Build the program again on this machine",
        by.trim_end_matches(')')
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_is_understood() {
        let told = |code, text: &str| cannot_start(Outcome::Exit(code), text.as_bytes()).unwrap_or_default();
        let library = "./prog: error while loading shared libraries: libx.so.1: cannot open shared object file: No such file or directory\n";
        assert!(told(127, library).starts_with("the shared library libx.so.1 is not found"));
        let damaged = "./prog: error while loading shared libraries: libx.so.1: file too short\n";
        assert!(told(127, damaged).ends_with("cannot be loaded (exit code 127): file too short"));
        let symbol = "./prog: symbol lookup error: ./prog: undefined symbol: f\n";
        assert!(told(127, symbol).contains("./prog: undefined symbol: f."));
        let version = "./prog: /lib/libc.so.6: version `GLIBC_9.1' not found (required by ./prog)\n";
        assert_eq!(
            told(1, version),
            "/lib/libc.so.6 has no version GLIBC_9.1, which ./prog needs. Build the program again on this machine"
        );
    }

    #[test]
    fn a_program_that_ends_so_itself_is_not_the_loader() {
        assert_eq!(cannot_start(Outcome::Exit(127), b"sh: 1: frob: not found\n"), None);
        let quoted = b"x: error while loading shared libraries: libx.so.1: cannot open\n";
        assert_eq!(cannot_start(Outcome::Exit(2), quoted), None);
    }
}
