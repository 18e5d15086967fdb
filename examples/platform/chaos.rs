//! A bad network in a box.

use std::time::Duration;

/// What happens to the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mishap {
    None,
    /// It takes its time.
    Delay(Duration),
    /// The connection breaks without a word.
    Drop,
    /// The connection stays open and carries nothing any more.
    HalfOpen,
}

/// Decides by a fixed sequence, so that a run can be had again.
#[derive(Debug, Clone)]
pub(crate) struct Chaos {
    on: bool,
    state: u64,
    frames_left: u64,
}

impl Chaos {
    pub(crate) fn new(on: bool, seed: u64) -> Self {
        let mut chaos = Self { on, state: seed, frames_left: 0 };
        chaos.frames_left = 4 + chaos.draw(20);
        chaos
    }

    pub(crate) fn next(&mut self) -> Mishap {
        if !self.on {
            return Mishap::None;
        }
        if self.frames_left == 0 {
            self.frames_left = u64::MAX;
            return if self.draw(20) == 0 { Mishap::HalfOpen } else { Mishap::Drop };
        }
        self.frames_left -= 1;
        match self.draw(12) {
            0 => Mishap::Delay(Duration::from_millis(1 + self.draw(40))),
            _ => Mishap::None,
        }
    }

    /// Whether this message is delivered twice.
    pub(crate) fn twice(&mut self) -> bool {
        self.on && self.draw(6) == 0
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % below.max(1)
    }
}
