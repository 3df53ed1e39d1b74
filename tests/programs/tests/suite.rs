//! One test per program: solved, or a gap that is still one.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;

fn main() {
    let args = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = match programs::all(root) {
        Ok(programs) => programs,
        Err(e) => {
            eprintln!("{e:#}");
            std::process::exit(1);
        }
    };
    let trials = programs.into_iter().map(|program| {
        Trial::test(program.name.clone(), move || {
            let spelunk = programs::spelunk().map_err(|e| Failed::from(format!("{e:#}")))?;
            let verdict = programs::check(&spelunk, &program).map_err(|e| Failed::from(format!("{e:#}")))?;
            programs::failure(&program, &verdict).map_or(Ok(()), |why| Err(Failed::from(why)))
        })
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}
