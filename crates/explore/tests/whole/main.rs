//! The loop as a whole, against pretend programs.

mod common;
mod hostile;
mod maze;
