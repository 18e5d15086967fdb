//! `configure`: asks for the keys, tries them, asks about the chat, and writes the plugin's entry into `openclaw.json`.

use crate::cli::Options;
use crate::print;
use crate::send;
use crate::setup::{Setup, config_path, flags};
use clawgauge_support::settings::{PluginEntry, TraceSettings, WriteError, mask};
use clawgauge_support::{Stop, exit};
use clawgauge_tracing_map::Destination;
use std::io::{BufRead, IsTerminal as _};

/// How often keys are asked for that the backend refuses.
const TRIES: usize = 3;

/// Talks to a person, or to a pipe.
pub(crate) struct Dialogue<'a> {
    input: &'a mut dyn BufRead,
    /// Whether what is typed would be seen.
    terminal: bool,
}

impl<'a> Dialogue<'a> {
    pub(crate) fn new(input: &'a mut dyn BufRead, terminal: bool) -> Self {
        Self { input, terminal }
    }

    /// An answer; `None` at the end of the input.
    fn ask(&mut self, question: &str) -> Result<Option<String>, String> {
        print::ask(question);
        let mut answer = String::new();
        let read = self.input.read_line(&mut answer).map_err(|error| format!("input: {error}"))?;
        Ok((read > 0).then(|| answer.trim().to_owned()))
    }

    /// The same without showing what is typed.
    fn ask_secret(&mut self, question: &str) -> Result<Option<String>, String> {
        let hidden = self.terminal.then(echo::off);
        let answer = self.ask(question);
        if hidden.is_some() {
            print::line("");
        }
        answer
    }

    fn yes(&mut self, question: &str, default: bool) -> Result<bool, String> {
        let hint = if default { "Y/n" } else { "y/N" };
        loop {
            let answer = self.ask(&format!("{question} [{hint}] "))?.unwrap_or_default();
            match answer.to_ascii_lowercase().as_str() {
                "" => return Ok(default),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => print::line("Please answer yes or no."),
            }
        }
    }
}

pub(crate) fn run(options: &Options, env: &dyn Fn(&str) -> Option<String>) -> Result<u8, Stop> {
    let terminal = std::io::stdin().is_terminal();
    if terminal {
        echo::restore_on_interrupt()?;
    }
    with(options, env, &mut Dialogue::new(&mut std::io::stdin().lock(), terminal))
}

/// The wizard.
pub(crate) fn with(
    options: &Options,
    env: &dyn Fn(&str) -> Option<String>,
    dialogue: &mut Dialogue<'_>,
) -> Result<u8, Stop> {
    let path = config_path(options, env)
        .ok_or_else(|| Stop::input("name the config with --config or --state-dir"))?;
    let mut entry = PluginEntry::open(&path).map_err(|error| not_written(&error))?;
    let known = TraceSettings::resolve(&flags(options), entry.config(), env).map_err(Stop::input)?;
    print::line(&format!("Traces go to {}.", without_key(&known.primary)));
    let Some(primary) = keys(options, env, dialogue, &known.primary)? else {
        return Ok(exit::NO);
    };
    let chat = &known.plugin.chat;
    let chat_on = dialogue.yes("May Benchgen chat with the agent?", chat.enabled.value)?;
    let mut url = String::new();
    if chat_on {
        let question = format!("Chat relay address (Enter keeps {}): ", shown_relay(&chat.url.value));
        loop {
            url = dialogue.ask(&question)?.unwrap_or_default();
            if url.is_empty() || clawgauge_relay_proto::check_relay_url(&url).is_ok() {
                break;
            }
            print::line("That is no ws:// or wss:// address.");
        }
    }
    entry.set(&["enabled"], true);
    entry.set(&["publicKey"], primary.public_key().unwrap_or_default());
    entry.set(&["secretKey"], primary.secret_key().unwrap_or_default());
    entry.set(&["baseUrl"], primary.base_url());
    entry.set(&["chat", "enabled"], chat_on);
    if !url.is_empty() {
        entry.set(&["chat", "url"], url);
    }
    let backup = entry.write().map_err(|error| not_written(&error))?;
    print::line(&format!("Written to {}.", path.display()));
    if let Some(backup) = backup {
        print::line(&format!("The file as it was is {}.", backup.display()));
    }
    print::line("Restart the gateway to apply it.");
    Ok(exit::OK)
}

