//! openclaw-edd's texts.
