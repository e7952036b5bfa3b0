//! The command line of simdup: arguments in, reports and an exit status out.

mod args;
mod check;
mod compare;
mod completions;
mod config;
mod exit;
mod fingerprint;
mod man;
mod options;
mod output;
mod report;
mod scan;
mod signals;
mod term;

use std::process::ExitCode;

use args::Command;
use exit::Exit;
use simdup::cpu::Level;

fn main() -> ExitCode {
    // A panic has printed its message already; it must never look like a clean run.
    let run = || args::parse().map_or_else(|exit| exit, |command| run(&command));
    std::panic::catch_unwind(run).unwrap_or(Exit::Error).into()
}

fn run(command: &Command) -> Exit {
    signals::install();
    if let Err(error) = Level::forced() {
        return term::explain(&error.into());
    }
    let result = match command {
        Command::Scan(args) => scan::run(args),
        Command::Check(args) => Ok(check::run(args)),
        Command::Compare(args) => compare::run(args),
        Command::Fingerprint(args) => fingerprint::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man => man::run(),
    };
    result.unwrap_or_else(|error| term::explain(&error))
}
