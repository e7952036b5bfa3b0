//! What may pass.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

/// What may pass.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct GateArgs {
    /// The known pairs [default: simdup-baseline.json, if there is one]
    ///
    /// The default is looked for in the working folder and above it, up to the repository's top.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the baseline: what is there now is known from now on
    #[arg(long)]
    pub(crate) update_baseline: bool,
    /// Judge only pairs with a file that has changed since the revision REV parted from HEAD
    ///
    /// Committed, staged, unstaged or untracked; all files are still compared. Files that git ignores
    /// count as changed where they are compared.
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<OsString>,
    /// Judge only pairs with one of these files; takes all arguments up to the next option
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub(crate) changed: Vec<PathBuf>,
    /// Judge only pairs with a file of this list, a line or a NUL each; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) changed_from: Option<PathBuf>,
    /// Accept up to N new pairs [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::whole::<u64>)]
    pub(crate) max_new: Option<u64>,
}
