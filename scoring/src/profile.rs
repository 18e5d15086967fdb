//! Which set of rules gave a number, and what the number is about.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// A named set of scoring rules. Numbers of different profiles mean different things and are never averaged together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// The rules of this crate.
    #[default]
    Default,
    /// The numbers of the session-scorer plugin 1.0.3, bit for bit.
    SessionScorerV1,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Default, Self::SessionScorerV1];

    /// The name used in files and on command lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::SessionScorerV1 => "session_scorer_v1",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = Error;

    /// Reads a name as [`Profile::as_str`] writes it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownName`](crate::ErrorKind::UnknownName) for any other text; the message lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        named("profile", &Self::ALL, |one| one.as_str(), text)
    }
}

/// The one of `all` that has this name.
pub(crate) fn named<T: Copy>(
    what: &str,
    all: &[T],
    name: impl Fn(&T) -> &'static str + Copy,
    text: &str,
) -> Result<T, Error> {
    all.iter().copied().find(|one| name(one) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(name).collect();
        let message = format!("no {what} is named {text:?}; there are {}", names.join(", "));
        Error::new(ErrorKind::UnknownName, message)
    })
}

/// One of the four things a session is scored on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Did the agent check its work?
    Accuracy,
    /// Did it finish?
    Completeness,
    /// Did it need correcting?
    Autonomy,
    /// Did it stay out of loops?
    Consistency,
}

impl Dimension {
    /// All four, in the order in which they are written and printed.
    pub const ALL: [Self; 4] = [Self::Accuracy, Self::Completeness, Self::Autonomy, Self::Consistency];

    /// The name used in files and on command lines, lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Completeness => "completeness",
            Self::Autonomy => "autonomy",
            Self::Consistency => "consistency",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dimension {
    type Err = Error;

    /// Reads a name as [`Dimension::as_str`] writes it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownName`](crate::ErrorKind::UnknownName) for any other text; the message lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        named("dimension", &Self::ALL, |one| one.as_str(), text)
    }
}

/// One value for each dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerDimension<T> {
    /// For [`Dimension::Accuracy`].
    pub accuracy: T,
    /// For [`Dimension::Completeness`].
    pub completeness: T,
    /// For [`Dimension::Autonomy`].
    pub autonomy: T,
    /// For [`Dimension::Consistency`].
    pub consistency: T,
}

impl<T> PerDimension<T> {
    /// Asks `value` once for each dimension, in the order of [`Dimension::ALL`].
    pub fn from_fn(mut value: impl FnMut(Dimension) -> T) -> Self {
        Self {
            accuracy: value(Dimension::Accuracy),
            completeness: value(Dimension::Completeness),
            autonomy: value(Dimension::Autonomy),
            consistency: value(Dimension::Consistency),
        }
    }

    /// The value of one dimension.
    pub const fn get(&self, dimension: Dimension) -> &T {
        match dimension {
            Dimension::Accuracy => &self.accuracy,
            Dimension::Completeness => &self.completeness,
            Dimension::Autonomy => &self.autonomy,
            Dimension::Consistency => &self.consistency,
        }
    }

    /// The value of one dimension, to change it.
    pub const fn get_mut(&mut self, dimension: Dimension) -> &mut T {
        match dimension {
            Dimension::Accuracy => &mut self.accuracy,
            Dimension::Completeness => &mut self.completeness,
            Dimension::Autonomy => &mut self.autonomy,
            Dimension::Consistency => &mut self.consistency,
        }
    }

    /// The four values with their dimensions, in the order of [`Dimension::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Dimension, &T)> {
        Dimension::ALL.into_iter().map(|dimension| (dimension, self.get(dimension)))
    }
}
