//! Shell commands: the simple commands inside a command line, and where a pattern is a command.

use crate::text::fold;

/// One simple command inside a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Bytes of the command line that it spans.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its words, unquoted, without assignments in front, redirections, comments and here-documents.
    pub(crate) words: Vec<String>,
}

const DEPTH: usize = 8;
/// Commands beyond this many in one line are not told apart.
const MAX_SEGMENTS: usize = 4096;

/// Splits a command line at `;`, `&`, `&&`, `|`, `||` and line ends, with regard to quotes, comments, here-documents,
/// substitutions (`$(...)`, backticks: the inner command is one of its own) and `sh -c`. O(n), nesting up to 8.
pub(crate) fn segments(line: &str) -> Vec<Segment> {
    let mut out = Vec::new();
    split(line, 0, 0, &mut out);
    out
}

fn split(line: &str, base: usize, depth: usize, out: &mut Vec<Segment>) {
    if depth > DEPTH {
        return;
    }
    let mut lexer = Lexer::new(line);
    let mut words: Vec<Word> = Vec::new();
    let mut start = 0;
    loop {
        let token = lexer.next();
        match token {
            Token::Word(word) => {
                if words.is_empty() {
                    start = word.start;
                }
                words.push(word);
            }
            Token::Break(at) | Token::End(at) => {
                let at_end = matches!(token, Token::End(_));
                if !words.is_empty() {
                    finish(std::mem::take(&mut words), base, start, at, depth, out);
                }
                if at_end || out.len() >= MAX_SEGMENTS {
                    return;
                }
            }
        }
    }
}

fn finish(words: Vec<Word>, base: usize, start: usize, end: usize, depth: usize, out: &mut Vec<Segment>) {
    let inner: Vec<(usize, String)> = words.iter().flat_map(|w| w.inner.clone()).collect();
    let texts: Vec<String> = words.into_iter().map(|w| w.text).collect();
    let stripped = command_words(&texts);
    if !stripped.is_empty() {
        out.push(Segment { start: base + start, end: base + end, words: stripped.to_vec() });
    }
    // What a shell is told to run is a command too.
    if let Some(script) = shell_script(stripped) {
        split(script, base + start, depth + 1, out);
    }
    for (at, text) in inner {
        split(&text, base + at, depth + 1, out);
    }
}

const KEYWORDS: [&str; 11] = ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "(", "time"];
const WRAPPERS: [&str; 12] = [
    "sudo", "doas", "env", "command", "exec", "nohup", "nice", "time", "timeout", "xargs", "stdbuf",
    "builtin",
];

/// Options of wrappers whose value is the next word (from the manual page of each).
const VALUED: [(&str, &[&str]); 9] = [
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-r", "-t", "-T", "-U", "--user", "--group", "--chdir"],
    ),
    ("doas", &["-u", "-C"]),
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    ("exec", &["-a"]),
    ("nice", &["-n", "--adjustment"]),
    ("time", &["-f", "-o"]),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"]),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--max-args", "--max-procs", "--arg-file"]),
    ("stdbuf", &["-i", "-o", "-e"]),
];

/// The words from the command word on: without assignments, keywords, and wrappers with their options.
fn command_words(words: &[String]) -> &[String] {
    let mut rest = words;
    let mut wrapped = false;
    let mut valued: &[&str] = &[];
    while let [first, tail @ ..] = rest {
        if let [_, behind @ ..] = tail
            && !behind.is_empty()
            && valued.contains(&first.as_str())
        {
            rest = behind;
            continue;
        }
        let skip = KEYWORDS.contains(&first.as_str())
            || is_assignment(first)
            || (wrapped && (first.starts_with('-') || first.parse::<f64>().is_ok() || is_duration(first)));
        if skip {
            rest = tail;
        } else if WRAPPERS.contains(&first.as_str()) && !tail.is_empty() {
            wrapped = true;
            valued = VALUED.iter().find(|(name, _)| name == first).map_or(&[], |(_, options)| *options);
            rest = tail;
        } else {
            break;
        }
    }
    rest
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_duration(word: &str) -> bool {
    word.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(|n| n.parse::<f64>().is_ok())
}

fn shell_script(words: &[String]) -> Option<&str> {
    let name = words.first()?.rsplit('/').next()?;
    if !["sh", "bash", "zsh", "dash", "ksh"].contains(&name) {
        return if name == "eval" { words.get(1).map(String::as_str) } else { None };
    }
    let at = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('c'))?;
    words.get(at + 1).map(String::as_str)
}

