//! Bounds on what input can make us build.

/// How much a suite or a check may grow. The defaults fit a suite of a hundred thousand cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one suite file. Default 64 MiB.
    pub file_bytes: usize,
    /// Values (scalars, lists, objects) in one suite file. Default 4,000,000.
    pub nodes: usize,
    /// Nesting of lists and objects in one suite file, and of assertion groups. Default 64.
    pub depth: usize,
    /// Errors of one file that are reported, and as many warnings; the rest is counted. Default 200.
    pub diagnostics: usize,
    /// Expected steps times actual calls beyond which an explanation shows a window of the calls, not all of them.
    /// Default 4,000,000.
    pub alignment_cells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            nodes: 4_000_000,
            depth: 64,
            diagnostics: 200,
            alignment_cells: 4_000_000,
        }
    }
}
