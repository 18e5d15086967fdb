//! Slash commands: what a person says to OpenClaw, not to the agent.

/// Commands that OpenClaw answers itself, whatever follows them.
const CONTROL: [&str; 44] = [
    "help",
    "commands",
    "status",
    "context",
    "usage",
    "whoami",
    "id",
    "stop",
    "abort",
    "restart",
    "new",
    "reset",
    "compact",
    "config",
    "debug",
    "allowlist",
    "approve",
    "subagents",
    "kill",
    "agents",
    "model",
    "models",
    "queue",
    "activation",
    "send",
    "tts",
    "think",
    "thinking",
    "t",
    "verbose",
    "v",
    "reasoning",
    "reason",
    "elevated",
    "elev",
    "exec",
    "trace",
    "fast",
    "plugins",
    "plugin",
    "mcp",
    "export-session",
    "export",
    "dock",
];

/// How many words may follow a command before the line is a request that happens to begin with one
/// (`/new plan the week with me ...` starts a session with that request).
const MAX_ARGUMENTS: usize = 4;

/// The name of the slash command that `text` is. `context_free` is OpenClaw's own mark (`__openclaw.contextFreeCommand`).
pub(super) fn parse(text: &str, context_free: bool) -> Option<String> {
    let line = text.trim();
    let body = line.strip_prefix('/')?;
    let mut words = body.split_whitespace();
    let first = words.next()?;
    if !body.starts_with(first) {
        return None;
    }
    let name = first.split(['@', ':']).next().unwrap_or(first).to_ascii_lowercase();
    let shaped = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    if !shaped {
        return None;
    }
    let limit = match name.as_str() {
        // One word may name a model; more are the first request of the new session.
        "new" | "reset" => 1,
        "compact" => usize::MAX,
        _ => MAX_ARGUMENTS,
    };
    let known = CONTROL.contains(&name.as_str());
    let short = !line.contains('\n') && words.count() <= limit;
    (context_free || (known && short)).then_some(name)
}
