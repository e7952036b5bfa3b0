//! `simdup.toml` → arguments. What the file says is put before the arguments of the command line and
//! parsed with them, so that every setting means the same in both places and is refused in the same
//! words. Where both say something, the command line wins.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _};
use simdup::anchor::{Anchor, as_path};
use simdup::config::{Config, NAME};
use simdup::error::Error;
use simdup::report::path::Escaped;

use crate::args::Cli;

/// The configuration file of a run.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The file, if one was read.
    pub(crate) config: Option<Config>,
    /// Where each setting came from, for `--verbose`.
    pub(crate) notes: Vec<String>,
}

/// Options that set the threshold: one on the command line replaces both of the file.
const THRESHOLDS: [&str; 4] = ["distance", "similarity", "no_verify", "from_fingerprints"];

/// Adds what the file says to the arguments, whose matches are given.
pub(crate) fn add(
    mut arguments: Vec<OsString>,
    matches: &ArgMatches,
) -> Result<(Vec<OsString>, Found), Error> {
    let mut found = Found::default();
    let Some((command @ ("scan" | "check"), matches)) = matches.subcommand() else {
        return Ok((arguments, found));
    };
    if matches.get_flag("no_config") {
        return Ok((arguments, found));
    }
    let folder = std::env::current_dir().map_err(|error| working_folder(Path::new("."), error))?;
    let Some(config) = Config::find(&folder)? else {
        return Ok((arguments, found));
    };
    let mut settings = Vec::new();
    for (key, line, value) in config.origins() {
        let place = format!("{}, line {line}", Escaped(&config.path));
        let (taken, why) = taken(key, command, matches);
        found.notes.push(if taken {
            format!("{key} = {value}: {place}")
        } else {
            format!("{key}: {why}, not {place}")
        });
        if taken {
            let start = settings.len();
            settings.extend(as_arguments(&config, key, &folder)?);
            check(&config, command, key, &settings[start..])?;
        }
    }
    // After the command's name, so that the command line decides.
    arguments.splice(2..2, settings);
    found.config = Some(config);
    Ok((arguments, found))
}

/// Whether the file's value of a key holds, and if not, what holds instead.
fn taken(key: &str, command: &str, matches: &ArgMatches) -> (bool, &'static str) {
    let given = |id: &str| {
        matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let lists = given("from_fingerprints");
    match key {
        "allow" | "max-new" if command == "scan" => (false, "for check only"),
        "distance" | "similarity" => {
            let replaced = THRESHOLDS.iter().any(|id| given(id));
            (!replaced, "threshold from the command line")
        }
        "max-new" if given("update_baseline") => {
            (false, "nothing to apply to with --update-baseline")
        }
        "max-new" => (!given("max_new"), "from the command line"),
        _ if lists && key != "allow" => (false, "nothing to apply to with --from-fingerprints"),
        // These add up.
        "allow" | "glob" | "reference" => (true, ""),
        _ => (!given(&key.replace('-', "_")), "from the command line"),
    }
}

/// The value of a key as arguments.
fn as_arguments(config: &Config, key: &str, folder: &Path) -> Result<Vec<OsString>, Error> {
    let one = |value: &dyn std::fmt::Display| vec![format!("--{key}={value}").into()];
    let optional = |value: Option<String>| value.map(|value| one(&value)).unwrap_or_default();
    let switch = |on: Option<bool>| match on {
        Some(true) => vec![format!("--{key}").into()],
        _ => Vec::new(),
    };
    Ok(match key {
        "distance" => optional(config.distance.map(|value| value.to_string())),
        "similarity" => optional(config.similarity.map(|value| value.to_string())),
        "features" => optional(config.features.clone()),
        "min-features" => optional(config.min_features.map(|value| value.to_string())),
        "min-size" => optional(config.min_size.clone()),
        "max-size" => optional(config.max_size.clone()),
        "max-depth" => optional(config.max_depth.map(|value| value.to_string())),
        "binary" => optional(config.binary.clone()),
        "encoding" => optional(config.encoding.clone()),
        "max-new" => optional(config.max_new.map(|value| value.to_string())),
        "hidden" => switch(config.hidden),
        "no-ignore" => switch(config.no_ignore),
        "reference" => {
            let anchor = Anchor::new(folder).map_err(|error| working_folder(folder, error))?;
            let references = config.references.iter().map(|reference| {
                let mut argument = OsString::from("--reference=");
                argument.push(as_path(&anchor.name(&config.folder().join(reference))));
                argument
            });
            references.collect()
        }
        // Allowances have no option, and globs are relative to the file: both are taken as they are.
        _ => Vec::new(),
    })
}

/// Parses what came of one key by itself, so that an error names the file and the key.
fn check(config: &Config, command: &str, key: &str, settings: &[OsString]) -> Result<(), Error> {
    let start = ["simdup", command].map(OsStr::new);
    let arguments = start
        .into_iter()
        .chain(settings.iter().map(OsString::as_os_str));
    let Err(error) = Cli::command().try_get_matches_from(arguments) else {
        return Ok(());
    };
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or(NAME);
    Err(config.error(key, first.strip_prefix("error: ").unwrap_or(first)))
}

fn working_folder(path: &Path, error: std::io::Error) -> Error {
    Error::Input {
        path: path.to_path_buf(),
        message: format!(
            "the working folder: {}",
            simdup::record::describe_io(&error).1
        ),
        source: Some(error),
    }
}
