//! `edd state`: what a person noted about a session.

use serde_json::{Map, Value};

use crate::home::{checked_id, folder, write};
use crate::{Format, Stop, data, show};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session
    #[arg(long, value_name = "ID")]
    session: String,
    /// Set a value: JSON, or text when it is none; dots lead into objects
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Remove a value; dots lead into objects
    #[arg(long, value_name = "KEY")]
    delete: Vec<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let id = checked_id(&args.session)?;
    let path = folder("state")?.join(format!("{id}.json"));
    let mut state = match std::fs::read_to_string(&path) {
        Ok(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(state)) => state,
            _ => return Err(Stop::input(format!("{}: no JSON object", path.display()))),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(Stop::system(format!("{}: {error}", path.display()))),
    };
    for setting in &args.set {
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Stop::no(format!("Invalid --set value: {setting}")));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        set(&mut state, key, value)?;
    }
    for key in &args.delete {
        delete(&mut state, key);
    }
    let mut text = String::new();
    if !(args.set.is_empty() && args.delete.is_empty()) {
        write(&path, format!("{}\n", pretty(&state)).as_bytes())?;
        if args.format == Format::Text {
            let changes = [&args.set, &args.delete].into_iter().filter(|changes| !changes.is_empty());
            text += &"✓ State updated\n".repeat(changes.count());
        }
    }
    if args.format == Format::Text {
        text += &format!("State session={id}\n{}\n", "-".repeat(60));
    }
    match args.format {
        Format::Json => data(&format!("{}\n", pretty(&state))),
        Format::Text => show(&format!("{text}{}\n", pretty(&state))),
    }
    Ok(0)
}

fn pretty(state: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(state).unwrap_or_default()
}

/// Sets a value; nothing is set below a value that is no object.
fn set(state: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), Stop> {
    match key.split_once('.') {
        None => {
            state.insert(key.to_owned(), value);
            Ok(())
        }
        Some((first, rest)) => match state.entry(first).or_insert_with(|| Value::Object(Map::new())) {
            Value::Object(inner) => set(inner, rest, value),
            _ => Err(Stop::no(format!("{first} is no object: nothing can be set below it"))),
        },
    }
}

fn delete(state: &mut Map<String, Value>, key: &str) {
    if state.remove(key).is_some() {
        return;
    }
    if let Some((first, rest)) = key.split_once('.')
        && let Some(Value::Object(inner)) = state.get_mut(first)
    {
        delete(inner, rest);
    }
}
