//! From suggestions to a plan of edits. The plan is pure; the caller reads and writes.

use std::collections::BTreeMap;

use similar::TextDiff;

use crate::suggest::{Suggestion, SuggestionKind};
use crate::text::quote;

/// Files that make an agent who it is: never touched.
const PROTECTED: [&str; 5] = ["SOUL.md", "AGENTS.md", "USER.md", "BOOTSTRAP.md", "IDENTITY.md"];

/// The heading under which rules are added to `TOOLS.md`.
const HEADING: &str = "## Rules from failed cases";

/// Why a suggestion is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The file it asks for.
    pub file: String,
    /// Why not.
    pub reason: String,
}

/// One file that would change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edit {
    /// The file, relative to the workspace.
    pub file: String,
    /// Its text before; `None` if it is not there.
    pub before: Option<String>,
    /// Its text after.
    pub after: String,
}

impl Edit {
    /// A unified diff.
    #[must_use]
    pub fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let old = if self.before.is_some() { format!("a/{}", self.file) } else { "/dev/null".to_owned() };
        TextDiff::from_lines(before, &self.after)
            .unified_diff()
            .context_radius(3)
            .header(&old, &format!("b/{}", self.file))
            .to_string()
    }
}

/// What would be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The files that change, by name.
    pub edits: Vec<Edit>,
    /// What is refused.
    pub refused: Vec<Refusal>,
    /// How many suggestions are in their files already.
    pub already_there: usize,
}

/// Whether a suggestion may touch a file: `TOOLS.md`, or a Markdown file below `skills/`.
///
/// # Errors
/// The reason against it.
fn allowed(file: &str) -> Result<(), String> {
    let parts: Vec<&str> = file.split('/').collect();
    let name = parts.last().copied().unwrap_or_default();
    if PROTECTED.iter().any(|p| p.eq_ignore_ascii_case(name)) {
        return Err(format!("{name} makes the agent who it is and is never touched"));
    }
    let bad = |part: &&str| {
        part.is_empty()
            || *part == "."
            || *part == ".."
            || part.starts_with('.')
            || part.contains(['\\', ':', '\0'])
    };
    if file.starts_with('/') || parts.iter().any(bad) {
        return Err("the path leaves the workspace or is not plain".to_owned());
    }
    let in_skills =
        parts.first() == Some(&"skills") && parts.len() <= 3 && parts.len() >= 2 && name.ends_with(".md");
    if file == "TOOLS.md" || in_skills {
        Ok(())
    } else {
        Err("only TOOLS.md and Markdown files below skills/ are changed".to_owned())
    }
}

fn new_skill(suggestion: &Suggestion) -> String {
    let stem = suggestion.file.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let title = if stem == "SKILL" { suggestion.case.as_str() } else { stem };
    format!("# {}\n\nSteps that cases expect.\n", quote(title, 80))
}

/// `text` with `line` at its end, or at the end of the section under `heading`.
fn add_line(text: &str, heading: Option<&str>, line: &str) -> String {
    let end = |text: &str| {
        let mut out = text.to_owned();
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    };
    let Some(heading) = heading else {
        return format!("{}{line}\n", end(text));
    };
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(at) = lines.iter().position(|l| l.trim_end() == heading) else {
        let gap = if text.is_empty() { "" } else { "\n" };
        return format!("{}{gap}{heading}\n\n{line}\n", end(text));
    };
    // The section ends at the next heading of the same level or above; blank lines before that stay behind it.
    let mut stop = lines
        .iter()
        .enumerate()
        .skip(at + 1)
        .find(|(_, l)| l.starts_with("# ") || l.starts_with("## "))
        .map_or(lines.len(), |(i, _)| i);
    while stop > at + 1 && lines.get(stop - 1).is_some_and(|l| l.trim().is_empty()) {
        stop -= 1;
    }
    let owned = format!("{line}\n");
    let before: String = lines.drain(..stop).collect();
    let after: String = lines.concat();
    format!("{}{owned}{after}", end(&before))
}

impl Plan {
    /// Plans the edits that put suggestions into the files of a workspace. `read` gives the text of a file, `None` if it
    /// is not there. Planning again on the result plans nothing more.
    ///
    /// Creates skills and appends to them, appends rules to `TOOLS.md`, and touches nothing else: `SOUL.md`,
    /// `AGENTS.md`, `USER.md`, `BOOTSTRAP.md`, `IDENTITY.md`, hidden files and anything outside the workspace are
    /// refused. Symbolic links are for the caller to refuse, who alone can see them. O(total text).
    #[must_use]
    pub fn of(suggestions: &[Suggestion], read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut out = Self::default();
        let mut texts: BTreeMap<String, (Option<String>, String)> = BTreeMap::new();
        for suggestion in suggestions {
            let line = clawgauge_transcript::one_line(&suggestion.text);
            if let Err(reason) = allowed(&suggestion.file) {
                out.refused.push(Refusal { file: quote(&suggestion.file, 200), reason });
                continue;
            }
            let (_, now) = texts.entry(suggestion.file.clone()).or_insert_with(|| {
                let before = read(&suggestion.file);
                let now = before.clone().unwrap_or_default();
                (before, now)
            });
            if now.lines().any(|l| l.trim_end() == line.trim_end()) {
                out.already_there += 1;
                continue;
            }
            *now = match suggestion.kind {
                SuggestionKind::Skill if now.is_empty() => format!("{}\n{line}\n", new_skill(suggestion)),
                SuggestionKind::Skill => add_line(now, None, &line),
                SuggestionKind::ToolRule => add_line(now, Some(HEADING), &line),
            };
        }
        out.edits = texts
            .into_iter()
            .filter(|(_, (before, after))| before.as_ref() != Some(after))
            .map(|(file, (before, after))| Edit { file, before, after })
            .collect();
        out
    }
}
