//! Limits on the rate of requests and bytes of a table.
//!
//! ```text
//! window = units "*" ("delay" | "reject") "*" milliseconds, at most one of each kind, separated by ","
//! bucket = units | window with a reject
//! units  = digits ["K" | "M"]
//! ```
//!
//! A [`Window`] counts within a second of the monotonic clock and delays or rejects what exceeds its limits. A
//! [`Bucket`] limits the bytes that reads return. Their number is known only afterwards, so a read passes while there
//! are tokens, and may leave a debt.

use parking_lot::Mutex;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is evaluated now.
    Pass,
    /// It is evaluated after this many milliseconds.
    Delay(u64),
    /// It is answered with ERR_BUSY after this many milliseconds.
    Reject(u64),
}

/// A limit and the delay of what exceeds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit {
    units: u64,
    delay_ms: u64,
}

/// Limits on the units in one second.
#[derive(Debug)]
pub struct Window {
    delay: Option<Limit>,
    reject: Option<Limit>,
    /// The second, and the units in it.
    current: Mutex<(u64, u64)>,
}

impl Window {
    /// Parses a table's environment.
    ///
    /// # Errors
    ///
    /// A sentence about what is wrong.
    pub fn parse(text: &str) -> Result<Window, String> {
        let (mut delay, mut reject) = (None, None);
        for part in text.split(',') {
            let fields: Vec<&str> = part.trim().split('*').map(str::trim).collect();
            let [units, kind, ms] = fields[..] else {
                return Err(format!("expected UNITS*delay|reject*MILLISECONDS, found '{part}'"));
            };
            let limit = Limit {
                units: parse_units(units)?,
                delay_ms: ms
                    .parse()
                    .map_err(|_| format!("'{ms}' should be an unsigned integer"))?,
            };
            let place = match kind {
                "delay" => &mut delay,
                "reject" => &mut reject,
                _ => return Err(format!("'{kind}' should be 'delay' or 'reject'")),
            };
            if place.replace(limit).is_some() {
                return Err(format!("duplicate '{kind}' config"));
            }
        }
        Ok(Window { delay, reject, current: Mutex::new((0, 0)) })
    }

    /// Counts a request. Half of the client's timeout, if it has one, bounds the delay.
    pub fn control(&self, now_us: u64, units: u64, timeout_ms: i32) -> Decision {
        let second = now_us / 1_000_000;
        let mut current = self.current.lock();
        if current.0 != second {
            *current = (second, 0);
        }
        let total = current.1.saturating_add(units);
        let exceeds = |limit: &&Limit| limit.units > 0 && total > limit.units;
        let bounded = |limit: Limit| match u64::try_from(timeout_ms) {
            Ok(timeout_ms) if timeout_ms > 0 => limit.delay_ms.min(timeout_ms / 2),
            _ => limit.delay_ms,
        };
        if let Some(limit) = self.reject.as_ref().filter(exceeds) {
            return Decision::Reject(bounded(*limit));
        }
        current.1 = total;
        match self.delay.as_ref().filter(exceeds) {
            Some(limit) => Decision::Delay(bounded(*limit)),
            None => Decision::Pass,
        }
    }
}

/// A token bucket of bytes that holds at most one second's tokens.
#[derive(Debug)]
pub struct Bucket {
    per_second: u64,
    /// The time of the last refill in microseconds, and the tokens then.
    current: Mutex<(u64, i64)>,
}

impl Bucket {
    /// Parses a table's environment.
    ///
    /// # Errors
    ///
    /// A sentence about what is wrong.
    pub fn parse(text: &str) -> Result<Bucket, String> {
        let per_second = match parse_units(text) {
            Ok(units) => units,
            Err(_) => {
                let reject = Window::parse(text)?.reject;
                reject.ok_or("a limit on bytes of reads needs a 'reject'")?.units
            }
        };
        if per_second == 0 {
            return Err("the limit should be greater than 0".to_owned());
        }
        let full = i64::try_from(per_second).unwrap_or(i64::MAX);
        Ok(Bucket { per_second, current: Mutex::new((0, full)) })
    }

    /// Returns whether a read may begin.
    pub fn has_tokens(&self, now_us: u64) -> bool {
        self.refill(now_us, 0) > 0
    }

    /// Takes the tokens of a read that ended.
    pub fn take(&self, now_us: u64, bytes: u64) {
        self.refill(now_us, bytes);
    }

    /// Adds the tokens since the last refill, takes some, and returns what is left.
    fn refill(&self, now_us: u64, taken: u64) -> i64 {
        let full = i64::try_from(self.per_second).unwrap_or(i64::MAX);
        let mut current = self.current.lock();
        let elapsed = now_us.saturating_sub(current.0);
        let new = u128::from(elapsed) * u128::from(self.per_second) / 1_000_000;
        if new > 0 {
            // Only the time of whole tokens is used up.
            let used_us = new * 1_000_000 / u128::from(self.per_second);
            current.0 = current.0.saturating_add(u64::try_from(used_us).unwrap_or(u64::MAX));
            let new = i64::try_from(new).unwrap_or(i64::MAX);
            current.1 = current.1.saturating_add(new).min(full);
        }
        current.1 = current.1.saturating_sub_unsigned(taken);
        current.1
    }
}

/// Returns a number with an optional factor K (1024) or M (1024 * 1024).
fn parse_units(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.ok_or_else(|| format!("'{text}' should be a number, optionally followed by K or M"))
}

#[cfg(test)]
#[path = "throttle_test.rs"]
mod tests;
