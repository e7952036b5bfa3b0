//! The exit status: one enum, one table.

use std::process::ExitCode;

/// How a run ended. The order is the order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done; for a gate: nothing that is not allowed.
    Done = 0,
    /// A gate found duplicates.
    Found = 1,
    /// Any error, also one that concerned a single file.
    Error = 2,
    /// Ended by SIGINT.
    Interrupted = 130,
}

/// The table of the man page and of `--help`.
pub(crate) const TABLE: [(Exit, &str); 4] = [
    (
        Exit::Done,
        "done; for scan: whether or not pairs were found",
    ),
    (
        Exit::Found,
        "check only: duplicates were found that are not allowed",
    ),
    (
        Exit::Error,
        "an error: wrong usage, a path that does not exist, a file or folder that cannot be read, \
         a report that cannot be written; what was found is still reported",
    ),
    (
        Exit::Interrupted,
        "interrupted (SIGINT); an output file is as it was before",
    ),
];

/// The table as a paragraph of `--help`.
pub(crate) fn help() -> String {
    let rows = TABLE.map(|(exit, meaning)| format!("{:5}  {meaning}\n", exit.code()));
    format!("Exit status:\n{}", rows.concat())
}

impl Exit {
    /// The status of two parts of one run: the worse one.
    pub(crate) fn merge(self, other: Self) -> Self {
        self.max(other)
    }

    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Exit; 4] = [Exit::Done, Exit::Found, Exit::Error, Exit::Interrupted];

    #[test]
    fn the_numbers_are_those_of_the_documentation() {
        assert_eq!(ALL.map(Exit::code), [0, 1, 2, 130]);
        assert_eq!(TABLE.map(|(exit, _)| exit), ALL);
    }

    #[test]
    fn merging_keeps_the_worse_whatever_the_order() {
        for a in ALL {
            for b in ALL {
                assert_eq!(a.merge(b), b.merge(a));
                assert_eq!(a.merge(b).code(), a.code().max(b.code()));
            }
        }
    }
}
