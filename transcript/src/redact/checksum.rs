//! Checksums that tell a card or account number from other digits.

/// Whether the digits pass the Luhn check of ISO/IEC 7812 and have the length and first digits of a payment card.
///
/// Ids of chat platforms have 17 to 19 digits and times 13; a tenth of all numbers passes Luhn. So only the lengths
/// and issuers that are in use count: 14 (Diners), 15 (American Express), 16 (all others), and 13 for old Visa.
pub(super) fn is_card(digits: &[u8]) -> bool {
    let number = |len: usize| {
        digits.get(..len).unwrap_or_default().iter().fold(0u32, |n, d| n * 10 + u32::from(d & 15))
    };
    let issuer = match digits.len() {
        13 => number(1) == 4,
        14 => matches!(number(3), 300..=305) || matches!(number(2), 36 | 38 | 39),
        15 => matches!(number(2), 34 | 37),
        16 => {
            number(1) == 4
                || matches!(number(2), 51..=55 | 62 | 65)
                || matches!(number(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(number(3), 644..=649)
        }
        _ => false,
    };
    issuer && luhn(digits) && digits.iter().any(|digit| Some(digit) != digits.first())
}

/// Whether a card can begin with these digits, of which the first four are looked at: all that [`is_card`] knows begin
/// so, and few times and ids do.
pub(super) fn begins_card(digits: &[u8]) -> bool {
    let first = digits.get(..4).unwrap_or_default().iter().fold(0u32, |n, d| n * 10 + u32::from(d & 15));
    matches!(
        first,
        2221..=2720
            | 3000..=3059
            | 3400..=3499
            | 3528..=3589
            | 3600..=3999
            | 4000..=4999
            | 5100..=5599
            | 6011
            | 6200..=6299
            | 6440..=6599
    )
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let digit = u32::from(digit & 15);
            match (at % 2, digit) {
                (0, digit) => digit,
                (_, digit) if digit > 4 => digit * 2 - 9,
                (_, digit) => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether the text (upper case, no blanks) is an IBAN: a known country and length, and the check of ISO 13616.
pub(super) fn is_iban(text: &[u8]) -> bool {
    let country = text.get(..2).unwrap_or_default();
    let known = IBAN_LENGTHS.iter().any(|(code, len)| code.as_bytes() == country && *len == text.len());
    if !known {
        return false;
    }
    let (head, tail) = text.split_at_checked(4).unwrap_or_default();
    let rest = tail.iter().chain(head).try_fold(0u32, |rest, byte| match byte {
        b'0'..=b'9' => Some((rest * 10 + u32::from(byte - b'0')) % 97),
        b'A'..=b'Z' => Some((rest * 100 + u32::from(byte - b'A') + 10) % 97),
        _ => None,
    });
    rest == Some(1)
}

/// The length of an IBAN of this country.
pub(super) fn iban_length(country: &[u8]) -> Option<usize> {
    IBAN_LENGTHS.iter().find(|(code, _)| code.as_bytes() == country).map(|(_, len)| *len)
}

/// Countries and lengths of the SWIFT IBAN registry.
const IBAN_LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards() {
        for card in
            ["4111111111111111", "5555555555554444", "378282246310005", "6011111111111117", "30569309025904"]
        {
            assert!(is_card(card.as_bytes()), "{card}");
        }
        for other in
            ["4111111111111112", "1796037300428", "0000000000000000", "1234567890123456", "411111111111111"]
        {
            assert!(!is_card(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn ibans() {
        for iban in ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"] {
            assert!(is_iban(iban.as_bytes()), "{iban}");
        }
        for other in ["DE89370400440532013001", "DE8937040044053201300", "XX89370400440532013000", ""] {
            assert!(!is_iban(other.as_bytes()), "{other}");
        }
    }
}
