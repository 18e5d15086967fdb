//! Words, sentences and logs from a fixed seed.

const WORDS: [&str; 24] = [
    "lamp", "harbour", "garden", "wick", "fern", "river", "parse", "index", "table", "cursor", "bridge",
    "signal", "paper", "stone", "north", "engine", "window", "quiet", "little", "copper", "search", "branch",
    "winter", "Größe",
];

/// A source of words: SplitMix64, so that the bytes never depend on a library's version.
pub(crate) struct Words(u64);

impl Words {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit` (0 when the limit is 0).
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0).checked_rem(limit).unwrap_or(0)
    }

    pub(crate) fn word(&mut self) -> &'static str {
        let place = self.below(WORDS.len());
        WORDS.get(place).copied().unwrap_or("lamp")
    }

    pub(crate) fn sentences(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            for _ in 0..6 + self.below(12) {
                text.push_str(self.word());
                text.push(' ');
            }
            text.push_str("done. ");
        }
        text
    }

    /// Output of a tool: lines of forty to a hundred characters with quotes and escapes in them.
    pub(crate) fn log(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 128);
        while text.len() < bytes {
            text.push_str("    at \"src/");
            for _ in 0..4 + self.below(8) {
                text.push_str(self.word());
                text.push(' ');
            }
            text.push_str("\":42\n");
        }
        text
    }
}
