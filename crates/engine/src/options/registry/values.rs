//! Parsing and printing of field types.

use super::super::parse::{
    escape, parse_bool, parse_float, parse_integer, split_pairs, unbrace, unescape,
};
use super::super::{
    CacheTier, ChecksumType, CompactionPri, CompactionStopStyle, CompactionStyle,
    DataBlockIndexType, FileTemperatureAge, IndexShorteningMode, IndexType, InfoLogLevel,
    PinningTier, PlainTableEncoding, PrepopulateBlobCache, PrepopulateBlockCache, Temperature,
    WalRecoveryMode,
};
use crate::compress::CompressionType;
use crate::error::{Error, Result};
use std::path::PathBuf;

/// RocksDB's error for a text that it cannot parse.
#[derive(Clone, Copy)]
pub(super) enum ParseProblem {
    /// `Error parsing name:`, then this text: for numbers, the C++ function that fails.
    Of(&'static str),
    /// `Error parsing name:`, then the text.
    Text,
    /// `Error parsing:: name`: for most enumerations.
    Name,
    /// `No mapping for enum : name`: for the other enumerations.
    NoMapping,
}

/// The type of an option's field.
pub(super) trait OptionValue: Sized {
    /// RocksDB's error for a text that is not a valid value.
    const COMPLAINT: ParseProblem = ParseProblem::Of("");
    /// Returns the expected form, for messages.
    fn expected() -> String;
    /// Parses a value.
    fn parse(text: &str) -> Option<Self>;
    /// Returns the value as RocksDB prints it.
    fn print(&self) -> String;
}

/// A type of fields that has a text form: a value, or a part with its own settings.
pub(in crate::options) trait TextForm {
    /// Sets the field of the option `name` from text.
    fn set_text(&mut self, name: &str, text: &str) -> Result<()>;
    /// Returns the field as text.
    fn to_text(&self) -> String;
}

impl<V: OptionValue> TextForm for V {
    fn set_text(&mut self, name: &str, text: &str) -> Result<()> {
        store(self, name, text)
    }
    fn to_text(&self) -> String {
        self.print()
    }
}

/// Sets a field of the option `name` from text.
pub(super) fn store<V: OptionValue>(field: &mut V, name: &str, text: &str) -> Result<()> {
    match V::parse(text) {
        Some(value) => {
            *field = value;
            Ok(())
        }
        None => Err(unreadable::<V>(name, text)),
    }
}

#[cold]
fn unreadable<V: OptionValue>(name: &str, text: &str) -> Error {
    let words = match V::COMPLAINT {
        ParseProblem::Of(what) => format!("Error parsing {name}:{what}"),
        ParseProblem::Text if parse_integer(text).is_some() => {
            format!("Error parsing {name}:{text}")
        }
        ParseProblem::Text => format!("Error parsing {name}:stoull"),
        ParseProblem::Name => format!("Error parsing:: {name}"),
        ParseProblem::NoMapping => format!("No mapping for enum : {name}"),
    };
    Error::invalid_argument(format!("{words}: expected {}, found {text:?}", V::expected()))
}

impl OptionValue for bool {
    fn expected() -> String {
        "true or false".into()
    }
    fn parse(text: &str) -> Option<bool> {
        parse_bool(text)
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

macro_rules! integers {
    ($($t:ident $complaint:expr, $wraps:literal;)*) => {$(
        impl OptionValue for $t {
            const COMPLAINT: ParseProblem = $complaint;
            fn expected() -> String {
                format!("a number from {} to {}", <$t>::MIN, <$t>::MAX)
            }
            fn parse(text: &str) -> Option<$t> {
                let number = parse_integer(text)?;
                match <$t>::try_from(number) {
                    // Like C++'s `stoull`, followed by the shift for a unit.
                    Err(_) if $wraps && digits_fit(text) => Some(number as $t),
                    narrow => narrow.ok(),
                }
            }
            fn print(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

/// Returns whether the number without its sign and unit fits into 64 bits.
fn digits_fit(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['+', '-']);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end).is_some_and(|digits| digits.parse::<u64>().is_ok())
}

integers! {
    i32 ParseProblem::Of("stoi"), false;
    i64 ParseProblem::Of("stoll"), false;
    u8 ParseProblem::Text, false;
    u32 ParseProblem::Text, false;
    u64 ParseProblem::Of("stoull"), true;
    usize ParseProblem::Of("stoull"), true;
}

impl OptionValue for f64 {
    const COMPLAINT: ParseProblem = ParseProblem::Of("stod");
    fn expected() -> String {
        "a number".into()
    }
    fn parse(text: &str) -> Option<f64> {
        parse_float(text)
    }
    fn print(&self) -> String {
        format!("{self:.6}")
    }
}

impl OptionValue for String {
    fn expected() -> String {
        "text".into()
    }
    fn parse(text: &str) -> Option<String> {
        Some(unescape(text))
    }
    fn print(&self) -> String {
        escape(self)
    }
}

/// `{age=30;temperature=kWarm;}`.
impl OptionValue for FileTemperatureAge {
    fn expected() -> String {
        "{temperature=name;age=seconds;}".into()
    }
    fn parse(text: &str) -> Option<FileTemperatureAge> {
        let mut parsed = FileTemperatureAge { temperature: Temperature::Unknown, age: 0 };
        for (name, value) in split_pairs(unbrace(text)).ok()? {
            match name {
                "temperature" => parsed.temperature = Temperature::parse(value)?,
                "age" => parsed.age = u64::parse(value)?,
                _ => return None,
            }
        }
        Some(parsed)
    }
    fn print(&self) -> String {
        format!("{{age={};temperature={};}}", self.age, self.temperature.print())
    }
}

impl OptionValue for PathBuf {
    fn expected() -> String {
        "a path".into()
    }
    fn parse(text: &str) -> Option<PathBuf> {
        Some(PathBuf::from(unescape(text)))
    }
    fn print(&self) -> String {
        escape(&self.to_string_lossy())
    }
}

/// Values joined by colons; empty text is the empty list. If values have braces, so has the list.
impl<V: OptionValue> OptionValue for Vec<V> {
    const COMPLAINT: ParseProblem = V::COMPLAINT;
    fn expected() -> String {
        format!("a list with ':' between, each {}", V::expected())
    }
    fn parse(text: &str) -> Option<Vec<V>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        // One trailing colon is ignored.
        let text = text.strip_suffix(':').unwrap_or(text);
        text.split(':').map(|part| V::parse(part.trim())).collect()
    }
    fn print(&self) -> String {
        let list = self.iter().map(V::print).collect::<Vec<_>>().join(":");
        if list.starts_with('{') { format!("{{{list}}}") } else { list }
    }
}

impl OptionValue for CompressionType {
    const COMPLAINT: ParseProblem = ParseProblem::Name;
    fn expected() -> String {
        "a codec such as kNoCompression or kLZ4Compression".into()
    }
    fn parse(text: &str) -> Option<CompressionType> {
        match text {
            "kZSTDNotFinalCompression" => Some(CompressionType::Zstd),
            _ => CompressionType::from_name(text),
        }
    }
    fn print(&self) -> String {
        self.option_name().into()
    }
}

/// The codec of the last level: RocksDB has a name for "the same as other levels".
impl OptionValue for Option<CompressionType> {
    const COMPLAINT: ParseProblem = ParseProblem::Name;
    fn expected() -> String {
        CompressionType::expected()
    }
    fn parse(text: &str) -> Option<Option<CompressionType>> {
        match text {
            "kDisableCompressionOption" => Some(None),
            _ => CompressionType::parse(text).map(Some),
        }
    }
    fn print(&self) -> String {
        self.map_or("kDisableCompressionOption".into(), |c| c.print())
    }
}

macro_rules! names {
    ($complaint:ident $t:ident { $($variant:ident $name:literal)* }) => {
        impl OptionValue for $t {
            const COMPLAINT: ParseProblem = ParseProblem::$complaint;
            fn expected() -> String {
                [$($name),*].join(" or ")
            }
            fn parse(text: &str) -> Option<$t> {
                match text {
                    $($name => Some($t::$variant),)*
                    _ => None,
                }
            }
            fn print(&self) -> String {
                match self {
                    $($t::$variant => $name.into(),)*
                }
            }
        }
    };
}

names!(Name CompactionStyle {
    Level "kCompactionStyleLevel"
    Universal "kCompactionStyleUniversal"
    Fifo "kCompactionStyleFIFO"
    None "kCompactionStyleNone"
});
names!(Name CompactionPri {
    ByCompensatedSize "kByCompensatedSize"
    OldestLargestSeqFirst "kOldestLargestSeqFirst"
    OldestSmallestSeqFirst "kOldestSmallestSeqFirst"
    MinOverlappingRatio "kMinOverlappingRatio"
    RoundRobin "kRoundRobin"
});
names!(NoMapping WalRecoveryMode {
    TolerateCorruptedTailRecords "kTolerateCorruptedTailRecords"
    AbsoluteConsistency "kAbsoluteConsistency"
    PointInTimeRecovery "kPointInTimeRecovery"
    SkipAnyCorruptedRecords "kSkipAnyCorruptedRecords"
});
names!(Name ChecksumType {
    NoChecksum "kNoChecksum"
    Crc32c "kCRC32c"
    XxHash "kxxHash"
    XxHash64 "kxxHash64"
    Xxh3 "kXXH3"
});
names!(NoMapping IndexType {
    BinarySearch "kBinarySearch"
    HashSearch "kHashSearch"
    TwoLevelIndexSearch "kTwoLevelIndexSearch"
    BinarySearchWithFirstKey "kBinarySearchWithFirstKey"
});
names!(NoMapping DataBlockIndexType {
    BinarySearch "kDataBlockBinarySearch"
    BinaryAndHash "kDataBlockBinaryAndHash"
});
names!(Name PlainTableEncoding { Plain "kPlain" Prefix "kPrefix" });
names!(Name Temperature {
    Unknown "kUnknown"
    Hot "kHot"
    Warm "kWarm"
    Cool "kCool"
    Cold "kCold"
    Ice "kIce"
});
names!(NoMapping InfoLogLevel {
    Debug "DEBUG_LEVEL"
    Info "INFO_LEVEL"
    Warn "WARN_LEVEL"
    Error "ERROR_LEVEL"
    Fatal "FATAL_LEVEL"
    Header "HEADER_LEVEL"
});
names!(NoMapping CacheTier {
    VolatileTier "kVolatileTier"
    VolatileCompressedTier "kVolatileCompressedTier"
    NonVolatileBlockTier "kNonVolatileBlockTier"
});
names!(Name CompactionStopStyle {
    SimilarSize "kCompactionStopStyleSimilarSize"
    TotalSize "kCompactionStopStyleTotalSize"
});
names!(NoMapping PrepopulateBlobCache { Disable "kDisable" FlushOnly "kFlushOnly" });
names!(NoMapping PrepopulateBlockCache { Disable "kDisable" FlushOnly "kFlushOnly" });
names!(NoMapping IndexShorteningMode {
    NoShortening "kNoShortening"
    ShortenSeparators "kShortenSeparators"
    ShortenSeparatorsAndSuccessor "kShortenSeparatorsAndSuccessor"
});
names!(NoMapping PinningTier {
    Fallback "kFallback"
    None "kNone"
    FlushedAndSimilar "kFlushedAndSimilar"
    All "kAll"
});
