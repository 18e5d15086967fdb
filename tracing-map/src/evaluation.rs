//! Scores that stand on a trace.

use crate::span::Span;
use serde_json::{Value, json};

/// Who made a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Annotator {
    /// A program: same input, same score.
    #[default]
    Code,
    /// A model.
    Llm,
    /// A person.
    Human,
}

impl Annotator {
    /// The name that OpenInference uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "CODE",
            Self::Llm => "LLM",
            Self::Human => "HUMAN",
        }
    }
}

/// One score of a run: a number, a label, or both. A score that is not applicable has neither and is not sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// What was judged: `accuracy`, `completeness`, `autonomy`, `consistency`, `risk`, ...
    pub name: String,
    /// The score.
    pub score: Option<f64>,
    /// The score as a word.
    pub label: Option<String>,
    /// Why.
    pub explanation: Option<String>,
    /// Who judged.
    pub annotator: Annotator,
}

impl Evaluation {
    /// A numeric score made by a program. A score that is no finite number is left out.
    #[must_use]
    pub fn new(name: impl Into<String>, score: f64) -> Self {
        Self {
            name: name.into(),
            score: score.is_finite().then_some(score),
            label: None,
            explanation: None,
            annotator: Annotator::Code,
        }
    }

    /// The same with a label.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The same with a reason.
    #[must_use]
    pub fn with_explanation(mut self, explanation: impl Into<String>) -> Self {
        self.explanation = Some(explanation.into());
        self
    }

    /// The same with another judge.
    #[must_use]
    pub fn by(mut self, annotator: Annotator) -> Self {
        self.annotator = annotator;
        self
    }

    /// Whether there is something to send: a finite score or a label.
    #[must_use]
    pub fn is_applicable(&self) -> bool {
        self.finite_score().is_some() || self.label.is_some()
    }

    /// The score that can be sent: no backend takes NaN or an infinity.
    pub(crate) fn finite_score(&self) -> Option<f64> {
        self.score.filter(|score| score.is_finite())
    }
}

/// The scores of a span as payloads for Langfuse's `POST /api/public/scores`, one a score. Ids are stable: sending again
/// replaces. A number is `NUMERIC`, a label alone is `CATEGORICAL`.
#[must_use]
pub fn langfuse_scores(span: &Span, environment: Option<&str>) -> Vec<Value> {
    let applicable = span.evaluations.iter().filter(|evaluation| evaluation.is_applicable());
    applicable
        .map(|evaluation| {
            let mut score = json!({
                "id": format!("{}-{}", span.span_id, evaluation.name),
                "traceId": span.trace_id.to_string(),
                "name": evaluation.name,
            });
            if let Some(fields) = score.as_object_mut() {
                if span.parent_id.is_some() {
                    fields.insert("observationId".to_owned(), span.span_id.to_string().into());
                }
                let finite = evaluation.finite_score();
                let (kind, value) = match (finite, &evaluation.label) {
                    (Some(score), _) => ("NUMERIC", Value::from(score)),
                    (None, label) => ("CATEGORICAL", Value::from(label.clone())),
                };
                fields.insert("dataType".to_owned(), kind.into());
                fields.insert("value".to_owned(), value);
                let comment = match (&evaluation.label, &evaluation.explanation) {
                    (Some(label), Some(why)) if finite.is_some() => Some(format!("{label}: {why}")),
                    (Some(label), None) if finite.is_some() => Some(label.clone()),
                    (_, why) => why.clone(),
                };
                if let Some(comment) = comment {
                    fields.insert("comment".to_owned(), comment.into());
                }
                if let Some(environment) = environment {
                    fields.insert("environment".to_owned(), environment.into());
                }
            }
            score
        })
        .collect()
}
