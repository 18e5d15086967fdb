//! What happened in an OpenClaw session? Reads every form in which OpenClaw stores one into a lossless model.

mod speaker;

pub use speaker::{
    AssistantInput, AssistantOrigin, BlockKind, CronJob, Envelope, EnvelopeBlock, HEARTBEAT_ACK_CHARS,
    NotTyped, QuotedMessage, SilentToken, SpokenReply, TypedLimits, TypedText, UserInput, UserOrigin,
    UserText, classify_assistant, classify_user, is_heartbeat_ack, spoken_reply, typed_text,
};
