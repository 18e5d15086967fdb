//! Who may call the HTTP endpoint: the same keys that authorise the relay.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::secret::{Keys, digest_eq};

const FORGIVING_PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, FORGIVING_PADDING);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, FORGIVING_PADDING);

impl Keys {
    /// Whether an `Authorization` header proves knowledge of these keys.
    ///
    /// `Basic base64(public:secret)` in either alphabet, padded or not, or `Bearer secret`; the scheme in any case.
    /// The pair is compared as a whole, so keys may contain colons. Digests are compared, in constant time. Empty
    /// keys authorise nobody.
    #[must_use]
    pub fn authorize(&self, header: Option<&str>) -> bool {
        let Some((scheme, value)) = header.map(str::trim).and_then(|text| text.split_once([' ', '\t']))
        else {
            return false;
        };
        let (public, secret) = (self.public().expose(), self.secret().expose());
        let value = value.trim();
        if secret.is_empty() || value.is_empty() {
            return false;
        }
        if scheme.eq_ignore_ascii_case("bearer") {
            digest_eq(value.as_bytes(), secret.as_bytes())
        } else if scheme.eq_ignore_ascii_case("basic") && !public.is_empty() {
            let pair = STANDARD.decode(value).or_else(|_| URL_SAFE.decode(value));
            pair.is_ok_and(|pair| digest_eq(&pair, format!("{public}:{secret}").as_bytes()))
        } else {
            false
        }
    }
}
