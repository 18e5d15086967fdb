//! What a text must hold for a pattern to match it.

use std::collections::BTreeSet;

use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, GroupKind, RepetitionKind, RepetitionRange, parse::Parser,
};

/// How many texts may stand for one place of a pattern.
const MAX_PRODUCT: usize = 32;

/// How many texts may stand for a pattern.
const MAX_ANCHORS: usize = 512;

/// So many bytes of a text are enough to tell; more would only make the automaton larger.
const LONG_ENOUGH: usize = 5;

/// The only characters outside ASCII that ASCII letters match when case is ignored: `s` and `k`. A text that holds one of
/// them may match any pattern.
pub(super) const FOLDED_ONTO_ASCII: [&str; 2] = ["\u{17F}", "\u{212A}"];

/// Texts of which every match of a pattern (case ignored) holds at least one, ASCII letters in lower case for both; `None`
/// when there are no such texts. `O(length of the pattern)`.
///
/// The pattern is walked as it is written, not compiled: that is cheap enough to be done for all of them.
pub(super) fn anchors(pattern: &str) -> Option<BTreeSet<String>> {
    let ast = Parser::new().parse(pattern).ok()?;
    let texts = walk(&ast)?.best()?;
    Some(texts.into_iter().map(beginning).collect())
}

/// The first bytes of a text, up to the end of a character.
fn beginning(mut text: String) -> String {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).find(|end| *end >= LONG_ENOUGH);
    text.truncate(end.unwrap_or(text.len()));
    text
}

/// What is known of a piece of a pattern.
struct Piece {
    /// All texts that it matches, when they are few.
    exact: Option<Vec<String>>,
    /// Texts of which each match holds one.
    required: Option<Vec<String>>,
}

impl Piece {
    const ANYTHING: Self = Self { exact: None, required: None };

    fn nothing() -> Self {
        Self { exact: Some(vec![String::new()]), required: None }
    }

    fn best(self) -> Option<Vec<String>> {
        let mut best = None;
        consider(&mut best, self.required);
        consider(&mut best, self.exact);
        best
    }
}

/// Keeps the better texts: those whose shortest is longer, then the fewer.
fn consider(best: &mut Option<Vec<String>>, other: Option<Vec<String>>) {
    let quality = |texts: &Vec<String>| {
        let shortest = texts.iter().map(String::len).min().unwrap_or(0);
        (shortest.min(LONG_ENOUGH), std::cmp::Reverse(texts.len()))
    };
    let Some(other) = other.filter(|texts| texts.len() <= MAX_ANCHORS && quality(texts).0 > 0) else {
        return;
    };
    if best.as_ref().is_none_or(|best| quality(best) < quality(&other)) {
        *best = Some(other);
    }
}

/// `None` when the pattern changes its own flags: then nothing is known.
fn walk(ast: &Ast) -> Option<Piece> {
    Some(match ast {
        Ast::Empty(_) | Ast::Assertion(_) => Piece::nothing(),
        Ast::Flags(_) => return None,
        Ast::Literal(literal) => Piece { exact: folded(literal.c), required: None },
        Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) => Piece::ANYTHING,
        Ast::ClassBracketed(class) if class.negated => Piece::ANYTHING,
        Ast::ClassBracketed(class) => {
            let mut texts = Vec::new();
            Piece { exact: members(&class.kind, &mut texts).map(|()| texts), required: None }
        }
        Ast::Repetition(repetition) => {
            let inner = walk(&repetition.ast)?;
            match &repetition.op.kind {
                RepetitionKind::ZeroOrOne => {
                    let with_nothing = |mut texts: Vec<String>| {
                        texts.push(String::new());
                        texts
                    };
                    Piece { exact: inner.exact.map(with_nothing), required: None }
                }
                RepetitionKind::ZeroOrMore
                | RepetitionKind::Range(
                    RepetitionRange::Exactly(0)
                    | RepetitionRange::AtLeast(0)
                    | RepetitionRange::Bounded(0, _),
                ) => Piece::ANYTHING,
                RepetitionKind::OneOrMore | RepetitionKind::Range(_) => {
                    Piece { exact: None, required: inner.best() }
                }
            }
        }
        Ast::Group(group) => match &group.kind {
            GroupKind::NonCapturing(flags) if !flags.items.is_empty() => return None,
            _ => walk(&group.ast)?,
        },
        Ast::Alternation(alternation) => either(&alternation.asts)?,
        Ast::Concat(concat) => one_after_the_other(&concat.asts)?,
    })
}

