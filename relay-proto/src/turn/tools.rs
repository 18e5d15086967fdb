//! What becomes of a tool call in a chat session, decided before it runs.

use serde_json::Value;

use super::happening::Happening;
use super::queue::TurnQueue;
use super::state::Announcer;
use crate::policy::{ASK_USER, AskUser, is_shell_tool};

/// The answer to a `before_tool_call` hook.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolDecision {
    /// The call is not made; the model is told the reason.
    Block {
        /// For the model.
        reason: String,
    },
    /// The call goes on with its own parameters.
    Proceed,
    /// The call goes on with these parameters.
    ProceedWith(Value),
}

impl TurnQueue {
    /// Decides on a tool call: private data first, then questions to the user, then the credential of shell tools.
    /// Sends `choices` or `tool.start` for the turn that runs in this session.
    ///
    /// Sessions of other channels are only guarded, otherwise left alone.
    pub fn before_tool_call(
        &mut self,
        session_key: &str,
        tool: &str,
        params: Option<&Value>,
    ) -> ToolDecision {
        if let Some(refusal) = self.guard().check(session_key, params) {
            let reason = refusal.reason().to_owned();
            self.warn(&refusal.to_string());
            return ToolDecision::Block { reason };
        }
        let running = self.sessions().running(session_key);
        if running.is_none() && !is_chat_session(session_key) {
            return ToolDecision::Proceed;
        }
        let command =
            params.and_then(|params| params.get("command")).and_then(Value::as_str).map(str::to_owned);
        self.announce(running, tool, command.as_deref(), Announcer::BeforeToolCall);
        if tool == ASK_USER {
            let AskUser { questions, reason } = AskUser::from_params(params);
            if let Some(turn) = running {
                self.happened_without_end(turn, Happening::Choices(questions));
            }
            return ToolDecision::Block { reason };
        }
        if !is_shell_tool(tool) {
            return ToolDecision::Proceed;
        }
        if self.sessions().is_mixed(session_key) {
            self.warn(&format!(
                "no credential for a shell tool of {session_key}: turns of several people run in it"
            ));
        }
        let env = self.sessions().env(session_key).cloned().unwrap_or_default();
        let changed = env.apply(params);
        if params == Some(&changed) { ToolDecision::Proceed } else { ToolDecision::ProceedWith(changed) }
    }

    /// The context block for the system prompt of a session (`before_prompt_build`).
    #[must_use]
    pub fn context(&self, session_key: &str) -> Option<&str> {
        self.sessions().context(session_key)
    }

    /// The environment of shell tools in a session; `None` when no chat turn ran in it, or several people's at once.
    #[must_use]
    pub fn exec_env(&self, session_key: &str) -> Option<&crate::policy::ExecEnv> {
        self.sessions().env(session_key)
    }

    /// Who asked last in a session, and in which conversation.
    #[must_use]
    pub fn sender(&self, session_key: &str) -> Option<(&crate::frame::Sender, &crate::id::Id)> {
        self.sessions().sender(session_key).map(|(sender, conversation)| (sender, conversation))
    }
}

fn is_chat_session(session_key: &str) -> bool {
    matches!(session_key.split(':').collect::<Vec<_>>().as_slice(), ["agent", _, "benchgen", "direct", ..])
}
