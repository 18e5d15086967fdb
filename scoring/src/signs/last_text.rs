//! The last text of the agent that says something.

use super::phrases::{self, Claim, ClaimKind};
use super::prose;
use super::text::{Sentence, Words, sentences};
use crate::rules::Matchers;

/// Finds the last substantive text among `texts`, given from the last to the first: empty ones do not count, and at most
/// [`goodbyes`](crate::rules::Limits::goodbyes) goodbyes are walked past. When there is nothing but goodbyes it is the last of
/// the texts.
pub(crate) fn last_substantive<'t>(
    matchers: &Matchers,
    texts: impl IntoIterator<Item = Words<'t>>,
) -> Option<Words<'t>> {
    let mut last = None;
    let mut walked = 0;
    for words in texts {
        if words.text().trim().is_empty() {
            continue;
        }
        if walked == matchers.limits.goodbyes || !is_goodbye(matchers, words.text()) {
            return Some(words);
        }
        walked += 1;
        last.get_or_insert(words);
    }
    last
}

/// The last substantive text with its prose, read once for all that is asked of it.
#[derive(Debug)]
pub(super) struct LastText<'t> {
    pub(super) words: Words<'t>,
    prose: String,
}

impl<'t> LastText<'t> {
    pub(super) fn new(words: Words<'t>) -> Self {
        let prose = prose::of_agent(words.text());
        Self { words, prose }
    }

    /// Ranges of the prose are ranges of the words.
    pub(super) fn sentences(&self) -> Vec<Sentence<'_>> {
        sentences(&self.prose)
    }

    /// The first claim that something is done.
    pub(super) fn done<'m>(&self, matchers: &'m Matchers) -> Option<Claim<'m>> {
        let claims = phrases::claims_in(matchers, &self.prose);
        claims.into_iter().find(|claim| claim.kind == ClaimKind::Complete)
    }
}

/// A short text that says goodbye, unless it says unable, sorry or transfer, or how the work went.
fn is_goodbye(matchers: &Matchers, text: &str) -> bool {
    text.chars().nth(matchers.limits.goodbye_chars).is_none()
        && matchers.goodbyes.is_match(text)
        && !matchers.not_goodbyes.is_match(text)
        && phrases::claims(matchers, text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn goodbyes_and_what_only_ends_like_one() {
        let (matchers, _) = Matchers::new(&Rules::default());
        for text in [
            "You're welcome!",
            "Is there anything else I can help you with?",
            "De nada.",
            "不客气！",
            "Gern geschehen!",
        ] {
            assert!(is_goodbye(&matchers, text), "{text}");
        }
        for text in [
            "All done. Is there anything else?",
            "I'm sorry, I was unable to do that. Anything else?",
            "The file has 12 lines.",
            "You are being transferred to a human agent. Have a nice day!",
        ] {
            assert!(!is_goodbye(&matchers, text), "{text}");
        }
    }
}
