//! Redaction by kind: each kind of place where a secret stands, and harmless texts that look like it.

use clawgauge_transcript::{RedactionLevel, Redactor};
use serde_json::Value;

use crate::redact::{check, personal, secrets};

/// Passwords as people make them, all of which must go whatever the place is.
const PASSWORDS: &[&str] =
    &["hunter22", "lanternfish", "Tr0ub4dor&3x", "correct-horse-battery-staple", "p@ss!w0rd"];

/// Passwords that no dictionary has: only these can be told from words in a sentence.
const ODD: &[&str] = &["hunter22", "Tr0ub4dor3x", "correct-horse-battery-staple"];

/// Puts each password where `@@` stands and checks that it goes, and that nothing else does.
fn goes(places: &[&str], passwords: &[&str]) {
    let mut wrong = Vec::new();
    for place in places {
        for password in passwords {
            for redactor in [secrets(), personal()] {
                let (text, expected) = (place.replace("@@", password), place.replace("@@", "<SECRET_1>"));
                let got = redactor.text(&text).into_owned();
                if got != expected {
                    wrong.push(format!("{text:?}\n  {got:?}"));
                } else if redactor.text(&got) != got {
                    wrong.push(format!("{got:?} changes once more"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that nothing of these texts is replaced.
fn stays(redactor: &Redactor, texts: &[&str]) {
    let wrong: Vec<String> = texts
        .iter()
        .filter(|text| redactor.text(text) != **text)
        .map(|text| format!("{text:?}\n  {:?}", redactor.text(text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
}

#[test]
fn passwords_on_command_lines_go() {
    let places = [
        "mysql -u root -p@@ shop",
        "mysql -uroot -p'@@' -e 'select 1; select 2'",
        "/usr/bin/mysqldump --single-transaction -p\"@@\" shop > shop.sql",
        "mysqldump --password @@ shop",
        "mysqladmin --password=@@ ping",
        "cd /srv && mariadb -h db -p@@",
        "redis-cli -h cache -a @@ ping",
        "unzip -P @@ a.zip",
        "zip -r -P '@@' a.zip b",
        "7z x -p@@ a.7z",
        "openssl enc -aes-256-cbc -pass pass:@@ -in x",
        "openssl rsa -passin 'pass:@@' -in k.pem",
        "sshpass -p @@ ssh root@192.168.0.1x",
        "sshpass -p'@@' scp x y",
        "curl -s -u user:@@ http://localhost/",
        "curl -uuser:@@ http://localhost/",
        "curl --user \"user:@@\" http://localhost/",
        "curl -x proxy --proxy-user user:@@ http://localhost/",
        "smbclient -U ann%@@ //nas/x",
        "ldapsearch -x -D cn=admin -w @@",
        "docker login -u ann -p @@",
        "mongosh --host db -u ann -p @@",
        "keytool -list -storepass @@ -keystore k",
        "sudo mysql -p@@",
        "{\"command\":\"mysql -p@@\"",
        "$p = ConvertTo-SecureString '@@' -AsPlainText -Force",
        "ConvertTo-SecureString -String \"@@\" -AsPlainText",
        "echo @@ | sudo -S apt update",
        "echo '@@' | sudo -kS -u ann ls",
        "printf '%s\\n' \"@@\" | sudo -S ls",
        "sudo -S ls <<< '@@'",
        "echo 'ann:@@' | chpasswd",
        "echo \"ann:@@\" | sudo chpasswd",
        "echo @@ | docker login -u ann --password-stdin",
    ];
    goes(&places, PASSWORDS);
}

#[test]
fn passwords_in_markup_go() {
    let places = [
        "<password>@@</password>",
        "<db:password type=\"x\">@@</db:password>",
        "<Password><![CDATA[@@]]></Password>",
        "<add key=\"password\" value=\"@@\"/>",
        "<input type=\"password\" value='@@'>",
        "{name: \"DB_PASSWORD\", value: \"@@\"}",
        "**Password:** `@@`",
        "- **Password**: `@@`",
        "**Password:** @@",
        "log in with password '@@' please",
        "the password is `@@` now",
    ];
    goes(&places, &["hunter22", "lanternfish", "correct-horse-battery-staple", "Tr0ub4dor3x"]);
    goes(&["| Password | @@ |", "| User | ann |\n| **Password** | `@@` | x |"], ODD);
}

#[test]
fn passwords_in_sentences_go() {
    let places = [
        "das Passwort ist @@",
        "Das Kennwort lautet @@.",
        "la contraseña es @@",
        "le mot de passe est @@.",
        "Mot de passe : @@",
        "senha: @@",
        "密码是 @@",
        "密码：@@。谢谢",
        "パスワードは @@",
        "the password is @@, ok",
        "My API key is @@.",
    ];
    goes(&places, ODD);
}

#[test]
fn hashes_keys_and_phrases_go() {
    let crypt = "aB3./".repeat(18);
    let hashes = [
        "$apr1$abcdefgh$abcdefghijklmnopqrstu1".to_owned(),
        format!("$6$saltsalt${}", crypt.get(..86).unwrap()),
        format!("$6$rounds=5000$saltsalt${}", crypt.get(..86).unwrap()),
        "$2b$12$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyz01234".to_owned(),
        "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b7dWRWJTmaaJObG".to_owned(),
        "pbkdf2_sha256$260000$saltsaltsalt$RdescudvJCsgt3ub+b7dWRWJTmaaJObG=".to_owned(),
        // Tokens in base64: `sk-proj-FAKEFAKEFAKEFAKEFAKE0001`, `ghp_FAKE...`
        "c2stcHJvai1GQUtFRkFLRUZBS0VGQUtFRkFLRTAwMDE=".to_owned(),
        "Z2hwX0ZBS0VGQUtFRkFLRUZBS0VGQUtFRkFLRUZBS0VGQUtFMDAwNQ==".to_owned(),
        "sk-FAKEFAKE\u{200b}FAKEFAKEFAKE0001".to_owned(),
        "ghp_FAKE\u{ad}FAKEFAKEFAKE\u{feff}FAKEFAKEFAKEFAKE0005".to_owned(),
    ];
    for hash in &hashes {
        for (before, behind) in [("", ""), ("root:", ":19000:0"), ("so \"", "\" it is"), ("x\n", "\ny")] {
            let text = format!("{before}{hash}{behind}");
            assert_eq!(secrets().text(&text), format!("{before}<SECRET_1>{behind}"));
        }
    }
    let hex = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
    let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    goes(
        &["private key 0x@@", "the private key is @@.", "Private key: 0x@@"]
            .map(|place| place.replace("0x@@", "@@"))
            .each_ref()
            .map(String::as_str),
        &[&format!("0x{hex}"), hex],
    );
    let places = ["seed phrase: @@", "my mnemonic is \"@@\".", "Recovery phrase:\n"]
        .map(|place| place.trim_end().to_owned());
    goes(
        &[
            places[0].as_str(),
            places[1].as_str(),
            "{\"mnemonic\":\"@@\"}",
            "{\"seedPhrase\": \"@@\", \"n\": 1}",
        ],
        &[phrase, &format!("{phrase} {phrase}")],
    );
}

#[test]
fn numbers_and_siblings_in_json_go() {
    let rows = [
        (r#"{"password": 12345678, "n": 12345678}"#, r#"{"password": "<SECRET_1>", "n": 12345678}"#),
        (
            r#"{"password": -12345678, "pin_count": 1, "api_key": 123}"#,
            r#"{"password": -12345678, "pin_count": 1, "api_key": 123}"#,
        ),
        (
            r#"[{"value":"lamp","name":"DB_PASSWORD"},{"value":"lamp","name":"COLOR"}]"#,
            r#"[{"value":"<SECRET_1>","name":"DB_PASSWORD"},{"value":"lamp","name":"COLOR"}]"#,
        ),
        (
            r#"{"value":{"value":"lamp"},"list":["name",{"name":"x"}],"key":"API_KEY"}"#,
            r#"{"value":{"value":"<SECRET_1>"},"list":["name",{"name":"x"}],"key":"API_KEY"}"#,
        ),
        (
            r#"{"password":{"type":"text","value":"lamp"},"value":"lamp"}"#,
            r#"{"password":{"type":"text","value":"<SECRET_1>"},"value":"lamp"}"#,
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(secrets().begin().json(text).unwrap(), expected);
        assert_eq!(secrets().begin().json(expected).unwrap(), expected);
        let mut value: Value = serde_json::from_str(text).unwrap();
        secrets().begin().value(&mut value);
        assert_eq!(value, serde_json::from_str::<Value>(expected).unwrap());
    }
    // A number with a sign is one, too: what comes out is JSON.
    let out = personal().begin().json(r#"{"n":-4111111111111111}"#).unwrap().into_owned();
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
}

#[test]
fn personal_kinds_go() {
    check(
        personal(),
        &[
            ("?mail=ada%40example.org&x=1", "?mail=<EMAIL_1>&x=1"),
            ("ada&#64;example.org = ada@example.org", "<EMAIL_1> = <EMAIL_1>"),
            ("SSN 078-05-1120, ssn: 078 05 1120", "SSN <SSN_1>, ssn: <SSN_1>"),
            ("his social security number is 078-05-1120.", "his social security number is <SSN_1>."),
            (r#"{"ssn":"078-05-1120"}"#, r#"{"ssn":"<SSN_1>"}"#),
            ("ether 00:1A:2b:3c:4d:5e brd ff:ff:ff:ff:ff:ff", "ether <MAC_1> brd ff:ff:ff:ff:ff:ff"),
            ("de:ad:be:ef:00:01 = DE:AD:BE:EF:00:01", "<MAC_1> = <MAC_1>"),
        ],
    );
}

#[test]
fn harmless_texts_near_these_rules_stay() {
    let texts = [
        // Command lines
        "nc -l -p 8080",
        "mkdir -p build/out",
        "ssh -p 22 box",
        "psql -p 5432 -U ann",
        "mysql -p",
        "mysql -u root -p shop",
        "mysql -P 3306 -h db",
        "mysql -p$PW shop",
        "mysql -p\"$DB_PASSWORD\" shop",
        "mysqldump --password=$PW shop > shop.sql; ls",
        "docker run --name mysql -p 3306:3306 -d mysql:8",
        "apt-get install mysql-client -y && ssh -p22 box",
        "cp -a mysql /srv/mysql-backup",
        "redis-cli -p 6379 -n 1 get a",
        "redis-cli -a $REDIS_PASSWORD ping",
        "Use redis-cli with the -a option",
        "redis-cli -a <password> ping",
        "unzip -p a.zip b.txt",
        "unzip -o a.zip -d out",
        "zip -r a.zip build",
        "7z a -tzip a.zip b",
        "openssl enc -pass env:PW -in x",
        "openssl x509 -in a.pem -noout -text",
        "sshpass -e ssh box",
        "sshpass -f pw.txt ssh box",
        "sshpass -p \"$PW\" ssh box",
        "curl -u $USER:$PASS http://localhost/",
        "curl -u user http://localhost/",
        "curl -U x:$Y -o out.txt http://localhost:8080/",
        "echo done | sudo tee /etc/x",
        "echo \"$PW\" | sudo -S ls",
        "sudo -S true",
        "sudo systemctl restart sshd",
        "echo hello | sudo -s",
        "echo 1 > /proc/x; sudo ls -S",
        "cat users.txt | chpasswd",
        "chpasswd reads user:password pairs",
        "ConvertTo-SecureString $pw -AsPlainText",
        "ConvertTo-SecureString is a cmdlet",
        "docker login -u ann",
        "docker login registry.example.invalid",
        "cat pw | docker login --password-stdin",
        "kinit ann",
        "the mongo shell takes -p and --password",
        "mongod --port 27017 --dbpath /data",
        "gzip -p a",
        "grep -P '\\d+' mysql.log",
        "keytool -list -keystore k",
        "smbclient -U ann //nas/x",
        "git log -p -1",
        "tar -p -xf x.tar",
        "gpg --passphrase-fd 0 --batch x",
        // Markup
        "<password></password>",
        "<password>required</password>",
        "<password/>",
        "<label for=\"password\">Password</label>",
        "<string name=\"password\">Your password</string>",
        "<password>Please choose one password</password>",
        "<input type=\"password\" value=\"\">",
        "<input type=\"password\" name=\"pw\">",
        "| Password | required |",
        "| Password | string | the password of the user |",
        "| User | Password |\n|---|---|",
        "| `password` | `string` | yes |",
        "| token | no |",
        "**Password:** required",
        "**Password reset** is easy",
        "**password**",
        "a | password | b",
        "cat x | password | sort -u",
        "{name: \"color\", value: \"red\"}",
        "| Passwords | 12 |",
        // Sentences
        "password is required",
        "the password is wrong",
        "das Passwort ist falsch",
        "la contraseña es incorrecta",
        "le mot de passe est incorrect",
        "密码是必填项",
        "密码错误",
        "密码：必填",
        "with password authentication",
        "with password 'required'",
        "the password 'field' is empty",
        "password \"too short\"",
        "added a `passwd` field to `Group`",
        "secret \"db-creds\" created",
        "secret 'my-secret' not found",
        "the password is case-sensitive",
        "token `foo` is unexpected",
        "use password-based login",
        "the password is stored as sha256",
        "change the password to something new",
        "with the password from the vault",
        "une impasse est ici",
        "API key required",
        "the API key is invalid",
        "your API key expired",
        "an API key: see the docs",
        "press any key to go on",
        "the primary key is user_id2",
        "public key 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
        "private key file",
        "tx 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318 mined",
        "private key in ~/.ssh/id_ed25519",
        // Hashes, phrases, base64
        "costs $6 or $1$2",
        "s/(a)(b)/$1$2/",
        "$2b or not $2b$",
        "$6$",
        "echo $1$PATH",
        "git commit 9c0f3e42724fa1857d8e8a3def4e93aa11223344",
        "a mnemonic is a word that helps people remember other words that they would lose",
        "The seed phrase is a list of words which store all the information needed to recover a wallet",
        "seed phrase: twelve words",
        "mnemonic: mov",
        "recovery phrase missing",
        "c2st",
        "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=",
        "c2stbG9hZGluZy1pbmRpY2F0b3Itd3JhcHBlcg==",
        "👩\u{200d}💻 works on it",
        "\u{feff}first line",
        "soft\u{ad}hyphen\u{ad}ated words",
    ];
    assert!(texts.len() >= 60);
    stays(secrets(), &texts);
    let personal_too = [
        "a@b",
        "mail a@b now",
        "see a@b: x",
        "pass@2: 3 of 4",
        "%40scope%2Fpkg",
        "100%40",
        "50%40a",
        "078-05-1120",
        "2026-11-30",
        "build 123-45-6789",
        "at 11:03:59:12:33:01",
        "00:00:00:00:00:00",
        "std::io::ab:cd",
        "SSN is missing",
        "ssn: unknown",
        "ids 1-22-3333",
        "SHA1 fingerprint ab:cd:ef:01:23:45:67:89:ab:cd:ef:01:23:45:67:89:ab:cd:ef:01",
        "a:b:c:d:e:f",
        "ab:cd:ef",
        "rust@1.80 %4",
        "5e8ffa37-a077-486b-83b8-50eb12c4f2ad",
    ];
    stays(personal(), &personal_too);
    assert_eq!(personal().level(), RedactionLevel::Personal);
}
