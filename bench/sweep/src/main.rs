//! A sweep over Debian source packages that nobody chose: each is built by its own build with Spelunk's wrappers, its
//! programs are instrumented, its own test suite is run plain and with every program replaced by a flavour, and one of its
//! programs is explored. `bench/sweep/README.md` says how packages are drawn and what is looked at.
#![forbid(unsafe_code)]

mod apt;
mod candidates;
mod draw;
mod place;
mod process;
mod programs;
mod record;
mod results;
mod run;
mod stages;
mod stanza;
mod suite;
mod swap;
mod table;
mod tool;

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Debian packages drawn by a rule: built, instrumented, tested, explored.
#[derive(Parser)]
struct Arguments {
    /// Folder of the sweep, outside the checkout [default: `sweep` in Spelunk's cache]
    #[arg(long, global = true, value_name = "DIR")]
    work: Option<PathBuf>,
    /// The list of packages
    #[arg(long, global = true, value_name = "FILE", default_value = "bench/sweep/packages.toml")]
    packages: PathBuf,
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Draw the packages by the rule and write the list
    Draw,
    /// Go through the packages in the list's order; what is done with this build of Spelunk is not done again
    Run(run::Arguments),
    /// Take the records of a raw file of another machine's sweep (`table --raw`) as this one's; `run --any-build` goes on
    Take {
        /// The file
        raw: PathBuf,
    },
    /// Print a table of what was found, and what it comes to
    Table(table::Arguments),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let work = arguments.work.unwrap_or_else(|| toolchain::Cache::from_env().root().join("sweep"));
    let work = place::Work::new(&work)?;
    process::become_reaper()?;
    let apt = apt::Apt::new(&work.root().join("apt"))?;
    match arguments.command {
        Subcommands::Draw => draw::run(&work, &apt, &arguments.packages),
        Subcommands::Take { raw } => table::take(&work, &raw),
        Subcommands::Table(table) => table::run(&work, &arguments.packages, &table),
        Subcommands::Run(run) => run::run(&work, &apt, &arguments.packages, &run),
    }
}
