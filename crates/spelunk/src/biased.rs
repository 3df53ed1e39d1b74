//! How likely random inputs are: what options, the campaign and the program itself say.

use crate::cli::ExploreArgs;
use crate::prepare::Prepared;
use crate::{campaign_folder, exit, failure::Failure};
use explore::Bias;
use std::path::Path;
use std::sync::Arc;
use store::Campaign;
use trace::Distribution;

/// The section in which a program says so (`SPELUNK_RANDOM` of spelunk.h).
const SECTION: &str = "spelunk_random";
/// The option's name in the campaign's record.
const RECORDED: &str = "random";
/// Most names: as many as the program's runtime keeps.
const MOST: usize = 32;

/// `NAME=DISTRIBUTION`.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// As it was given.
    pub text: String,
    name: String,
    distribution: Distribution,
}

impl Named {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong, with the place in the text.
    pub fn parse(text: &str) -> Result<Named, String> {
        let Some((name, rest)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!(
                "`{text}` is not NAME=DISTRIBUTION; write for example key=0..9, or stdin=\"abc\\n\" (NAME: a value's name, \
                 stdin, connection, file, argument, a file's name, or * for all)"
            ));
        };
        let distribution = Distribution::parse(rest).map_err(|wrong| {
            let at = text.len() - rest.len() + wrong.at.min(rest.len());
            let place = text.get(..at).map_or(at, |before| before.chars().count());
            format!("{}\n\n    {text}\n    {}^", wrong.what, " ".repeat(place))
        })?;
        Ok(Named { text: text.to_owned(), name: name.to_owned(), distribution })
    }
}

/// For the loop.
pub fn bias(all: &[Named]) -> Arc<Bias> {
    Arc::new(Bias::new(all.iter().map(|one| (one.name.clone(), one.distribution)).collect()))
}

/// For the program's runtime.
pub fn environment(all: &[Named]) -> Option<(String, String)> {
    let lines: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
    (!lines.is_empty()).then(|| (trace::ENV_RANDOM.to_owned(), lines.join("\n")))
}

/// For the campaign's record.
pub fn recorded(given: &[Named]) -> (String, String) {
    (RECORDED.to_owned(), given.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("\n"))
}

/// What the options say, or in a further session that names none what those of the first one said; behind them what the program says.
///
/// # Errors
/// When what the program says is no distribution, or there are too many.
pub fn of(args: &ExploreArgs, folder: &Path, prepared: &Prepared) -> Result<Vec<Named>, Failure> {
    let mut all = args.random.clone();
    if args.resume && all.is_empty() {
        let meta = Campaign::open(folder).and_then(|campaign| campaign.meta());
        let meta = meta.map_err(campaign_folder::failure)?;
        let lines = meta.options.get(RECORDED).map_or("", String::as_str).lines();
        all.extend(lines.filter_map(|line| Named::parse(line).ok()));
    }
    let executable = &prepared.source.executable;
    for text in toolchain::texts(executable, SECTION) {
        let wrong =
            |what| Failure::new(exit::TARGET, format!("SPELUNK_RANDOM in {}: {what}", executable.display()));
        all.push(Named::parse(&text).map_err(wrong)?);
    }
    if all.len() > MOST {
        let what = format!("there are {} distributions of random inputs; there can be {MOST}", all.len());
        return Err(Failure::new(exit::USAGE, what));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_pointed_at() {
        let wrong = |text: &str| Named::parse(text).expect_err(text);
        assert!(wrong("key=0..").ends_with("\n\n    key=0..\n           ^"), "{}", wrong("key=0.."));
        assert!(wrong("key=1 0:2").contains("a weight is a number"));
        assert!(wrong("key=1 0:2").ends_with("    key=1 0:2\n          ^"));
        for text in ["", "key", "=1"] {
            assert!(wrong(text).contains("not NAME=DISTRIBUTION"), "{text}");
        }
        let named = Named::parse("a=b=1").map(|n| n.name);
        assert!(named.is_err(), "{named:?}");
    }

    #[test]
    fn what_is_handed_over_is_what_was_given() {
        let all = ["key=0..9", "*=\"ab\""].map(|text| Named::parse(text).expect(text));
        let (name, lines) = environment(&all).expect("there are some");
        assert_eq!((name.as_str(), lines.as_str()), ("SPELUNK_RANDOM", "key=0..9\n*=\"ab\""));
        assert_eq!(recorded(&all).1, lines);
        assert_eq!(environment(&[]), None);
    }
}
