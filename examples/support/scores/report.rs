//! The answers for a person, for any profile.
