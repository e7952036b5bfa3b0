//! Records → the fields of JSON objects, the same for the whole report and for its lines.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::record::{
    Failure, File, Fingerprinted, Group, Member, Pair, Settings, Side, SkipReason, Skipped, Summary,
};
use crate::report::path::bytes_base64;

/// Version of the JSON reports; a change that could break a reader raises it.
pub const SCHEMA: u32 = 1;

/// A record with named fields, in the order of the report.
pub(crate) trait Fields {
    /// Writes every field.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// A record as a JSON object.
pub(crate) struct Object<'a, T>(pub(crate) &'a T);

impl<T: Fields> Serialize for Object<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write(&mut map)?;
        map.end()
    }
}

/// A record as an object that tells its type first.
pub(crate) struct Line<'a, T>(pub(crate) &'static str, pub(crate) &'a T);

impl<T: Fields> Fields for Line<'_, T> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("type", self.0)?;
        self.1.write(map)
    }
}

/// Writes a record as one line of JSON.
pub(crate) fn write_line(
    out: &mut impl io::Write,
    line_type: &'static str,
    record: &impl Fields,
) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Object(&Line(line_type, record)))?;
    out.write_all(b"\n")
}

/// The name and version of the program.
pub(crate) fn tool() -> Value {
    serde_json::json!({"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")})
}

/// A ratio with four decimals: more would be noise, and would make reports differ in it.
pub(super) fn four_decimals(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

/// A ratio from 0 to 1 that displays as [`four_decimals`], all of them. The standard library would
/// print each of a million ratios with arithmetic of any length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio(pub(super) f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = (self.0 * 1e4).round() as u32;
        let mut text = *b"0.0000";
        for place in [5, 4, 3, 2, 0] {
            text[place] += (rest % 10) as u8;
            rest /= 10;
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// A path, with U+FFFD where it is not UTF-8.
struct Lossy<'a>(&'a Path);

impl Serialize for Lossy<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string_lossy())
    }
}

/// Writes `key`, and `bytes_key` where the path is not UTF-8.
pub(super) fn path<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    bytes_key: &'static str,
    path: &Path,
) -> Result<(), M::Error> {
    map.serialize_entry(key, &Lossy(path))?;
    match bytes_base64(path) {
        Some(bytes) => map.serialize_entry(bytes_key, &bytes),
        None => Ok(()),
    }
}

/// Writes a list of paths, and beside it a list of their base64 forms (null for what is UTF-8)
/// where one is needed.
fn paths<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    bytes_key: &'static str,
    paths: &[PathBuf],
) -> Result<(), M::Error> {
    let lossy: Vec<_> = paths.iter().map(|path| Lossy(path)).collect();
    map.serialize_entry(key, &lossy)?;
    let bytes: Vec<_> = paths.iter().map(|path| bytes_base64(path)).collect();
    if bytes.iter().any(Option::is_some) {
        map.serialize_entry(bytes_key, &bytes)?;
    }
    Ok(())
}

/// Writes the further names of a file, if it has any.
fn links<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    bytes_key: &'static str,
    file: File<'_>,
) -> Result<(), M::Error> {
    if file.links.is_empty() {
        return Ok(());
    }
    paths(map, key, bytes_key, file.links)
}

impl Fields for Settings {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("distance", &self.distance)?;
        map.serialize_entry("similarity", &self.similarity)?;
        map.serialize_entry("candidate_distance", &self.candidate_distance)?;
        map.serialize_entry("scheme", &self.scheme)?;
        paths(map, "roots", "roots_bytes", &self.roots)
    }
}

impl Fields for Pair<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        path(map, "a", "a_bytes", self.a.path)?;
        links(map, "a_links", "a_links_bytes", self.a)?;
        path(map, "b", "b_bytes", self.b.path)?;
        links(map, "b_links", "b_links_bytes", self.b)?;
        map.serialize_entry("kind", self.kind.as_str())?;
        map.serialize_entry("distance", &self.distance)?;
        map.serialize_entry("similarity", &self.similarity.map(four_decimals))?;
        map.serialize_entry("containment", &self.containment.map(four_decimals))?;
        if let Some(side) = self.known {
            let side = match side {
                Side::A => "a",
                Side::B => "b",
            };
            map.serialize_entry("known", side)?;
        }
        if let Some(status) = self.status {
            map.serialize_entry("status", status.as_str())?;
        }
        Ok(())
    }
}

impl Fields for Member<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        path(map, "path", "path_bytes", self.file.path)?;
        links(map, "links", "links_bytes", self.file)?;
        map.serialize_entry("representative", &self.representative)
    }
}

impl Fields for Group<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let files: Vec<_> = self.files.iter().map(Object).collect();
        map.serialize_entry("files", &files)?;
        map.serialize_entry("kind", self.kind.as_str())?;
        map.serialize_entry("max_distance", &self.max_distance)?;
        map.serialize_entry("min_similarity", &self.min_similarity.map(four_decimals))?;
        map.serialize_entry("bounds_exact", &self.bounds_exact)
    }
}

impl Fields for Fingerprinted<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        path(map, "path", "path_bytes", self.file.path)?;
        links(map, "links", "links_bytes", self.file)?;
        map.serialize_entry("fingerprint", &self.fingerprint.map(|f| f.to_string()))?;
        map.serialize_entry("features", &self.features)
    }
}

impl Fields for Skipped {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        path(map, "path", "path_bytes", &self.path)?;
        map.serialize_entry("reason", self.reason.as_str())
    }
}

impl Fields for Failure {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        path(map, "path", "path_bytes", &self.path)?;
        map.serialize_entry("code", self.code)?;
        map.serialize_entry("message", &self.message)
    }
}

impl Fields for Summary {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("files", &self.files)?;
        map.serialize_entry("bytes", &self.bytes)?;
        map.serialize_entry("fingerprinted", &self.fingerprinted)?;
        map.serialize_entry("failed", &self.failed)?;
        map.serialize_entry("pairs", &self.pairs)?;
        map.serialize_entry("exact_pairs", &self.exact_pairs)?;
        map.serialize_entry("groups", &self.groups)?;
        map.serialize_entry("skipped", &Object(&self.skipped))?;
        map.serialize_entry("errors", &self.errors)?;
        map.serialize_entry("truncated", &self.truncated)
    }
}

impl Fields for [u64; SkipReason::ALL.len()] {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (reason, count) in SkipReason::ALL.iter().zip(self) {
            map.serialize_entry(reason.as_str(), count)?;
        }
        Ok(())
    }
}

/// What opens a report of lines: schema and program, then the settings.
pub(crate) struct Opening<'a, T>(pub(crate) &'a T);

impl<T: Fields> Fields for Opening<'_, T> {
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("schema", &SCHEMA)?;
        map.serialize_entry("tool", &tool())?;
        self.0.write(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ratios_display_as_the_rounded_number(a in 0..=2_000_u32, more in 0..2_000_u32) {
            let ratio = f64::from(a) / f64::from((a + more).max(1));
            let expected = format!("{:.4}", four_decimals(ratio));
            prop_assert_eq!(Ratio(ratio).to_string(), expected);
        }
    }
}