fn not_written(error: &WriteError) -> Stop {
    let message = error.to_string();
    match error {
        WriteError::NotPlainJson(_) => Stop::input(message),
        _ => Stop::system(message),
    }
}

/// Asks for keys until the backend takes them; `None` when there are none to be had.
fn keys(
    options: &Options,
    env: &dyn Fn(&str) -> Option<String>,
    dialogue: &mut Dialogue<'_>,
    known: &Destination,
) -> Result<Option<Destination>, Stop> {
    for _ in 0..TRIES {
        let Some(public) = key(dialogue, "Public key", known.public_key(), false)? else { return Ok(None) };
        let Some(secret) = key(dialogue, "Secret key", known.secret_key(), true)? else { return Ok(None) };
        let primary = Destination::new(known.base_url(), Some(&public), Some(&secret))
            .map_err(|error| Stop::input(error.to_string()))?;
        let mut setup = Setup::resolve(options, env)?;
        setup.settings.primary = primary.clone();
        let verdict = send::ping(&setup, options)?;
        print::line(&verdict.text);
        if verdict.good {
            return Ok(Some(primary));
        }
        if !verdict.refused {
            // The keys may be right: nobody said otherwise.
            let write = dialogue.yes("They could not be tried. Write them all the same?", false)?;
            return Ok(write.then_some(primary));
        }
    }
    Ok(None)
}

fn key(
    dialogue: &mut Dialogue<'_>,
    name: &str,
    known: Option<&str>,
    secret: bool,
) -> Result<Option<String>, String> {
    let keep = known.map(|key| format!(" (Enter keeps {})", mask(key))).unwrap_or_default();
    let question = format!("{name}{keep}: ");
    loop {
        let answer = if secret { dialogue.ask_secret(&question)? } else { dialogue.ask(&question)? };
        match answer {
            None => return Ok(None),
            Some(answer) if !answer.is_empty() => return Ok(Some(answer)),
            Some(_) => {
                if let Some(known) = known {
                    return Ok(Some(known.to_owned()));
                }
            }
        }
    }
}

fn without_key(primary: &Destination) -> String {
    Destination::new(primary.base_url(), None, None)
        .map_or_else(|_| "no address".to_owned(), |one| one.describe())
}

/// A relay address without credentials in it.
fn shown_relay(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(unix)]
mod echo {
    //! A terminal that does not show what is typed.

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::io::stdin;

    /// The terminal as it was; put back when this goes.
    pub(super) struct Hidden(Option<Termios>);

    pub(super) fn off() -> Hidden {
        let before = tcgetattr(stdin()).ok();
        if let Some(before) = &before {
            let mut hidden = before.clone();
            hidden.local_modes.remove(LocalModes::ECHO);
            // Where this fails the answer is seen by the one who types it.
            let _ = tcsetattr(stdin(), OptionalActions::Flush, &hidden);
        }
        Hidden(before)
    }

    impl Drop for Hidden {
        fn drop(&mut self) {
            if let Some(before) = &self.0 {
                let _ = tcsetattr(stdin(), OptionalActions::Flush, before);
            }
        }
    }

    /// An interrupted wizard leaves the terminal as it found it.
    pub(super) fn restore_on_interrupt() -> Result<(), String> {
        let before = tcgetattr(stdin()).ok();
        ctrlc::set_handler(move || {
            if let Some(before) = &before {
                let _ = tcsetattr(stdin(), OptionalActions::Flush, before);
            }
            #[expect(clippy::exit, reason = "the wizard waits for a line and cannot be told otherwise")]
            std::process::exit(130);
        })
        .map_err(|error| format!("signals: {error}"))
    }
}

#[cfg(not(unix))]
mod echo {
    //! Elsewhere what is typed is seen.

    pub(super) struct Hidden;

    pub(super) fn off() -> Hidden {
        Hidden
    }

    pub(super) fn restore_on_interrupt() -> Result<(), String> {
        Ok(())
    }
}
