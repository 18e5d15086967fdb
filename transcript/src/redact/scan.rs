//! One automaton finds the places worth a look; fine rules decide at each.

use std::ops::Range;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, MatchKind, PatternID, StartKind};
use regex::Regex;

use super::commands::{PROGRAMS, READERS};
use super::policy::{RedactionLevel, RedactionPolicy};
use super::secret_names::LOCAL_PASSWORDS;
use super::seed::SEED_NAMES;
use super::value::{byte, run};
use super::vendor::VENDORS;
use super::{context, encoded, headers, numbers, personal, seed, vendor};

/// What a replaced value was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Label {
    Secret,
    Email,
    Phone,
    Card,
    Iban,
    User,
    Host,
    Ip,
    Mac,
    Ssn,
    Custom(String),
}

/// A place to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) label: Label,
}

impl Found {
    pub(super) fn new(label: Label, range: Range<usize>) -> Self {
        Self { range, label }
    }
}

impl Label {
    /// The name in the placeholder.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Secret => "SECRET",
            Self::Email => "EMAIL",
            Self::Phone => "PHONE",
            Self::Card => "CARD",
            Self::Iban => "IBAN",
            Self::User => "USER",
            Self::Host => "HOST",
            Self::Ip => "IP",
            Self::Mac => "MAC",
            Self::Ssn => "SSN",
            Self::Custom(name) => name,
        }
    }

    /// The value in the form in which two spellings of one thing are equal.
    pub(super) fn normal(&self, value: &str) -> String {
        match self {
            Self::Email => {
                personal::AT_SIGNS.iter().fold(value.to_lowercase(), |mail, at| mail.replace(at, "@"))
            }
            Self::Host | Self::Ip => value.to_lowercase(),
            Self::Mac => value.to_ascii_lowercase().replace('-', ":"),
            Self::Phone | Self::Card | Self::Iban | Self::Ssn => {
                value.chars().filter(char::is_ascii_alphanumeric).collect()
            }
            Self::Secret | Self::User | Self::Custom(_) => value.to_owned(),
        }
    }
}

/// What to do where an anchor stands.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Vendor(usize),
    Encoded,
    Hidden,
    Program(usize),
    Reader(usize),
    Seed,
    Jwt,
    Pem,
    Telegram,
    DiscordWebhook,
    Name,
    Authorization,
    Bearer,
    Cookie,
    UserOption,
    Url,
    At,
    Home,
    PrivateHost,
    NamedHost,
    Query,
    Known(usize),
}

/// Pieces of names, besides [`LOCAL_PASSWORDS`]; the context decides which names they make.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "passwort",
    "kennwort",
    "contraseña",
    "secret",
    "secrets",
    "token",
    "key",
    "credential",
    "credentials",
    "pass",
    "_auth",
    "密码",
    "口令",
    "密钥",
    "令牌",
    "密碼",
    "mot de passe",
    "palavra-passe",
];

/// Pieces of further names of fields.
const FIELD_NAMES: &[&str] = &[
    "auth", "cookie", "pass", "pw", "host", "computer", "node", "machine", "phone", "tel", "mobile", "fax",
    "whatsapp", "cell", "mnemonic", "phrase", "ssn", "social",
];

/// Suffixes of hosts that no public name server knows.
const PRIVATE_SUFFIXES: &[&str] =
    &[".local", ".internal", ".lan", ".corp", ".localdomain", ".intra", ".intranet", ".home.arpa"];

/// The automaton over all anchors.
enum Anchors {
    /// The table is faster, but for very many known values too large.
    Table(DFA),
    Links(NFA),
}

impl Anchors {
    fn new(texts: &[&str]) -> Option<Self> {
        let mut table = DFA::builder();
        table.ascii_case_insensitive(true).match_kind(MatchKind::Standard).start_kind(StartKind::Unanchored);
        let mut links = NFA::builder();
        links.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
        let table = table.prefilter(false).build(texts).ok().map(Self::Table);
        table.or_else(|| links.prefilter(false).build(texts).ok().map(Self::Links))
    }
}

