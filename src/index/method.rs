//! The methods of the index, by name.

use crate::error::Error;

/// The environment variable that forces a method, for tests and bug reports.
const VARIABLE: &str = "SIMDUP_INDEX";

/// How pairs are searched. The choice never changes the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Sort, and look at equal neighbours: serves distance 0 only.
    Sort,
    /// The classic four blocks of 16 bits; above distance 3 with radii.
    FourBlocks,
    /// As many blocks as pay, with radii.
    Blocks,
    /// Compare every two.
    AllPairs,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::Sort, Self::FourBlocks, Self::Blocks, Self::AllPairs];

    /// The word for it in `SIMDUP_INDEX`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sort => "sort",
            Self::FourBlocks => "four-blocks",
            Self::Blocks => "blocks",
            Self::AllPairs => "all-pairs",
        }
    }

    /// The method that the environment variable `SIMDUP_INDEX` forces, if any.
    ///
    /// # Errors
    /// [`Error::Argument`] for a word that names no method.
    pub fn from_env() -> Result<Option<Self>, Error> {
        let Some(value) = std::env::var_os(VARIABLE) else {
            return Ok(None);
        };
        let word = value.to_string_lossy();
        Self::parse(&word).map(Some)
    }

    fn parse(word: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|method| word == method.as_str())
            .ok_or_else(|| Error::Argument {
                argument: VARIABLE.to_string(),
                message: format!(
                    "{word}: no such method; known are {}",
                    Self::ALL.map(Self::as_str).join(", ")
                ),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_methods() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.as_str()).unwrap(), method);
        }
        let error = Method::parse("hash").unwrap_err().to_string();
        assert!(error.contains("hash") && error.contains("four-blocks"));
    }
}
