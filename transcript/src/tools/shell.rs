//! A command line cut into simple commands, as far as a POSIX shell would before expanding anything.

use std::borrow::Cow;
use std::ops::Range;

/// One simple command of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellCommand {
    /// Its words with quotes and backslashes taken away: program first, assignments in front of it included,
    /// redirections left out.
    pub words: Vec<String>,
    /// Targets of `>` and `>>`.
    pub writes_to: Vec<String>,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// What stands between it and the command before.
    pub(super) joint: Joint,
}

/// What joins a command to the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Joint {
    /// Nothing, or what lets it run in any case: `;`, `&`, a line end.
    #[default]
    Next,
    /// `&&`: it runs when the one before succeeded.
    And,
    /// `||`: it runs when the one before failed.
    Or,
    /// `|`: it reads what the one before writes.
    Pipe,
}

/// Cuts a command line at `;`, `&`, `&&`, `|`, `||`, line ends and brackets, outside of quotes, comments and here
/// documents.
///
/// Substitutions (`$(…)`, `<(…)`, backquotes), conditions in `[[ … ]]` and arithmetic in `((…))` are parts of a word or
/// words, and not looked into. An open quote runs to the end. O(n); never fails.
///
/// ```
/// use clawgauge_transcript::shell_commands;
///
/// let commands = shell_commands("cd repo && git commit -m 'rm -rf /' > log # rm x");
/// assert_eq!(commands.len(), 2);
/// assert_eq!(commands[1].words, ["git", "commit", "-m", "rm -rf /"]);
/// assert_eq!(commands[1].writes_to, ["log"]);
/// ```
#[must_use]
pub fn shell_commands(text: &str) -> Vec<ShellCommand> {
    let mut lexer = Lexer::new(text, 0, 0);
    lexer.run();
    lexer.commands
}

/// How deep substitutions inside substitutions are read as a shell would; deeper ones only by their brackets.
const MAX_NESTING: usize = 8;

