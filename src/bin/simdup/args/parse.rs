//! The words of the command line → a command, with what the configuration file adds.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use super::{Cli, Command};
use crate::config;
use crate::exit::Exit;
use crate::term;

/// Parses the command line. Whatever ends here (help, version, a mistake) has been printed.
pub(crate) fn parse() -> Result<Command, Exit> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let matches = Cli::command()
        .try_get_matches_from(&arguments)
        .map_err(|error| print(&error))?;
    let (arguments, found) = config::add(arguments, &matches).map_err(|error| {
        term::error(&error.to_string());
        Exit::Error
    })?;
    let mut command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => return Err(print(&error)),
    };
    match &mut command {
        Command::Scan(args) => args.config.found = found,
        Command::Check(args) => args.scan.config.found = found,
        _ => {}
    }
    Ok(command)
}

/// Prints help to standard output, and mistakes to standard error in the form of all errors.
fn print(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                term::error(&format!(
                    "standard output: {}",
                    simdup::record::describe_io(&error).1
                ));
                Exit::Error
            }
            _ => Exit::Done,
        };
    }
    let mut text = error.render().to_string();
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && error.kind() == ErrorKind::InvalidSubcommand
        && Path::new(word).exists()
    {
        text = format!("{word}: no such command\ndid you mean `simdup scan {word}`?");
    }
    match text.strip_prefix("error: ") {
        Some(text) => term::error(text.trim_end()),
        None if error.kind() == ErrorKind::InvalidSubcommand => term::error(&text),
        None => drop(error.print()),
    }
    Exit::Error
}
