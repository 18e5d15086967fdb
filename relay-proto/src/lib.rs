//! How do agent and platform talk?
#![allow(dead_code)]
mod client;
mod error;
mod frame;
mod http;
mod id;
mod json;
mod limits;
mod log;
mod outbox;
mod policy;
mod resume;
mod secret;
mod server;
mod text;
mod time;
mod turn;

pub use client::*;
pub use error::{Error, ErrorKind};
pub use frame::*;
pub use http::*;
pub use id::{Id, TurnRef};
pub use json::Extra;
pub use limits::Limits;
pub use log::{Level, LogLine};
pub use outbox::{DropReport, Outbox, OutboxLimits};
pub use policy::*;
pub use resume::RESUME_CAPABILITY;
pub use secret::{Keys, Secret};
pub use server::*;
pub use time::Now;
pub use turn::*;
