//! `edd artifacts`: what tools gave out, as files.

use std::path::{Path, PathBuf};

use clawgauge_support::sessions::Sources;
use clawgauge_transcript::{ToolCall, Transcript};
use serde_json::json;

use crate::home::{checked_id, folder, write};
use crate::trace::find;
use crate::{Stop, data, show};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// The session; without it, all that have artifacts
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Write the outputs of the session's calls to ~/.openclaw_eval/artifacts/<session>/
    #[arg(long, requires = "session")]
    extract: bool,
    /// Copy the session's artifacts into this folder
    #[arg(long, value_name = "DIR", requires = "session")]
    export: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let root = folder("artifacts")?;
    let session = args.session.as_deref().map(checked_id).transpose()?;
    if args.extract
        && let Some(id) = session
    {
        let store = args.sources.open().map_err(Stop::input)?;
        let info = find(&store, id)?;
        let transcript = store.read(info).map_err(|error| Stop::system(error.to_string()))?;
        extract(&root.join(checked_id(info.id())?), &transcript)?;
    }
    if let (Some(target), Some(id)) = (&args.export, session) {
        let copied = export(&root.join(id), target)?;
        show(&format!("✓ {copied} files in {}\n", target.display()));
        return Ok(0);
    }
    let folders = match session {
        Some(id) => vec![id.to_owned()],
        None => names(&root),
    };
    let mut list = Vec::new();
    for id in folders {
        for name in names(&root.join(&id)) {
            let path = root.join(&id).join(&name);
            let bytes = std::fs::metadata(&path).map(|metadata| metadata.len()).ok();
            list.push(
                json!({ "session_id": id, "name": name, "bytes": bytes, "path": path.display().to_string() }),
            );
        }
    }
    data(&format!("{}\n", serde_json::to_string_pretty(&list).unwrap_or_default()));
    Ok(0)
}

/// Writes what every call of a session gave out; the same session gives the same files. Returns how many.
pub(crate) fn extract(folder: &Path, transcript: &Transcript<'_>) -> Result<usize, Stop> {
    let conversation = transcript.conversation();
    let mut count = 0;
    for (at, call) in conversation.calls().enumerate() {
        count += usize::from(save(folder, at, call)?);
    }
    Ok(count)
}

/// Writes what one call gave out, when it gave out anything. `at` counts the session's calls from 0.
pub(crate) fn save(folder: &Path, at: usize, call: &ToolCall<'_>) -> Result<bool, Stop> {
    let output = call.output();
    if output.is_empty() {
        return Ok(false);
    }
    let tool: String = call
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
        .take(40)
        .collect();
    write(&folder.join(format!("{:04}-{tool}.txt", at + 1)), output.as_bytes())?;
    Ok(true)
}

fn export(from: &Path, target: &Path) -> Result<usize, Stop> {
    let files = names(from);
    if files.is_empty() {
        return Err(Stop::no(format!("no artifacts in {}", from.display())));
    }
    for name in &files {
        let content = std::fs::read(from.join(name))
            .map_err(|error| Stop::system(format!("{}: {error}", from.join(name).display())))?;
        write(&target.join(name), &content)?;
    }
    Ok(files.len())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
