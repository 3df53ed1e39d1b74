//! The loop as a whole, against pretend programs.

mod common;
mod hangs;
mod hostile;
mod maze;
