//! Spelunk as its users meet it: the built commands on small C programs, what they print, their exit codes, and
//! what they leave on the disk.

mod bad_input;
mod bad_programs;
mod bench;
mod biased;
mod campaigns;
mod cheap_runs;
mod common;
mod conventions;
mod end_to_end;
mod findings;
mod first_look;
mod formats;
mod hybrid;
mod sockets;
