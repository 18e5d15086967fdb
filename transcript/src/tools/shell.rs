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
}

/// Cuts a command line at `;`, `&`, `&&`, `|`, `||`, line ends and brackets, outside of quotes, comments and here
/// documents.
///
/// Substitutions (`$(…)`, backquotes) are not looked into but where they stand alone. An open quote runs to the end.
/// O(n); never fails.
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
    let mut lexer =
        Lexer { text, at: 0, commands: Vec::new(), current: ShellCommand::default(), heredocs: Vec::new() };
    lexer.run();
    lexer.commands
}

/// Whether this program with this flag runs the next word as a script.
pub(super) fn runs_script(program: &str, flag: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let shell = matches!(name, "sh" | "bash" | "zsh" | "dash" | "ash" | "ksh" | "fish");
    shell && flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('c')
}

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

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    commands: Vec<ShellCommand>,
    current: ShellCommand,
    /// Here documents that start after this line: the word that ends each, and whether tabs before it are cut.
    heredocs: Vec<(String, bool)>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
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
                    self.end_command();
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
                ';' | '|' | '(' | ')' | '&' => {
                    self.bump();
                    self.end_command();
                }
                '>' => self.redirect(),
                '<' => self.input(),
                _ => self.take_word(),
            }
        }
        self.end_command();
    }

    fn end_command(&mut self) {
        // Braces and the words of loops and conditions lead into the command that follows them.
        while self.current.words.first().is_some_and(|word| {
            matches!(
                word.as_str(),
                "{" | "}" | "then" | "do" | "else" | "elif" | "if" | "while" | "until" | "!"
            )
        }) {
            self.current.words.remove(0);
        }
        let command = std::mem::take(&mut self.current);
        if !command.words.is_empty() || !command.writes_to.is_empty() {
            self.commands.push(command);
        }
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
        } else if self.peek() != Some('(') {
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
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => break,
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
                c => word.push(c),
            }
        }
    }

    fn substitution(&mut self, word: &mut String) {
        let mut depth = 1usize;
        while let Some(c) = self.bump() {
            word.push(c);
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
