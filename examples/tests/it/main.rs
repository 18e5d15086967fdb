//! The tests of the programs and of what they share.

mod scores_plugin;
