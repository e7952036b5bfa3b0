//! `simdup compare`: how alike two files are.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use anyhow::anyhow;
use simdup::compare::{Comparison, Document, DocumentBuilder};
use simdup::error::Error;
use simdup::load::{ContentId, Loader, TextSink, Verdict};
use simdup::options::{self, LoadOptions};
use simdup::record::describe_io;
use simdup::report::comparison::{ComparisonReport, write_diff};
use simdup::report::path::Escaped;
use tempfile::NamedTempFile;

use crate::args::{CompareArgs, CompareFormat};
use crate::exit::Exit;
use crate::options::argument;
use crate::output::Output;
use crate::term::colours;

pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let (a, b) = (args.a.as_path(), args.b.as_path());
    if is_stdin(a) && is_stdin(b) {
        return Err(argument("-", "only one of the two can be standard input").into());
    }
    if pipe(a).is_some() && pipe(a) == pipe(b) {
        let b = Escaped(b).to_string();
        return Err(argument(&b, "the same pipe twice; it can be read once only").into());
    }
    if args.diff && args.format == CompareFormat::Json {
        return Err(argument("--diff", "only for --format text").into());
    }
    let output = Output::open(args.output.as_deref())?;
    output.refuse([a, b].into_iter().filter(|file| *file != Path::new("-")))?;
    let [read_a, read_b] = [read(a, args)?, read(b, args)?];
    let equal_bytes = read_a.content.is_some() && read_a.content == read_b.content;
    let comparison = Comparison::new(
        args.features,
        &read_a.document,
        &read_b.document,
        equal_bytes,
    );
    let report = ComparisonReport {
        comparison: &comparison,
        a: (a, &read_a.document),
        b: (b, &read_b.document),
    };
    let mut out = io::BufWriter::new(output.file());
    let written = match args.format {
        CompareFormat::Json => report.write_json(&mut out),
        CompareFormat::Text => report.write_text(&mut out).and_then(|()| {
            if args.diff && !equal_bytes {
                let coloured = colours(args.color, output.file());
                out.write_all(b"\n")?;
                write_diff(&mut out, (a, &read_a.text), (b, &read_b.text), coloured)?;
            }
            Ok(())
        }),
    };
    let written = written.and_then(|()| out.flush());
    drop(out);
    output.explain(written.map_err(Error::from))?;
    output.commit()?;
    Ok(Exit::Done)
}

/// One of the two files.
struct Read {
    document: Document,
    content: Option<ContentId>,
    /// The decoded text, for a diff only.
    text: String,
}

/// Text → document, and the text itself where it is wanted.
struct Sink {
    builder: DocumentBuilder,
    text: Option<String>,
}

impl TextSink for Sink {
    fn text(&mut self, piece: &str) {
        self.builder.push(piece);
        if let Some(text) = &mut self.text {
            text.push_str(piece);
        }
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read(path: &Path, args: &CompareArgs) -> anyhow::Result<Read> {
    let failed = |cause: &str| anyhow!("{}: {cause}", Escaped(path));
    let load = LoadOptions {
        binary: if args.text {
            options::Binary::Text
        } else {
            options::Binary::Exact
        },
        encoding: args.encoding,
        ..LoadOptions::default()
    };
    let mut sink = Sink {
        builder: DocumentBuilder::new(args.features),
        text: args.diff.then(String::new),
    };
    let mut loader = Loader::new(load);
    let loaded = if is_stdin(path) || pipe(path).is_some() {
        let copy = copy_of_stream(path).map_err(|error| failed(&describe_io(&error).1))?;
        loader.load(copy.path(), true, &mut sink)
    } else {
        loader.load(path, true, &mut sink)
    };
    let loaded = loaded.map_err(|failure| failed(&failure.message))?;
    match loaded.verdict {
        Verdict::Text | Verdict::Empty => {}
        Verdict::Binary => return Err(failed("binary; try --text")),
        Verdict::Undecodable => return Err(failed("not UTF-8; try --encoding")),
        Verdict::Special => return Err(failed("neither a regular file nor a pipe")),
        Verdict::TooSmall | Verdict::TooLarge => return Err(failed("was not read")),
    }
    Ok(Read {
        document: sink.builder.finish(),
        content: loaded.content,
        text: sink.text.unwrap_or_default(),
    })
}

/// What a pipe, as in `compare <(one) <(other)`, is known by; `None` for what is no pipe.
fn pipe(path: &Path) -> Option<(u64, u64)> {
    let path = if is_stdin(path) {
        Path::new("/dev/stdin")
    } else {
        path
    };
    let metadata = fs::metadata(path).ok()?;
    let is_pipe = metadata.file_type().is_fifo();
    is_pipe.then(|| (metadata.dev(), metadata.ino()))
}

/// Standard input or a pipe as a file, so that it is judged and decoded as files are.
fn copy_of_stream(path: &Path) -> io::Result<NamedTempFile> {
    let mut copy = NamedTempFile::new()?;
    if is_stdin(path) {
        io::copy(&mut io::stdin().lock(), &mut copy)?;
    } else {
        io::copy(&mut fs::File::open(path)?, &mut copy)?;
    }
    Ok(copy)
}
