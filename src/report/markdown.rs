//! Pairs or groups → a Markdown table for a comment on a pull request.
//!
//! Services refuse long comments (GitHub: 65,536 characters), so the table ends before that and
//! says how many rows are left out; the heading counts all. Rows wait in memory for it.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use super::finding::{Tally, errors, ratio, sides};
use super::path::escape;
use super::{Content, Report};
use crate::record::{File, Group, Outcome, Pair, Settings};

/// Most bytes of table rows.
const MOST_BYTES: usize = 60_000;

/// Writes Markdown.
#[derive(Debug)]
pub struct Markdown<W: Write> {
    out: W,
    content: Content,
    tally: Tally,
    group_count: u64,
    rows: String,
    left_out: u64,
}

impl<W: Write> Markdown<W> {
    /// Writes to `out`; `content` says which of the two tables.
    pub fn new(out: W, content: Content) -> Self {
        Self {
            out,
            content,
            tally: Tally::default(),
            group_count: 0,
            rows: String::new(),
            left_out: 0,
        }
    }

    fn row(&mut self, row: &str) {
        // Once a row is left out, all that follow are: the table shows the first ones.
        if self.left_out > 0 || self.rows.len() + row.len() > MOST_BYTES {
            self.left_out += 1;
        } else {
            self.rows += row;
        }
    }
}

impl<W: Write + Send> Report for Markdown<W> {
    fn settings(&mut self, _settings: &Settings) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if self.tally.add(pair) {
            let (file, other) = sides(pair);
            let row = format!(
                "| {} | {} | {} | {} | {} |\n",
                code(file),
                code(other),
                pair.kind.as_str(),
                pair.distance,
                figure(pair.similarity.map(ratio)),
            );
            self.row(&row);
        }
        Ok(())
    }

    fn group(&mut self, group: &Group<'_>) -> io::Result<()> {
        self.group_count += 1;
        let files: Vec<String> = group.files.iter().map(|member| code(member.file)).collect();
        let bound = if group.bounds_exact { "" } else { "~" };
        let row = format!(
            "| {} | {} | {} | {bound}{} | {bound}{} |\n",
            files.join("<br>"),
            files.len(),
            group.kind.as_str(),
            figure(group.max_distance.map(|distance| distance.to_string())),
            figure(group.min_similarity.map(ratio)),
        );
        self.row(&row);
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut heading = match (self.content, self.group_count) {
            (Content::Pairs, _) => self.tally.title(),
            (Content::Groups, 0) => "no groups of near-duplicates".to_string(),
            (Content::Groups, 1) => "1 group of near-duplicates".to_string(),
            (Content::Groups, count) => format!("{count} groups of near-duplicates"),
        };
        if !outcome.failures.is_empty() {
            let _ = write!(heading, ", {}", errors(outcome.failures.len()));
        }
        writeln!(self.out, "### simdup: {heading}")?;
        if !self.rows.is_empty() {
            let header = if self.content == Content::Groups {
                "| files | count | kind | widest distance | least similarity |\n|---|---:|---|---:|---:|"
            } else {
                "| file | like | kind | distance | similarity |\n|---|---|---|---:|---:|"
            };
            write!(self.out, "\n{header}\n{}", self.rows)?;
        }
        if self.left_out > 0 {
            writeln!(self.out, "\n{} more are not listed here.", self.left_out)?;
        }
        self.out.flush()
    }
}

fn figure(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_string())
}

/// A name as code within a table cell. A plain code span has no escapes, so a name with a backtick,
/// bar or backslash becomes HTML with every special character as an entity.
fn code(file: File<'_>) -> String {
    let name = escape(file.path.as_os_str().as_bytes());
    let blanks = name.starts_with(' ') || name.ends_with(' ');
    if !blanks && !name.contains(['`', '|', '\\']) {
        return format!("`{name}`");
    }
    let mut html = String::from("<code>");
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || !character.is_ascii() || "/.- ".contains(character)
        {
            html.push(character);
        } else {
            let _ = write!(html, "&#{};", u32::from(character));
        }
    }
    html + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn shown(name: &str) -> String {
        code(File {
            path: Path::new(name),
            links: &[],
        })
    }

    #[test]
    fn a_name_stays_in_its_cell() {
        assert_eq!(shown("docs/a_b*.md"), "`docs/a_b*.md`");
        assert_eq!(shown("a|b"), "<code>a&#124;b</code>");
        assert_eq!(shown("a`b\\<"), "<code>a&#96;b&#92;&#92;&#60;</code>");
        assert_eq!(shown("a\nb"), "<code>a&#92;nb</code>");
    }
}
