//! How do agent and platform talk? The chat relay protocol, version 1, as a codec and sans-IO state machines.
