//! Provider names.

/// OpenClaw's provider names and those of the OpenTelemetry GenAI conventions.
const PROVIDERS: &[(&str, &str)] = &[
    ("amazon-bedrock", "aws.bedrock"),
    ("aws-bedrock", "aws.bedrock"),
    ("azure-openai", "azure.ai.openai"),
    ("azure-openai-responses", "azure.ai.openai"),
    ("bedrock", "aws.bedrock"),
    ("gemini", "gcp.gemini"),
    ("google", "gcp.gemini"),
    ("google-gemini", "gcp.gemini"),
    ("google-vertex", "gcp.vertex_ai"),
    ("mistral", "mistral_ai"),
    ("moonshot", "moonshot_ai"),
    ("openai-codex", "openai"),
    ("vertex", "gcp.vertex_ai"),
    ("xai", "x_ai"),
];

/// The value of `gen_ai.provider.name` for a provider as OpenClaw names it; unknown names pass through.
#[must_use]
pub fn gen_ai_provider(provider: &str) -> &str {
    let known = PROVIDERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(provider));
    known.map_or(provider, |(_, name)| name)
}
