//! Reading bitcode and joining the units of a program into one module.

use crate::Error;
use crate::library::{self, Unit};
use crate::llvm::{Context, Diagnostics, Linkage, Module};
use crate::missing::Supply;
use fs_err as fs;
use toolchain::ProgramSource;

/// All units of `source` as one module, with what it uses of the `library`.
///
/// The units of each shared library of the build are joined with one another first. What such a library hides (by a version
/// script or by visibility) then becomes local, as the linker made it: the program may define the same name.
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
    for units in source.modules.chunk_by(|a, b| a.library == b.library) {
        let mut part: Option<Module> = None;
        for unit in units {
            let bytes = fs::read(&unit.path).map_err(|e| Error::io(&unit.path, "read the bitcode", e))?;
            let module = parse(context, &diagnostics, &unit.name, &bytes)?;
            join(&mut part, module, &unit.name, &diagnostics)?;
        }
        let (Some(part), Some(first)) = (part, units.first()) else { continue };
        let shared = first.library.and_then(|n| source.libraries.get(n));
        if let Some(exports) = shared.and_then(|l| l.exports.as_ref()) {
            hide(&part, exports);
        }
        let name = shared.and_then(|l| l.path.file_name()).map(std::ffi::OsStr::to_string_lossy);
        join(&mut whole, part, name.as_deref().unwrap_or(&first.name), &diagnostics)?;
    }
    let mut whole = whole.ok_or(Error::NoEntry)?;
    library::join(&mut whole, library, context, &diagnostics)?;
    if let Some(supply) = supply {
        supply.join(&mut whole, context, &diagnostics)?;
    }
    Ok(whole)
}

fn join(
    whole: &mut Option<Module>,
    module: Module,
    unit: &str,
    diagnostics: &Diagnostics,
) -> Result<(), Error> {
    match whole {
        None => *whole = Some(module),
        Some(all) => {
            all.link(module).map_err(|()| Error::Link { unit: unit.to_owned(), why: diagnostics.take() })?
        }
    }
    Ok(())
}

/// Makes definitions local that a library does not export (`exports` is sorted). Assembly of its units may name any of them;
/// where there is some, all stay.
fn hide(part: &Module, exports: &[String]) {
    if part.has_assembly() {
        return;
    }
    for global in part.functions().into_iter().chain(part.globals()) {
        let strong = matches!(global.linkage(), Linkage::LLVMExternalLinkage | Linkage::LLVMCommonLinkage);
        if strong && !global.is_declaration() && exports.binary_search(&global.name()).is_err() {
            global.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
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
