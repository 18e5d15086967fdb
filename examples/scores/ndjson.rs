//! `scores ndjson`: one session envelope a line in, one record a line out.

use std::io::{self, BufRead as _, Write as _};

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, answer};

use crate::read::RulesArgs;

/// Streams standard input to standard output. Memory: the longest line.
pub(crate) fn run(rules: &RulesArgs) -> Result<Answer, Stop> {
    let scorer = rules.scorer()?;
    let mut input = io::stdin().lock();
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(|error| format!("standard input: {error}"))? == 0 {
            break;
        }
        if let Some(answer) = answer(&String::from_utf8_lossy(&line), &scorer) {
            match writeln!(output, "{answer}") {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Answer::default()),
                other => other.map_err(|error| format!("standard output: {error}"))?,
            }
        }
    }
    match output.flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Stop::system(format!("standard output: {error}")))
        }
        _ => Ok(Answer::default()),
    }
}
