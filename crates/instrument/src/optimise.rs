//! LLVM's own optimisation, before and after instrumentation.
//!
//! Before: all of `-O2` except both vectorisers: instrumentation of vector
//! code is lane by lane and slow, and the guards it adds would keep loops from being vectorised afterwards.
//! Tables of relative pointers, which `-O2` makes in position-independent code, are read by plain loads again
//! (`pre-isel-intrinsic-lowering`), so that labels pass through them.
//! After: what cleans up shadow addresses, label phis and guards.

use crate::Error;
use crate::llvm::{Module, TargetMachine, run_passes};

const BEFORE: &str = "default<O2>,pre-isel-intrinsic-lowering";
const AFTER: &str = "function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,reassociate,\
    loop-mssa(licm<allowspeculation>),gvn<no-pre;no-load-pre>,adce,simplifycfg,instcombine<no-verify-fixpoint>)";
const AFTER_FAST: &str = "function(simplifycfg,early-cse)";

/// Before instrumentation.
///
/// # Errors
/// [`Error::Internal`] when LLVM refuses the pipeline.
pub fn before(module: &Module, machine: &TargetMachine) -> Result<(), Error> {
    run(module, BEFORE, machine, "optimising")
}

/// After instrumentation.
///
/// # Errors
/// [`Error::Internal`] when LLVM refuses the pipeline.
pub fn after(module: &Module, machine: &TargetMachine, symbolic: bool) -> Result<(), Error> {
    run(module, if symbolic { AFTER } else { AFTER_FAST }, machine, "cleaning up")
}

fn run(module: &Module, pipeline: &str, machine: &TargetMachine, during: &'static str) -> Result<(), Error> {
    run_passes(module, pipeline, machine).map_err(|why| Error::Internal { during, why })
}
