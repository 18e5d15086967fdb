//! Generated corpora with a fixed seed, shared by the benches and by tests.
