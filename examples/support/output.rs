//! Standard output and standard error, for all programs alike.
//!
//! A reader that has gone away (`| head`) is no error and ends nothing but the printing. Any other loss (a full disk) is
//! said once and makes the program end with [`exit::IO`]: output that is not there must not look like success.

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use clawgauge_transcript::one_line;

use crate::exit;

/// What became of standard output: nothing bad, a reader that has gone, a loss.
static STATE: AtomicU8 = AtomicU8::new(OPEN);
const OPEN: u8 = 0;
const GONE: u8 = 1;
const LOST: u8 = 2;

/// Writes lines for a person to standard output. Characters that would act on the terminal are replaced: names and texts
/// come out of files that others wrote.
pub fn show(text: &str) {
    data(&tame(text));
}

/// Writes to standard output as it is, for programs to read.
pub fn data(text: &str) {
    if is_closed() {
        return;
    }
    let mut out = io::stdout().lock();
    let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        STATE.store(GONE, Ordering::SeqCst);
    } else {
        STATE.store(LOST, Ordering::SeqCst);
        tell(&format!("standard output: {error}\n"));
    }
}

/// Writes lines for a person to standard error. There is nowhere to say that this failed.
pub fn tell(text: &str) {
    let _nowhere = io::stderr().lock().write_all(tame(text).as_bytes());
}

fn tame(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// Whether there is no use in printing more: a program that would go on for ever can end.
#[must_use]
pub fn is_closed() -> bool {
    STATE.load(Ordering::SeqCst) != OPEN
}

/// How the program ends: with `code`, or with [`exit::IO`] when some of its output was lost.
#[must_use]
pub fn ended(code: u8) -> ExitCode {
    ExitCode::from(if STATE.load(Ordering::SeqCst) == LOST { exit::IO } else { code })
}

/// How a program ends that could not go on.
#[must_use]
pub fn stopped(program: &str, stop: &crate::Stop) -> ExitCode {
    tell(&format!("{program}: {stop}\n"));
    ended(stop.code())
}
