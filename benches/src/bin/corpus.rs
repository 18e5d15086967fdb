//! Writes the generated corpora to a folder, one file a session, for measurements of whole programs.
//!
//! ```text
//! cargo run --release -p clawgauge-benches --bin corpus -- DIR [MIB]
//! ```
//!
//! `DIR` gets a folder for each kind of sessions (`chatty`, `tool_heavy`, `long_lines`) with at least `MIB` (64) MiB in it. The same
//! numbers give the same bytes everywhere.

use std::path::PathBuf;
use std::{env, fs, io};

use clawgauge_benches::{Corpus, session_id};

fn main() -> io::Result<()> {
    let mut arguments = env::args_os().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "corpus DIR [MIB]"));
    };
    let mebibytes = arguments.next().and_then(|number| number.to_str()?.parse().ok()).unwrap_or(64_usize);
    for corpus in Corpus::ALL {
        let folder = folder.join(corpus.name());
        fs::create_dir_all(&folder)?;
        for (number, session) in corpus.sessions(mebibytes << 20).iter().enumerate() {
            fs::write(folder.join(format!("{}.jsonl", session_id(number))), session)?;
        }
    }
    Ok(())
}
