//! Arguments → options of the library. Likely mistakes end here, before anything is read.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use simdup::error::Error;
use simdup::options::{self, FileGlobs, LoadOptions, Options, Source, WalkOptions, default_search};
use simdup::record::describe_io;

use crate::args::{
    Binary, FeatureArgs, FilesArgs, FingerprintArgs, Format, Link, RunArgs, ScanArgs, Sort,
};
use crate::output::Output;

/// The options of `simdup scan`.
pub(crate) fn scan(args: &ScanArgs, output: &Output) -> Result<Options, Error> {
    let search = &args.search;
    if args.report.null && args.format != Format::Text {
        return Err(argument("--null", "only for --format text"));
    }
    if search.groups && args.format.lists_findings() {
        return Err(argument(
            "--groups",
            "this format lists pairs; groups come as text, json, jsonl, csv or markdown",
        ));
    }
    let standard_inputs = search.from_fingerprints.iter();
    if standard_inputs
        .filter(|list| list.as_os_str() == "-")
        .count()
        > 1
    {
        return Err(argument(
            "--from-fingerprints -",
            "standard input holds one list only",
        ));
    }
    let from_files = search.from_fingerprints.is_empty();
    let verify = from_files && !search.no_verify;
    if search.sort == Sort::Similarity && !verify {
        let option = if from_files {
            "--no-verify"
        } else {
            "--from-fingerprints"
        };
        return Err(argument(
            "--sort similarity",
            &format!("there is no similarity with {option}"),
        ));
    }
    let (distance, similarity) = match (search.distance, search.similarity) {
        (None, None) => default_search(verify),
        given => given,
    };
    let source = if from_files {
        let mut walk = walk(&args.files, output)?;
        walk.roots.extend_from_slice(&search.reference);
        let config = args.config.found.config.as_ref();
        walk.file_globs = config
            .filter(|config| !config.globs.is_empty())
            .map(|config| FileGlobs {
                folder: config.folder().to_path_buf(),
                globs: config.globs.clone(),
            });
        Source::Files(walk)
    } else {
        Source::Fingerprints(search.from_fingerprints.clone())
    };
    Ok(Options {
        distance,
        similarity,
        verify,
        references: search.reference.clone(),
        groups: search.groups.then_some(match search.link {
            Link::Single => options::Link::Single,
            Link::Complete => options::Link::Complete,
        }),
        sort: match search.sort {
            Sort::Path => options::Sort::Path,
            Sort::Distance => options::Sort::Distance,
            Sort::Similarity => options::Sort::Similarity,
        },
        max_pairs: search.max_pairs,
        ..common(source, &args.files, &args.features, &args.run)
    })
}

/// The options of `simdup fingerprint`.
pub(crate) fn fingerprint(args: &FingerprintArgs, output: &Output) -> Result<Options, Error> {
    if args.report.null && args.format != crate::args::FingerprintFormat::Text {
        return Err(argument("--null", "only for --format text"));
    }
    let source = Source::Files(walk(&args.files, output)?);
    Ok(common(source, &args.files, &args.features, &args.run))
}

/// What all commands that read files have in common.
fn common(source: Source, files: &FilesArgs, features: &FeatureArgs, run: &RunArgs) -> Options {
    Options {
        source,
        load: LoadOptions {
            binary: match files.binary {
                Binary::Skip => options::Binary::Skip,
                Binary::Exact => options::Binary::Exact,
                Binary::Text => options::Binary::Text,
            },
            encoding: files.encoding,
            min_size: files.min_size,
            max_size: files.max_size,
        },
        scheme: features.features,
        min_features: features.min_features,
        distance: None,
        similarity: None,
        verify: false,
        references: Vec::new(),
        groups: None,
        sort: options::Sort::Path,
        max_pairs: None,
        threads: (run.threads > 0).then_some(run.threads),
    }
}

fn walk(files: &FilesArgs, output: &Output) -> Result<WalkOptions, Error> {
    if files.unrestricted > 2 {
        return Err(argument("-u", "at most twice; binary files: --binary text"));
    }
    if let Some(max_size) = files.max_size
        && files.min_size > max_size
    {
        return Err(argument(
            "--min-size",
            &format!("{} is more than --max-size {max_size}", files.min_size),
        ));
    }
    let mut roots = files.paths.clone();
    if let Some(list) = &files.files_from {
        roots.extend(paths_from(list, b'\n')?);
    } else if let Some(list) = &files.files0_from {
        roots.extend(paths_from(list, 0)?);
    } else if roots.is_empty() {
        roots.push(".".into());
    }
    Ok(WalkOptions {
        roots,
        hidden: files.hidden || files.unrestricted > 1,
        no_ignore: files.no_ignore || files.unrestricted > 0,
        globs: files.glob.clone(),
        file_globs: None,
        follow: files.follow,
        one_file_system: files.one_file_system,
        max_depth: files.max_depth,
        exclude: output.own_files(),
    })
}

/// The paths of a list, each ended by `end`; blank ones are passed over.
fn paths_from(list: &Path, end: u8) -> Result<Vec<PathBuf>, Error> {
    let bytes = if list.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(list)
    };
    let bytes = bytes.map_err(|error| Error::Input {
        path: list.to_path_buf(),
        message: format!("cannot read the list of paths: {}", describe_io(&error).1),
        source: Some(error),
    })?;
    Ok(bytes
        .split(|&byte| byte == end)
        .filter(|path| !path.is_empty())
        .map(|path| OsStr::from_bytes(path).into())
        .collect())
}

