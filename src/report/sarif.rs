//! Pairs → SARIF 2.1.0, the format of code scanning services.
//!
//! Each finding is a result in the first file, with the other one as related location. Files have
//! URIs relative to `%SRCROOT%` (the repository's top), percent-encoded; a file outside it has an
//! absolute one. Results are written as they come.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use super::Report;
use super::fields::four_decimals;
use super::finding::{figures, identity, pairs_only, sides, title};
use super::path::escape;
use crate::anchor::Anchor;
use crate::record::{File, Group, Kind, Outcome, Pair, Settings};

/// Writes SARIF.
#[derive(Debug)]
pub struct Sarif<W: Write> {
    out: W,
    anchor: Anchor,
    empty: bool,
}

impl<W: Write> Sarif<W> {
    /// Writes to `out`, with URIs relative to the anchor's folder.
    pub fn new(out: W, anchor: Anchor) -> Self {
        Self {
            out,
            anchor,
            empty: true,
        }
    }

    fn location(&self, file: File<'_>) -> Value {
        let artifact = if let Some(name) = self.anchor.inside(file.path) {
            json!({"uri": encode(&name), "uriBaseId": "%SRCROOT%"})
        } else {
            let path = self.anchor.absolute(file.path);
            json!({"uri": format!("file://{}", encode(path.as_os_str().as_bytes()))})
        };
        json!({"artifactLocation": artifact, "region": {"startLine": 1}})
    }
}

impl<W: Write + Send> Report for Sarif<W> {
    fn settings(&mut self, settings: &Settings) -> io::Result<()> {
        let tool = json!({"driver": {
            "name": "simdup",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": [rule(Kind::Exact), rule(Kind::Near)],
        }});
        let bases = json!({"%SRCROOT%": {"description": {"text": "The top of the repository."}}});
        let properties = json!({
            "distance": settings.distance,
            "similarity": settings.similarity,
            "scheme": settings.scheme,
        });
        write!(
            self.out,
            "{{\n\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\
             \"tool\": {tool},\n\"columnKind\": \"utf16CodeUnits\",\n\"originalUriBaseIds\": {bases},\n\
             \"properties\": {properties},\n\"results\": ["
        )
    }

    fn pair(&mut self, pair: &Pair<'_>) -> io::Result<()> {
        if !pair.is_finding() {
            return Ok(());
        }
        let (file, other) = sides(pair);
        let names = [file, other].map(|file| self.anchor.name(file.path));
        let identity = identity(&names[0], &names[1]);
        let message = format!(
            "{} of [{}](1): {}",
            capital(title(pair.kind)),
            in_message(&escape(&names[1])),
            figures(pair)
        );
        let result = json!({
            "ruleId": rule_id(pair.kind),
            "ruleIndex": u8::from(pair.kind == Kind::Near),
            "level": level(pair.kind),
            "message": {"text": message},
            "locations": [{"physicalLocation": self.location(file)}],
            "relatedLocations": [{
                "id": 1,
                "message": {"text": "the other file"},
                "physicalLocation": self.location(other),
            }],
            // The first is the key by which GitHub tells alerts apart.
            "partialFingerprints": {"primaryLocationLineHash": identity, "simdupPair/v1": identity},
            "properties": {
                "distance": pair.distance,
                "similarity": pair.similarity.map(four_decimals),
                "containment": pair.containment.map(four_decimals),
            },
        });
        let separator = if self.empty { "\n" } else { ",\n" };
        self.empty = false;
        write!(self.out, "{separator}{result}")
    }

    fn group(&mut self, _group: &Group<'_>) -> io::Result<()> {
        Err(pairs_only("sarif"))
    }

    fn finish(&mut self, outcome: &Outcome) -> io::Result<()> {
        let notifications: Vec<Value> = outcome
            .failures
            .iter()
            .map(|failure| {
                let name = self.anchor.name(&failure.path);
                let text = format!("{}: {}", escape(&name), failure.message);
                json!({"level": "error", "message": {"text": text}})
            })
            .collect();
        let invocations = json!([{
            "executionSuccessful": notifications.is_empty(),
            "toolExecutionNotifications": notifications,
        }]);
        let end = if self.empty { "" } else { "\n" };
        write!(
            self.out,
            "{end}],\n\"invocations\": {invocations}\n}}]\n}}\n"
        )?;
        self.out.flush()
    }
}

fn rule_id(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "exact-duplicate",
        Kind::Near => "near-duplicate",
    }
}

fn level(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "error",
        Kind::Near => "warning",
    }
}

fn rule(kind: Kind) -> Value {
    let (name, short, full) = match kind {
        Kind::Exact => (
            "ExactDuplicate",
            "Two files have the same bytes.",
            "The file has the same bytes as the related file.",
        ),
        Kind::Near => (
            "NearDuplicate",
            "Two files say nearly the same.",
            "The file is a near-duplicate of the related file: most of their words and word pairs are the same.",
        ),
    };
    let help = "Keep one of the two files, or make the parts that differ on purpose the only ones that differ. \
                If they belong together, add an [[allow]] entry with a reason to simdup.toml; \
                if the pair is old, accept it with: simdup check --update-baseline";
    let markdown = "Keep one of the two files, or make the parts that differ on purpose the only ones that differ. \
                    If they belong together, add an `[[allow]]` entry with a reason to `simdup.toml`; \
                    if the pair is old, accept it with `simdup check --update-baseline`.";
    json!({
        "id": rule_id(kind),
        "name": name,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": help, "markdown": markdown},
        "defaultConfiguration": {"level": level(kind)},
        "properties": {"tags": ["maintainability", "duplication"]},
    })
}

/// A name as a URI reference: everything but unreserved characters and `/` is percent-encoded. A
/// colon is, too, so that `a:b` is no scheme.
fn encode(name: &[u8]) -> String {
    let mut uri = String::with_capacity(name.len());
    for &byte in name {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Text of a link in a SARIF message: brackets and backslashes are escaped.
fn in_message(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn capital(text: &str) -> String {
    let mut text = text.to_string();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_encoded_byte_by_byte() {
        assert_eq!(encode(b"docs/a b.md"), "docs/a%20b.md");
        assert_eq!(encode("\u{e9}".as_bytes()), "%C3%A9");
        assert_eq!(encode(b"\xff%#?\\:"), "%FF%25%23%3F%5C%3A");
    }

    #[test]
    fn link_texts_cannot_end_the_link() {
        assert_eq!(in_message("a](2)[b\\"), "a\\](2)\\[b\\\\");
    }
}