/// Calls `each` with every occurrence of every anchor, overlapping ones too, by their ends. O(n + occurrences).
fn walk<A: Automaton>(automaton: &A, bytes: &[u8], mut each: impl FnMut(PatternID, Range<usize>)) {
    let Ok(mut state) = automaton.start_state(Anchored::No) else { return };
    let mut at = 0;
    loop {
        (state, at) = next_special(automaton, bytes, state, at);
        if automaton.is_match(state) {
            for index in 0..automaton.match_len(state) {
                let pattern = automaton.match_pattern(state, index);
                each(pattern, at - automaton.pattern_len(pattern).min(at)..at);
            }
        }
        if at >= bytes.len() {
            return;
        }
    }
}

/// Goes on until a state in which something ends, or to the end. A function of its own, so that the state stays in a
/// register: twice as fast.
#[inline(never)]
fn next_special<A: Automaton>(
    automaton: &A,
    bytes: &[u8],
    mut state: StateID,
    from: usize,
) -> (StateID, usize) {
    for (at, &b) in bytes.iter().enumerate().skip(from) {
        state = automaton.next_state(Anchored::No, state, b);
        if automaton.is_special(state) {
            return (state, at + 1);
        }
    }
    (state, bytes.len())
}

pub(super) struct Scanner {
    anchors: Option<Anchors>,
    /// Pieces of names under which a field is looked at at all.
    telling: Option<AhoCorasick>,
    rules: Vec<Rule>,
    known: Vec<(String, Label)>,
    custom: Vec<(Label, Regex)>,
    keep: Vec<String>,
    personal: bool,
}

fn label_of(name: &str) -> Label {
    match name {
        "SECRET" => Label::Secret,
        "EMAIL" => Label::Email,
        "PHONE" => Label::Phone,
        "CARD" => Label::Card,
        "IBAN" => Label::Iban,
        "USER" => Label::User,
        "HOST" => Label::Host,
        "IP" => Label::Ip,
        "MAC" => Label::Mac,
        "SSN" => Label::Ssn,
        other => Label::Custom(other.to_owned()),
    }
}

impl Scanner {
    pub(super) fn new(policy: &RedactionPolicy, custom: Vec<(String, Regex)>) -> Self {
        let mut anchors: Vec<(&str, Rule)> = Vec::new();
        anchors
            .extend(VENDORS.iter().enumerate().map(|(index, vendor)| (vendor.prefix, Rule::Vendor(index))));
        anchors.extend(NAMES.iter().chain(LOCAL_PASSWORDS).map(|name| (*name, Rule::Name)));
        let prefixes: Vec<String> =
            VENDORS.iter().map(|vendor| vendor.prefix).chain(["-----BEGIN "]).map(encoded::prefix).collect();
        anchors.extend(
            prefixes
                .iter()
                .filter(|prefix| !prefix.is_empty())
                .map(|prefix| (prefix.as_str(), Rule::Encoded)),
        );
        anchors.extend(encoded::HIDDEN.iter().map(|hidden| (*hidden, Rule::Hidden)));
        anchors
            .extend(PROGRAMS.iter().enumerate().map(|(index, program)| (program.name, Rule::Program(index))));
        anchors.extend(READERS.iter().enumerate().map(|(index, reader)| (reader.name, Rule::Reader(index))));
        anchors.extend(SEED_NAMES.iter().map(|name| (*name, Rule::Seed)));
        anchors.extend([
            ("eyJ", Rule::Jwt),
            ("-----BEGIN ", Rule::Pem),
            (":AA", Rule::Telegram),
            ("/api/webhooks/", Rule::DiscordWebhook),
            ("authorization", Rule::Authorization),
            ("bearer", Rule::Bearer),
            ("cookie", Rule::Cookie),
            ("://", Rule::Url),
            (" -u ", Rule::UserOption),
            (" --user ", Rule::UserOption),
            (" --user=", Rule::UserOption),
        ]);
        let personal = policy.level >= RedactionLevel::Personal;
        if personal {
            anchors.extend(personal::AT_SIGNS.iter().map(|at| (*at, Rule::At)));
            anchors.extend([
                ("/home/", Rule::Home),
                ("/Users/", Rule::Home),
                ("\\Users\\", Rule::Home),
                ("hostname", Rule::NamedHost),
                ("?", Rule::Query),
                ("&", Rule::Query),
            ]);
            anchors.extend(PRIVATE_SUFFIXES.iter().map(|suffix| (*suffix, Rule::PrivateHost)));
        }
        let mut known: Vec<(String, Label)> = policy
            .known
            .iter()
            .filter(|known| !known.value.is_empty())
            .map(|known| (known.value.clone(), label_of(&known.label)))
            .collect();
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        anchors
            .extend(known.iter().enumerate().map(|(index, (value, _))| (value.as_str(), Rule::Known(index))));
        let texts: Vec<&str> = anchors.iter().map(|(text, _)| *text).collect();
        let pieces = NAMES.iter().chain(LOCAL_PASSWORDS).chain(FIELD_NAMES);
        let telling = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(pieces);
        Self {
            anchors: Anchors::new(&texts),
            telling: telling.ok(),
            rules: anchors.iter().map(|(_, rule)| *rule).collect(),
            known,
            custom: custom.into_iter().map(|(label, regex)| (label_of(&label), regex)).collect(),
            keep: policy.keep.clone(),
            personal,
        }
    }