/// A word as a shell would have to see it.
pub(super) fn quote(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%^".contains(c);
    // Operators that a caller passed as words of their own were meant as operators.
    let operator = matches!(word, "&&" | "||" | ";" | "|" | ">" | ">>" | "<" | "&");
    if operator || (!word.is_empty() && word.chars().all(plain)) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

fn is_lead(word: &str) -> bool {
    matches!(word, "{" | "}" | "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "!")
}

/// Longest `((…))` or `[[ … ]]`, in bytes.
const NEAR: usize = 1024;

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<ShellCommand>,
    current: ShellCommand,
    joint: Joint,
    /// Here documents that start after this line: the word that ends each, and whether tabs before it are cut.
    heredocs: Vec<(String, bool)>,
    /// In how many substitutions the text stands; inside of one, its bracket is the end.
    nesting: usize,
    /// Brackets that are open.
    brackets: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, at: usize, nesting: usize) -> Self {
        Self {
            text,
            at,
            commands: Vec::new(),
            current: ShellCommand::default(),
            joint: Joint::Next,
            heredocs: Vec::new(),
            nesting,
            brackets: 0,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' => {
                    self.bump();
                }
                '\n' => {
                    self.bump();
                    self.end_line();
                    self.skip_heredocs();
                }
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                }
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                '&' if self.rest().starts_with("&>") => {
                    self.bump();
                    self.redirect();
                }
                ')' if self.nesting > 0 && self.brackets == 0 => {
                    self.bump();
                    break;
                }
                '(' if self.rest().starts_with("((") && self.arithmetic() => {}
                '(' => {
                    self.bump();
                    self.brackets += 1;
                    self.end_line();
                }
                ')' => {
                    self.bump();
                    self.brackets = self.brackets.saturating_sub(1);
                    self.end_line();
                }
                ';' | '|' | '&' => self.operator(),
                '>' => self.redirect(),
                '<' if self.rest().starts_with("<(") => self.take_word(),
                '<' => self.input(),
                _ => self.take_word(),
            }
        }
        self.end_command();
    }

    fn operator(&mut self) {
        self.end_command();
        self.joint = if self.eat("&&") {
            Joint::And
        } else if self.eat("||") {
            Joint::Or
        } else if self.eat("|&") || self.eat("|") {
            Joint::Pipe
        } else {
            self.bump();
            Joint::Next
        };
    }

    /// A line end or a bracket: an operator may go on over it.
    fn end_line(&mut self) {
        if self.end_command() {
            self.joint = Joint::Next;
        }
    }

    /// Whether there was a command.
    fn end_command(&mut self) -> bool {
        let mut command = std::mem::take(&mut self.current);
        // Braces and the words of loops and conditions lead into the command that follows them.
        let from = command.words.iter().position(|word| !is_lead(word)).unwrap_or(command.words.len());
        command.words.drain(..from);
        let is_command = !command.words.is_empty() || !command.writes_to.is_empty();
        if is_command {
            command.joint = std::mem::take(&mut self.joint);
            self.commands.push(command);
        }
        is_command
    }

    /// `((…))` where a command may stand, or behind `for`, as one word. False: it is something else.
    fn arithmetic(&mut self) -> bool {
        let is_loop = matches!(self.current.words.as_slice(), [only] if only == "for");
        if !is_loop && !self.is_start() {
            return false;
        }
        let Some(length) = self.soon(b"))") else { return false };
        let start = self.at;
        let inside = self.text.get(start..start + length).unwrap_or_default();
        if inside.contains('\n') || !is_loop && inside.contains(';') {
            return false;
        }
        self.at += length;
        self.push_word(start, inside.to_owned());
        true
    }

    /// The words of `[[ … ]]`, operators among them.
    fn condition(&mut self) {
        let Some(length) = self.soon(b" ]]") else { return };
        let end = self.at + length;
        while self.at < end {
            self.skip_blanks();
            let start = self.at;
            let mut word = self.word();
            if word.is_empty() {
                word.extend(self.bump());
            }
            self.push_word(start, word);
        }
    }

    /// Whether a command begins here.
    fn is_start(&self) -> bool {
        self.current.words.iter().all(|word| is_lead(word))
    }

    /// How far it is to behind the next `token`, if that is near: what is not there is not searched in all the rest
    /// again and again.
    fn soon(&self, token: &[u8]) -> Option<usize> {
        let rest = self.rest().as_bytes();
        let near = rest.get(..rest.len().min(NEAR)).unwrap_or_default();
        memchr::memmem::find(near, token).map(|at| at + token.len())
    }

    fn take_word(&mut self) {
        let start = self.at;
        let word = self.word();
        // `2>file`: the number belongs to the redirection.
        if matches!(self.peek(), Some('>' | '<'))
            && !word.is_empty()
            && word.bytes().all(|b| b.is_ascii_digit())
        {
            return;
        }
        let opens_condition = word == "[[" && self.is_start();
        self.push_word(start, word);
        if opens_condition {
            self.condition();
        }
    }

    fn push_word(&mut self, start: usize, word: String) {
        if self.current.words.is_empty() && self.current.writes_to.is_empty() {
            self.current.range.start = start;
        }
        self.current.range.end = self.at;
        self.current.words.push(word);
    }

    fn redirect(&mut self) {
        let start = self.at;
        self.bump();
        let _ = self.eat(">") || self.eat("|");
        if self.eat("&") {
            self.word();
            return;
        }
        self.skip_blanks();
        let target = self.word();
        if !target.is_empty() {
            // A redirection may stand before the words.
            if self.current.words.is_empty() && self.current.writes_to.is_empty() {
                self.current.range.start = start;
            }
            self.current.writes_to.push(target);
            self.current.range.end = self.at;
        }
    }

    fn input(&mut self) {
        self.bump();
        if self.eat("<<") {
            self.skip_blanks();
            self.word();
        } else if self.eat("<") {
            let cut_tabs = self.eat("-");
            self.skip_blanks();
            let end = self.word();
            if !end.is_empty() {
                self.heredocs.push((end, cut_tabs));
            }
        } else {
            let _ = self.eat("&");
            self.skip_blanks();
            self.word();
        }
    }

    fn skip_heredocs(&mut self) {
        for (end, cut_tabs) in std::mem::take(&mut self.heredocs) {
            loop {
                let rest = self.rest();
                let line = rest.split('\n').next().unwrap_or_default();
                let more = line.len() < rest.len();
                let text = line.trim_end_matches('\r');
                let ends = if cut_tabs { text.trim_start_matches('\t') == end } else { text == end };
                self.at += line.len() + usize::from(more);
                if ends || !more {
                    break;
                }
            }
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.bump();
        }
    }

    /// One word: quotes and backslashes are taken away, `$(…)` is kept as text.
    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            match c {
                '<' if word.is_empty() && self.rest().starts_with("<(") => {
                    self.at += 2;
                    word.push_str("<(");
                    self.substitution(&mut word);
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => break,
                '`' => self.backquoted(&mut word),
                '\'' => {
                    self.bump();
                    while let Some(c) = self.bump() {
                        if c == '\'' {
                            break;
                        }
                        word.push(c);
                    }
                }
                '"' => {
                    self.bump();
                    self.double_quoted(&mut word);
                }
                '\\' => {
                    self.bump();
                    match self.bump() {
                        Some('\n') => {}
                        Some(c) => word.push(c),
                        None => word.push('\\'),
                    }
                }
                '$' if self.rest().starts_with("$(") => {
                    self.at += 2;
                    word.push_str("$(");
                    self.substitution(&mut word);
                }
                _ => {
                    // All up to the next character that means something, which the first one does not.
                    let rest = self.rest();
                    let means = |c: char| {
                        matches!(
                            c,
                            ' ' | '\t'
                                | '\r'
                                | '\n'
                                | ';'
                                | '|'
                                | '&'
                                | '<'
                                | '>'
                                | '('
                                | ')'
                                | '\''
                                | '"'
                                | '\\'
                                | '`'
                                | '$'
                        )
                    };
                    let end =
                        rest.char_indices().skip(1).find(|(_, c)| means(*c)).map_or(rest.len(), |(at, _)| at);
                    word.push_str(rest.get(..end).unwrap_or_default());
                    self.at += end;
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut String) {
        while let Some(c) = self.bump() {
            match c {
                '"' => break,
                '\\' => match self.bump() {
                    Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                    Some('\n') => {}
                    Some(c) => {
                        word.push('\\');
                        word.push(c);
                    }
                    None => word.push('\\'),
                },
                '$' if self.eat("(") => {
                    word.push_str("$(");
                    self.substitution(word);
                }
                c => word.push(c),
            }
        }
    }

    /// From one backquote to the next, as it stands; a lone one is only a character.
    fn backquoted(&mut self, word: &mut String) {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '`' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let length = end.map_or(1, |(at, _)| at + 1);
        word.push_str(rest.get(..length).unwrap_or_default());
        self.at += length;
    }

    /// From behind the opening bracket of a substitution up to the closing one, as it stands.
    fn substitution(&mut self, word: &mut String) {
        let start = self.at;
        if self.nesting < MAX_NESTING {
            let mut inside = Lexer::new(self.text, start, self.nesting + 1);
            inside.run();
            self.at = inside.at;
        } else {
            self.skip_brackets();
        }
        word.push_str(self.text.get(start..self.at).unwrap_or_default());
    }

    fn skip_brackets(&mut self) {
        let mut depth = 1_usize;
        while let Some(c) = self.bump() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
}
