//! The keys of a suite.

/// Top-level keys with a meaning. Others, such as anchors, are left alone.
pub const SUITE_KEYS: [&str; 5] = ["cases", "semantics", "command_match", "args_match", "aliases"];

/// Keys that describe a case and assert nothing.
pub(crate) const CASE_ONLY: [&str; 14] = [
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
    "command_match",
    "args_match",
];

/// Keys that assert something: of a case, and of a group inside `any_of`, `all_of` and `not`.
pub(crate) const ASSERTION_KEYS: [&str; 35] = [
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
    "args_match",
];

/// Every key a case may have.
pub const CASE_KEYS: [&str; 48] = {
    let mut all = [""; 48];
    let mut at = 0;
    let mut from = 0;
    while from < CASE_ONLY.len() {
        all[at] = CASE_ONLY[from];
        at += 1;
        from += 1;
    }
    from = 0;
    // The last one, `args_match`, is in both lists.
    while from < ASSERTION_KEYS.len() - 1 {
        all[at] = ASSERTION_KEYS[from];
        at += 1;
        from += 1;
    }
    all
};

/// The keys that openclaw-edd 0.4.3 knows.
pub(crate) const EDD_KEYS: [&str; 25] = [
    "id",
    "message",
    "expect_tools",
    "expect_tools_ordered",
    "expect_tools_ordered_strict",
    "expect_commands",
    "expect_commands_ordered",
    "forbidden_commands",
    "expect_output_contains",
    "forbidden_tools",
    "expect_tool_args",
    "eval_type",
    "agent",
    "timeout_s",
    "tags",
    "description",
    "max_retries",
    "pass_at_k",
    "expect_actions",
    "expect_actions_ordered",
    "action_patterns_file",
    "expect_plan_contains",
    "judge_criteria",
    "judge_model",
    "judge_provider",
];

/// The assertions that openclaw-edd 0.4.3 knows.
pub(crate) const EDD_ASSERTIONS: [&str; 12] = [
    "expect_tools",
    "expect_tools_ordered",
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