/// The words of a pattern, as they are compared.
pub(crate) fn pattern_words(pattern: &str) -> Vec<String> {
    segments(pattern)
        .into_iter()
        .next()
        .map(|s| s.words)
        .unwrap_or_default()
        .iter()
        .map(|w| fold(w).into_owned())
        .collect()
}

/// Whether a simple command begins with the wanted words. Words after the command word may have flags between them;
/// short flags may be bundled (`-rf` wanted, `-fr` or `-r -f` found).
pub(crate) fn segment_matches(segment: &Segment, wanted: &[String]) -> bool {
    let [command, rest @ ..] = wanted else { return false };
    let Some((first, words)) = segment.words.split_first() else { return false };
    let first = fold(first);
    let base = first.rsplit('/').next().unwrap_or(&first);
    if base != command && first.as_ref() != command {
        return false;
    }
    let words: Vec<String> = words.iter().map(|w| fold(w).into_owned()).collect();
    let (flags, plain): (Vec<&String>, Vec<&String>) = rest.iter().partition(|w| w.starts_with('-'));
    let have_flag = |flag: &str| {
        words.iter().any(|w| w == flag || w.strip_prefix(flag).is_some_and(|tail| tail.starts_with('=')))
            || (is_bundle(flag)
                && flag.chars().skip(1).all(|letter| {
                    words.iter().any(|w| is_bundle(w) && w.chars().skip(1).any(|c| c == letter))
                }))
    };
    if !flags.iter().all(|flag| have_flag(flag)) {
        return false;
    }
    let mut left: Vec<&String> = Vec::new();
    let mut behind_flag = Vec::new();
    let mut before_is_flag = false;
    for word in &words {
        if !word.starts_with('-') {
            left.push(word);
            behind_flag.push(before_is_flag);
        }
        before_is_flag = word.starts_with('-');
    }
    let mut from = 0;
    for (at, want) in plain.iter().enumerate() {
        // What a program does is named by a whole word: `docker prune` is no `docker run`.
        let subcommand = at == 0 && SUBCOMMANDS.contains(&base);
        let fits = |word: &&String| *word == *want || (!subcommand && word.contains(want.as_str()));
        let found = left.iter().skip(from).position(fits);
        let Some(found) = found.map(|i| i + from) else { return false };
        // `git log --grep push` is no `git push`: only values of options may stand before the subcommand.
        if subcommand && !behind_flag.iter().take(found).all(|&b| b) {
            return false;
        }
        from = found + 1;
    }
    true
}

/// Programs whose first plain word says what they do.
const SUBCOMMANDS: [&str; 24] = [
    "git",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "npm",
    "pnpm",
    "yarn",
    "cargo",
    "go",
    "pip",
    "apt",
    "apt-get",
    "brew",
    "systemctl",
    "terraform",
    "gh",
    "aws",
    "gcloud",
    "az",
    "openclaw",
    "rustup",
    "conda",
    "poetry",
];

fn is_bundle(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphabetic()))
}

#[derive(Clone, Debug, Default)]
struct Word {
    start: usize,
    text: String,
    /// Command substitutions inside the word, with their place.
    inner: Vec<(usize, String)>,
}

enum Token {
    Word(Word),
    Break(usize),
    End(usize),
}

struct Lexer<'t> {
    chars: Vec<(usize, char)>,
    at: usize,
    line: &'t str,
    /// Ends of here-documents that begin on this line.
    heredocs: Vec<String>,
}

impl<'t> Lexer<'t> {
    fn new(line: &'t str) -> Self {
        Self { chars: line.char_indices().collect(), at: 0, line, heredocs: Vec::new() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).map(|&(_, c)| c)
    }

