//! SIGINT, SIGTERM and SIGHUP: remove the unfinished report, end with 128 + the signal's number.

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The signals that end a run.
const SIGNALS: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The unfinished report, a C string that is never freed; null when there is none.
static UNFINISHED: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());

/// Names the file to remove when a signal ends the run. Called once a run.
pub(crate) fn remove_on_exit(path: &Path) {
    if let Ok(path) = CString::new(path.as_os_str().as_bytes()) {
        UNFINISHED.store(path.into_raw(), Ordering::Release);
    }
}

/// Runs `work` with the signals waiting, so that none comes between making a file and naming it.
/// Only for a process that has one thread as yet.
pub(crate) fn delayed<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: zeroed signal sets are valid, and all pointers are to sets that live on.
    let old = unsafe {
        let mut delayed: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut delayed);
        for signal in SIGNALS {
            libc::sigaddset(&raw mut delayed, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const delayed, &raw mut old);
        old
    };
    let result = work();
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const old, ptr::null_mut()) };
    result
}

/// The report is finished: nothing is to be removed any more.
pub(crate) fn keep() {
    UNFINISHED.store(ptr::null_mut(), Ordering::Release);
}

/// Takes over the signals that end a run, except where the parent asked to ignore them (`nohup`).
pub(crate) fn install() {
    for signal in SIGNALS {
        // SAFETY: both pointers are to valid structs, zeroed ones being valid; the handler calls
        // nothing but functions that may be called in a signal handler.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut old) != 0
                || old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = end as extern "C" fn(c_int) as libc::sighandler_t;
            libc::sigemptyset(&raw mut new.sa_mask);
            libc::sigaction(signal, &raw const new, ptr::null_mut());
        }
    }
}

extern "C" fn end(signal: c_int) {
    let unfinished = UNFINISHED.load(Ordering::Acquire);
    // SAFETY: unlink and _exit may be called in a signal handler; the pointer is null or to a C
    // string that is never freed.
    unsafe {
        if !unfinished.is_null() {
            libc::unlink(unfinished);
        }
        libc::_exit(128 + signal);
    }
}
