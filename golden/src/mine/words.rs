//! The words of an answer that carry it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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

/// Words by which an agent reports what it did, and names of what it works on: they prove nothing.
const REPORT: &str = "output outputs result results file files folder folders directory command commands tool tools \
    started starting starts start finished finish completed complete created create creating updated update changed change \
    changes added removed printed print prints listed list lists successfully success successful succeeded contents content \
    answer answers request requested below shown displayed display showing checked check checks ready please note summary \
    erstellt geändert ausgeführt fertig erledigt datei dateien ordner ergebnis ausgabe befehl gestartet gelesen \
    creado creada cambiado ejecutado listo terminado archivo archivos carpeta resultado resultados salida comando iniciado \
    créé créée modifié exécuté terminé fichier fichiers dossier résultat résultats sortie commande démarré";

static REPORT_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| REPORT.split_whitespace().collect());

/// Bytes of a result of which a single word still says something.
const SHORT_RESULT: usize = 4096;
/// Plain words asserted for a turn.
const PLAIN_WORDS: usize = 2;

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

/// What the words of an answer are compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'e> {
    /// What the tools gave back.
    pub(crate) results: &'e [&'e str],
    /// What the agent itself wrote into files: reading that back proves nothing.
    pub(crate) written: &'e [String],
    /// What was asked.
    pub(crate) request: &'e str,
}

/// A word found in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found<'a> {
    /// The request says it, too: worth less than what it does not say.
    asked: bool,
    kind: WordKind,
    at: usize,
    text: &'a str,
}

/// The words of `answer` that a tool result holds too and that carry it: at most `most`, those that the request does
/// not say first, numbers and quoted texts before names and words. `O(answer + results)`.
pub(crate) fn carrying<'a>(
    answer: &'a str,
    evidence: &Evidence<'_>,
    most: usize,
) -> Vec<(&'a str, WordKind)> {
    let Evidence { results, request, .. } = *evidence;
    let all_tokens = token_set(results.iter().copied());
    // In a long text nearly every word stands somewhere.
    let telling = token_set(results.iter().copied().filter(|result| result.len() <= SHORT_RESULT));
    let written = token_set(evidence.written.iter().map(String::as_str));
    let asked = asked_set(request);
    let fences = fences(answer);
    let mut found: BTreeMap<String, Found<'a>> = BTreeMap::new();
    for (at, text) in quoted(answer) {
        let short = text.chars().count() < 4;
        let shared = if short && text.is_ascii() {
            text.len() > 2 && all_tokens.contains(&text.to_lowercase())
        } else {
            results.iter().any(|result| result.contains(text))
        };
        if shared && !volatile::is_volatile(text, request) && !is_stop(text) && !is_inside(&fences, at) {
            let asked = contains_folded(request, text);
            found.entry(text.to_lowercase()).or_insert(Found { asked, kind: WordKind::Quoted, at, text });
        }
    }
    for (at, token) in tokens(answer) {
        let folded = token.to_lowercase();
        if found.contains_key(&folded)
            || !all_tokens.contains(&folded)
            || volatile::is_volatile(token, request)
        {
            continue;
        }
        let Some(kind) = kind_of(token, at, answer) else { continue };
        let is_asked = is_said(&folded, kind, &asked, request);
        let proves = match kind {
            WordKind::Word => {
                let reads_back = written.contains(&folded) || is_inside(&fences, at);
                let long = token.chars().count() > 3;
                long && !reads_back && telling.contains(&folded) && !is_report(&folded)
            }
            // A short number of the request stands in many a result by chance.
            WordKind::Number => !is_asked || token.chars().count() >= 3,
            _ => !is_inside(&fences, at) || !written.contains(&folded),
        };
        if proves {
            found.insert(folded, Found { asked: is_asked, kind, at, text: token });
        }
    }
    let new: BTreeSet<String> =
        found.iter().filter(|(_, found)| !found.asked).map(|(folded, _)| folded.clone()).collect();
    found.retain(|folded, found| {
        found.kind != WordKind::Word || !found.asked || confirms(results, folded, &new)
    });
    // What lies inside a longer volatile value is a part of it.
    let volatile = volatile::places(answer, request);
    let mut all: Vec<Found<'a>> = found
        .into_values()
        .filter(|found| {
            !volatile.iter().any(|place| place.start < found.at + found.text.len() && found.at < place.end)
        })
        .collect();
    all.sort_unstable();
    let texts: Vec<&str> = all.iter().map(|found| found.text).collect();
    // A part of another chosen text says nothing more.
    all.retain(|found| {
        !texts.iter().any(|other| other.len() > found.text.len() && other.contains(found.text))
    });
    let mut plain = 0;
    all.retain(|found| {
        plain += usize::from(found.kind == WordKind::Word);
        found.kind != WordKind::Word || plain <= PLAIN_WORDS
    });
    // One digit is found nearly everywhere.
    if all.len() > 1 {
        let long: Vec<_> = all.iter().copied().filter(|found| found.text.chars().count() > 1).collect();
        if !long.is_empty() {
            all = long;
        }
    }
    both_halves(&mut all, most, answer.len());
    all.into_iter().map(|found| (found.text, found.kind)).collect()
}

