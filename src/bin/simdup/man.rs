//! `simdup man`: the manual page, from the same definition as the arguments.

use std::io::{self, Write};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use simdup::error::Error;

use crate::args::Cli;
use crate::exit::{Exit, TABLE};
use crate::output::Output;

/// What people do with simdup, and how.
const EXAMPLES: [(&str, &str); 6] = [
    (
        "Find the near-duplicates below a folder:",
        "simdup scan docs",
    ),
    (
        "The classic search, by fingerprints alone, in groups:",
        "simdup scan -k 3 --no-verify --groups docs",
    ),
    (
        "For scripts, one JSON object a line:",
        "simdup scan --format jsonl docs | jq 'select(.type == \"pair\")'",
    ),
    (
        "Source files alone, hidden ones too, whatever .gitignore says:",
        "simdup scan -uu -g '*.rs' .",
    ),
    (
        "Accept the near-duplicates of today, then fail on every new one:",
        "simdup check --update-baseline\nsimdup check",
    ),
    (
        "Compare files of two machines by their fingerprints:",
        "simdup fingerprint docs > here.txt\nsimdup scan --from-fingerprints here.txt --from-fingerprints there.txt",
    ),
];

pub(crate) fn run() -> anyhow::Result<Exit> {
    let mut page = Vec::new();
    render(&mut page)?;
    let output = Output::open(None)?;
    let written = output.file().write_all(&page).map_err(Error::from);
    output.explain(written)?;
    Ok(Exit::Done)
}

fn render(page: &mut impl Write) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let man = Man::new(command.clone()).manual("User Commands");
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    for subcommand in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        render_subcommand(subcommand, page)?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    for (exit, meaning) in TABLE {
        writeln!(page, ".TP\n.B {}\n{}", exit.code(), escape(meaning))?;
    }
    writeln!(page, ".SH EXAMPLES")?;
    for (purpose, command) in EXAMPLES {
        writeln!(
            page,
            ".PP\n{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE",
            escape(purpose),
            escape(command)
        )?;
    }
    man.render_version_section(page)
}

/// A section for a command; the sections of its own page become parts of it.
fn render_subcommand(command: &Command, page: &mut impl Write) -> io::Result<()> {
    writeln!(page, ".SH \"SIMDUP {}\"", command.get_name().to_uppercase())?;
    // The status table stands once, in its own section.
    let man = Man::new(command.clone().after_long_help(""));
    let mut parts = Vec::new();
    man.render_synopsis_section(&mut parts)?;
    man.render_description_section(&mut parts)?;
    man.render_options_section(&mut parts)?;
    for line in String::from_utf8_lossy(&parts).lines() {
        match line.strip_prefix(".SH ") {
            Some(title) => writeln!(page, ".SS {title}")?,
            None => writeln!(page, "{line}")?,
        }
    }
    Ok(())
}

/// Text that troff takes as it is.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text.lines().map(|line| {
        let is_request = line.starts_with(['.', '\'']);
        format!("{}{line}", if is_request { "\\&" } else { "" })
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_string()
}
