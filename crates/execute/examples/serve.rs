//! Runs an instrumented executable again and again through the fork server and says what a run costs.
//!
//! `cargo run --release -p execute --example serve -- PROGRAM BRANCHES FUNCTIONS RUNS [ARGS…] < INPUT`; with
//! `SERVE_SYMBOLIC=1` the runs are symbolic.

use execute::{Capacities, Config, ForkServer};
use std::io::Read;
use std::time::Instant;
use trace::{Input, Mode, Request, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let program = args.next().ok_or("which program?")?;
    let mut number =
        || args.next().and_then(|a| a.to_str()?.parse::<u32>().ok()).ok_or("a number is missing");
    let (branches, functions, runs) = (number()?, number()?, number()?.max(1));
    let mut data = Vec::new();
    std::io::stdin().read_to_end(&mut data)?;
    let mut config = Config::new(program);
    config.args = args.collect();
    let mut server = ForkServer::start(config, &Capacities::new(branches, functions))?;
    let mode = if std::env::var_os("SERVE_SYMBOLIC").is_some() { Mode::Symbolic } else { Mode::Concrete };
    let input = Input::stdin(data);
    let (start, own) = (Instant::now(), cpu(libc::RUSAGE_SELF));
    let mut child = std::time::Duration::ZERO;
    let mut last = None;
    for _ in 0..runs {
        let run = server.run(&Request { input: &input, mode, value_seed: None, max_inputs: None })?;
        child += run.cpu;
        last = Some(run);
    }
    let (wall, own) = (start.elapsed(), cpu(libc::RUSAGE_SELF) - own);
    println!("{:?}, {runs} runs: {:?} wall each", server.isolation(), wall / runs);
    println!("CPU each: {:?} in the child, {:.1} us in the engine", child / runs, own / f64::from(runs));
    if let Some(run) = last {
        let trace = run.trace.as_ref().map(|t| (t.nodes.len(), t.events.len()));
        println!("{:?}, {} branches covered, trace {trace:?}", run.outcome, run.covered.len());
        println!("problems: {:?}", server.take_problems());
        drop(server);
        println!("CPU each with the server: {:.1} us", (own + cpu(libc::RUSAGE_CHILDREN)) / f64::from(runs));
    }
    Ok(())
}

/// User and system CPU time in microseconds.
fn cpu(who: i32) -> f64 {
    // SAFETY: a record of numbers, valid when zero.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: a valid record.
    unsafe { libc::getrusage(who, &raw mut usage) };
    let us = |t: libc::timeval| t.tv_sec as f64 * 1e6 + t.tv_usec as f64;
    us(usage.ru_utime) + us(usage.ru_stime)
}
