//! Reading bitcode and joining the units of a program into one module.

use crate::Error;
use crate::library::{self, Unit};
use crate::llvm::{Context, Diagnostics, Module};
use crate::missing::Supply;
use fs_err as fs;
use toolchain::ProgramSource;

/// All units of `source` as one module, with what it uses of the `library`.
///
/// # Errors
/// [`Error::Bitcode`] for unreadable bitcode, [`Error::Machine`] for another target, [`Error::Link`] where
/// units contradict each other.
pub fn whole_program(source: &ProgramSource, library: &[Unit]) -> Result<Module, Error> {
    whole_program_with(source, library, None)
}

/// The same, with what it needs of `supply`.
///
/// # Errors
/// As [`whole_program`].
pub fn whole_program_with(
    source: &ProgramSource,
    library: &[Unit],
    supply: Option<&Supply>,
) -> Result<Module, Error> {
    let (context, diagnostics) = Context::new();
    let mut whole: Option<Module> = None;
    for unit in &source.modules {
        let bytes = fs::read(&unit.path).map_err(|e| Error::io(&unit.path, "read the bitcode", e))?;
        let module = parse(context, &diagnostics, &unit.name, &bytes)?;
        match &mut whole {
            None => whole = Some(module),
            Some(all) => all
                .link(module)
                .map_err(|()| Error::Link { unit: unit.name.clone(), why: diagnostics.take() })?,
        }
    }
    let mut whole = whole.ok_or(Error::NoEntry)?;
    library::join(&mut whole, library, context, &diagnostics)?;
    if let Some(supply) = supply {
        supply.join(&mut whole, context, &diagnostics)?;
    }
    Ok(whole)
}

fn parse(context: Context, diagnostics: &Diagnostics, name: &str, bytes: &[u8]) -> Result<Module, Error> {
    let bad = |why| Error::Bitcode { unit: name.to_owned(), why };
    let module = Module::parse(context, name, bytes).map_err(|()| bad(diagnostics.take()))?;
    module.verify().map_err(bad)?;
    let triple = module.triple();
    if !(triple.starts_with("x86_64") && triple.contains("linux")) {
        return Err(Error::Machine { unit: name.to_owned(), triple });
    }
    Ok(module)
}
