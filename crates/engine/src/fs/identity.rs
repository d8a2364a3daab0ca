//! Unique ids: of a database (a UUID) and of one session, the time between open and close (20
//! digits).

use crate::env::random;

/// A new database id: 36 lower-case characters, in the form of a random UUID.
pub fn new_db_id() -> String {
    let mut b = random::unique_bytes();
    b[6] = (b[6] & 0x0F) | 0x40;
    b[8] = (b[8] & 0x3F) | 0x80;
    let mut id = String::with_capacity(36);
    for (i, byte) in b.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        id.push_str(&format!("{byte:02x}"));
    }
    id
}

/// A new session id: 20 digits in base 36, as recorded in tables.
pub fn new_session_id() -> String {
    const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    // Readers use 62 bits of the last twelve digits and 39 of the first eight.
    let random = u128::from_le_bytes(random::unique_bytes());
    let (high, low) = ((random >> 64) as u64, random as u64);
    let mut id = [0u8; 20];
    let (head, tail) = id.split_at_mut(8);
    for (part, mut n) in [(head, high >> 24), (tail, low >> 2)] {
        for digit in part.iter_mut().rev() {
            *digit = DIGITS[(n % 36) as usize];
            n /= 36;
        }
    }
    id.iter().map(|&b| char::from(b)).collect()
}

/// This machine's name, as recorded in tables; empty if it is unknown.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| String::new(), |name| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::checksum::unique_id;

    #[test]
    fn ids_have_their_form_and_differ() {
        let (a, b) = (new_db_id(), new_db_id());
        assert_ne!(a, b);
        assert_eq!(a.len(), 36);
        assert!(a.bytes().all(|c| c == b'-' || c.is_ascii_digit() || (b'a'..=b'f').contains(&c)));
        let (s, t) = (new_session_id(), new_session_id());
        assert_eq!(s.len(), 20);
        assert_ne!(unique_id(&a, &s, 1).unwrap(), unique_id(&a, &t, 1).unwrap());
    }
}
