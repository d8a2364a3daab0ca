//! Times at which rows expire: Redis counts milliseconds since 1970, Pegasus seconds since 2016.
//!
//! A time between two seconds becomes the later one, so that nothing expires before its time.

use crate::redis::failure::{Done, Failure};
use crate::rows::pegasus::{EPOCH_UNIX_SECONDS, EXPIRY_MAX};

/// Returns the error of a time that a row cannot have.
pub(super) fn invalid(command: &str) -> Failure {
    format!("ERR invalid expire time in '{command}' command").into()
}

/// Returns the expiry to store for a time in milliseconds since 1970, which is not 0 and so is never "never".
///
/// # Errors
///
/// It is after the year 2084, which a row cannot store.
pub(super) fn of_ms(at_ms: u64, command: &str) -> Done<u32> {
    let seconds = at_ms.div_ceil(1000).saturating_sub(EPOCH_UNIX_SECONDS).max(1);
    let expiry = u32::try_from(seconds).ok().filter(|expiry| *expiry <= EXPIRY_MAX);
    expiry.ok_or_else(|| invalid(command))
}

/// Returns the time in milliseconds since 1970 for a stored expiry; 0 for 0, which means never.
pub(super) fn to_ms(expiry: u32) -> u64 {
    match expiry {
        0 => 0,
        expiry => (EPOCH_UNIX_SECONDS + u64::from(expiry)) * 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_the_next_second() {
        let start = EPOCH_UNIX_SECONDS * 1000;
        for (at_ms, expiry) in [
            (0, 1),
            (start, 1),
            (start + 1, 1),
            (start + 1000, 1),
            (start + 1001, 2),
            (start + u64::from(EXPIRY_MAX) * 1000, EXPIRY_MAX),
        ] {
            assert_eq!(of_ms(at_ms, "set").unwrap(), expiry, "{at_ms}");
        }
        let error = of_ms(start + u64::from(EXPIRY_MAX) * 1000 + 1, "set").unwrap_err();
        assert_eq!(error.text(), "ERR invalid expire time in 'set' command");
        assert!(of_ms(u64::MAX, "set").is_err());
        assert_eq!((to_ms(0), to_ms(2)), (0, start + 2000));
    }
}
