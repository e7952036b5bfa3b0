//! Which files, and how they become text.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use encoding_rs::Encoding;

/// Which files, and how they become text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch")]
pub(crate) struct FilesArgs {
    /// Files and folders [default: .]
    ///
    /// Folders are walked. A file that is named here is always taken, whatever the ignore rules.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a list, one a line; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// Read more paths from a list, a NUL after each; - is standard input
    #[arg(long, value_name = "FILE|-", value_hint = ValueHint::FilePath, conflicts_with = "files_from")]
    pub(crate) files0_from: Option<PathBuf>,
    /// Take hidden files and folders too
    #[arg(short = 'H', long)]
    pub(crate) hidden: bool,
    /// Heed no ignore files (.gitignore, .ignore, .git/info/exclude, global excludes)
    ///
    /// With --hidden, .git folders are walked too.
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Like --no-ignore; -uu: like --no-ignore --hidden
    #[arg(short = 'u', action = clap::ArgAction::Count)]
    pub(crate) unrestricted: u8,
    /// Take only files that match the glob, or with ! before it, only those that do not
    ///
    /// May be given several times; the last glob that matches decides, as in ripgrep. With a slash
    /// before its end, it is relative to the working folder.
    #[arg(short = 'g', long, value_name = "G")]
    pub(crate) glob: Vec<String>,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,
    /// Stay on the file system of each PATH
    #[arg(long)]
    pub(crate) one_file_system: bool,
    /// Descend at most N folders; 0 takes the PATHs alone
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::whole::<usize>)]
    pub(crate) max_depth: Option<usize>,
    /// Leave out files smaller than N bytes; K, M and G stand for powers of 1024
    ///
    /// With 0, files without a text (no bytes, or blanks alone) are paired where their bytes are
    /// equal; with any other N they are counted as empty and never paired.
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = parse_size)]
    pub(crate) min_size: u64,
    /// Leave out files larger than N bytes; K, M and G stand for powers of 1024
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = parse_size)]
    pub(crate) max_size: Option<u64>,
    /// What becomes of binary files (those with a NUL byte)
    #[arg(long, value_name = "WHAT", value_enum, default_value = "skip")]
    pub(crate) binary: Binary,
    /// Decode as E (a label such as utf-16le, koi8-r, latin1) instead of UTF-8
    ///
    /// A byte order mark always wins.
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
    pub(crate) encoding: Option<&'static Encoding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Binary {
    /// Left out
    Skip,
    /// Compared byte for byte
    Exact,
    /// Treated as text
    Text,
}

impl FilesArgs {
    /// Everything that was named to be read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        let lists = self.files_from.iter().chain(&self.files0_from);
        self.paths.iter().chain(lists).map(PathBuf::as_path)
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|count| count.checked_mul(1 << shift))
        .ok_or_else(|| {
            "a number of bytes, 0 or more, with K, M or G after it for powers of 1024".into()
        })
}

pub(super) fn parse_encoding(label: &str) -> Result<&'static Encoding, String> {
    // The web maps labels of encodings that it dropped to one that decodes nothing.
    Encoding::for_label(label.as_bytes())
        .filter(|&encoding| encoding != encoding_rs::REPLACEMENT)
        .ok_or_else(|| "no encoding of this name; try a label of the web, such as utf-16le, windows-1252 or koi8-r".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_suffixes() {
        assert_eq!(parse_size("0"), Ok(0));
        assert_eq!(parse_size("12"), Ok(12));
        assert_eq!(parse_size("3k"), Ok(3072));
        assert_eq!(parse_size("2M"), Ok(2 << 20));
        assert_eq!(parse_size("1G"), Ok(1 << 30));
        for text in [
            "",
            "K",
            "-1",
            "1.5M",
            "1T",
            "99999999999999999999",
            "99999999999999999G",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
