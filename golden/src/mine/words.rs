//! The words of an answer that carry it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::volatile;

/// Words that carry no answer, of the languages whose plain words are used at all.
const STOP: &str = "about above after again against already also although always and another any anything are around \
    because been before being below between both but can cannot could did does doing done down during each either else \
    every everything few first following for found from further get gets given goes going good got had has have having \
    her here hers him his how however into its itself just last least less let like looks made make makes many may maybe \
    might more most much must need needs never next none nor not nothing now off okay once one ones only other others our \
    out over own per please put same see seems several shall she should show shows since some something still such sure \
    take than that the their them then there these they thing things this those though through thus too two under until \
    upon use used using very want was way well were what when where whether which while who whom whose why will with \
    within without would yes yet you your yours able across back came come currently exactly full let's right ready \
    aber alle allem allen aller alles als also auch auf aus bei beim bin bis bist damit dann das dass dein deine dem den \
    denn der des dich die dies diese diesem diesen dieser dieses dir doch dort durch eine einem einen einer eines erst \
    etwas euch für gegen gibt habe haben hat hatte hier ich ihm ihn ihr ihre immer ist jede jeder jetzt kann kein keine \
    können mehr mein meine mich mit muss nach nicht nichts noch nun nur oder ohne schon sehr sein seine seit sich sind \
    über und uns unter vom von vor war waren was weil wenn werden wie wieder wird wir wurde wurden zum zur zwei zwischen \
    alors ainsi aucun aussi autre autres avant avec avoir ces cette chez comme dans depuis des deux donc elle elles encore \
    entre est étaient était être fait font les leur leurs lors mais même mes moins mon nos notre nous par parce pas pendant \
    peu peut plus pour pourquoi quand que quel quelle qui sans sera ses son sont sous sur tous tout toute toutes très une \
    vers vos votre vous ahora algo algunos ante antes aquí así aunque bien cada casi como con contra cual cuando del desde \
    donde dos durante ella ellas ellos entre era eres esa ese eso esta está estaba están estar estas este esto estos fue \
    fueron hace hacia hasta hay las los más menos mientras mis mucho muy nada nos nosotros nunca otra otro otros para pero \
    poco porque puede qué quien ser sido sin sino sobre son también tan tanto tiene tienen toda todas todo todos tras una \
    unas uno unos usted anche ancora avere che chi come cosa così dagli dai dal dalla degli dei del della delle dello dentro \
    dopo dove due ella essere fra gli hanno loro molto nei nel nella nelle noi non nostro ogni oppure perché più poi prima \
    quale quando quella quelle quelli quello questa queste questi questo sempre senza sia siamo sono sopra sotto stato \
    stata sugli sul sulla tra tutti tutto una voi ainda além antes após aquele aquela até cada com como das depois dos ela \
    elas eles em entre era essa esse está estão eu foi foram isso isto já mais mas mesmo muito não nas nos nós num numa \
    onde ou para pela pelo pode por porque qual quando que quem sem ser seu seus sua suas são também tem têm tudo uma você \
    aan alle als bij daar dan dat deze die door een elk en er geen had heb hebben heeft hem het hier hij hoe ik in is je kan \
    kunnen maar meer met mijn moet naar niet nog nu om omdat onder ons onze ook op over te tegen toen tot uit van veel voor \
    waar was wat we wel werd wie wij worden zal ze zich zijn zo zonder zou att av den det där efter eller ett från för har hon \
    hur här inte man med när och om på sig som till under vad var vid är без был была были было быть вам вас весь всего вот все \
    всё вы где да даже для до его ее её если есть еще ещё же за из или им их как ко когда который которая которые кто ли \
    меня мне может мы на над надо нас не него нее ней нет ни них но ну об он она они оно от очень по под при раз с сам себя \
    со так такой там то того тоже только том ты у уже хотя чего чей чем что чтобы эта эти это этого этот я";

static STOP_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| STOP.split_whitespace().collect());