    /// Whether all anchors found room in an automaton.
    pub(super) fn is_complete(&self) -> bool {
        self.anchors.is_some()
    }

    /// Everything to replace in a text: in order, without overlaps, never a piece of a placeholder. O(n).
    pub(super) fn scan(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let hidden = self.seen(text, &mut found);
        self.behind(text, &hidden, &mut found);
        for (label, regex) in &self.custom {
            found.extend(regex.find_iter(text).map(|hit| Found { range: hit.range(), label: label.clone() }));
        }
        if found.is_empty() {
            return found;
        }
        found.retain(|found| !self.keeps(text, &found.range));
        without_placeholders(text, without_overlaps(found))
    }

    /// Finds what hidden characters at these places hide: on the lines with some, what somebody reads is looked at, too.
    fn behind(&self, text: &str, hidden: &[usize], out: &mut Vec<Found>) {
        for line in lines_at(text, hidden) {
            let visible = encoded::Visible::new(text.get(line.clone()).unwrap_or_default());
            let mut found = Vec::new();
            self.seen(&visible.text, &mut found);
            let found = without_placeholders(&visible.text, without_overlaps(found)).into_iter();
            out.extend(found.filter_map(|found| {
                let range = visible.original(&found.range)?;
                Some(Found { range: line.start + range.start..line.start + range.end, label: found.label })
            }));
        }
    }

    /// Finds what the built-in rules know; gives where hidden characters are.
    fn seen(&self, text: &str, out: &mut Vec<Found>) -> Vec<usize> {
        let hidden = self.anchored(text, out);
        if self.personal {
            numbers::numbers(text, out);
        }
        hidden
    }

    /// Whether nothing to be found in a text can reach from one line into the next: private keys do, and whatever a user
    /// names may.
    pub(super) fn is_line_bound(&self, text: &str) -> bool {
        let known = || self.known.iter().any(|(value, _)| value.contains('\n'));
        self.custom.is_empty() && !known() && memchr::memmem::find(text.as_bytes(), b"-----BEGIN ").is_none()
    }

    /// Whether the name of a field could say something about its value: a quick look.
    pub(super) fn tells(&self, name: &str) -> bool {
        self.telling.as_ref().is_none_or(|pieces| pieces.is_match(name))
    }

    /// What to replace in the value of a field with this name; `None` when the name says nothing.
    pub(super) fn field(&self, name: &str, value: &str) -> Option<Vec<Found>> {
        if !self.tells(name) {
            return None;
        }
        let secret = context::field(name, value).map(|range| Found { range, label: Label::Secret });
        let found = secret.or_else(|| if self.personal { personal::field(name, value) } else { None })?;
        let kept = self.keeps(value, &found.range)
            || is_placeholder(value.get(found.range.clone()).unwrap_or_default());
        (!kept).then(|| vec![found])
    }

