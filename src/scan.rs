//! (skeleton)
use crate::error::Error;
use crate::observe::Observer;
use crate::options::Options;
use crate::record::{Fingerprinted, Outcome};
use crate::report::Report;
use std::io;

/// Stand-in.
pub fn scan(_: &Options, _: &dyn Observer, _: &mut dyn Report) -> Result<Outcome, Error> {
    Ok(Outcome::default())
}
/// Stand-in.
pub fn fingerprint_files(
    _: &Options,
    _: &dyn Observer,
    _: &mut dyn FnMut(&Fingerprinted<'_>) -> io::Result<()>,
) -> Result<Outcome, Error> {
    Ok(Outcome::default())
}