fn either(alternatives: &[Ast]) -> Option<Piece> {
    let mut exact = Some(Vec::new());
    let mut required = Some(Vec::new());
    for alternative in alternatives {
        let piece = walk(alternative)?;
        // As long as all are exact, the exact texts are the required ones; then they part.
        match (&mut exact, piece.exact) {
            (Some(all), Some(texts)) => all.extend(texts),
            (all, texts) => {
                if let (Some(before), Some(required)) = (all.take(), &mut required) {
                    required.extend(before);
                }
                let best = Piece { exact: texts, required: piece.required }.best();
                required = required.zip(best).map(|(mut all, texts)| {
                    all.extend(texts);
                    all
                });
            }
        }
    }
    // An empty text among the exact ones of before makes the required ones useless, which `consider` sees.
    let required = if exact.is_some() { None } else { required };
    Some(Piece { exact: exact.filter(|texts| texts.len() <= MAX_ANCHORS), required })
}

fn one_after_the_other(pieces: &[Ast]) -> Option<Piece> {
    let mut best = None;
    let mut run = vec![String::new()];
    let mut whole = true;
    for piece in pieces {
        // What patterns mostly consist of.
        if let Ast::Literal(literal) = piece
            && literal.c.is_ascii()
        {
            for text in &mut run {
                text.push(literal.c.to_ascii_lowercase());
            }
            continue;
        }
        let piece = walk(piece)?;
        match piece.exact {
            Some(next) if run.len() * next.len() <= MAX_PRODUCT => {
                run = run.iter().flat_map(|a| next.iter().map(move |b| [&**a, &**b].concat())).collect();
            }
            next => {
                whole = false;
                let next = next.unwrap_or_else(|| vec![String::new()]);
                consider(&mut best, Some(std::mem::replace(&mut run, next)));
            }
        }
        consider(&mut best, piece.required);
    }
    if whole {
        return Some(Piece { exact: Some(run), required: best });
    }
    consider(&mut best, Some(run));
    Some(Piece { exact: None, required: best })
}

/// The members of a class, when they are few.
fn members(set: &ClassSet, texts: &mut Vec<String>) -> Option<()> {
    match set {
        ClassSet::Item(item) => member(item, texts),
        ClassSet::BinaryOp(_) => None,
    }
}

fn member(item: &ClassSetItem, texts: &mut Vec<String>) -> Option<()> {
    match item {
        ClassSetItem::Empty(_) => Some(()),
        ClassSetItem::Literal(literal) => {
            texts.extend(folded(literal.c)?);
            (texts.len() <= MAX_PRODUCT).then_some(())
        }
        ClassSetItem::Bracketed(class) if !class.negated => members(&class.kind, texts),
        ClassSetItem::Union(union) => union.items.iter().try_for_each(|item| member(item, texts)),
        _ => None,
    }
}

/// What a character matches when case is ignored, ASCII letters in lower case for both; `None` when that is not known here.
fn folded(c: char) -> Option<Vec<String>> {
    match c {
        '\0'..='\x7F' => Some(vec![c.to_ascii_lowercase().to_string()]),
        // No letters with case: punctuation and Han.
        '¡' | '¿' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{9FFF}' | '\u{FF01}'..='\u{FF0F}' => {
            Some(vec![c.to_string()])
        }
        // Latin letters with one other form each. Not `å`, which is the sign of the angstrom, too.
        'à'..='ä' | 'æ'..='ö' | 'ø'..='þ' => Some(vec![c.to_string(), c.to_uppercase().to_string()]),
        'À'..='Ä' | 'Æ'..='Ö' | 'Ø'..='Þ' => Some(vec![c.to_string(), c.to_lowercase().to_string()]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    fn texts(pattern: &str) -> Option<Vec<String>> {
        anchors(pattern).map(|texts| texts.into_iter().collect())
    }

    #[test]
    fn the_longest_texts_that_must_be_there() {
        let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
        assert_eq!(texts(r"\b(?:my )?(?:mistake|Fault)\b"), some(&["fault", "mista", "my fa", "my mi"]));
        assert_eq!(texts(r"you (?:always|never)? .{0,9}done"), some(&["you  ", "you a", "you n"]));
        assert_eq!(texts(r"don['’]t"), some(&["don't", "don’"]));
        assert_eq!(texts("(?:没|沒)有?"), some(&["沒", "沒有", "没", "没有"]));
        assert_eq!(texts("möchte"), some(&["mÖch", "möch"]));
        assert_eq!(texts("größe"), some(&["grÖ", "grö"]));
        for pattern in [r"\w+", "a?", "(?i)done", "(?x: a )", "a|", "[^a]", "(", "a*b{0}"] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn folding_is_that_of_regular_expressions() {
        for c in '\0'..=char::MAX {
            let Some(forms) = folded(c) else { continue };
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            class.try_case_fold_simple().unwrap();
            for form in class.iter().flat_map(|range| range.start()..=range.end()) {
                let form = form.to_string();
                let known = forms.contains(&form.to_ascii_lowercase()) || FOLDED_ONTO_ASCII.contains(&&*form);
                assert!(known, "{c:?} matches {form:?}");
            }
        }
    }
}
