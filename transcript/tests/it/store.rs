//! Every form in which sessions stand on a disk.

#[cfg(feature = "sqlite")]
mod damage;
#[cfg(feature = "sqlite")]
mod eras;
mod names;
#[cfg(feature = "sqlite")]
mod recorded;
#[cfg(feature = "sqlite")]
mod safe;
#[cfg(feature = "sqlite")]
mod support;
#[cfg(feature = "sqlite")]
mod watching;
