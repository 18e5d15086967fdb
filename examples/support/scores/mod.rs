//! The pure core of the `scores` program: from score files to text. No file, clock or terminal in here.

mod answer;
mod folder;
pub mod plugin;
pub mod report;

pub use answer::Answer;
pub use folder::{Folder, Problem};
