//! Who wrote an assistant row.

/// The fields of an assistant row that tell who wrote it. All are optional: rows of other writers lack them.
///
/// A usage of zero says nothing (some providers report none), so it is not asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct AssistantInput<'a> {
    /// `message.provider`.
    pub provider: Option<&'a str>,
    /// `message.model`.
    pub model: Option<&'a str>,
    /// `message.api`.
    pub api: Option<&'a str>,
    /// The row has `message.openclawDeliveryMirror` or `message.openclawMessageToolMirror`: rows whose provider
    /// was lost keep this mark.
    pub mirror_mark: bool,
}

/// Who wrote an assistant row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssistantOrigin {
    /// A model, through its provider.
    Model,
    /// An agent behind OpenClaw (ACP) or an imported history: a model wrote it, but it is not known which, and the
    /// zeros of its usage mean "not reported".
    ExternalAgent,
    /// A copy of what was delivered to a channel. The original stands in the same or another session.
    DeliveryMirror,
    /// The gateway: answers to slash commands, injected notes, refusals.
    GatewayInjected,
    /// OpenClaw, in another way.
    Synthetic,
}

impl AssistantOrigin {
    /// A model wrote the text: the row can be a turn's output and have usage.
    #[must_use]
    pub fn is_model(self) -> bool {
        matches!(self, Self::Model | Self::ExternalAgent)
    }
}

/// Says who wrote an assistant row. O(1), no allocation.
///
/// OpenClaw signs what it writes itself with the provider `openclaw`; its models `delivery-mirror` and
/// `gateway-injected` are the ones that it never sends back to a provider.
///
/// ```
/// use clawgauge_transcript::{AssistantInput, AssistantOrigin, classify_assistant};
///
/// let row = AssistantInput { provider: Some("openclaw"), model: Some("gateway-injected"), ..Default::default() };
/// assert_eq!(classify_assistant(&row), AssistantOrigin::GatewayInjected);
/// assert!(!classify_assistant(&row).is_model());
/// ```
#[must_use]
pub fn classify_assistant(row: &AssistantInput<'_>) -> AssistantOrigin {
    match row.model {
        Some("delivery-mirror") => return AssistantOrigin::DeliveryMirror,
        Some("gateway-injected") => return AssistantOrigin::GatewayInjected,
        _ => {}
    }
    if row.mirror_mark {
        return AssistantOrigin::DeliveryMirror;
    }
    if row.provider == Some("openclaw") {
        return match row.model {
            Some("acp-runtime" | "session-catalog") => AssistantOrigin::ExternalAgent,
            _ => AssistantOrigin::Synthetic,
        };
    }
    if row.api == Some("openclaw-transcript") {
        return AssistantOrigin::Synthetic;
    }
    AssistantOrigin::Model
}
