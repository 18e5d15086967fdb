//! Case files, good and bad, against what openclaw-edd 0.4.3 made of them.
#[test]
fn placeholder() {}
