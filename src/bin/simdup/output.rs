//! Where the report goes: standard output, a device or pipe, or a file that is replaced in one step.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, IsTerminal as _, LineWriter, Write};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use simdup::error::Error;
use simdup::record::describe_io;
use simdup::report::path::Escaped;
use tempfile::NamedTempFile;

use crate::signals;
use crate::term::Term;

/// Symbolic links that are followed at most, as in Linux.
const MAX_LINKS: usize = 40;

/// The place of the report, opened before the run so that a bad path fails early.
pub(crate) struct Output {
    /// How messages call it.
    name: String,
    target: Target,
}

enum Target {
    /// Written straight through.
    Stream(File),
    /// Written beside the file and renamed onto it at the end.
    Replace {
        unfinished: NamedTempFile,
        path: PathBuf,
    },
}

impl Output {
    /// Opens the output file, or standard output for `-` and for none.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let stream = io::stdout().as_fd().try_clone_to_owned()?;
            return Ok(Self {
                name: "standard output".into(),
                target: Target::Stream(stream.into()),
            });
        };
        let name = Escaped(path).to_string();
        if path.as_os_str().as_bytes().ends_with(b"/") && !path.exists() {
            return Err(anyhow!(
                "{name}: cannot write the report: a name that ends with a slash is that of a folder"
            ));
        }
        let target = Target::open(path).map_err(|error| {
            anyhow!("{name}: cannot write the report: {}", describe_io(&error).1)
        })?;
        Ok(Self { name, target })
    }

    /// Refuses to replace a file that the run itself reads because it was named, or writes.
    pub(crate) fn refuse<'a>(
        &self,
        used: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        let Target::Replace { path, .. } = &self.target else {
            return Ok(());
        };
        let identity = |path: &Path| {
            let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
            Some((metadata.dev(), metadata.ino()))
        };
        // The same for every spelling, also when nothing lies there yet.
        let place = |path: &Path| Some(folder(path).canonicalize().ok()?.join(path.file_name()?));
        let is_same = |file: &Path| match (identity(file), identity(path)) {
            (None, None) => place(file).is_some() && place(file) == place(path),
            (file, output) => file == output,
        };
        for file in used {
            if is_same(file) {
                return Err(anyhow!(
                    "--output {}: this file is used by the run (as {})\ntry: another file for the report",
                    self.name,
                    Escaped(file)
                ));
            }
        }
        Ok(())
    }

    /// The file that the report goes to; colours depend on it.
    pub(crate) fn file(&self) -> &File {
        match &self.target {
            Target::Stream(stream) => stream,
            Target::Replace { unfinished, .. } => unfinished.as_file(),
        }
    }

    /// A buffered writer to it. On a terminal each line shows at once, and ends the progress,
    /// which would be drawn over it.
    pub(crate) fn writer<'a>(&'a self, term: &'a Term) -> Box<dyn Write + Send + 'a> {
        if self.file().is_terminal() {
            return Box::new(LineWriter::new(Screen {
                file: self.file(),
                term,
            }));
        }
        Box::new(BufWriter::with_capacity(1 << 16, self.file()))
    }

    /// The files that a scan must not take for documents: the old report and the unfinished one.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        match &self.target {
            Target::Stream(_) => Vec::new(),
            Target::Replace { unfinished, path } => {
                vec![path.clone(), unfinished.path().to_path_buf()]
            }
        }
    }

    /// Puts the whole report in its place.
    pub(crate) fn commit(self) -> anyhow::Result<()> {
        if let Target::Replace { unfinished, path } = self.target {
            unfinished.persist(path).map_err(|error| {
                let cause = describe_io(&error.error).1;
                anyhow!("{}: cannot write the report: {cause}", self.name)
            })?;
            signals::keep();
        }
        Ok(())
    }

    /// Makes the result of a run tell where the report could not be written.
    pub(crate) fn explain<T>(&self, result: Result<T, Error>) -> anyhow::Result<T> {
        match result {
            Err(Error::Report(error)) => {
                let cause = describe_io(&error).1;
                Err(error).context(format!("{}: cannot write the report: {cause}", self.name))
            }
            other => Ok(other?),
        }
    }
}

/// A terminal that shows the report.
struct Screen<'a> {
    file: &'a File,
    term: &'a Term,
}

impl Write for Screen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.term.end_progress();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        let old = match fs::metadata(path) {
            // The files below these two stand for streams, even where they lead to regular files.
            Ok(old) if !old.is_file() || path.starts_with("/dev") || path.starts_with("/proc") => {
                return Ok(Self::Stream(OpenOptions::new().write(true).open(path)?));
            }
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let path = resolve(path)?;
        if old.is_some() {
            // A file that may not be written is not replaced either.
            OpenOptions::new().append(true).open(&path)?;
        }
        let folder = folder(&path);
        let unfinished = signals::delayed(|| {
            let unfinished = tempfile::Builder::new()
                .prefix(".simdup-")
                .suffix(".tmp")
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(folder)?;
            signals::remove_on_exit(unfinished.path());
            Ok::<_, io::Error>(unfinished)
        })?;
        if let Some(old) = old {
            // Only root may give a file away; whoever may not keeps it.
            let _ = fchown(&unfinished, Some(old.uid()), Some(old.gid()));
            unfinished.as_file().set_permissions(old.permissions())?;
        }
        Ok(Self::Replace { unfinished, path })
    }
}

/// The folder that a file lies in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Follows symbolic links to the file that is to be replaced, which need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            // Not a link, or nothing there yet.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}
