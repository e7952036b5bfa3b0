//! `simdup completions`: the completion script of a shell.

use std::io::Write as _;

use clap::CommandFactory as _;
use simdup::error::Error;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "simdup", &mut script);
    let output = Output::open(None)?;
    let written = output.file().write_all(&script).map_err(Error::from);
    output.explain(written)?;
    Ok(Exit::Done)
}
