//! How good was an OpenClaw session? Four deterministic scores, with the evidence for each.