pub(crate) fn argument(argument: &str, message: &str) -> Error {
    Error::Argument {
        argument: argument.to_string(),
        message: message.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;

    fn options_of(arguments: &str) -> Result<Options, String> {
        let arguments = ["simdup"].into_iter().chain(arguments.split_whitespace());
        let cli = Cli::try_parse_from(arguments).map_err(|error| error.to_string())?;
        let output = Output::open(None).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Scan(args) => scan(&args, &output),
            Command::Fingerprint(args) => fingerprint(&args, &output),
            _ => panic!("a command without options"),
        }
        .map_err(|error| error.to_string())
    }

    fn walk_of(arguments: &str) -> WalkOptions {
        match options_of(arguments).unwrap().source {
            Source::Files(walk) => walk,
            Source::Fingerprints(_) => panic!("no files"),
        }
    }

    #[test]
    fn without_arguments_the_current_folder_is_searched_by_default() {
        let options = options_of("scan").unwrap();
        assert_eq!((options.distance, options.similarity), default_search(true));
        assert!(options.verify);
        assert_eq!(walk_of("scan").roots, [PathBuf::from(".")]);
    }

    #[test]
    fn distance_and_similarity_replace_the_default_alone_or_together() {
        let search = |arguments| {
            let options = options_of(arguments).unwrap();
            (options.distance, options.similarity)
        };
        assert_eq!(search("scan -k 0"), (Some(0), None));
        assert_eq!(search("scan -k64"), (Some(64), None));
        assert_eq!(search("scan -s 1"), (None, Some(1.0)));
        assert_eq!(search("scan -k 9 -s 0.5"), (Some(9), Some(0.5)));
        assert_eq!(search("scan --no-verify"), (Some(3), None));
        assert_eq!(search("scan --from-fingerprints x"), (Some(3), None));
    }

    #[test]
    fn impossible_combinations_are_refused_by_name() {
        for (arguments, named) in [
            ("scan -k 65", "--distance"),
            ("scan -k -1", "--distance"),
            ("scan -s 0", "--similarity"),
            ("scan -s 1.1", "--similarity"),
            ("scan -s 0.7 --no-verify", "--no-verify"),
            ("scan -s 0.7 --from-fingerprints x", "--from-fingerprints"),
            ("scan --sort similarity --no-verify", "--no-verify"),
            (
                "scan --sort similarity --from-fingerprints x",
                "--from-fingerprints",
            ),
            ("scan --from-fingerprints x docs", "PATH"),
            (
                "scan --from-fingerprints - --from-fingerprints -",
                "--from-fingerprints -",
            ),
            ("scan --from-fingerprints x --features words", "--features"),
            ("scan --link complete", "--groups"),
            ("scan --groups --max-pairs 3", "--max-pairs"),
            ("scan --format xml", "--format"),
            ("scan --features wrods", "--features"),
            ("scan --encoding klingon", "--encoding"),
            ("scan --format json -0", "--null"),
            ("fingerprint --format jsonl -0", "--null"),
            ("fingerprint --format json", "--format"),
            ("scan -uuu", "-u"),
            ("scan -q -v", "--quiet"),
            ("scan --min-size 2 --max-size 1", "--min-size"),
            ("fingerprint --min-size 2K --max-size 2047", "--min-size"),
        ] {
            let error = options_of(arguments).unwrap_err();
            assert!(error.contains(named), "{arguments}: {error}");
        }
    }

    #[test]
    fn each_walking_option_arrives() {
        let walk =
            walk_of("scan -H --no-ignore -g *.rs -g !x -L --one-file-system --max-depth 3 a b");
        assert!(walk.hidden && walk.no_ignore && walk.follow && walk.one_file_system);
        assert_eq!(walk.globs, ["*.rs", "!x"]);
        assert_eq!(walk.max_depth, Some(3));
        assert_eq!(walk.roots, [PathBuf::from("a"), PathBuf::from("b")]);
        let once = walk_of("scan -u");
        assert!(once.no_ignore && !once.hidden);
        let twice = walk_of("fingerprint -uu");
        assert!(twice.no_ignore && twice.hidden);
    }

    #[test]
    fn references_are_walked_too() {
        let options = options_of("scan new --reference old --reference older").unwrap();
        assert_eq!(
            options.references,
            [PathBuf::from("old"), PathBuf::from("older")]
        );
        let walk = walk_of("scan new --reference old");
        assert_eq!(walk.roots, [PathBuf::from("new"), PathBuf::from("old")]);
    }

    #[test]
    fn the_other_options_arrive() {
        let options = options_of(
            "scan -j 3 --min-size 2K --max-size 1M --binary exact --encoding latin1 \
             --features char:5 --min-features 9 --sort distance --max-pairs 7",
        )
        .unwrap();
        assert_eq!(options.threads, Some(3));
        assert_eq!(
            (options.load.min_size, options.load.max_size),
            (2048, Some(1 << 20))
        );
        assert_eq!(options.load.binary, options::Binary::Exact);
        assert_eq!(
            options.load.encoding.map(encoding_rs::Encoding::name),
            Some("windows-1252")
        );
        assert_eq!(options.scheme, simdup::feature::Scheme::CharShingles(5));
        assert_eq!(options.min_features, 9);
        assert_eq!(options.sort, options::Sort::Distance);
        assert_eq!(options.max_pairs, Some(7));
        assert_eq!(options_of("scan -j0").unwrap().threads, None);
        let groups = options_of("scan --groups --link complete").unwrap().groups;
        assert_eq!(groups, Some(options::Link::Complete));
    }
}