/// Whether a tool ties a word of the request to something new that the answer says: in one line, as in `ferns: 12`.
fn confirms(results: &[&str], folded: &str, new: &BTreeSet<String>) -> bool {
    let short = results.iter().filter(|result| result.len() <= SHORT_RESULT);
    short.flat_map(|result| result.lines()).any(|line| {
        let line = token_set([line]);
        line.contains(folded) && line.iter().any(|token| new.contains(token))
    })
}

/// Keeps the best `most`; when all of them stand in the first half of the answer, the last gives way to the best of the
/// second half, so that an answer that breaks off is noticed.
fn both_halves(all: &mut Vec<Found<'_>>, most: usize, length: usize) {
    let late = |found: &Found<'_>| found.at + found.text.len() > length / 2;
    let spare = all.iter().skip(most).copied().find(late);
    all.truncate(most);
    if let Some(spare) = spare
        && all.len() > 1
        && !all.iter().any(late)
        && let Some(last) = all.last_mut()
    {
        *last = spare;
    }
}

/// The words that all answers to a request have and the request does not say, at most `most`: for answers whose words no
/// tool result holds, as those about a picture. `O(answers)`.
pub(crate) fn common<'a>(
    answer: &'a str,
    others: &[&str],
    evidence: &Evidence<'_>,
    most: usize,
) -> Vec<(&'a str, WordKind)> {
    let asked = asked_set(evidence.request);
    let sets: Vec<BTreeSet<String>> = others.iter().map(|other| token_set([*other])).collect();
    let fences = fences(answer);
    let mut found: BTreeMap<String, Found<'a>> = BTreeMap::new();
    for (at, token) in tokens(answer) {
        let folded = token.to_lowercase();
        let Some(kind) = kind_of(token, at, answer) else { continue };
        let is_word = kind != WordKind::Word || !is_report(&folded);
        let everywhere = sets.iter().all(|set| set.contains(&folded));
        if is_word
            && everywhere
            && !is_inside(&fences, at)
            && !volatile::is_volatile(token, evidence.request)
            && !is_said(&folded, kind, &asked, evidence.request)
        {
            found.entry(folded).or_insert(Found { asked: false, kind, at, text: token });
        }
    }
    let mut all: Vec<Found<'a>> = found.into_values().collect();
    all.sort_unstable();
    both_halves(&mut all, most, answer.len());
    all.into_iter().map(|found| (found.text, found.kind)).collect()
}

/// The piece of a worded text that names something: what the request names, else an identifier, a number or a name.
pub(crate) fn telling<'t>(text: &'t str, request: &str) -> Option<&'t str> {
    let asked = asked_set(request);
    let named = |kind: WordKind| matches!(kind, WordKind::Identifier | WordKind::Number | WordKind::Name);
    tokens(text)
        .filter_map(|(at, token)| Some((kind_of(token, at, text).filter(|kind| named(*kind))?, at, token)))
        .filter(|(.., token)| !volatile::is_volatile(token, request) && token.chars().count() > 1)
        .min_by_key(|(kind, at, token)| {
            let said = asked.contains(&token.to_lowercase());
            (!said, *kind != WordKind::Identifier, *kind, *at)
        })
        .map(|(.., token)| token)
}

/// The line of a text that has most words of the request, when one has any.
pub(crate) fn closest_line<'t>(text: &'t str, request: &str) -> Option<&'t str> {
    let asked = asked_set(request);
    let shared = |line: &str| {
        let words = tokens_of_code(line).filter(|word| word.chars().count() > 2 && !is_stop(word));
        words.filter(|word| asked.contains(&word.to_lowercase())).count()
    };
    let best = text.lines().map(|line| (shared(line), line)).rev().max_by_key(|(shared, _)| *shared)?;
    (best.0 > 0).then_some(best.1)
}

fn tokens_of_code(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
}

fn token_set<'t, T>(texts: T) -> BTreeSet<String>
where
    T: IntoIterator<Item = &'t str>,
{
    texts.into_iter().flat_map(tokens).map(|(_, token)| token.to_lowercase()).collect()
}

/// The tokens of a request, and their parts: who asks for `dot.png` has said `dot`.
fn asked_set(request: &str) -> BTreeSet<String> {
    let mut out = token_set([request]);
    let parts = |token: &String| -> Vec<String> {
        token.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2).map(str::to_owned).collect()
    };
    out.extend(out.iter().flat_map(parts).collect::<Vec<_>>());
    out
}

