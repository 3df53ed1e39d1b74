//! The solvers that can be compared, by name.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use solve::{Clock, Solver};
use solvers::{Selection, Stage};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A solver, as named on the command line.
#[derive(Clone, Debug)]
pub struct UnderTest {
    /// As named.
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// The product's chain, with these stages.
    Chain(Selection),
    /// Bitwuzla alone, with all constraints as assumptions of one solver per arena: what it translated and learned stays. With
    /// its own options, or those that the chain gives it.
    Bitwuzla(solve_smt::Settings),
    /// Debian's Z3, in a process of its own, each query as text.
    Z3,
}

/// A solver that is set up, and the CPU time used for it so far: of this process, or of the solver's own.
pub struct Ready {
    /// The solver.
    pub solver: Box<dyn Solver>,
    /// CPU time.
    pub cpu_time: Box<dyn Fn() -> Duration>,
}

impl FromStr for UnderTest {
    type Err = String;

    fn from_str(name: &str) -> Result<UnderTest, String> {
        let kind = match name.split_once(':') {
            None if name == "chain" => Kind::Chain(Selection::new(&[])?),
            None if name == "bitwuzla" => {
                Kind::Bitwuzla(solve_smt::Settings { options: Vec::new(), ..Default::default() })
            }
            None if name == "bitwuzla-tuned" => Kind::Bitwuzla(solve_smt::Settings::default()),
            None if name == "z3" => Kind::Z3,
            Some(("chain", stages)) => {
                let stages: Vec<Stage> = stages.split(',').map(str::parse).collect::<Result<_, _>>()?;
                Kind::Chain(Selection::new(&stages)?)
            }
            _ => {
                return Err(format!(
                    "there is no solver {name:?}; there are chain, chain:STAGE,…, bitwuzla, bitwuzla-tuned and z3"
                ));
            }
        };
        Ok(UnderTest { name: name.to_owned(), kind })
    }
}

impl UnderTest {
    /// Sets it up.
    pub fn ready(&self, clock: &Clock) -> Ready {
        let of_this_process = Box::new(cpu_time);
        match &self.kind {
            Kind::Chain(selection) => Ready {
                solver: Box::new(selection.chain(clock, &solve::Memory::default())),
                cpu_time: of_this_process,
            },
            Kind::Bitwuzla(settings) => {
                let solver = Box::new(solve_smt::Bitwuzla::new(settings.clone()));
                Ready { solver, cpu_time: of_this_process }
            }
            Kind::Z3 => {
                let solver = Box::new(solvers::Z3::default());
                let nanos = solver.cpu_nanos();
                let cpu_time = Box::new(move || Duration::from_nanos(nanos.load(Ordering::Relaxed)));
                Ready { solver, cpu_time }
            }
        }
    }
}

/// User and system time of this process.
fn cpu_time() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.try_into().unwrap_or(0))
}