    /// What a JSON number is by its name, or because it is the number of a card.
    pub(super) fn number(&self, name: Option<&str>, digits: &str) -> Option<Label> {
        // A short number is a count, whatever it is called.
        let whole = digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit());
        let named = name.filter(|_| whole).and_then(|name| self.field(name, digits)?.pop());
        if let Some(found) = named {
            return Some(found.label);
        }
        (self.personal && super::checksum::is_card(digits.as_bytes())).then_some(Label::Card)
    }

    fn keeps(&self, text: &str, range: &Range<usize>) -> bool {
        !self.keep.is_empty()
            && text.get(range.clone()).is_some_and(|value| self.keep.iter().any(|keep| keep == value))
    }

    /// What stands at anchors; gives those that are hidden characters.
    fn anchored(&self, text: &str, out: &mut Vec<Found>) -> Vec<usize> {
        let mut hidden = Vec::new();
        let Some(anchors) = &self.anchors else {
            // Without the automaton nothing is known to be harmless.
            out.push(Found { range: 0..text.len(), label: Label::Secret });
            return hidden;
        };
        // Nothing inside of what is already a secret needs a look of its own: this keeps the pass linear.
        let mut covered = 0;
        let each = |pattern: PatternID, at: Range<usize>| {
            let Some(rule) = self.rules.get(pattern.as_usize()) else { return };
            if matches!(rule, Rule::Hidden) {
                hidden.push(at.start);
            }
            if at.start >= covered
                && let Some(secret) = self.secret_at(*rule, text, at, out)
            {
                covered = covered.max(secret.end);
                out.push(Found { range: secret, label: Label::Secret });
            }
        };
        match anchors {
            Anchors::Table(table) => walk(table, text.as_bytes(), each),
            Anchors::Links(links) => walk(links, text.as_bytes(), each),
        }
        hidden
    }

    /// The secret that an anchor belongs to; personal data goes to `out`.
    fn secret_at(
        &self,
        rule: Rule,
        text: &str,
        anchor: Range<usize>,
        out: &mut Vec<Found>,
    ) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let (at, end) = (anchor.start, anchor.end);
        match rule {
            Rule::Vendor(index) => VENDORS.get(index).and_then(|vendor| vendor.find(bytes, at)),
            Rule::Encoded => encoded::find(bytes, at),
            Rule::Program(index) => PROGRAMS.get(index).and_then(|program| program.find(text, anchor)),
            Rule::Reader(index) => READERS.get(index).and_then(|reader| reader.find(text, anchor)),
            Rule::Seed => seed::phrase(text, end),
            Rule::Jwt => vendor::jwt(bytes, at),
            Rule::Pem => vendor::pem(text, at),
            Rule::Telegram => vendor::telegram(bytes, at),
            Rule::DiscordWebhook => vendor::discord_webhook(bytes, end),
            Rule::Name => context::assignment(text, anchor),
            Rule::Authorization => headers::authorization(text, end),
            Rule::Bearer => headers::bearer(text, end),
            Rule::Cookie => headers::cookie(text, end),
            Rule::UserOption => headers::user_option(text, end),
            Rule::Url => {
                let (secret, host) = headers::url(text, end);
                if self.personal {
                    personal::url_host(text, &host, out);
                }
                secret
            }
            other => {
                self.personal_anchor(other, text, anchor, out);
                None
            }
        }
    }

    fn personal_anchor(&self, rule: Rule, text: &str, at: Range<usize>, out: &mut Vec<Found>) {
        match rule {
            Rule::At => personal::at_sign(text, at, out),
            Rule::Home => {
                // By case: `/users/7` is an address of a web service.
                let exact = text
                    .get(at.clone())
                    .is_some_and(|prefix| matches!(prefix, "/home/" | "/Users/" | "\\Users\\"));
                if exact {
                    personal::home(text, at, out);
                }
            }
            Rule::PrivateHost => personal::private_host(text, at, out),
            Rule::NamedHost => personal::named_host(text, at.end, out),
            Rule::Query => personal::query(text, at.start, out),
            Rule::Known(index) => {
                if let Some((value, label)) = self.known.get(index)
                    && text.get(at.clone()) == Some(value)
                {
                    out.push(Found { range: at, label: label.clone() });
                }
            }
            _ => {}
        }
    }
}

