//! Every form in which sessions stand on a disk.

mod names;
#[cfg(feature = "sqlite")]
mod recorded;