/// What a chosen word is, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordKind {
    Number,
    Quoted,
    Identifier,
    Name,
    Word,
}

impl WordKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Quoted => "a quoted text",
            Self::Identifier => "an identifier",
            Self::Name => "a name",
            Self::Word => "a word",
        }
    }
}

/// The words of `answer` that a tool result holds too and that carry it: at most `most`, numbers and quoted texts
/// first. `O(answer + results)`.
pub(crate) fn carrying<'a>(
    answer: &'a str,
    results: &[&str],
    request: &str,
    most: usize,
) -> Vec<(&'a str, WordKind)> {
    let mut in_results: BTreeSet<String> = BTreeSet::new();
    for result in results {
        in_results.extend(tokens(result).map(|(_, token)| token.to_lowercase()));
    }
    let mut found: BTreeMap<String, (WordKind, usize, &'a str)> = BTreeMap::new();
    for (at, text) in quoted(answer) {
        let shared = results.iter().any(|result| result.contains(text));
        if shared && !volatile::is_volatile(text, request) && !is_stop(text) {
            found.entry(text.to_lowercase()).or_insert((WordKind::Quoted, at, text));
        }
    }
    for (at, token) in tokens(answer) {
        let folded = token.to_lowercase();
        if found.contains_key(&folded)
            || !in_results.contains(&folded)
            || volatile::is_volatile(token, request)
        {
            continue;
        }
        // What lies inside a longer volatile value is a part of it.
        if let Some(kind) = kind_of(token, at, answer) {
            found.insert(folded, (kind, at, token));
        }
    }
    let volatile = volatile::places(answer, request);
    let mut all: Vec<(WordKind, usize, &'a str)> = found
        .into_values()
        .filter(|(_, at, text)| {
            !volatile.iter().any(|place| place.start < at + text.len() && *at < place.end)
        })
        .collect();
    all.sort_unstable();
    let texts: Vec<&str> = all.iter().map(|(_, _, text)| *text).collect();
    // A part of another chosen text says nothing more.
    all.retain(|(_, _, text)| !texts.iter().any(|other| other.len() > text.len() && other.contains(text)));
    let mut plain = 0;
    all.retain(|(kind, ..)| {
        plain += usize::from(*kind == WordKind::Word);
        *kind != WordKind::Word || plain <= 2
    });
    // One digit is found nearly everywhere.
    if all.len() > 1 {
        let long: Vec<_> = all.iter().copied().filter(|(_, _, text)| text.chars().count() > 1).collect();
        if !long.is_empty() {
            all = long;
        }
    }
    all.truncate(most);
    all.into_iter().map(|(kind, _, text)| (text, kind)).collect()
}

/// Texts in quotation marks or backticks, 2 to 60 characters on one line.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let marks = [('`', '`'), ('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」')];
    let mut out = Vec::new();
    for (open, close) in marks {
        let mut at = 0;
        while let Some(start) =
            text.get(at..).and_then(|rest| rest.find(open)).map(|i| at + i + open.len_utf8())
        {
            let Some(end) = text.get(start..).and_then(|rest| rest.find(close)).map(|i| start + i) else {
                break;
            };
            let inner = text.get(start..end).unwrap_or_default();
            let length = inner.chars().count();
            if (2..=60).contains(&length) && !inner.contains('\n') && inner.trim() == inner {
                out.push((start, inner));
            }
            at = end + close.len_utf8();
        }
    }
    out.into_iter()
}

/// Words with the signs that belong to them: `v2.3.1`, `12.5%`, `/etc/hosts`, `foo_bar`, `user@host`.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, is_part(c))).chain([(text.len(), false)]);
    ends.filter_map(move |(at, inside)| match (start, inside) {
        (None, true) => {
            start = Some(at);
            None
        }
        (Some(from), false) => {
            start = None;
            let raw = text.get(from..at)?;
            let left =
                raw.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~' | '#' | '@'));
            let token = left.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '%');
            token.chars().any(char::is_alphanumeric).then_some((from + raw.len() - left.len(), token))
        }
        _ => None,
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '%' | '@' | ':' | '+' | '#' | '~' | ',')
}

