//! Tests of the program as a whole, through its command line.

mod accuracy;
mod baseline;
mod changed;
mod check;
mod ci;
mod cluster;
mod compare;
mod completions;
mod config;
mod errors;
mod exit;
mod fingerprints;
mod formats;
mod names;
mod output;
mod readme;
mod report;
mod repository;
mod similarity;
mod terminal;
mod text;
mod util;
mod walk;