fn contains_folded(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

/// Whether the request says a token: a word also in another form (`count`, `counting`).
fn is_said(folded: &str, kind: WordKind, asked: &BTreeSet<String>, request: &str) -> bool {
    if asked.contains(folded) {
        return true;
    }
    match kind {
        WordKind::Number => false,
        WordKind::Word => asked.iter().any(|other| {
            let shared = folded.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let length = folded.chars().count();
            shared >= 4 && shared + 3 >= length
        }),
        _ => contains_folded(request, folded),
    }
}

/// Words by which an agent reports that it did something: true of any answer.
fn is_report(folded: &str) -> bool {
    REPORT_WORDS.contains(folded)
}

/// The blocks of code in an answer.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut open = None;
    for (at, _) in text.match_indices("```") {
        match open.take() {
            None => open = Some(at),
            Some(start) => out.push(start..at),
        }
    }
    out.extend(open.map(|start| start..text.len()));
    out
}

fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

/// Texts in quotation marks or backticks, 2 to 60 characters on one line.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let marks = [("**", "**"), ("`", "`"), ("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」")];
    let mut out = Vec::new();
    for (open, close) in marks {
        let mut at = 0;
        while let Some(start) = text.get(at..).and_then(|rest| rest.find(open)).map(|i| at + i + open.len()) {
            let Some(end) = text.get(start..).and_then(|rest| rest.find(close)).map(|i| start + i) else {
                break;
            };
            let inner = text.get(start..end).unwrap_or_default();
            let length = inner.chars().count();
            if (2..=60).contains(&length) && !inner.contains('\n') && inner.trim() == inner {
                out.push((start, inner));
            }
            at = end + close.len();
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
    (length >= 3).then_some(WordKind::Word)
}

fn starts_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '*', '_', '`', '(', '#', '-', '“', '„', '«']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '…', '。'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen<'a>(answer: &'a str, result: &str) -> Vec<&'a str> {
        with(answer, result, "", "")
    }

    fn with<'a>(answer: &'a str, result: &str, written: &str, request: &str) -> Vec<&'a str> {
        let evidence = Evidence { results: &[result], written: &[written.to_owned()], request };
        carrying(answer, &evidence, 5).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn what_the_request_says_is_no_answer() {
        assert_eq!(
            with("The subagent is counting.", "subagent: counting", "", "Let a subagent count"),
            [""; 0]
        );
        assert_eq!(with("There are 12 ferns.", "ferns: 12", "", "how many ferns"), ["12", "ferns"]);
        assert_eq!(with("It has 3 of 71 ferns", "3 71", "", "are there 3?"), ["71"]);
        assert_eq!(with("notes.txt was added", "A notes.txt", "", "Patch notes.txt"), ["notes.txt"]);
    }

    #[test]
    fn what_the_agent_wrote_and_reads_back_is_no_answer() {
        let answer = "It prints hi.\n```python\nprint(hi)\nmain()\n```";
        assert_eq!(with(answer, "print(hi)\nmain()", "print(hi)\nmain()", ""), [""; 0]);
        assert_eq!(with("The lantern is lit.", "lantern lit", "", ""), ["lantern"]);
    }

    #[test]
    fn in_a_long_result_only_numbers_and_names_count() {
        let long = format!("{} lantern 4711", "row ".repeat(2000));
        assert_eq!(with("4711 rows, one with a lantern", &long, "", ""), ["4711"]);
    }

    #[test]
    fn an_answer_is_covered_to_its_end() {
        let answer = "10 11 12 13 14 15 and then, at the end of a long row, the lantern";
        assert_eq!(with(answer, "10 11 12 13 14 15 lantern", "", ""), ["10", "11", "12", "13", "lantern"]);
    }

    #[test]
    fn words_of_all_answers_stand_in_for_results() {
        let evidence = Evidence { results: &[], written: &[], request: "Look at dot.png" };
        let answers = ["It is a single red dot.", "A red dot.", "One red dot, in dot.png"];
        let found = common(answers[0], &answers, &evidence, 2);
        assert_eq!(found, [("red", WordKind::Word)]);
        let answers = ["It shows a scarlet square.", "A scarlet one.", "scarlet"];
        assert_eq!(common(answers[0], &answers, &evidence, 2), [("scarlet", WordKind::Word)]);
    }

    #[test]
    fn a_worded_text_is_known_by_what_it_names() {
        let text = "Count the lines of hello.py and report the number.";
        assert_eq!(telling(text, "Delegate it"), Some("hello.py"));
        assert_eq!(telling("line counter", ""), None);
        assert_eq!(telling("Compare a.md with b.md", "what is in b.md?"), Some("b.md"));
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