fn is_stop(word: &str) -> bool {
    STOP_WORDS.contains(word.to_lowercase().as_str())
}

fn kind_of(token: &str, at: usize, answer: &str) -> Option<WordKind> {
    if is_stop(token) || token.starts_with('<') {
        return None;
    }
    let digits = token.chars().filter(char::is_ascii_digit).count();
    let letters = token.chars().filter(|c| c.is_alphabetic()).count();
    if digits > 0 && letters <= 3 && !token.contains(['/', '_', '@']) {
        // A number in front of a list item is no number of the answer.
        let before = answer.get(..at).unwrap_or_default().trim_end_matches([' ', '\t', '*']);
        let behind = answer.get(at + token.len()..).unwrap_or_default();
        let item = (before.is_empty() || before.ends_with('\n')) && behind.starts_with(['.', ')']);
        return (!item).then_some(WordKind::Number);
    }
    let joined = token.trim_matches(['.', '-', ':']).contains(['_', '/', '.', '@', ':', '~', '#']);
    let parts = token.split(['/', ',', ':']).filter(|part| part.chars().count() > 1).count();
    if (joined && parts > 0 && token.chars().count() >= 4) || (digits > 0 && letters > 0) {
        return Some(WordKind::Identifier);
    }
    // Scripts of which the function words are not known here give no plain words.
    let known = token.chars().all(|c| {
        c.is_ascii_alphabetic()
            || matches!(c, '-' | '\'')
            || matches!(c, '\u{c0}'..='\u{24f}' | '\u{400}'..='\u{4ff}')
    });
    if !known {
        return None;
    }
    let length = token.chars().count();
    let upper = token.chars().filter(|c| c.is_uppercase()).count();
    let starts = starts_sentence(answer.get(..at).unwrap_or_default());
    if length >= 2
        && upper > 0
        && (upper > 1 || !starts)
        && token.chars().next().is_some_and(char::is_uppercase)
    {
        return Some(WordKind::Name);
    }
    (length >= 4).then_some(WordKind::Word)
}

fn starts_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '*', '_', '`', '(', '#', '-', '“', '„', '«']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '…', '。'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen<'a>(answer: &'a str, result: &str) -> Vec<&'a str> {
        carrying(answer, &[result], "", 5).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn numbers_and_shared_words_carry_the_answer_stop_words_do_not() {
        let answer =
            "The ferns in the house are the tall ones and the small ones, and there are 12 of the ferns.";
        assert_eq!(chosen(answer, "ferns: 12"), ["12", "ferns"]);
        assert_eq!(chosen(answer, "the are ones and there"), [""; 0]);
    }

    #[test]
    fn quotes_paths_and_names() {
        let answer = "Deployed `web-3` to Hamburg, see /etc/nginx/site.conf (1. of two).";
        assert_eq!(
            chosen(answer, "web-3 up in Hamburg from /etc/nginx/site.conf"),
            ["web-3", "/etc/nginx/site.conf", "Hamburg"]
        );
    }

    #[test]
    fn volatile_values_are_no_words() {
        assert_eq!(
            chosen(
                "At 09:00:02 on 2026-05-04 run 1a2b3c4d5e made 7 rows",
                "09:00:02 2026-05-04 1a2b3c4d5e 7"
            ),
            ["7"]
        );
    }

    #[test]
    fn other_scripts_give_numbers_and_quotes_only() {
        assert_eq!(chosen("他们 一共 有 12 盆 「蕨类」", "一共 12 蕨类"), ["12", "蕨类"]);
        assert_eq!(
            chosen("их всего 12 папоротников или еще", "папоротников 12 еще или всего их"),
            ["12", "папоротников"]
        );
    }
}
