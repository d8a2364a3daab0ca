//! The parameters of a request: the part of its address behind the question mark. They may be any bytes.

use super::refusal::Refusal;
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// A parameter that a request may have.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) is_required: bool,
    pub(super) kind: Kind,
}

/// The values of a parameter.
pub(super) enum Kind {
    /// Any bytes, percent-encoded.
    Bytes,
    /// A number, with its default and its bounds.
    Number(u64, (u64, u64)),
    /// One of some words; the first is the default.
    Words(&'static [&'static str]),
}

/// A name and a value.
type Pair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// The decoded parameters of a request, and those that its route accepts.
pub(super) struct Query<'a> {
    pairs: Vec<Pair<'a>>,
    known: &'static [Parameter],
}

impl<'a> Query<'a> {
    /// Reads `name=value&name=value`. Percent signs encode bytes; a plus sign is a plus sign.
    ///
    /// # Errors
    ///
    /// A parameter is not known, or is given twice.
    pub(super) fn parse(text: &'a str, known: &'static [Parameter]) -> Result<Query<'a>, Refusal> {
        let decode = |part: &'a str| Cow::from(percent_decode(part.as_bytes()));
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs: Vec<Pair<'a>> =
            pairs.map(|(name, value)| (decode(name), decode(value))).collect();
        for (at, (name, _)) in pairs.iter().enumerate() {
            let shown = String::from_utf8_lossy(name);
            if !known.iter().any(|known| known.name.as_bytes() == &**name) {
                let known: Vec<_> = known.iter().map(|known| known.name).collect();
                let known = if known.is_empty() { "none" } else { &known.join(", ") };
                return Err(Refusal::bad(format!("unknown parameter {shown:?}; expected {known}")));
            }
            if pairs.iter().take(at).any(|(other, _)| other == name) {
                return Err(Refusal::bad(format!("the parameter {shown:?} is given twice")));
            }
        }
        Ok(Query { pairs, known })
    }

    /// Returns the bytes of a parameter.
    pub(super) fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.pairs.iter().find(|(it, _)| &**it == name.as_bytes()).map(|(_, value)| &**value)
    }

    /// Returns the bytes of a parameter that must be given.
    pub(super) fn required(&self, name: &str) -> Result<&[u8], Refusal> {
        self.bytes(name).ok_or_else(|| Refusal::bad(format!("the parameter {name} is missing")))
    }

    /// Returns a parameter as a number within its bounds; its default if it is not given.
    pub(super) fn number(&self, name: &str) -> Result<u64, Refusal> {
        let Some(Kind::Number(default, (min, max))) = self.kind(name) else {
            return Err(undescribed(name));
        };
        let Some(bytes) = self.bytes(name) else { return Ok(*default) };
        let number = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
        number.filter(|number| (min..=max).contains(&number)).ok_or_else(|| {
            let found = String::from_utf8_lossy(bytes);
            Refusal::bad(format!("{name}: expected a number from {min} to {max}, found {found:?}"))
        })
    }

    /// Returns which of its words a parameter is; the first if it is not given.
    pub(super) fn choice(&self, name: &str) -> Result<&'static str, Refusal> {
        let Some(Kind::Words(words)) = self.kind(name) else { return Err(undescribed(name)) };
        let first = words.first().copied().unwrap_or_default();
        let Some(bytes) = self.bytes(name) else { return Ok(first) };
        words.iter().copied().find(|word| word.as_bytes() == bytes).ok_or_else(|| {
            let found = String::from_utf8_lossy(bytes);
            Refusal::bad(format!("{name}: expected one of {}, found {found:?}", words.join(", ")))
        })
    }

    fn kind(&self, name: &str) -> Option<&'static Kind> {
        self.known.iter().find(|known| known.name == name).map(|known| &known.kind)
    }
}

/// The refusal of a request whose handler asks for a parameter that the table of requests does not have: an error of
/// the program.
fn undescribed(name: &str) -> Refusal {
    Refusal::failed(format!("the parameter {name} is not described"))
}

#[cfg(test)]
#[path = "query_test.rs"]
mod tests;