    fn peek_next(&self) -> Option<char> {
        self.chars.get(self.at + 1).map(|&(_, c)| c)
    }

    fn offset(&self) -> usize {
        self.chars.get(self.at).map_or(self.line.len(), |&(i, _)| i)
    }

    fn next(&mut self) -> Token {
        loop {
            let offset = self.offset();
            match self.peek() {
                None => return Token::End(offset),
                Some('\\') if self.peek_next() == Some('\n') => self.at += 2,
                Some('\n') => {
                    self.at += 1;
                    self.skip_heredocs();
                    return Token::Break(offset);
                }
                Some(c) if c.is_whitespace() => self.at += 1,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                Some(';' | '&' | '|' | '(' | ')') => {
                    while matches!(self.peek(), Some(';' | '&' | '|' | '(' | ')')) {
                        self.at += 1;
                    }
                    // `&>` is a redirection, and `>&` never comes here.
                    return Token::Break(offset);
                }
                Some('<' | '>') => self.redirection(),
                Some(_) => return Token::Word(self.word()),
            }
        }
    }

    /// Skips an operator and its target; remembers here-documents.
    fn redirection(&mut self) {
        let mut operator = String::new();
        while let Some(c @ ('<' | '>' | '&')) = self.peek() {
            operator.push(c);
            self.at += 1;
        }
        if operator == "<<" && self.peek() == Some('-') {
            self.at += 1;
        }
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        if operator == "<" && self.peek() == Some('(') || self.peek().is_none_or(|c| ";|\n".contains(c)) {
            return;
        }
        let target = self.word();
        if operator == "<<" {
            self.heredocs.push(target.text);
        }
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let from = self.offset();
                let rest = self.line.get(from..).unwrap_or_default();
                if rest.is_empty() {
                    return;
                }
                let row = rest.split('\n').next().unwrap_or_default();
                let chars = row.chars().count() + 1;
                self.at = (self.at + chars).min(self.chars.len());
                if row.trim_start_matches('\t') == end {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Word {
        let mut word = Word { start: self.offset(), ..Word::default() };
        while let Some(c) = self.peek() {
            match c {
                '\'' => {
                    self.at += 1;
                    while let Some(c) = self.peek() {
                        self.at += 1;
                        if c == '\'' {
                            break;
                        }
                        word.text.push(c);
                    }
                }
                '"' => self.double_quoted(&mut word),
                '\\' => {
                    self.at += 1;
                    if let Some(c) = self.peek() {
                        if c != '\n' {
                            word.text.push(c);
                        }
                        self.at += 1;
                    }
                }
                '$' if self.peek_next() == Some('(') => self.substitution(&mut word),
                '`' => self.backticks(&mut word),
                c if c.is_whitespace() || ";&|<>()".contains(c) => break,
                c => {
                    // A number right before a redirection is its file descriptor, not a word.
                    word.text.push(c);
                    self.at += 1;
                    if matches!(self.peek(), Some('<' | '>')) && word.text.chars().all(|c| c.is_ascii_digit())
                    {
                        word.text.clear();
                        self.redirection();
                        break;
                    }
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    self.at += 1;
                    if let Some(c) = self.peek() {
                        word.text.push(c);
                        self.at += 1;
                    }
                }
                '$' if self.peek_next() == Some('(') => self.substitution(word),
                '`' => self.backticks(word),
                c => {
                    word.text.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn substitution(&mut self, word: &mut Word) {
        self.at += 2;
        let start = self.offset();
        let mut depth = 1;
        let mut quote = None;
        while let Some(c) = self.peek() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(q), c) if q == c => quote = None,
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let text = self.line.get(start..self.offset()).unwrap_or_default().to_owned();
        self.at += 1;
        word.text.push_str("$()");
        word.inner.push((start, text));
    }

    fn backticks(&mut self, word: &mut Word) {
        self.at += 1;
        let start = self.offset();
        while self.peek().is_some_and(|c| c != '`') {
            self.at += 1;
        }
        let text = self.line.get(start..self.offset()).unwrap_or_default().to_owned();
        self.at += 1;
        word.text.push_str("$()");
        word.inner.push((start, text));
    }
}
