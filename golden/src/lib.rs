//! Which sessions are worth keeping as truth? Mining, redaction, review and export of golden data.
