//! The core of the `scores` program: from sessions to records, from records to text. Only `save` touches files; no clock, no
//! terminal.

mod answer;
mod calibrate;
mod chart;
mod check;
mod compare;
mod explain;
mod folder;
mod history;
mod period;
pub mod plugin;
mod report;
mod rules;
mod sample;
mod save;
mod session;
mod stream;
mod table;

pub use answer::Answer;
pub use calibrate::{calibration_json, calibration_text, known_run, reliability_chart, rows};
pub use chart::chart;
pub use check::{Least, check};
pub use compare::{Set, compare};
pub use explain::{explain, findings};
pub use folder::{Folder, Problem};
pub use history::History;
pub use period::{Period, parse_offset, parse_time};
pub use report::{View, summary, trend, worst};
pub use rules::ChosenScorer;
pub use sample::sample;
pub use save::{Saved, ScoresFolder};
pub use session::{Scored, Session, skip_text};
pub use stream::answer;
pub use table::{table, worst as worst_session};
