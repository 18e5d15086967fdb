//! Texts that ship with the crate: a template with every key, a suite to begin with, the schema of the format.

/// A suite in YAML that uses every key of the format and loads.
pub const TEMPLATE: &str = include_str!("../suites/template.yaml");

/// Six cases to try an agent with: answering, listing, counting, reading, not deleting, planning.
pub const QUICKSTART: &str = include_str!("../suites/quickstart.yaml");

/// The JSON Schema (2020-12) of the suite format. YAML suites satisfy it once they are read as data.
pub const SCHEMA: &str = include_str!("../suites/cases.schema.json");