/// Joins overlapping secrets; of other overlaps the secret wins, then the earlier and longer one. What a loser leaves
/// uncovered is looked at again in the next round.
fn without_overlaps(mut found: Vec<Found>) -> Vec<Found> {
    // What a user named as a whole is not taken apart for a secret inside of it.
    let mut named: Vec<Range<usize>> = found
        .iter()
        .filter(|found| matches!(found.label, Label::Custom(_)))
        .map(|found| found.range.clone())
        .collect();
    named.sort_by_key(|range| range.start);
    if !named.is_empty() {
        found.retain(|found| {
            let before = named.partition_point(|named| named.start <= found.range.start);
            let around = before.checked_sub(1).and_then(|at| named.get(at));
            let inside = around.is_some_and(|named| found.range.end <= named.end && *named != found.range);
            found.label != Label::Secret || !inside
        });
    }
    found.sort_by(|a, b| {
        let rank = |found: &Found| found.label != Label::Secret;
        (rank(a), a.range.start, b.range.end).cmp(&(rank(b), b.range.start, a.range.end))
    });
    let secrets = found.iter().take_while(|found| found.label == Label::Secret).count();
    let others = found.split_off(secrets);
    let mut kept: Vec<Found> = Vec::with_capacity(secrets + others.len());
    for found in found {
        match kept.last_mut() {
            Some(last) if found.range.start < last.range.end => {
                last.range.end = last.range.end.max(found.range.end);
            }
            _ => kept.push(found),
        }
    }
    let mut secrets = kept.clone().into_iter().peekable();
    let mut end = 0;
    for found in others {
        while secrets.peek().is_some_and(|secret| secret.range.end <= found.range.start) {
            secrets.next();
        }
        let hidden = secrets.peek().is_some_and(|secret| secret.range.start < found.range.end);
        if !hidden && found.range.start >= end {
            end = found.range.end;
            kept.push(found);
        }
    }
    kept.sort_by_key(|found| found.range.start);
    kept
}

/// The lines of a text in which these places lie, in order, each once.
pub(super) fn lines_at(text: &str, places: &[usize]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut out: Vec<Range<usize>> = Vec::new();
    for &at in places {
        if out.last().is_some_and(|last| at <= last.end) {
            continue;
        }
        let before = bytes.get(..at).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let behind = bytes.get(at..).unwrap_or_default();
        let end = memchr::memchr(b'\n', behind).map_or(bytes.len(), |length| at + length);
        out.push(start..end);
    }
    out
}

/// A placeholder in a text.
pub(super) struct Placeholder<'t> {
    pub(super) label: &'t str,
    pub(super) number: usize,
    range: Range<usize>,
}

/// All placeholders of a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    memchr::memchr_iter(b'<', text.as_bytes()).filter_map(|at| {
        let bytes = text.as_bytes();
        let end = run(bytes, at + 1, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_', 128);
        if byte(bytes, end) != b'>' {
            return None;
        }
        let (label, number) = text.get(at + 1..end)?.rsplit_once('_')?;
        let starts = label.starts_with(|c: char| c.is_ascii_uppercase());
        let number = number.parse().ok().filter(|_| starts)?;
        Some(Placeholder { label, number, range: at..end + 1 })
    })
}

/// Whether a value is nothing but placeholders.
fn is_placeholder(value: &str) -> bool {
    let covered: usize = placeholders(value).map(|placeholder| placeholder.range.len()).sum();
    !value.is_empty() && covered == value.len()
}

/// Takes the placeholders out of what is to be replaced.
fn without_placeholders(text: &str, found: Vec<Found>) -> Vec<Found> {
    let taken: Vec<Range<usize>> = placeholders(text).map(|placeholder| placeholder.range).collect();
    if taken.is_empty() {
        return found;
    }
    let mut pieces = Vec::with_capacity(found.len());
    for Found { range, label } in found {
        let from = taken.partition_point(|taken| taken.end <= range.start);
        let mut at = range.start;
        for taken in taken.iter().skip(from).take_while(|taken| taken.start < range.end) {
            if taken.start > at {
                pieces.push(Found { range: at..taken.start, label: label.clone() });
            }
            at = at.max(taken.end);
        }
        if at < range.end {
            pieces.push(Found { range: at..range.end, label });
        }
    }
    pieces
}
