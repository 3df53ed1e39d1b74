//! The command line of Spelunk: parses, passes plain values down, prints one clear message when something is
//! wrong, and exits with a documented code.
#![forbid(unsafe_code)]

mod arms;
mod bench;
mod biased;
mod campaign_folder;
mod cli;
mod commands;
mod cpu_time;
mod ending;
mod exit;
mod experiments;
mod failure;
mod findings;
mod first_look;
mod help;
mod instrumenter;
mod looks;
mod phases;
mod plain;
mod prepare;
mod progress;
mod recorded_queries;
mod recorder;
mod report_data;
mod seeds;
mod shape;
mod summary;
mod timetable;

use clap::Parser;
use cli::{Cli, Command};
use commands::wrap;
use failure::Done;
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|what| {
        eprintln!("error: a bug in Spelunk: {what}\nPlease report it with the command you ran.");
    }));
    let done = std::panic::catch_unwind(|| wrap::called_as_compiler().unwrap_or_else(|| run(Cli::parse())));
    match done {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(failure)) => {
            eprintln!("error: {}", failure.message);
            ExitCode::from(failure.code)
        }
        Err(_) => ExitCode::from(exit::INTERNAL),
    }
}

fn run(cli: Cli) -> Done {
    match cli.command {
        Command::Build(args) => wrap::build(args),
        Command::Cc(args) => wrap::compiler(args, false),
        Command::Cxx(args) => wrap::compiler(args, true),
        Command::Explore(args) => commands::explore::run(*args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Coverage(args) => commands::coverage::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Export(args) => commands::export::run(args),
        Command::Why(args) => commands::why::run(args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Instrument(args) => commands::instrument::run(args),
    }
}
