//! Tests of the back end as a whole.

mod floats;
mod generator;
mod limits;
mod reference;
mod simplifications;
