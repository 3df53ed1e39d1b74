//! What a campaign is about.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What does not change during a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The tested program, as the user named it.
    pub target: String,
    /// Its arguments (with `@@`).
    pub args: Vec<String>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Name of the strategy.
    pub strategy: String,
    /// When it began, in seconds since 1970.
    pub began_unix: u64,
    /// Versions of Spelunk, LLVM, the solver…, by name.
    pub versions: BTreeMap<String, String>,
    /// Other options worth remembering, by name.
    pub options: BTreeMap<String, String>,
}
