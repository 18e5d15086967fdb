//! Every bound that input could otherwise grow.

/// Bounds on what one frame or request may hold.
///
/// Text is measured in UTF-16 code units, as the platform and the gateway (both JavaScript) measure it;
/// a cut never splits a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest text of a `message`, in UTF-16 units. A longer one is refused, not cut. Default 200,000.
    pub text_units: usize,
    /// Longest context block, in UTF-16 units. A longer one is cut. Default 8,000.
    pub context_units: usize,
    /// Longest user token, in UTF-16 units. A longer one is dropped. Default 512.
    pub token_units: usize,
    /// Longest conversation, message, agent or sender id and name, in UTF-16 units. Default 1,024.
    pub id_units: usize,
    /// Longest shell command shown in a `tool.start`, in UTF-16 units. A longer one is cut. Default 8,000.
    pub command_units: usize,
    /// Largest HTTP request body, in bytes. Default 1,000,000.
    pub body_bytes: usize,
    /// Largest WebSocket frame, in bytes. Default 4 MiB: a text at its limit, escaped, needs 2.4 MB.
    pub frame_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_units: 200_000,
            context_units: 8_000,
            token_units: 512,
            id_units: 1_024,
            command_units: 8_000,
            body_bytes: 1_000_000,
            frame_bytes: 4 << 20,
        }
    }
}
