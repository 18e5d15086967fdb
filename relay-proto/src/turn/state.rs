//! One turn from its first frame to its last.

use std::collections::BTreeMap;

use crate::frame::{AgentBody, Question, Reply, ReplyCounts, ReplyPartial, ToolStart, TurnDone, TurnStatus};
use crate::limits::Limits;
use crate::policy::{ASK_USER, Message, MessageOrigin, is_shell_tool};
use crate::text::cut_units;

use super::happening::{Happening, TurnEnd};

/// Which hook announced a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announcer {
    BeforeToolCall,
    ReplyOptions,
}

#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) origin: MessageOrigin,
    pub(super) message: Message,
    pub(super) session_key: String,
    pub(super) agent_id: String,
    pub(super) started_at: Option<u64>,
    pub(super) done_at: Option<u64>,
    /// When the next heartbeat is due.
    pub(super) progress_due: Option<u64>,
    /// `turn.usage` is out, or would be.
    pub(super) reported: bool,
    /// Nothing runs for it any more.
    pub(super) released: bool,
    pub(super) status: TurnStatus,
    pub(super) tool_calls: u64,
    replies: ReplyCounts,
    /// The end of the last partial was not shown.
    held_back: bool,
    /// Starts by tool name: announced by each hook, and sent.
    starts: BTreeMap<String, (u64, u64)>,
}

impl Turn {
    pub(super) fn new(
        origin: MessageOrigin,
        message: Message,
        session_key: String,
        agent_id: String,
    ) -> Self {
        Self {
            origin,
            message,
            session_key,
            agent_id,
            started_at: None,
            done_at: None,
            progress_due: None,
            reported: false,
            released: false,
            status: TurnStatus::Ok,
            tool_calls: 0,
            replies: ReplyCounts::default(),
            held_back: false,
            starts: BTreeMap::new(),
        }
    }

    /// The frame for something that happened, if there is one. Nothing follows `turn.done`.
    pub(super) fn frame(&mut self, happening: Happening, limits: &Limits) -> Option<AgentBody> {
        if self.done_at.is_some() {
            return None;
        }
        let turn = self.message.turn();
        Some(match happening {
            Happening::Partial { text, delta, replace } => {
                let hidden = self.hides(&text);
                let mut text = self.scrub(text);
                let kept = self.before_token(&text);
                // A delta continues what was shown, and that was, or is now, another text.
                let continues = !hidden && kept == text.len() && !self.held_back;
                self.held_back = kept < text.len();
                text.truncate(kept);
                AgentBody::ReplyPartial(ReplyPartial {
                    turn,
                    text: Some(text),
                    delta: delta.filter(|_| continues),
                    replace,
                    from: None,
                })
            }
            Happening::ToolStart { name, params } => {
                let command =
                    params.as_ref().and_then(|params| params.get("command")).and_then(|value| value.as_str());
                return self.tool_start(&name, command, Announcer::ReplyOptions, limits);
            }
            Happening::Choices(questions) if !questions.is_empty() => {
                AgentBody::Choices(turn, questions.into_iter().map(|one| self.scrub_question(one)).collect())
            }
            Happening::Reply { text, kind, media_urls } => {
                self.replies.add(&kind);
                let media_urls = media_urls.into_iter().map(|url| self.scrub(url)).collect();
                AgentBody::Reply(Reply { turn, text: self.scrub(text), kind, media_urls })
            }
            Happening::Choices(_) | Happening::Usage(_) | Happening::Done(_) => return None,
        })
    }

    /// Each hook announces each call once, so the calls of one tool are as many as the busier hook has announced.
    pub(super) fn tool_start(
        &mut self,
        name: &str,
        command: Option<&str>,
        by: Announcer,
        limits: &Limits,
    ) -> Option<AgentBody> {
        if self.done_at.is_some() {
            return None;
        }
        let (hook, host) = self.starts.entry(name.to_owned()).or_default();
        let before = *hook.max(host);
        match by {
            Announcer::BeforeToolCall => *hook += 1,
            Announcer::ReplyOptions => *host += 1,
        }
        if *hook.max(host) == before {
            return None;
        }
        self.tool_calls += 1;
        if name == ASK_USER {
            return None;
        }
        let command = command.filter(|_| is_shell_tool(name)).map(|command| {
            // Cut first, a part of the token could stay at the end.
            let command = self.scrub(command.to_owned());
            let shown = cut_units(&command, limits.command_units);
            if shown.len() < command.len() { format!("{shown}…") } else { command }
        });
        Some(AgentBody::ToolStart(ToolStart { turn: self.message.turn(), name: name.to_owned(), command }))
    }

    /// The `turn.done` of this turn; only the first end counts.
    pub(super) fn end(&mut self, end: TurnEnd, now: u64) -> Option<TurnDone> {
        if self.done_at.is_some() {
            return None;
        }
        self.done_at = Some(now);
        let (status, error, reason) = match end {
            TurnEnd::Ok => (TurnStatus::Ok, None, None),
            TurnEnd::Dropped(reason) => (TurnStatus::Dropped, None, reason.map(|reason| self.scrub(reason))),
            TurnEnd::Error(error) => (TurnStatus::Error, Some(self.scrub(error)), None),
            TurnEnd::Aborted => (TurnStatus::Aborted, None, None),
        };
        self.status = status.clone();
        Some(TurnDone {
            turn: self.message.turn(),
            status,
            error,
            reason,
            session_key: Some(self.session_key.clone()),
            agent_id: Some(self.agent_id.clone()),
            replies: Some(self.replies),
        })
    }

    pub(super) fn duration_ms(&self) -> u64 {
        match (self.started_at, self.done_at) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => 0,
        }
    }

    /// The user's token has no business in any text, whatever a tool printed.
    fn scrub(&self, text: String) -> String {
        match &self.message.credential {
            Some(credential) if self.hides(&text) => text.replace(credential.token.expose(), "***"),
            _ => text,
        }
    }

    fn scrub_question(&self, mut question: Question) -> Question {
        let Question { id: _, header, question: words, options, multi_select: _, extra: _ } = &mut question;
        let options =
            options.iter_mut().flat_map(|option| [Some(&mut option.label), option.description.as_mut()]);
        for text in [Some(header), Some(words)].into_iter().chain(options).flatten() {
            *text = self.scrub(std::mem::take(text));
        }
        question
    }

    /// The token, unless it is so short that ordinary words would go with it.
    fn token(&self) -> Option<&str> {
        let token = self.message.credential.as_ref()?.token.expose();
        (token.len() >= 8).then_some(token)
    }

    fn hides(&self, text: &str) -> bool {
        self.token().is_some_and(|token| text.contains(token))
    }

    /// How much of a text that is still being written can be shown: what may be the beginning of the token waits until
    /// more is there.
    fn before_token(&self, text: &str) -> usize {
        let Some(token) = self.token() else { return text.len() };
        let beginnings = token.char_indices().map(|(at, _)| at).filter(|at| *at >= 4).rev();
        let beginning = beginnings.filter_map(|at| token.get(..at)).find(|part| text.ends_with(part));
        text.len() - beginning.map_or(0, str::len)
    }
}
