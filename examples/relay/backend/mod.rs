//! What answers.

mod echo;
mod openai;
mod process;

use std::future::Future;
use std::pin::Pin;

use clawgauge_relay_proto::{Happening, TurnEnd, TurnStart};
use tokio::sync::{mpsc, watch};

pub(crate) use echo::EchoBackend;
pub(crate) use openai::OpenAiBackend;
pub(crate) use process::ProcessBackend;

use crate::driver::Event;

/// Becomes true when the turn has to stop.
pub(crate) type Stop = watch::Receiver<bool>;

/// A turn being run.
pub(crate) type Running = Pin<Box<dyn Future<Output = TurnEnd> + Send>>;

/// Runs turns on an agent.
pub(crate) trait TurnBackend: Send + Sync {
    /// What it is, for the log.
    fn name(&self) -> String;

    /// Runs one turn: reports what happens, ends with how it ended, soon after `stop`.
    fn run(&self, turn: TurnStart, report: Report, stop: Stop) -> Running;
}

/// Where a turn reports to.
#[derive(Clone)]
pub(crate) struct Report {
    turn: u64,
    events: mpsc::Sender<Event>,
}

impl Report {
    pub(crate) fn new(turn: u64, events: mpsc::Sender<Event>) -> Self {
        Self { turn, events }
    }

    pub(crate) async fn say(&self, happening: Happening) {
        drop(self.events.send(Event::Happened(self.turn, happening)).await);
    }

    /// From a thread that is not the runtime's.
    pub(crate) fn say_blocking(&self, happening: Happening) {
        drop(self.events.blocking_send(Event::Happened(self.turn, happening)));
    }
}

/// Waits until the turn has to stop.
pub(crate) async fn stopped(stop: &mut Stop) {
    // A sender that is gone has nothing more to say: the turn goes on.
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
