//! Questions with options become buttons; the interactive tool itself is blocked.

use serde_json::Value;

use crate::frame::{Choice, Question};
use crate::json::Extra;
use crate::text::non_blank;

/// OpenClaw's tool for a question with options.
pub const ASK_USER: &str = "ask_user";

/// What becomes of an `ask_user` call in a chat session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskUser {
    /// The questions to draw as buttons; empty when the call held none with options.
    pub questions: Vec<Question>,
    /// What the model is told instead of a tool result.
    pub reason: String,
}

impl AskUser {
    /// Reads the parameters of the call. A question without options cannot become buttons and is left out.
    #[must_use]
    pub fn from_params(params: Option<&Value>) -> Self {
        let questions: Vec<Question> = params
            .and_then(|params| params.get("questions"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(at, question)| read_question(at, question))
            .collect();
        let reason = if questions.is_empty() {
            String::from(
                "This chat cannot show an interactive question. Ask it in plain words at the end of your reply, in \
                 one line that names the options, and stop.",
            )
        } else {
            let labels: Vec<&str> = questions
                .iter()
                .flat_map(|question| &question.options)
                .map(|option| option.label.as_str())
                .collect();
            format!(
                "The options are on the user's screen as buttons. End your reply with a one-line question that names \
                 them ({}) and stop; the choice arrives as the user's next message.",
                labels.join(", ")
            )
        };
        Self { questions, reason }
    }
}

fn read_question(at: usize, value: &Value) -> Option<Question> {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).and_then(non_blank).map(str::to_owned)
    };
    let options: Vec<Choice> = value
        .get("options")?
        .as_array()?
        .iter()
        .filter_map(|option| {
            let label =
                option.as_str().and_then(non_blank).map(str::to_owned).or_else(|| text(option, "label"))?;
            Some(Choice { label, description: text(option, "description"), extra: Extra::new() })
        })
        .collect();
    if options.is_empty() {
        return None;
    }
    Some(Question {
        id: text(value, "id").unwrap_or_else(|| format!("q{}", at + 1)),
        header: text(value, "header").unwrap_or_default(),
        question: text(value, "question").unwrap_or_default(),
        options,
        multi_select: value.get("multiSelect").and_then(Value::as_bool).unwrap_or_default(),
        extra: Extra::new(),
    })
}
