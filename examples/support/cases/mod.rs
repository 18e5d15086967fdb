//! What the case runner of `edd` is made of: the agent program, stored sessions, the workspace.

pub mod agent;
pub mod sessions;
pub mod workspace;
