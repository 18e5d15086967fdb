//! What the signs of failure are worth.

use serde::{Deserialize, Serialize};

use crate::signs::SignName;

/// Points out of 100 that each sign adds to the risk at its full strength; 0 leaves it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RiskWeights {
    /// [`SignName::UnresolvedErrors`].
    pub unresolved_errors: u8,
    /// [`SignName::NoSuccessfulChange`].
    pub no_successful_change: u8,
    /// [`SignName::NoCalls`].
    pub no_calls: u8,
    /// [`SignName::Retries`].
    pub retries: u8,
    /// [`SignName::Inability`].
    pub inability: u8,
    /// [`SignName::Hedge`].
    pub hedge: u8,
    /// [`SignName::Apology`].
    pub apology: u8,
    /// [`SignName::RepeatedCalls`].
    pub repeated_calls: u8,
    /// [`SignName::LongText`]: needs a baseline.
    pub long_text: u8,
    /// [`SignName::ManyCalls`]: needs a baseline.
    pub many_calls: u8,
}

impl RiskWeights {
    /// The measured weights of the eight signs without length.
    pub const WITHOUT_LENGTH: Self = Self {
        unresolved_errors: 25,
        no_successful_change: 20,
        no_calls: 20,
        retries: 20,
        inability: 10,
        hedge: 10,
        apology: 10,
        repeated_calls: 10,
        long_text: 0,
        many_calls: 0,
    };

    /// The measured weights where a baseline tells how much work a session was.
    pub const WITH_LENGTH: Self = Self {
        unresolved_errors: 20,
        no_successful_change: 20,
        no_calls: 20,
        retries: 0,
        inability: 0,
        hedge: 0,
        apology: 15,
        repeated_calls: 0,
        long_text: 20,
        many_calls: 10,
    };

    /// The points of one sign.
    #[must_use]
    pub const fn get(&self, sign: SignName) -> u8 {
        match sign {
            SignName::UnresolvedErrors => self.unresolved_errors,
            SignName::NoSuccessfulChange => self.no_successful_change,
            SignName::NoCalls => self.no_calls,
            SignName::Retries => self.retries,
            SignName::Inability => self.inability,
            SignName::Hedge => self.hedge,
            SignName::Apology => self.apology,
            SignName::RepeatedCalls => self.repeated_calls,
            SignName::LongText => self.long_text,
            SignName::ManyCalls => self.many_calls,
        }
    }

    /// Sets the points of one sign.
    pub const fn set(&mut self, sign: SignName, points: u8) {
        match sign {
            SignName::UnresolvedErrors => self.unresolved_errors = points,
            SignName::NoSuccessfulChange => self.no_successful_change = points,
            SignName::NoCalls => self.no_calls = points,
            SignName::Retries => self.retries = points,
            SignName::Inability => self.inability = points,
            SignName::Hedge => self.hedge = points,
            SignName::Apology => self.apology = points,
            SignName::RepeatedCalls => self.repeated_calls = points,
            SignName::LongText => self.long_text = points,
            SignName::ManyCalls => self.many_calls = points,
        }
    }
}
