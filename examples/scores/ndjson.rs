//! `scores ndjson`: one session envelope a line in, one record a line out.

use std::io::{self, BufRead as _, Write as _};

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, answer};

use crate::read::RulesArgs;

/// So much is read at a time, in bytes.
const INPUT: usize = 1 << 16;

/// Streams standard input to standard output. Memory: the longest line.
pub(crate) fn run(rules: &RulesArgs) -> Result<Answer, Stop> {
    let scorer = rules.scorer()?;
    let mut input = io::BufReader::with_capacity(INPUT, io::stdin().lock());
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line).map_err(|error| format!("standard input: {error}"))?;
        let mut written = match answer(&String::from_utf8_lossy(&line), &scorer) {
            Some(answer) => writeln!(output, "{answer}"),
            None => Ok(()),
        };
        // Whoever waits for an answer before the next line gets it.
        if read == 0 || input.buffer().is_empty() {
            written = written.and_then(|()| output.flush());
        }
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                return Err(Stop::system(format!("standard output: {error}")));
            }
            Ok(()) if read > 0 => {}
            _ => return Ok(Answer::default()),
        }
    }
}
