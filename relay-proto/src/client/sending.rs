//! What goes over the connection and when: hello first, then what waits, numbered if the platform agrees.

use super::core::Client;
use super::output::{ClientOutput, WireText};
use crate::frame::{Ack, AgentBody, AgentFrame, HelloAck};
use crate::id::TurnRef;
use crate::log::Level;
use crate::resume::Receiver;

/// Frames remembered as handed over and not confirmed.
const MAX_UNCONFIRMED: usize = 10_000;

/// What the last output polled for sending was, in case it fails.
#[derive(Debug, Clone)]
pub(super) enum LastSent {
    Nothing,
    Hello,
    Control,
    Plain(Box<AgentFrame>),
    Windowed,
}

/// Where the talks about the extension stand on this connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Talks {
    /// Version 1: send at once.
    Plain,
    /// `hello` offered it; nothing is sent before it is known whether the platform will number frames.
    Waiting {
        /// The platform is silent but alive: version 1 from here on.
        until: Option<u64>,
    },
    /// Agreed.
    Resumable,
}

impl Client {
    pub(super) fn next_send(&mut self) -> Option<ClientOutput> {
        let socket = self.link.open_socket()?;
        if self.blocked_until.is_some() {
            return None;
        }
        let text = match self.talks {
            Talks::Waiting { .. } => return None,
            Talks::Plain => {
                let frame = self.outbox.pop()?;
                self.not_confirmed(&frame);
                let text = frame.encode();
                self.last_sent = LastSent::Plain(Box::new(frame));
                text
            }
            Talks::Resumable => {
                self.last_sent = LastSent::Windowed;
                match self.window.next_again() {
                    Some(text) => text,
                    None if self.window.is_full() => return None,
                    None => self.next_numbered()?,
                }
            }
        };
        Some(ClientOutput::Send { socket, text: WireText::new(text) })
    }

    pub(super) fn next_numbered(&mut self) -> Option<String> {
        let mut frame = self.outbox.pop()?;
        match &mut frame.body {
            AgentBody::ReplyPartial(partial) => self.deltas.shorten(partial),
            AgentBody::TurnDone(done) => self.deltas.forget(&done.turn),
            _ => {}
        }
        frame.seq = Some(self.window.next_seq());
        let text = frame.encode();
        if matches!(frame.body, AgentBody::Unknown(_)) {
            // Kept byte for byte, so it cannot carry a number: like everything in version 1 it may be lost.
            self.last_sent = LastSent::Plain(Box::new(frame));
            return Some(text);
        }
        self.window.sent(text.clone(), self.now.mono_ms);
        Some(text)
    }

    pub(super) fn hello_acknowledged(&mut self, ack: HelloAck) {
        self.refusal_logged = false;
        let Some(resume) = ack.resume.filter(|_| self.config.offer_resume) else {
            self.peer_resumes = Some(false);
            if self.talks != Talks::Plain {
                self.go_plain();
            }
            return;
        };
        self.peer_resumes = Some(true);
        if self.token.as_ref() == Some(&resume.token) {
            self.window.rewind(resume.received, self.now.mono_ms);
        } else {
            // The platform knows nothing of what it was sent: what is not acknowledged goes again, under new numbers.
            for text in self.window.reset().into_iter().rev() {
                if let Ok(mut frame) = AgentFrame::decode(&text, &self.config.limits) {
                    frame.seq = None;
                    if !matches!(frame.body, AgentBody::ReplyPartial(_)) {
                        self.outbox.put_back(frame);
                    }
                }
            }
            self.deltas.clear();
            self.receiver = Receiver::default();
            self.token = Some(resume.token);
        }
        self.talks = Talks::Resumable;
    }

    /// The platform does not number frames. What was sent numbered before is not sent again: it may have arrived.
    pub(super) fn go_plain(&mut self) {
        self.talks = Talks::Plain;
        self.token = None;
        self.deltas.clear();
        for text in self.window.reset() {
            if let Ok(frame) = AgentFrame::decode(&text, &self.config.limits) {
                self.not_confirmed(&frame);
            }
        }
        self.report_unconfirmed();
    }

    pub(super) fn send_control(&mut self, body: AgentBody) {
        if let Some(socket) = self.link.open_socket() {
            let text = WireText::new(self.stamp(body).encode());
            self.outputs.push_back(ClientOutput::Send { socket, text });
        }
    }

    pub(super) fn acknowledge(&mut self, gap: bool) {
        let received = self.receiver.acknowledge();
        self.send_control(AgentBody::Ack(Ack { received, gap }));
    }

    pub(super) fn connection_gone(&mut self) {
        // Outputs for the connection that were not polled yet would reach a closed socket.
        self.outputs
            .retain(|output| !matches!(output, ClientOutput::Send { .. } | ClientOutput::Ping { .. }));
        self.last_sent = LastSent::Nothing;
        self.blocked_until = None;
        self.talks = Talks::Plain;
        self.report_unconfirmed();
    }

    /// A frame is handed to a connection that does not acknowledge: remembered until a later ping is answered. Of a peer
    /// that answers none the oldest are reported, so that they do not pile up.
    fn not_confirmed(&mut self, frame: &AgentFrame) {
        let Some(turn) = essential(&frame.body) else { return };
        self.unconfirmed.push_back((self.link.pings(), turn.clone(), kind_of(frame)));
        if self.unconfirmed.len() > MAX_UNCONFIRMED
            && let Some((_, turn, kind)) = self.unconfirmed.pop_front()
        {
            self.report.add_unconfirmed(turn, kind);
        }
    }

    pub(super) fn report_unconfirmed(&mut self) {
        if self.unconfirmed.is_empty() {
            return;
        }
        let count = self.unconfirmed.len();
        for (_, turn, kind) in self.unconfirmed.drain(..) {
            self.report.add_unconfirmed(turn, kind);
        }
        self.log(
            Level::Warn,
            &format!("{count} frames were sent on a connection that was lost; they may not have arrived"),
        );
    }
}

pub(super) fn kind_of(frame: &AgentFrame) -> String {
    frame.kind().unwrap_or("(no type)").to_owned()
}

/// The turn, for frames that it cannot do without.
pub(super) fn essential(body: &AgentBody) -> Option<&TurnRef> {
    match body {
        AgentBody::TurnStarted(_)
        | AgentBody::Choices(..)
        | AgentBody::Reply(_)
        | AgentBody::TurnDone(_)
        | AgentBody::TurnUsage(_) => body.turn(),
        _ => None,
    }
}
