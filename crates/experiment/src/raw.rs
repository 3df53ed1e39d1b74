//! The keys of a bench file, as TOML has them; what they mean is said in [`crate::plan`].

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};

/// Names that are given, or none.
pub type Names = Option<Spanned<Vec<String>>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawPlan {
    pub title: Option<String>,
    pub note: Option<String>,
    pub reference: Option<String>,
    pub metric: Option<Spanned<String>>,
    pub seeds: Option<Spanned<Value>>,
    pub repetitions: Option<Spanned<u32>>,
    pub limit: Option<Spanned<String>>,
    #[serde(default)]
    pub target: Vec<Spanned<RawTarget>>,
    #[serde(default)]
    pub strategy: Vec<Spanned<RawStrategy>>,
    #[serde(default)]
    pub budget: Vec<Spanned<RawBudget>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawTarget {
    pub name: Option<Spanned<String>>,
    pub program: Spanned<Value>,
    #[serde(default)]
    pub args: Vec<String>,
    pub inputs: Option<String>,
    #[serde(default)]
    pub options: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    pub aside: Vec<String>,
    pub reached: Option<String>,
    #[serde(default)]
    pub paper: BTreeMap<String, Spanned<f64>>,
    pub metric: Option<Spanned<String>>,
    pub strategies: Names,
    pub budgets: Names,
    pub seeds: Option<Spanned<Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawStrategy {
    pub name: Option<Spanned<String>>,
    pub strategy: Option<Spanned<String>>,
    #[serde(default)]
    pub options: BTreeMap<String, Spanned<Value>>,
    pub budgets: Names,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawBudget {
    pub name: Option<Spanned<String>>,
    pub runs: Option<u64>,
    pub queries: Option<u64>,
    pub cpu: Option<String>,
    pub time: Option<String>,
}
