//! Derives one flavour by hand: `derive FLAVOUR OUTPUT TARGET… [-- LDFLAGS…]`.

use instrument::{Destination, Flavour};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let flavour = match arguments.next().as_deref() {
        Some("fast") => Flavour::Fast,
        Some("path") => Flavour::Path,
        _ => Flavour::Trace,
    };
    let output = PathBuf::from(arguments.next().ok_or("usage: derive FLAVOUR OUTPUT TARGET… [-- LDFLAGS…]")?);
    let rest: Vec<String> = arguments.collect();
    let mut parts = rest.split(|a| a == "--");
    let targets: Vec<PathBuf> = parts.next().unwrap_or(&[]).iter().map(PathBuf::from).collect();
    let options = toolchain::Options { ldflags: parts.next().unwrap_or(&[]).to_vec(), ..Default::default() };
    let source = toolchain::program_of(&targets, &options, &toolchain::Cache::from_env())?;
    let built = instrument::build(&source, &[flavour], &[], &Destination::File(output))?;
    println!("{:?}", built.stats);
    Ok(())
}
