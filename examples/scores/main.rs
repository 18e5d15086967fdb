//! `scores`: how good were my agent's sessions?

fn main() {}
