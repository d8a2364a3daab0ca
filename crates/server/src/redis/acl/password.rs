//! Passwords, of which only hashes are kept.

use super::refusal::Refusal;
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};

/// The length of a hash in hexadecimal.
const HEX_LENGTH: usize = 64;

/// The SHA-256 hash of a password, in lower-case hexadecimal.
#[derive(Clone, Eq, PartialEq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Returns the hash of a password.
    pub fn of(password: &[u8]) -> PasswordHash {
        let mut hex = String::with_capacity(HEX_LENGTH);
        for byte in Sha256::digest(password) {
            // Writing to a string does not fail.
            _ = write!(hex, "{byte:02x}");
        }
        PasswordHash(hex)
    }

    /// Returns a hash from its hexadecimal form.
    ///
    /// # Errors
    ///
    /// It does not have 64 digits in lower case.
    pub fn parse(hex: &[u8]) -> Result<PasswordHash, Refusal> {
        let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        match std::str::from_utf8(hex) {
            Ok(text) if hex.len() == HEX_LENGTH && hex.iter().all(is_digit) => {
                Ok(PasswordHash(text.to_owned()))
            }
            _ => Err(Refusal::BadHash),
        }
    }

    /// Returns the hexadecimal form.
    pub fn hex(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on the hashes.
    pub fn is_same(&self, other: &PasswordHash) -> bool {
        let pairs = self.0.bytes().zip(other.0.bytes());
        pairs.fold(0, |found, (a, b)| found | (a ^ b)) == 0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash")
    }
}
