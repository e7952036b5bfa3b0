//! Windows of a file in memory. The one place where files are mapped.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps `len` bytes of the file from `offset` on, which must be a multiple of the page size, to be
/// read once from front to back.
pub(super) fn window(file: &File, offset: u64, len: u64) -> io::Result<Mmap> {
    let len = usize::try_from(len).map_err(io::Error::other)?;
    let mut options = MmapOptions::new();
    options.offset(offset).len(len);
    // SAFETY: The map is never written through, and its bytes are only copied out of it, each
    // once; what is checked and used is the copy. What no program can rule out is that another
    // one writes to the file meanwhile: then the copy holds old or new bytes, and the loader tells
    // by the modification time. Or that another one cuts the file short: then a copy from behind
    // the new end stops the process with SIGBUS. Hence only files of `MAP_FROM` bytes and more
    // are mapped at all, and their size is looked at again before every window.
    let map = unsafe { options.map(file)? };
    #[cfg(unix)]
    map.advise(memmap2::Advice::Sequential)?;
    Ok(map)
}
