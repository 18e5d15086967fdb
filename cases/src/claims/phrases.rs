//! How claims are worded, by language, and which commands are evidence for them. Data, to be extended.

/// A claim that is built in.
pub(super) struct Phrases {
    pub(super) name: &'static str,
    /// By language: English, Chinese, Spanish, German. Compared with case folded.
    pub(super) says: [&'static [&'static str]; 4],
    /// Commands of which one must have succeeded.
    pub(super) commands: &'static [&'static str],
}

/// The claims that are built in.
pub(super) const CLAIMS: [Phrases; 6] = [
    Phrases {
        name: "tests_pass",
        says: [
            &[
                "tests pass",
                "tests are passing",
                "tests passed",
                "tests now pass",
                "test suite passes",
                "tests are green",
                "test passes",
                "tests succeed",
                "tests all pass",
            ],
            &[
                "测试通过",
                "测试都通过",
                "测试全部通过",
                "测试已通过",
                "测试均通过",
                "测试均已通过",
                "测试已全部通过",
                "测试都已通过",
                "测试成功",
                "通过了所有测试",
                "通过了全部测试",
                "通过所有测试",
            ],
            &[
                "pruebas pasan",
                "pruebas pasaron",
                "pruebas han pasado",
                "pruebas superadas",
                "pruebas en verde",
                "tests pasan",
                "tests pasaron",
                "tests han pasado",
                "tests superados",
                "tests en verde",
            ],
            &[
                "tests bestehen",
                "tests bestanden",
                "tests sind bestanden",
                "tests wurden bestanden",
                "tests sind grün",
                "tests laufen durch",
                "tests laufen erfolgreich",
                "tests laufen jetzt durch",
                "tests laufen alle durch",
                "tests sind durchgelaufen",
                "tests sind erfolgreich",
                "tests waren erfolgreich",
                "testlauf ist erfolgreich",
                "testlauf war erfolgreich",
            ],
        ],
        commands: &[
            "cargo test",
            "cargo nextest",
            "pytest",
            "npm test",
            "npm run test",
            "yarn test",
            "pnpm test",
            "go test",
            "make test",
            "mvn test",
            "gradle test",
            "jest",
            "vitest",
            "ctest",
        ],
    },
    Phrases {
        name: "builds",
        says: [
            &[
                "builds successfully",
                "build succeeds",
                "build passes",
                "compiles cleanly",
                "it compiles",
                "build succeeded",
            ],
            &[
                "构建成功",
                "构建通过",
                "构建已成功",
                "编译成功",
                "编译通过",
                "编译已通过",
                "成功编译",
                "成功构建",
            ],
            &[
                "compila correctamente",
                "compila sin errores",
                "compilación exitosa",
                "compilación correcta",
                "compiló correctamente",
                "build pasa",
                "build exitoso",
            ],
            &[
                "build erfolgreich",
                "build ist erfolgreich",
                "build war erfolgreich",
                "build läuft durch",
                "baut erfolgreich",
                "kompiliert fehlerfrei",
                "kompiliert erfolgreich",
                "kompiliert ohne fehler",
            ],
        ],
        commands: &[
            "cargo build",
            "cargo check",
            "make",
            "npm run build",
            "go build",
            "tsc",
            "mvn",
            "gradle",
            "cmake --build",
        ],
    },
    Phrases {
        name: "lint_clean",
        says: [
            &[
                "lint passes",
                "linter passes",
                "no lint errors",
                "lint is clean",
                "clippy is clean",
                "no warnings",
            ],
            &["没有警告", "无警告", "零警告", "代码检查通过", "lint 通过", "lint通过"],
            &["sin advertencias", "no hay advertencias", "lint pasa", "linter pasa", "sin errores de lint"],
            &[
                "keine warnungen",
                "ohne warnungen",
                "lint ist sauber",
                "linter ist sauber",
                "linter läuft durch",
                "clippy ist sauber",
            ],
        ],
        commands: &["clippy", "eslint", "ruff", "flake8", "pylint", "npm run lint", "golangci-lint"],
    },
    Phrases {
        name: "committed",
        says: [
            &[
                "committed the",
                "i committed",
                "changes are committed",
                "has been committed",
                "have been committed",
            ],
            &["已提交", "提交了", "提交成功", "提交完成", "已经提交"],
            &[
                "hice commit",
                "hice un commit",
                "he hecho commit",
                "he hecho un commit",
                "commit realizado",
                "se ha hecho commit",
                "cambios confirmados",
            ],
            &["committet", "commit erstellt", "commit angelegt", "eingecheckt"],
        ],
        commands: &["git commit"],
    },
    Phrases {
        name: "pushed",
        says: [
            &["pushed to", "i pushed", "has been pushed", "have been pushed"],
            &["已推送", "推送了", "推送成功", "推送完成", "已经推送"],
            &[
                "hice push",
                "he hecho push",
                "push realizado",
                "se ha hecho push",
                "subí los cambios",
                "he subido los cambios",
            ],
            &["gepusht"],
        ],
        commands: &["git push"],
    },
    Phrases {
        name: "installed",
        says: [
            &["installed the", "i installed", "has been installed", "is now installed"],
            &["已安装", "安装了", "安装成功", "安装完成", "已经安装"],
            &[
                "he instalado",
                "instalé",
                "se ha instalado",
                "ha sido instalado",
                "ya está instalado",
                "quedó instalado",
            ],
            &[
                "wurde installiert",
                "wurden installiert",
                "ist jetzt installiert",
                "ist nun installiert",
                "erfolgreich installiert",
                "habe installiert",
            ],
        ],
        commands: &["install", "cargo add", "apt-get", "brew ", "pip ", "npm i ", "pnpm add", "yarn add"],
    },
];

/// Words before a phrase that take the claim back, or make it a condition or a plan.
pub(super) const NEGATIONS: &[&str] = &[
    "not", "never", "no", "cannot", "unable", "until", "unless", "without", "didn't", "don't", "doesn't",
    "couldn't", "if", "once", "none", "neither", "nor", "hardly", "before", "when", "whenever", "whether",
    "ensure", "make", "should", "would", "could", "might", "may", "must", "zero", "0", // English
    "nunca", "sin", "hasta", "si", "cuando", "tampoco", "aún", // Spanish
    "nicht", "kein", "keine", "keiner", "nie", "niemals", "noch", "bis", "bevor", "wenn", "falls", "sobald",
    "muss", "müssen", "soll", "sollen", "sollte", "sollten", "wird", "werde", "kann", "können",
    "konnte", // German
];

/// Beginnings of a word that turn it into its opposite: `uninstalled`, `desinstalé`.
pub(super) const OPPOSITES: &[&str] = &["un", "des", "de"];

/// Words behind a phrase that take it back.
pub(super) const NEGATIONS_BEHIND: &[&str] = &["nicht", "werden", "sollen", "müssen"];

/// The same in Chinese, before the phrase in its clause.
pub(super) const NEGATIONS_IN_CHINESE: &[&str] =
    &["没", "未", "不", "无法", "如果", "若", "除非", "一旦", "等", "待", "尚", "将", "会", "需要", "应"];
