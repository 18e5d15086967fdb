//! Small pure rules around the protocol.

mod agents;
mod ask_user;
mod env;
mod guard;
mod guard_path;
mod host;
mod http_auth;
mod message;
mod settings;
mod url;
mod usage;

pub use agents::Agents;
pub use ask_user::{ASK_USER, AskUser};
pub use env::{ExecEnv, SHELL_TOOLS, is_shell_tool};
pub use guard::{Guard, Refusal};
pub use host::missing_host_functions;
pub use message::{Credential, Message, MessageOrigin, Rejection};
pub use settings::{ChatSettings, PluginSettings, PrivateSettings, SessionScope, Setting, Settings, Source};
pub(crate) use url::mask_user_info;
pub use url::{DEFAULT_RELAY_URL, check_relay_url, relay_url_from_base};
pub use usage::{UsageEvent, UsageLedger};
