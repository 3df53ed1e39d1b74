//! The solvers that can be compared, by name.

use solve::{Clock, Solver};
use solvers::{Selection, Stage};
use std::str::FromStr;

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
            Some(("chain", stages)) => {
                let stages: Vec<Stage> = stages.split(',').map(str::parse).collect::<Result<_, _>>()?;
                Kind::Chain(Selection::new(&stages)?)
            }
            _ => {
                return Err(format!(
                    "there is no solver {name:?}; there are chain, chain:STAGE,…, bitwuzla and bitwuzla-tuned"
                ));
            }
        };
        Ok(UnderTest { name: name.to_owned(), kind })
    }
}

impl UnderTest {
    /// Sets it up.
    pub fn solver(&self, clock: &Clock) -> Box<dyn Solver> {
        match &self.kind {
            Kind::Chain(selection) => Box::new(selection.chain(clock)),
            Kind::Bitwuzla(settings) => Box::new(solve_smt::Bitwuzla::new(settings.clone())),
        }
    }
}
