//! The clock. Libraries get the time as an argument; programs read it here.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// Now.
#[must_use]
pub fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
