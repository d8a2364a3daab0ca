//! The patterns of BY and GET: `#` is the element; `prefix*suffix` is the string whose key has the element in the place
//! of the first star; `prefix*suffix->field` is a field of such a hash.

use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::families::hashes::hash::Hash;
use crate::rows::redis::Type;

/// A parsed pattern.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Pattern<'a> {
    /// The element.
    Element,
    /// Nothing: there is no star.
    Nothing,
    /// A string, or a field of a hash.
    Key { prefix: &'a [u8], suffix: &'a [u8], field: Option<&'a [u8]> },
}

impl<'a> Pattern<'a> {
    pub(super) fn parse(pattern: &'a [u8]) -> Pattern<'a> {
        if pattern == b"#" {
            return Pattern::Element;
        }
        let Some(star) = pattern.iter().position(|byte| *byte == b'*') else {
            return Pattern::Nothing;
        };
        let prefix = pattern.get(..star).unwrap_or_default();
        let rest = pattern.get(star + 1..).unwrap_or_default();
        let arrow = rest.windows(2).position(|pair| pair == b"->");
        let parts = arrow.and_then(|at| Some((rest.get(..at)?, rest.get(at + 2..)?)));
        match parts.filter(|(_, field)| !field.is_empty()) {
            Some((suffix, field)) => Pattern::Key { prefix, suffix, field: Some(field) },
            None => Pattern::Key { prefix, suffix: rest, field: None },
        }
    }

    /// Returns whether the pattern names keys.
    pub(super) fn names_key(&self) -> bool {
        matches!(self, Pattern::Key { .. })
    }

    /// Returns the value for an element; `None` if there is none or it has another type.
    pub(super) fn value(&self, context: &mut Context<'_>, element: &[u8]) -> Done<Option<Vec<u8>>> {
        let (prefix, suffix, field) = match *self {
            Pattern::Element => return Ok(Some(element.to_vec())),
            Pattern::Nothing => return Ok(None),
            Pattern::Key { prefix, suffix, field } => (prefix, suffix, field),
        };
        let key = [prefix, element, suffix].concat();
        let ty = context.head(&context.place(&key))?.map(|head| head.ty);
        context.count_read(&key, ty.is_some());
        match (ty, field) {
            (Some(Type::String), None) => {
                let value = context.string(&key)?;
                value.map(|value| value.into_bytes(context.txn)).transpose()
            }
            (Some(Type::Hash), Some(field)) => match Hash::find(context, &key)? {
                Some(hash) => hash.get(context.txn, field, |field| field.payload.to_vec()),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_patterns() {
        let key = |prefix, suffix, field| Pattern::Key { prefix, suffix, field };
        for (text, pattern) in [
            (&b"#"[..], Pattern::Element),
            (b"a", Pattern::Nothing),
            (b"a->b", Pattern::Nothing),
            (b"*", key(b"", b"", None)),
            (b"w_*_x", key(b"w_", b"_x", None)),
            (b"h*->f", key(b"h", b"", Some(b"f"))),
            (b"h*x->f->g", key(b"h", b"x", Some(b"f->g"))),
            (b"h*->", key(b"h", b"->", None)),
            (b"a->*b", key(b"a->", b"b", None)),
        ] {
            assert_eq!(Pattern::parse(text), pattern, "{}", text.escape_ascii());
        }
    }
}
