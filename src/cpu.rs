//! Which instruction set the kernels use.
//!
//! Every kernel of the library has a portable form and, on x86-64, forms for AVX2 and AVX-512. All
//! give the same result; only the speed differs. The choice is made once for the process: the best
//! level the processor has, or the one that the environment variable `SIMDUP_KERNEL` names
//! (`portable`, `avx2`, `avx512`), which is meant for tests and bug reports. The library ignores a
//! name that is not known and a level that the processor lacks; the command line refuses them with
//! [`Level::forced`].

use std::sync::OnceLock;

use crate::error::Error;

/// Name of the environment variable that forces a level.
const VARIABLE: &str = "SIMDUP_KERNEL";

/// An instruction set that kernels are written for, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust; runs everywhere.
    Portable,
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// [`Level::Avx2`] and AVX-512 F, BW, CD, DQ, VL, VBMI, VBMI2, VPOPCNTDQ and BITALG.
    Avx512,
}

impl Level {
    /// All levels, worst first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The name that `SIMDUP_KERNEL` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has every instruction of the level.
    #[cfg(target_arch = "x86_64")]
    pub fn is_available(self) -> bool {
        macro_rules! has {
            ($($feature:tt),+) => { $(is_x86_feature_detected!($feature))&&+ };
        }
        match self {
            Self::Portable => true,
            Self::Avx2 => has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt"),
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && has!(
                        "avx512f",
                        "avx512bw",
                        "avx512cd",
                        "avx512dq",
                        "avx512vl",
                        "avx512vbmi",
                        "avx512vbmi2",
                        "avx512vpopcntdq",
                        "avx512bitalg"
                    )
            }
        }
    }

    /// Whether this processor has every instruction of the level.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn is_available(self) -> bool {
        self == Self::Portable
    }

    /// The levels this processor has, worst first; never empty.
    pub fn available() -> Vec<Self> {
        Self::ALL
            .into_iter()
            .filter(|level| level.is_available())
            .collect()
    }

    /// The level that `SIMDUP_KERNEL` names; `None` where it is not set.
    ///
    /// # Errors
    /// [`Error::Argument`] for a name that is not known or a level that this processor lacks.
    pub fn forced() -> Result<Option<Self>, Error> {
        std::env::var_os(VARIABLE)
            .map(|name| named(&name.to_string_lossy()))
            .transpose()
    }

    /// The level that this process uses: chosen at the first call, the same ever after.
    pub fn current() -> Self {
        static CURRENT: OnceLock<Level> = OnceLock::new();
        *CURRENT.get_or_init(|| choose(std::env::var(VARIABLE).ok().as_deref()))
    }
}

/// The level of this name.
fn named(name: &str) -> Result<Level, Error> {
    let fault = match Level::ALL.into_iter().find(|level| level.name() == name) {
        Some(level) if level.is_available() => return Ok(level),
        Some(_) => "this processor lacks it",
        None => "no such instruction set",
    };
    let available = Level::available();
    let names: Vec<&str> = available.iter().map(|level| level.name()).collect();
    Err(Error::Argument {
        argument: format!("{VARIABLE}={name}"),
        message: format!("{fault}; here it may be {}", names.join(" or ")),
    })
}

/// The level named by `forced` where the processor has it, else the best one.
fn choose(forced: Option<&str>) -> Level {
    let available = Level::available();
    available
        .iter()
        .copied()
        .find(|level| Some(level.name()) == forced)
        .or(available.last().copied())
        .unwrap_or(Level::Portable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_is_always_there() {
        assert_eq!(Level::available().first(), Some(&Level::Portable));
    }

    #[test]
    fn a_forced_level_wins_where_it_is_available() {
        for level in Level::available() {
            assert_eq!(choose(Some(level.name())), level);
        }
    }

    #[test]
    fn a_name_that_does_not_exist_is_refused() {
        for level in Level::available() {
            assert_eq!(named(level.name()).ok(), Some(level));
        }
        let error = named("mmx").unwrap_err().to_string();
        assert!(
            error
                .starts_with("SIMDUP_KERNEL=mmx: no such instruction set; here it may be portable"),
            "{error}"
        );
    }

    #[test]
    fn an_unknown_name_means_the_best_level() {
        let best = Level::available().last().copied();
        assert_eq!(Some(choose(Some("mmx"))), best);
        assert_eq!(Some(choose(None)), best);
    }
}
