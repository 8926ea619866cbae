//! The secret part of a page's path, and the other random texts of a page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use subtle::ConstantTimeEq;

/// What a browser must know to see a page: 24 random bytes. Neither printed nor compared in variable time.
pub struct Token(String);

/// The system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gives no random bytes, so no secret address can be made")]
pub struct NoRandomness;

impl Token {
    /// A new one. Errors: [`NoRandomness`].
    pub fn new() -> Result<Token, NoRandomness> {
        random::<24>().map(Token)
    }

    /// The text that stands in the address.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether a text is this token.
    pub fn is(&self, text: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(text).into()
    }
}

/// `N` random bytes as URL-safe base64. Errors: [`NoRandomness`].
pub(crate) fn random<const N: usize>() -> Result<String, NoRandomness> {
    let mut bytes = [0_u8; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_random_and_fits_a_path() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_eq!(one.reveal().len(), 32);
        assert_ne!(one.reveal(), other.reveal());
        assert!(
            one.reveal()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
        assert!(one.is(one.reveal().as_bytes()));
        for wrong in [other.reveal().as_bytes(), b"", "é".as_bytes(), &[0xff; 32]] {
            assert!(!one.is(wrong));
        }
    }
}
