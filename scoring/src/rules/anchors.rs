//! What a text must hold for a pattern to match it.

use std::collections::BTreeSet;

use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, GroupKind, RepetitionKind, RepetitionRange, parse::Parser,
};

/// How many texts may stand for one place of a pattern.
const MAX_PRODUCT: usize = 64;

/// How many texts may stand for a pattern.
const MAX_ANCHORS: usize = 512;

/// Longer texts are not better.
const LONG_ENOUGH: usize = 5;

/// The only characters outside ASCII that ASCII letters match when case is ignored: `s` and `k`. A text that holds one of
/// them may match any pattern.
pub(super) const FOLDED_ONTO_ASCII: [&str; 2] = ["\u{17F}", "\u{212A}"];

/// Texts of which every match of a pattern (case ignored) holds at least one, ASCII letters in any case; `None` when there are
/// no such texts. `O(length of the pattern)`.
///
/// The pattern is walked as it is written, not compiled: that is cheap enough to be done for all of them.
pub(super) fn anchors(pattern: &str) -> Option<BTreeSet<String>> {
    let ast = Parser::new().parse(pattern).ok()?;
    walk(&ast)?.best()
}

/// What is known of a piece of a pattern.
struct Piece {
    /// All texts that it matches, when they are few.
    exact: Option<BTreeSet<String>>,
    /// Texts of which each match holds one.
    required: Option<BTreeSet<String>>,
}

impl Piece {
    const ANYTHING: Self = Self { exact: None, required: None };

    fn exact(texts: impl IntoIterator<Item = String>) -> Self {
        Self { exact: Some(texts.into_iter().collect()), required: None }
    }

    fn nothing() -> Self {
        Self::exact([String::new()])
    }

    fn best(self) -> Option<BTreeSet<String>> {
        let mut best = None;
        consider(&mut best, self.required);
        consider(&mut best, self.exact);
        best
    }
}

/// Keeps the better set: the one whose shortest text is longer, then the smaller one.
fn consider(best: &mut Option<BTreeSet<String>>, other: Option<BTreeSet<String>>) {
    let quality = |texts: &BTreeSet<String>| {
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
        Ast::Literal(literal) => folded(literal.c).map_or(Piece::ANYTHING, Piece::exact),
        Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) => Piece::ANYTHING,
        Ast::ClassBracketed(class) if class.negated => Piece::ANYTHING,
        Ast::ClassBracketed(class) => {
            let mut texts = BTreeSet::new();
            match members(&class.kind, &mut texts) {
                Some(()) => Piece::exact(texts),
                None => Piece::ANYTHING,
            }
        }
        Ast::Repetition(repetition) => {
            let inner = walk(&repetition.ast)?;
            match &repetition.op.kind {
                RepetitionKind::ZeroOrOne => Piece {
                    exact: inner.exact.map(|mut texts| {
                        texts.insert(String::new());
                        texts
                    }),
                    required: None,
                },
                RepetitionKind::ZeroOrMore => Piece::ANYTHING,
                RepetitionKind::Range(
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
        Ast::Alternation(alternation) => {
            let pieces = alternation.asts.iter().map(walk).collect::<Option<Vec<_>>>()?;
            either(pieces)
        }
        Ast::Concat(concat) => {
            let pieces = concat.asts.iter().map(walk).collect::<Option<Vec<_>>>()?;
            one_after_the_other(pieces)
        }
    })
}

fn either(pieces: Vec<Piece>) -> Piece {
    let mut exact = Some(BTreeSet::new());
    let mut required = Some(BTreeSet::new());
    for piece in pieces {
        exact = exact.zip(piece.exact.clone()).map(|(mut all, texts)| {
            all.extend(texts);
            all
        });
        required = required.zip(piece.best()).map(|(mut all, texts)| {
            all.extend(texts);
            all
        });
    }
    Piece { exact: exact.filter(|texts| texts.len() <= MAX_ANCHORS), required }
}

fn one_after_the_other(pieces: Vec<Piece>) -> Piece {
    let mut best = None;
    let mut run = BTreeSet::from([String::new()]);
    let mut whole = true;
    for piece in pieces {
        match piece.exact {
            Some(next) if run.len() * next.len() <= MAX_PRODUCT => {
                run = run.iter().flat_map(|a| next.iter().map(move |b| format!("{a}{b}"))).collect();
            }
            Some(next) => {
                whole = false;
                consider(&mut best, Some(std::mem::replace(&mut run, next)));
            }
            None => {
                whole = false;
                consider(&mut best, Some(std::mem::replace(&mut run, BTreeSet::from([String::new()]))));
            }
        }
        consider(&mut best, piece.required);
    }
    if whole {
        return Piece { exact: Some(run), required: best };
    }
    consider(&mut best, Some(run));
    Piece { exact: None, required: best }
}

/// The members of a class, when they are few.
fn members(set: &ClassSet, texts: &mut BTreeSet<String>) -> Option<()> {
    match set {
        ClassSet::Item(item) => member(item, texts),
        ClassSet::BinaryOp(_) => None,
    }
}

fn member(item: &ClassSetItem, texts: &mut BTreeSet<String>) -> Option<()> {
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
        assert_eq!(texts(r"\b(?:my )?(?:mistake|Fault)\b"), some(&["fault", "mistake"]));
        assert_eq!(texts(r"you (?:always|never)? .{0,9}done"), some(&["you  ", "you always ", "you never "]));
        assert_eq!(texts(r"don['’]t"), some(&["don't", "don’t"]));
        assert_eq!(texts("(?:没|沒)有?"), some(&["没", "没有", "沒", "沒有"]));
        assert_eq!(texts("möchte"), some(&["mÖchte", "möchte"]));
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
