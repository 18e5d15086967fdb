//! What a name says about its value.

/// How surely a name says that its value is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// The value must look random (`OPENAI_KEY`).
    Random,
    /// The value must look like a token (`token`, `credentials`).
    Token,
    /// Any value but words and references (`password`, `api_key`, `access_token`).
    Sure,
}

/// Longest identifier that is looked at, in bytes.
pub(super) const MAX_NAME: usize = 80;

/// Words that qualify a name without changing what it names.
const QUALIFIERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "test",
    "testing",
    "live",
    "staging",
    "old",
    "new",
    "value",
    "plain",
    "raw",
    "base64",
    "b64",
    "main",
    "backup",
    "primary",
    "secondary",
    "current",
    "default",
];

/// Words for a password that are looked for in texts and are secrets by themselves.
pub(super) const LOCAL_PASSWORDS: &[&str] = &[
    "contrasena",
    "wachtwoord",
    "lösenord",
    "senha",
    "hasło",
    "пароль",
    "Пароль",
    "şifre",
    "Şifre",
    "パスワード",
    "비밀번호",
];

/// Further names that are secrets by their last word alone.
const SURE: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contraseña",
    "passe",
    "secret",
    "secrets",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "bottoken",
    "apitoken",
    "secretaccesskey",
    "clientsecret",
    "密码",
    "口令",
    "密钥",
    "令牌",
    "密碼",
];

/// What makes a `key` a secret one.
const SECRET_KEYS: &[&str] = &[
    "api",
    "secret",
    "private",
    "access",
    "encryption",
    "signing",
    "master",
    "auth",
    "admin",
    "account",
    "shared",
    "service",
    "client",
    "deploy",
    "license",
    "hmac",
    "subscription",
    "decryption",
];

/// Keys that are everyday ones.
const PLAIN_KEYS: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "session",
    "idempotency",
    "cache",
    "sort",
    "partition",
    "store",
    "lane",
    "action",
    "dedupe",
    "group",
    "row",
    "map",
    "hash",
    "registry",
    "object",
    "translation",
    "i18n",
    "hot",
    "short",
    "routing",
    "unique",
    "run",
];

/// What makes a `token` a secret one.
const SECRET_TOKENS: &[&str] = &[
    "auth", "access", "refresh", "bearer", "api", "bot", "oauth", "secret", "security", "gateway", "hook",
    "webhook", "private", "personal", "service", "user", "admin", "app", "github", "gitlab", "npm", "slack",
    "telegram", "discord", "session", "csrf", "xsrf", "registry", "deploy", "vault",
];

/// Tokens that are counted or turned over, not kept.
const PLAIN_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "cursor",
    "sync",
    "max",
    "min",
    "total",
    "count",
    "eos",
    "bos",
    "pad",
    "unk",
    "stop",
    "start",
    "special",
    "input",
    "output",
    "prompt",
    "completion",
    "reasoning",
    "first",
    "last",
    "num",
    "per",
    "lock",
    "cancel",
    "mask",
    "text",
    "string",
    "number",
    "lex",
    "expected",
    "unexpected",
    "invalid",
    "previous",
    "current",
    "sep",
    "cls",
];

/// What a name says about its value. Whole words only: neither `tokens`, `max_token_count` nor `monkey`.
pub(super) fn strength(name: &str) -> Option<Strength> {
    if name.len() > MAX_NAME || name.contains(['<', '>']) {
        return None;
    }
    let mut words = words_from_end(name).peekable();
    let mut last = words.next()?;
    while words.peek().is_some() && (is_any(QUALIFIERS, last) || last.bytes().all(|b| b.is_ascii_digit())) {
        last = words.next()?;
    }
    let before = words.next();
    if is_sure(last) || ends_with(last, "password") || ends_with(last, "passwd") {
        return Some(Strength::Sure);
    }
    if is(last, "key") {
        return match before {
            Some(word) if is_any(SECRET_KEYS, word) => Some(Strength::Sure),
            Some(word) if !is_any(PLAIN_KEYS, word) => Some(Strength::Random),
            _ => None,
        };
    }
    if is(last, "token") {
        return match before {
            Some(word) if is_any(SECRET_TOKENS, word) => Some(Strength::Sure),
            Some(word) if is_any(PLAIN_TOKENS, word) => None,
            _ => Some(Strength::Token),
        };
    }
    let token =
        is_any(&["credential", "credentials", "auth"], last) || (is(last, "pass") && before.is_some());
    (token || ends_with(last, "token")).then_some(Strength::Token)
}

/// Whether a name means a password: what it names is no other kind of secret, which may have a name itself.
pub(super) fn is_password(name: &str) -> bool {
    const OTHERS: &[&str] = &["secret", "secrets", "密钥", "令牌"];
    words_from_end(name).next().is_some_and(|last| {
        !ends_with(last, "key")
            && !ends_with(last, "token")
            && (ends_with(last, "password") || is_sure(last) && !is_any(OTHERS, last))
    })
}

fn is_sure(word: &str) -> bool {
    is_any(SURE, word) || is_any(LOCAL_PASSWORDS, word)
}

/// Whether a word before "key" makes it a secret one in a sentence.
pub(super) fn is_secret_key(word: &str) -> bool {
    is_any(&["api", "secret", "private", "access", "encryption", "signing", "master", "license"], word)
}

/// Whether both names end in the same word: `password` and `user_password`.
pub(super) fn same_last_word(one: &str, other: &str) -> bool {
    match (words_from_end(one).next(), words_from_end(other).next()) {
        (Some(one), Some(other)) => is(one, other),
        _ => false,
    }
}

/// Whether a name means the working directory, unless its value says otherwise.
pub(super) fn is_working_directory(name: &str) -> bool {
    is(name, "pwd") || is(name, "oldpwd")
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn is_any(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| is(known, word))
}

fn ends_with(word: &str, end: &str) -> bool {
    word.len().checked_sub(end.len()).and_then(|at| word.get(at..)).is_some_and(|tail| is(tail, end))
}

/// The words of an identifier from its end, without allocating: split at what is no letter or digit and at humps.
fn words_from_end(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric());
        let mut start = rest.len();
        let mut after: Option<char> = None;
        for (at, c) in rest.char_indices().rev() {
            let hump = after.is_some_and(char::is_uppercase) && c.is_lowercase();
            if !c.is_alphanumeric() || hump {
                break;
            }
            start = at;
            after = Some(c);
        }
        let (before, word) = rest.split_at_checked(start)?;
        rest = before;
        (!word.is_empty()).then_some(word)
    })
}
