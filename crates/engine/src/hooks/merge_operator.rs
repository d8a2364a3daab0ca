//! Merge operators, which turn operands written by `merge` into a value. Built-in operators have RocksDB's names.

use std::sync::Arc;

/// Merges operands into a value. The name is stored in every table.
pub trait MergeOperator: Send + Sync + 'static {
    /// Returns the name that is recorded on disk.
    fn name(&self) -> &str;

    /// Returns the value of `key`: `operands`, oldest first, merged into `existing`. `None` means failure, which
    /// readers see as Corruption.
    fn full_merge(
        &self,
        key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>>;

    /// Returns one operand equivalent to `operands`, oldest first, if that is possible without the value below them.
    fn partial_merge(&self, _key: &[u8], _operands: &[&[u8]]) -> Option<Vec<u8>> {
        None
    }

    /// Returns the text for an OPTIONS file: the name, or `{id=name;setting=value;}`.
    fn options_text(&self) -> String {
        self.name().to_string()
    }
}

/// `uint64add`: little-endian u64, wrapping addition. A value of another length counts as 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct UInt64AddOperator;

fn as_u64(v: &[u8]) -> u64 {
    v.try_into().map_or(0, u64::from_le_bytes)
}

impl MergeOperator for UInt64AddOperator {
    fn name(&self) -> &str {
        "UInt64AddOperator"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let start = existing.map_or(0, as_u64);
        let sum = operands.iter().fold(start, |sum, v| sum.wrapping_add(as_u64(v)));
        Some(sum.to_le_bytes().to_vec())
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.full_merge(key, None, operands)
    }
}

/// `stringappend`: values joined by a delimiter.
#[derive(Clone, Debug)]
pub struct StringAppendOperator {
    delimiter: Vec<u8>,
}

impl StringAppendOperator {
    /// Creates an operator with this delimiter.
    pub fn new(delimiter: impl Into<Vec<u8>>) -> StringAppendOperator {
        StringAppendOperator { delimiter: delimiter.into() }
    }
}

impl Default for StringAppendOperator {
    fn default() -> StringAppendOperator {
        StringAppendOperator::new(*b",")
    }
}

impl MergeOperator for StringAppendOperator {
    fn name(&self) -> &str {
        "StringAppendOperator"
    }

    fn options_text(&self) -> String {
        let mut delimiter = String::new();
        for c in String::from_utf8_lossy(&self.delimiter).chars() {
            match c {
                '\n' => delimiter.push_str("\\n"),
                '\r' => delimiter.push_str("\\r"),
                '\\' | '#' | ':' | ';' | '{' | '}' => delimiter.extend(['\\', c]),
                _ => delimiter.push(c),
            }
        }
        format!("{{id={};delimiter={delimiter};}}", self.name())
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        Some(parts.join(&self.delimiter[..]))
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.full_merge(key, None, operands)
    }
}

/// `max`: the largest of value and operands, in bytewise order.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxOperator;

impl MergeOperator for MaxOperator {
    fn name(&self) -> &str {
        "MaxOperator"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        let largest = existing.into_iter().chain(operands.iter().copied()).max();
        Some(largest.unwrap_or_default().to_vec())
    }

    fn partial_merge(&self, key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        self.full_merge(key, None, operands)
    }
}

/// `put`: the newest operand.
#[derive(Clone, Copy, Debug, Default)]
pub struct PutOperator;

impl MergeOperator for PutOperator {
    fn name(&self) -> &str {
        "PutOperator"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> Option<Vec<u8>> {
        Some(operands.last().copied().or(existing).unwrap_or_default().to_vec())
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]]) -> Option<Vec<u8>> {
        operands.last().map(|v| v.to_vec())
    }
}

/// Returns the built-in operator with this name: RocksDB's short name (`uint64add`) or the name stored on disk.
pub fn merge_operator_by_name(name: &str) -> Option<Arc<dyn MergeOperator>> {
    Some(match name {
        "uint64add" | "UInt64AddOperator" => Arc::new(UInt64AddOperator),
        "stringappend" | "StringAppendOperator" => Arc::new(StringAppendOperator::default()),
        "max" | "MaxOperator" => Arc::new(MaxOperator),
        "put" | "put_v1" | "PutOperator" => Arc::new(PutOperator),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_ins_fold_in_order() {
        let add = merge_operator_by_name("uint64add").unwrap();
        let one = 1u64.to_le_bytes();
        let sum = add.full_merge(b"k", Some(&one), &[&one, &one]).unwrap();
        assert_eq!(sum, 3u64.to_le_bytes());
        let append = merge_operator_by_name("stringappend").unwrap();
        assert_eq!(append.full_merge(b"k", Some(b"a"), &[b"b", b"c"]).unwrap(), b"a,b,c");
        assert_eq!(append.full_merge(b"k", None, &[b"b"]).unwrap(), b"b");
        let max = merge_operator_by_name("max").unwrap();
        assert_eq!(max.full_merge(b"k", Some(b"b"), &[b"a", b"c", b"aa"]).unwrap(), b"c");
        let put = merge_operator_by_name("put").unwrap();
        assert_eq!(put.full_merge(b"k", Some(b"b"), &[b"a", b"z", b"c"]).unwrap(), b"c");
        assert!(merge_operator_by_name("nope").is_none());
    }
}
