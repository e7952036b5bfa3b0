//! Options → what a baseline records of those that decide which files are compared.
//!
//! With other filters, known pairs would seem to be gone, and an update would forget them: so a
//! baseline is for runs with its own filters. Only what differs from the defaults is recorded, under
//! the names of the options; the roots are recorded beside the filters, since a check of fewer roots
//! is a check.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::baseline::Name;
use crate::anchor::Anchor;
use crate::options::{Binary, DEFAULT_MIN_FEATURES, LoadOptions, Options, Source};
use crate::report::path::escape;
use crate::walk::is_tied;

/// The folder that globs with a slash are relative to, where it is not the baseline's; a list where
/// those of the configuration file and of the command line differ.
const GLOB_FOLDER: &str = "glob-folder";

/// The filters of a run, by option.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Filters(BTreeMap<String, Value>);

impl Filters {
    /// The filters of a run; `anchor` names files relative to the baseline's folder.
    pub fn of(options: &Options, anchor: &Anchor) -> Self {
        let Source::Files(walk) = &options.source else {
            return [("from-fingerprints", true.into())].into_iter().collect();
        };
        let load = options.load;
        let default = LoadOptions::default();
        let switch = |on: bool| on.then_some(Value::Bool(true));
        let list = |items: Vec<Value>| (!items.is_empty()).then_some(Value::Array(items));
        let of_file = walk.file_globs.iter();
        let globs: Vec<(&Path, &String)> = of_file
            .flat_map(|of_file| of_file.globs.iter().map(|glob| (&*of_file.folder, glob)))
            .chain(walk.globs.iter().map(|glob| (Path::new("."), glob)))
            .collect();
        let folders: Vec<Vec<u8>> = globs
            .iter()
            .filter(|(_, glob)| is_tied(glob))
            .map(|(folder, _)| anchor.name(folder))
            .collect();
        let mut references: Vec<Vec<u8>> = options
            .references
            .iter()
            .map(|reference| anchor.name(reference))
            .collect();
        references.sort();
        references.dedup();
        let filters = [
            (
                "binary",
                match load.binary {
                    Binary::Skip => None,
                    Binary::Exact => Some("exact".into()),
                    Binary::Text => Some("text".into()),
                },
            ),
            (
                "encoding",
                load.encoding.map(|encoding| encoding.name().into()),
            ),
            ("follow", switch(walk.follow)),
            (
                "glob",
                list(globs.iter().map(|(_, glob)| glob.as_str().into()).collect()),
            ),
            (GLOB_FOLDER, glob_folder(&folders)),
            ("hidden", switch(walk.hidden)),
            ("max-depth", walk.max_depth.map(Value::from)),
            ("max-size", load.max_size.map(Value::from)),
            (
                "min-features",
                (options.min_features != DEFAULT_MIN_FEATURES).then(|| options.min_features.into()),
            ),
            (
                "min-size",
                (load.min_size != default.min_size).then(|| load.min_size.into()),
            ),
            ("no-ignore", switch(walk.no_ignore)),
            ("one-file-system", switch(walk.one_file_system)),
            (
                "reference",
                list(references.iter().map(|name| Name::pack(name)).collect()),
            ),
        ];
        filters
            .into_iter()
            .filter_map(|(option, value)| Some((option, value?)))
            .collect()
    }

    /// The first option, by name, in which `run` differs from these, for people; `None` where they
    /// agree.
    pub fn difference(&self, run: &Self) -> Option<String> {
        let options = self.0.keys().chain(run.0.keys());
        let option = options
            .filter(|option| self.0.get(*option) != run.0.get(*option))
            .min()?;
        Some(format!(
            "made with {}, this run has {}",
            shown(option, self.0.get(option)),
            shown(option, run.0.get(option))
        ))
    }

    /// As the baseline holds them.
    pub(super) fn to_json(&self) -> Value {
        self.0.clone().into_iter().collect()
    }
}

/// The folder of all globs that are tied to one, or the folder of each; the baseline's own is not
/// recorded.
fn glob_folder(folders: &[Vec<u8>]) -> Option<Value> {
    let first = folders.first()?;
    if folders.iter().any(|folder| folder != first) {
        Some(folders.iter().map(|folder| Name::pack(folder)).collect())
    } else {
        (first != b".").then(|| Name::pack(first))
    }
}

/// An option and its value as on the command line.
fn shown(option: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Array(folders)) if option == GLOB_FOLDER => {
            let folders: Vec<String> = folders.iter().map(plain).collect();
            format!("globs relative to {}", folders.join(", "))
        }
        value if option == GLOB_FOLDER => {
            format!("globs relative to {}", value.map_or(".".to_string(), plain))
        }
        None => format!("no --{option}"),
        Some(Value::Bool(true)) => format!("--{option}"),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| shown(option, Some(item))).collect();
            items.join(" ")
        }
        Some(value) => format!("--{option} {}", plain(value)),
    }
}

