//! `spelunk instrument`: a flavour to run by hand.

use crate::cli::{Flavour, InstrumentArgs};
use crate::exit;
use crate::failure::Done;
use crate::{instrumenter, prepare};
use toolchain::Cache;

/// Writes the flavour asked for.
pub fn run(args: InstrumentArgs) -> Done {
    let source = prepare::source(&args.target, &Cache::from_env())?;
    let flavour = match args.flavour {
        Flavour::Trace => "trace",
        Flavour::Fast => "fast",
        Flavour::Path => "path",
        Flavour::Check => "check",
        Flavour::Bare => "bare",
    };
    instrumenter::flavour_to(&source, flavour, &args.output)?;
    Ok(exit::OK)
}
