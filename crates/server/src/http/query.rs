//! The parameters of a request: the part of its address behind the question mark. They may be any bytes.

use super::refusal::Refusal;
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// A name and a value.
type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// The parameters, decoded.
#[derive(Debug, Default)]
pub(super) struct Query<'a>(Vec<Pair<'a>>);

impl<'a> Query<'a> {
    /// Reads `name=value&name=value`. Percent signs encode bytes; a plus sign is a plus sign.
    pub(super) fn parse(text: &'a str) -> Query<'a> {
        let decode = |part: &'a str| Cow::from(percent_decode(part.as_bytes()));
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Query(pairs.map(|(name, value)| (decode(name), decode(value))).collect())
    }

    /// Refuses parameters that are not among these, or that are given twice.
    pub(super) fn check(&self, known: &[&str]) -> Result<(), Refusal> {
        for (at, (name, _)) in self.0.iter().enumerate() {
            let shown = String::from_utf8_lossy(name);
            if !known.iter().any(|known| known.as_bytes() == &**name) {
                let known = if known.is_empty() { "none" } else { &known.join(", ") };
                return Err(Refusal::bad(format!("unknown parameter {shown:?}; expected {known}")));
            }
            if self.0.iter().take(at).any(|(other, _)| other == name) {
                return Err(Refusal::bad(format!("the parameter {shown:?} is given twice")));
            }
        }
        Ok(())
    }

    /// Returns the bytes of a parameter.
    pub(super) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(it, _)| &**it == name.as_bytes()).map(|(_, value)| &**value)
    }

    /// Returns the bytes of a parameter that must be given.
    pub(super) fn required(&self, name: &str) -> Result<&[u8], Refusal> {
        self.bytes(name).ok_or_else(|| Refusal::bad(format!("the parameter {name} is missing")))
    }

    /// Returns a parameter as a number from `min` to `max`; `default` if it is not given.
    pub(super) fn number(
        &self,
        name: &str,
        default: u64,
        (min, max): (u64, u64),
    ) -> Result<u64, Refusal> {
        let Some(bytes) = self.bytes(name) else { return Ok(default) };
        let number = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        number.filter(|number| (min..=max).contains(number)).ok_or_else(|| {
            let found = String::from_utf8_lossy(bytes);
            Refusal::bad(format!("{name}: expected a number from {min} to {max}, found {found:?}"))
        })
    }

    /// Returns which of some words a parameter is; the first if it is not given.
    pub(super) fn choice(
        &self,
        name: &str,
        words: &[&'static str],
    ) -> Result<&'static str, Refusal> {
        let first = words.first().copied().unwrap_or_default();
        let Some(bytes) = self.bytes(name) else { return Ok(first) };
        words.iter().copied().find(|word| word.as_bytes() == bytes).ok_or_else(|| {
            let found = String::from_utf8_lossy(bytes);
            Refusal::bad(format!("{name}: expected one of {}, found {found:?}", words.join(", ")))
        })
    }
}

#[cfg(test)]
#[path = "query_test.rs"]
mod tests;
