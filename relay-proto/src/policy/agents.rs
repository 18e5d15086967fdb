//! The agents that a gateway is configured with.

use crate::frame::AgentEntry;
use crate::json::{Field, Fields};

/// Agent that answers when nothing is configured (OpenClaw's own default).
const MAIN: &str = "main";

/// The configured agents, in order, without doubles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agents {
    ids: Vec<String>,
    flagged: Option<String>,
}

impl Agents {
    /// Reads `agents.entries` (an object by id, or a list) and `agents.list` of an OpenClaw config.
    ///
    /// Takes JSON text because the order of the entries counts: the first one is the default unless another has
    /// `default: true`. Anything unusable is skipped; a config without agents gives none.
    #[must_use]
    pub fn from_config(config_json: &str) -> Self {
        let mut agents = Self::default();
        let Some(section) =
            Fields::parse(config_json).ok().flatten().and_then(|mut config| config.take("agents"))
        else {
            return agents;
        };
        let Some(mut section) = section.object() else {
            return agents;
        };
        if let Some(entries) = section.take("entries") {
            if let Some(entries) = entries.object() {
                let (mut numbered, mut named): (Vec<Field<'_>>, Vec<Field<'_>>) =
                    entries.into_fields().partition(|field| is_array_index(&field.name));
                // JavaScript lists number-like keys first, by number.
                numbered.sort_by_key(|field| field.name.parse::<u64>().unwrap_or_default());
                numbered.append(&mut named);
                for field in numbered {
                    let (id, flagged) = read_entry(&field);
                    agents.add(id.unwrap_or_else(|| field.name.clone().into_owned()), flagged);
                }
            } else {
                agents.add_list(&entries);
            }
        }
        if let Some(list) = section.take("list") {
            agents.add_list(&list);
        }
        agents
    }

    /// Exactly these agents; the first is the default.
    #[must_use]
    pub fn from_ids(ids: impl IntoIterator<Item = String>) -> Self {
        let mut agents = Self::default();
        for id in ids {
            agents.add(id, false);
        }
        agents
    }

    /// Their ids.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The agent that answers when nobody is named: the flagged one, else the first, else `main`.
    #[must_use]
    pub fn default_id(&self) -> &str {
        self.flagged.as_deref().or(self.ids.first().map(String::as_str)).unwrap_or(MAIN)
    }

    /// The list for `hello`. `chat_agent` is the agent chosen for chat in the settings; if it is not configured, no
    /// agent is called the default. Without any configured agent there is `main`.
    #[must_use]
    pub fn entries(&self, chat_agent: Option<&str>) -> Vec<AgentEntry> {
        let default = chat_agent.unwrap_or_else(|| self.default_id());
        if self.ids.is_empty() {
            return vec![AgentEntry::new(chat_agent.unwrap_or(MAIN), true)];
        }
        self.ids.iter().map(|id| AgentEntry::new(id.as_str(), id == default)).collect()
    }

    fn add_list(&mut self, list: &Field<'_>) {
        for item in list.items().unwrap_or_default() {
            if let (Some(id), flagged) = read_entry(&item)
                && !id.is_empty()
            {
                self.add(id, flagged);
            }
        }
    }

    fn add(&mut self, id: String, flagged: bool) {
        if flagged && self.flagged.is_none() {
            self.flagged = Some(id.clone());
        }
        if !self.ids.contains(&id) {
            self.ids.push(id);
        }
    }
}

fn read_entry(field: &Field<'_>) -> (Option<String>, bool) {
    match field.object() {
        Some(mut entry) => (entry.text("id"), entry.bool("default").unwrap_or_default()),
        None => (None, false),
    }
}

fn is_array_index(name: &str) -> bool {
    name.parse::<u32>().is_ok_and(|index| index.to_string() == name)
}
