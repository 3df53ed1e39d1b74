//! From a target on the command line to something that can be run: the program's parts, its map, its flavours.

use crate::cli::TargetArgs;
use crate::commands::wrap;
use crate::exit;
use crate::failure::Failure;
use crate::instrumenter;
use program::{CheckKind, ProgramMap};
use std::path::PathBuf;
use std::sync::Arc;
use toolchain::{Cache, ProgramSource};

/// Stand-ins for test drivers, linked into the user's own executable when sources leave them open.
const DRIVERS: &[(&str, &str)] =
    &[("values.c", testgen::REPLAY_VALUES_C), ("fuzz_main.c", testgen::REPLAY_FUZZ_MAIN_C)];

/// Spelunk's own headers, for sources that include them.
const HEADERS: &[(&str, &str)] = &[
    ("spelunk.h", include_str!("../../../include/spelunk.h")),
    ("crest.h", include_str!("../../../include/crest.h")),
    ("klee/klee.h", include_str!("../../../include/klee/klee.h")),
];

/// A program that is ready to be explored.
#[derive(Debug)]
pub struct Prepared {
    /// Its parts; `source.executable` is the user's own executable.
    pub source: ProgramSource,
    /// Its map.
    pub map: Arc<ProgramMap>,
    /// The executable of the flavour asked for.
    pub flavour: PathBuf,
    /// That of flavour `fast`, if cheap runs are wanted.
    pub fast: Option<PathBuf>,
    /// Its exit code is chance: `main` returns nothing, say.
    pub exit_is_chance: bool,
}

/// Reads the parts of the program that the arguments name.
///
/// # Errors
/// When they are no program that can be used.
pub fn source(target: &TargetArgs, cache: &Cache) -> Result<ProgramSource, Failure> {
    let words = |text: &str, option: &str| {
        shell_words::split(text).map_err(|e| Failure::new(exit::USAGE, format!("{option}: {e}: {text}")))
    };
    let include = headers(cache)?;
    let mut cflags = words(&target.cflags, "--cflags")?;
    // Last, so that the user's own headers of the same names win.
    cflags.extend(["-idirafter".into(), include.display().to_string()]);
    let options = toolchain::Options {
        cflags,
        ldflags: words(&target.ldflags, "--ldflags")?,
        drivers: DRIVERS.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect(),
    };
    toolchain::program_of(&target.target, &options, cache).map_err(wrap::failure)
}

/// Puts Spelunk's own headers where sources on the command line find them.
fn headers(cache: &Cache) -> Result<PathBuf, Failure> {
    let folder = cache.folder(concat!("include-", env!("CARGO_PKG_VERSION"))).map_err(wrap::failure)?;
    for (name, text) in HEADERS {
        let file = folder.join(name);
        if std::fs::read(&file).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(|e| Failure::io("make", parent, &e))?;
        }
        toolchain::write_whole(&file, text.as_bytes()).map_err(wrap::failure)?;
    }
    Ok(folder)
}

/// Prepares a program in one flavour, and for cheap runs if they are wanted, with checks for these undefined operations.
///
/// # Errors
/// When it is no program that can be used, or cannot be instrumented.
pub fn program(
    target: &TargetArgs,
    flavour: &str,
    cheap: bool,
    find: &[CheckKind],
    patience: instrumenter::Patience<'_>,
) -> Result<Prepared, Failure> {
    let cache = Cache::from_env();
    let source = source(target, &cache)?;
    let wanted = if cheap { vec![flavour, "fast"] } else { vec![flavour] };
    let made = instrumenter::flavours(&source, &wanted, find, &cache, patience);
    let mut built = made.or_else(|failure| {
        // What is wrong with `fast` alone does not keep anyone from the rest.
        let built = match cheap && failure.code != exit::INTERRUPTED {
            true => instrumenter::flavours(&source, &[flavour], find, &cache, patience),
            false => Err(failure),
        };
        built.inspect(|_| {
            eprintln!("cheap runs are made by flavour {flavour}: flavour fast cannot be derived")
        })
    })?;
    let map = Arc::new(instrumenter::read_map(&built.map)?);
    let flavour = built.flavours.remove(flavour).ok_or_else(|| {
        Failure::new(exit::INTERNAL, format!("the instrumenter did not name the flavour {flavour}"))
    })?;
    let fast = built.flavours.remove("fast");
    Ok(Prepared { source, map, flavour, fast, exit_is_chance: false })
}
