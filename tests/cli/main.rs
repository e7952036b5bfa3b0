//! Tests of the program as a whole, through its command line.

mod cluster;
mod completions;
mod errors;
mod exit;
mod fingerprints;
mod names;
mod output;
mod readme;
mod report;
mod terminal;
mod text;
mod util;
mod walk;
