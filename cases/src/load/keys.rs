//! The keys of a suite.

/// Top-level keys with a meaning. Others, such as anchors, are left alone.
pub const SUITE_KEYS: [&str; 5] = ["cases", "semantics", "command_match", "args_match", "aliases"];

/// Keys of openclaw-edd 0.4.3 that describe a case and assert nothing.
pub(crate) const EDD_ABOUT: [&str; 12] = [
    "id",
    "message",
    "eval_type",
    "pass_at_k",
    "judge_criteria",
    "judge_model",
    "judge_provider",
    "agent",
    "timeout_s",
    "tags",
    "description",
    "action_patterns_file",
];

/// Keys of openclaw-edd 0.4.3 that assert something, in the order in which they are checked.
pub(crate) const EDD_ASSERTIONS: [&str; 13] = [
    "expect_tools",
    "expect_tools_ordered",
    "expect_tools_ordered_strict",
    "forbidden_tools",
    "expect_commands",
    "forbidden_commands",
    "expect_commands_ordered",
    "expect_output_contains",
    "expect_tool_args",
    "max_retries",
    "expect_actions",
    "expect_actions_ordered",
    "expect_plan_contains",
];

/// Further keys that assert something.
const OWN_ASSERTIONS: [&str; 21] = [
    "forbidden_output",
    "trajectory",
    "allowed_tools",
    "expect_outcomes",
    "rules",
    "no_repeated_failures",
    "max_calls",
    "max_tokens",
    "max_cost",
    "max_seconds",
    "min_score",
    "claims",
    "expect_output_regex",
    "forbidden_output_regex",
    "expect_output_schema",
    "expect_tool_args_regex",
    "expect_tool_args_schema",
    "any_of",
    "all_of",
    "not",
    "require",
];

/// Further keys of a case: how its assertions compare.
const COMPARING: [&str; 2] = ["command_match", "args_match"];

/// What mining and reviewing write beside a case: kept as it is, without a meaning for the verdict.
pub(crate) const KEPT: [&str; 10] = [
    "reviewed",
    "approved",
    "reviewedAt",
    "reviewed_at",
    "reviewer",
    "note",
    "source",
    "metadata",
    "schemaVersion",
    "contentHash",
];

/// Keys that assert something: of a case, and of a group inside `any_of`, `all_of` and `not`.
pub(crate) fn assertion_keys() -> impl Iterator<Item = &'static str> {
    EDD_ASSERTIONS.into_iter().chain(OWN_ASSERTIONS)
}

/// Every key a case may have.
pub fn case_keys() -> impl Iterator<Item = &'static str> {
    EDD_ABOUT.into_iter().chain(COMPARING).chain(assertion_keys()).chain(KEPT)
}
