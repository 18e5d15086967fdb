//! The pure core of the `scores` program: from score files to text. No file, clock or terminal in here.

mod answer;
mod chart;
mod check;
mod compare;
mod folder;
mod period;
pub mod plugin;
mod report;

pub use answer::Answer;
pub use chart::chart;
pub use check::{Least, check};
pub use compare::{Set, compare};
pub use folder::{Folder, Problem};
pub use period::{Period, parse_offset, parse_time};
pub use report::{View, summary, trend, worst};