/// A value without the signs of JSON, in quotes where a shell would want them.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text,
        Value::Object(name) => match name.get("path") {
            Some(Value::String(text)) => text,
            _ => return value.to_string(),
        },
        _ => return value.to_string(),
    };
    let text = escape(text.as_bytes());
    if text
        .chars()
        .all(|c| c.is_alphanumeric() || "./_-".contains(c))
    {
        text.into_owned()
    } else {
        format!("'{text}'")
    }
}

impl<'a> FromIterator<(&'a str, Value)> for Filters {
    fn from_iter<I: IntoIterator<Item = (&'a str, Value)>>(filters: I) -> Self {
        let owned = |(option, value): (&str, Value)| (option.to_string(), value);
        Self(filters.into_iter().map(owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::WalkOptions;

    fn filters(walk: WalkOptions, change: impl FnOnce(&mut Options)) -> Filters {
        let mut options = Options::new(Source::Files(walk));
        change(&mut options);
        Filters::of(&options, &Anchor::fixed("/repo/docs", "/repo"))
    }

    fn globs(globs: &[&str]) -> WalkOptions {
        WalkOptions {
            globs: globs.iter().map(ToString::to_string).collect(),
            ..WalkOptions::default()
        }
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_recorded() {
        assert_eq!(filters(WalkOptions::default(), |_| ()), Filters::default());
        let walk = WalkOptions {
            roots: vec!["x".into()],
            hidden: true,
            no_ignore: true,
            follow: true,
            one_file_system: true,
            max_depth: Some(0),
            ..globs(&["*.md", "!a/*"])
        };
        let all = filters(walk, |options| {
            options.min_features = 7;
            options.references = vec!["../old".into(), "known".into(), "/repo/docs/known".into()];
            options.load = LoadOptions {
                binary: Binary::Exact,
                encoding: Some(encoding_rs::KOI8_R),
                min_size: 0,
                max_size: Some(1 << 20),
            };
        });
        assert_eq!(
            all.to_json().to_string(),
            r#"{"binary":"exact","encoding":"KOI8-R","follow":true,"glob":["*.md","!a/*"],"glob-folder":"docs","hidden":true,"max-depth":0,"max-size":1048576,"min-features":7,"min-size":0,"no-ignore":true,"one-file-system":true,"reference":["docs/known","old"]}"#
        );
        let read: Filters = serde_json::from_value(all.to_json()).unwrap();
        assert_eq!(read, all);
    }

    #[test]
    fn a_difference_names_the_option_and_both_values() {
        let none = filters(WalkOptions::default(), |_| ());
        let globbed = filters(globs(&["*.md", "a.md"]), |_| ());
        let small = |size| filters(WalkOptions::default(), |o| o.load.max_size = Some(size));
        let lists = Filters::of(
            &Options::new(Source::Fingerprints(Vec::new())),
            &Anchor::fixed("/", "/"),
        );
        let told = |ours: &Filters, theirs: &Filters| ours.difference(theirs).unwrap();
        assert_eq!(globbed.difference(&globbed), None);
        assert_eq!(
            told(&none, &globbed),
            "made with no --glob, this run has --glob '*.md' --glob a.md"
        );
        assert_eq!(
            told(&globbed, &none),
            "made with --glob '*.md' --glob a.md, this run has no --glob"
        );
        assert_eq!(
            told(&small(5), &small(6)),
            "made with --max-size 5, this run has --max-size 6"
        );
        assert_eq!(
            told(&lists, &none),
            "made with --from-fingerprints, this run has no --from-fingerprints"
        );
        let of_file = |globs: &[&str], command_line: WalkOptions| {
            let file_globs = Some(crate::options::FileGlobs {
                folder: "/repo".into(),
                globs: globs.iter().map(ToString::to_string).collect(),
            });
            let walk = WalkOptions {
                file_globs,
                ..command_line
            };
            filters(walk, |_| ())
        };
        // The baseline's own folder needs no word.
        assert_eq!(
            of_file(&["a/*"], globs(&["!*.x"])).to_json().to_string(),
            r#"{"glob":["a/*","!*.x"]}"#
        );
        assert_eq!(
            told(
                &of_file(&["a/*"], globs(&["b/*"])),
                &filters(globs(&["a/*", "b/*"]), |_| ())
            ),
            "made with globs relative to ., docs, this run has globs relative to docs"
        );
        let elsewhere = Filters::of(
            &Options::new(Source::Files(globs(&["a/*"]))),
            &Anchor::fixed("/repo", "/repo"),
        );
        assert_eq!(
            told(&elsewhere, &filters(globs(&["a/*"]), |_| ())),
            "made with globs relative to ., this run has globs relative to docs"
        );
    }
}
