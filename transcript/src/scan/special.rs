//! The bytes inside a string that are more than text, found a block at a time.

use wide::u8x16;

/// One bit for each byte of a block that means something inside a string; the lowest is the first byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Special {
    pub(super) quote: u64,
    pub(super) backslash: u64,
    pub(super) control: u64,
    /// The letters of the most frequent escapes, `n` and `t`.
    pub(super) common: u64,
}

impl Special {
    #[inline]
    pub(super) fn of(block: &[u8; 16]) -> Self {
        let block = u8x16::new(*block);
        let is = |byte: u8| block.simd_eq(u8x16::splat(byte));
        let bits = |bytes: u8x16| u64::from(bytes.to_bitmask());
        Self {
            quote: bits(is(b'"')),
            backslash: bits(is(b'\\')),
            control: bits(block.min(u8x16::splat(0x1f)).simd_eq(block)),
            common: bits(is(b'n') | is(b't')),
        }
    }

    #[inline]
    pub(super) fn of_four(block: &[u8; 64]) -> Self {
        let (blocks, _) = block.as_chunks::<16>();
        blocks.iter().rev().fold(Self::default(), |later, block| {
            let block = Self::of(block);
            Self {
                quote: later.quote << 16 | block.quote,
                backslash: later.backslash << 16 | block.backslash,
                control: later.control << 16 | block.control,
                common: later.common << 16 | block.common,
            }
        })
    }

    /// What ends a plain run.
    #[inline]
    pub(super) const fn any(self) -> u64 {
        self.quote | self.backslash | self.control
    }

    /// The second bytes of escapes, when the block before ended with `carry` first ones; and how many this one ends with.
    ///
    /// A run of backslashes is pairs, and what follows a run of odd length is escaped. The subtraction finds the parity of all
    /// runs at once: a run that begins at an even place borrows to another end than one that begins at an odd place.
    #[inline]
    pub(super) const fn escaped(self, carry: u64) -> (u64, u64) {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        let first = self.backslash & !carry;
        let parity = (first << 1 | ODD).wrapping_sub(first) ^ ODD;
        (parity ^ (self.backslash | carry), (parity & self.backslash) >> 63)
    }
}
