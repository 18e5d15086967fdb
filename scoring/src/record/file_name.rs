//! Where a session's record is kept.

/// The longest file name without its ending that is written as it is. Linux and macOS allow 255 bytes a name.
const LONGEST: usize = 200;

/// The file name for a session's record: `<id>.json`.
///
/// An id that is not a plain file name is encoded, never a path: `/`, `\`, `%`, `:`, control characters and a leading dot become
/// `%XX`, an empty id `%`, and a name past 200 bytes ends in a 128-bit checksum. Different ids give different names (past 200
/// bytes: as far as the checksum tells them apart). Ids that OpenClaw makes stay as they are.
#[must_use]
pub fn file_name(session_id: &str) -> String {
    let mut name = String::with_capacity(session_id.len() + 5);
    for (at, c) in session_id.char_indices() {
        let plain = !(matches!(c, '/' | '\\' | '%' | ':') || c.is_control() || (at == 0 && c == '.'));
        if plain {
            name.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                name.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    if name.is_empty() {
        name.push('%');
    }
    if name.len() > LONGEST {
        let mut end = LONGEST - 33;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        name.push_str(&format!("%{:032x}", checksum(session_id.as_bytes())));
    }
    name.push_str(".json");
    name
}

/// FNV-1a of 128 bits (offset basis and prime as its authors publish them).
fn checksum(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_ids_stay_and_others_never_leave_the_folder() {
        assert_eq!(file_name("4df802e9-d1b2-4c1a"), "4df802e9-d1b2-4c1a.json");
        assert_eq!(file_name("sitzung-日本語"), "sitzung-日本語.json");
        assert_eq!(file_name("../x"), "%2E.%2Fx.json");
        assert_eq!(file_name("a/b"), "a%2Fb.json");
        assert_eq!(file_name("a%2Fb"), "a%252Fb.json");
        assert_eq!(file_name(""), "%.json");
        let long = ["日".repeat(100), format!("{}x", "日".repeat(100))].map(|id| file_name(&id));
        assert!(long.iter().all(|name| name.len() <= 205));
        assert_ne!(long[0], long[1]);
    }

    #[test]
    fn the_checksum_is_fnv_1a() {
        // Test vectors of the FNV authors.
        assert_eq!(checksum(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(checksum(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
