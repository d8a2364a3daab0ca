//! Entries as text, for transcripts: `a@9 put x`, `a@8 delete`, `a@7 single-delete`, `a@6 merge y`, and the range
//! tombstone `[a,c)@5`. A value `x*1000` is a thousand times `x`.

use crate::base::key::ParsedInternalKey;
use crate::base::{MAX_SEQUENCE_NUMBER, SeqNo, ValueType};
use crate::iter::vec_iter::{Entry, ikey};
use crate::rangedel::testing::Owned;

const KINDS: [(ValueType, &str); 5] = [
    (ValueType::Value, "put"),
    (ValueType::Deletion, "delete"),
    (ValueType::SingleDeletion, "single-delete"),
    (ValueType::Merge, "merge"),
    // Only as the first or last key of a table.
    (ValueType::RangeDeletion, "range-delete"),
];

/// A line: an entry or a range tombstone.
pub(crate) enum Line {
    Entry(Entry),
    Tombstone(Owned),
}

/// Reads a line.
pub(crate) fn parse(line: &str) -> Line {
    let number = |text: &str| text.parse::<SeqNo>().unwrap_or_else(|_| panic!("no entry: {line}"));
    if let Some(rest) = line.strip_prefix('[') {
        let (range, seq) = rest.split_once(")@").unwrap_or_else(|| panic!("no entry: {line}"));
        let (begin, end) = range.split_once(',').unwrap_or_else(|| panic!("no range: {line}"));
        return Line::Tombstone(Owned { begin: begin.into(), end: end.into(), seq: number(seq) });
    }
    let (place, rest) = line.split_once(' ').unwrap_or_else(|| panic!("no entry: {line}"));
    let (key, seq) = place.split_once('@').unwrap_or_else(|| panic!("no entry: {line}"));
    let (kind, value) = rest.split_once(' ').unwrap_or((rest, ""));
    let kind = KINDS.iter().find(|(_, name)| *name == kind);
    let kind = kind.unwrap_or_else(|| panic!("unknown kind: {line}")).0;
    Line::Entry((ikey(key.as_bytes(), number(seq), kind), parse_value(value)))
}

/// Reads lines; entries and range tombstones apart.
pub(crate) fn parse_all(lines: &[&str]) -> (Vec<Entry>, Vec<Owned>) {
    let (mut entries, mut tombstones) = (Vec::new(), Vec::new());
    for line in lines {
        match parse(line) {
            Line::Entry(entry) => entries.push(entry),
            Line::Tombstone(tombstone) => tombstones.push(tombstone),
        }
    }
    (entries, tombstones)
}

/// Reads a value.
pub(crate) fn parse_value(text: &str) -> Vec<u8> {
    match text.split_once('*').map(|(what, times)| (what, times.parse())) {
        Some((what, Ok(times))) => what.repeat(times).into_bytes(),
        _ => text.as_bytes().to_vec(),
    }
}

/// An entry as a line.
pub(crate) fn show(internal_key: &[u8], value: &[u8]) -> String {
    let key = ParsedInternalKey::parse(internal_key).expect("an internal key");
    let kind = KINDS.iter().find(|(kind, _)| *kind == key.value_type);
    let kind = kind.map_or_else(|| format!("{:?}", key.value_type), |(_, name)| (*name).to_owned());
    let sequence = match key.sequence {
        MAX_SEQUENCE_NUMBER => "max".to_owned(),
        sequence => sequence.to_string(),
    };
    let place = format!("{}@{sequence} {kind}", String::from_utf8_lossy(key.user_key));
    format!("{place} {}", show_value(value)).trim_end().to_owned()
}

/// A value as text.
pub(crate) fn show_value(value: &[u8]) -> String {
    match value {
        [first, rest @ ..] if rest.len() > 20 && rest.iter().all(|byte| byte == first) => {
            format!("{}*{}", char::from(*first), value.len())
        }
        _ => String::from_utf8_lossy(value).into_owned(),
    }
}

/// A range tombstone as a line.
pub(crate) fn show_tombstone(begin: &[u8], end: &[u8], seq: SeqNo) -> String {
    let (begin, end) = (String::from_utf8_lossy(begin), String::from_utf8_lossy(end));
    format!("[{begin},{end})@{seq}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_was_parsed() {
        for line in
            ["a@9 put x y", "a@8 delete", "b@7 single-delete", "b@6 merge 1", "c@1 put z*99"]
        {
            let Line::Entry((key, value)) = parse(line) else { panic!("{line} is an entry") };
            assert_eq!(show(&key, &value), line);
        }
        let Line::Tombstone(t) = parse("[a,c)@5") else { panic!("a tombstone") };
        assert_eq!(show_tombstone(&t.begin, &t.end, t.seq), "[a,c)@5");
    }
}
