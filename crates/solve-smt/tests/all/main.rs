//! Tests of the back end as a whole.

mod generator;
mod limits;
mod reference;
