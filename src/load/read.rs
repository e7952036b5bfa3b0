//! Opening without waiting, and reading to the end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::opener::Opener;
use super::stat::Stat;

/// What lies at a path.
pub(super) enum Opened {
    /// A regular file, open.
    File(File, Stat),
    /// A FIFO, a socket or a device. Nothing was read from it.
    Special(Stat),
}

/// Opens the file at `path`. Never waits: a FIFO without a writer, or a terminal, that has taken
/// the place of a file since the walk, is told by looking at what was opened.
pub(super) fn open(opener: &mut Opener, path: &Path) -> io::Result<Opened> {
    let file = match opener.open(path) {
        Ok(file) => file,
        // Sockets cannot be opened at all, nor devices without a driver.
        Err(error) => {
            return match fs::metadata(path) {
                Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                    Ok(Opened::Special(Stat::of(path, &metadata)))
                }
                _ => Err(error),
            };
        }
    };
    let metadata = file.metadata()?;
    let stat = Stat::of(path, &metadata);
    if metadata.is_file() {
        Ok(Opened::File(file, stat))
    } else if metadata.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        Ok(Opened::Special(stat))
    }
}

/// How far [`fill`] came.
pub(super) struct Filled {
    /// Bytes in the buffer, those that were there before included.
    pub(super) len: usize,
    /// No more will come; else the buffer is full.
    pub(super) ended: bool,
}

/// Fills the buffer from `start` on until it is full or the file ends.
///
/// The end shows in a read of nothing. Where a read gave less than it could, and the bytes are as
/// many as the size that was `stated`, that read is saved.
pub(super) fn fill(
    reader: &mut impl Read,
    buffer: &mut [u8],
    start: usize,
    stated: u64,
) -> io::Result<Filled> {
    let mut len = start;
    while len < buffer.len() {
        match reader.read(&mut buffer[len..]) {
            Ok(0) => return Ok(Filled { len, ended: true }),
            Ok(read) => {
                len += read;
                if len as u64 == stated && len < buffer.len() {
                    return Ok(Filled { len, ended: true });
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Filled { len, ended: false })
}
