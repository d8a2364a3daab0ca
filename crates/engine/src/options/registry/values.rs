//! How the types of fields are read and printed.

use super::super::parse::{escape, parse_bool, parse_integer, split_pairs, unbrace, unescape};
use super::super::{
    CacheTier, ChecksumType, CompactionPri, CompactionStopStyle, CompactionStyle,
    DataBlockIndexType, FileTemperatureAge, IndexShorteningMode, IndexType, InfoLogLevel,
    PinningTier, PlainTableEncoding, PrepopulateBlobCache, PrepopulateBlockCache, Temperature,
    WalRecoveryMode,
};
use crate::compress::CompressionType;
use crate::error::{Error, Result};
use std::path::PathBuf;

/// A type that fields of options have.
pub(super) trait OptionValue: Sized {
    /// What a message says was expected.
    fn expected() -> String;
    /// The value that the text stands for.
    fn parse(text: &str) -> Option<Self>;
    /// As RocksDB prints it.
    fn print(&self) -> String;
}

/// Sets a field from text.
pub(super) fn store<V: OptionValue>(field: &mut V, text: &str) -> Result<()> {
    match V::parse(text) {
        Some(value) => {
            *field = value;
            Ok(())
        }
        None => Err(expected(&V::expected(), text)),
    }
}

#[cold]
pub(super) fn expected(what: &str, found: &str) -> Error {
    Error::invalid_argument(format!("expected {what}, found {found:?}"))
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
    ($($t:ty)*) => {$(
        impl OptionValue for $t {
            fn expected() -> String {
                format!("a number from {} to {}", <$t>::MIN, <$t>::MAX)
            }
            fn parse(text: &str) -> Option<$t> {
                parse_integer(text)?.try_into().ok()
            }
            fn print(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

integers!(i32 i64 u8 u32 u64 usize);

impl OptionValue for f64 {
    fn expected() -> String {
        "a number".into()
    }
    fn parse(text: &str) -> Option<f64> {
        text.parse().ok()
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

/// Values joined by colons; nothing is the empty list. Where values have braces, so has the list.
impl<V: OptionValue> OptionValue for Vec<V> {
    fn expected() -> String {
        format!("a list with ':' between, each {}", V::expected())
    }
    fn parse(text: &str) -> Option<Vec<V>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(':').map(|part| V::parse(part.trim())).collect()
    }
    fn print(&self) -> String {
        let list = self.iter().map(V::print).collect::<Vec<_>>().join(":");
        if list.starts_with('{') { format!("{{{list}}}") } else { list }
    }
}

impl OptionValue for CompressionType {
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

/// The codec of the last level: RocksDB has a name for "as the others".
impl OptionValue for Option<CompressionType> {
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
    ($t:ident { $($variant:ident $name:literal)* }) => {
        impl OptionValue for $t {
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

names!(CompactionStyle {
    Level "kCompactionStyleLevel"
    Universal "kCompactionStyleUniversal"
    Fifo "kCompactionStyleFIFO"
    None "kCompactionStyleNone"
});
names!(CompactionPri {
    ByCompensatedSize "kByCompensatedSize"
    OldestLargestSeqFirst "kOldestLargestSeqFirst"
    OldestSmallestSeqFirst "kOldestSmallestSeqFirst"
    MinOverlappingRatio "kMinOverlappingRatio"
    RoundRobin "kRoundRobin"
});
names!(WalRecoveryMode {
    TolerateCorruptedTailRecords "kTolerateCorruptedTailRecords"
    AbsoluteConsistency "kAbsoluteConsistency"
    PointInTimeRecovery "kPointInTimeRecovery"
    SkipAnyCorruptedRecords "kSkipAnyCorruptedRecords"
});
names!(ChecksumType {
    NoChecksum "kNoChecksum"
    Crc32c "kCRC32c"
    XxHash "kxxHash"
    XxHash64 "kxxHash64"
    Xxh3 "kXXH3"
});
names!(IndexType {
    BinarySearch "kBinarySearch"
    HashSearch "kHashSearch"
    TwoLevelIndexSearch "kTwoLevelIndexSearch"
    BinarySearchWithFirstKey "kBinarySearchWithFirstKey"
});
names!(DataBlockIndexType {
    BinarySearch "kDataBlockBinarySearch"
    BinaryAndHash "kDataBlockBinaryAndHash"
});
names!(PlainTableEncoding { Plain "kPlain" Prefix "kPrefix" });
names!(Temperature {
    Unknown "kUnknown"
    Hot "kHot"
    Warm "kWarm"
    Cool "kCool"
    Cold "kCold"
    Ice "kIce"
});
names!(InfoLogLevel {
    Debug "DEBUG_LEVEL"
    Info "INFO_LEVEL"
    Warn "WARN_LEVEL"
    Error "ERROR_LEVEL"
    Fatal "FATAL_LEVEL"
    Header "HEADER_LEVEL"
});
names!(CacheTier {
    VolatileTier "kVolatileTier"
    VolatileCompressedTier "kVolatileCompressedTier"
    NonVolatileBlockTier "kNonVolatileBlockTier"
});
names!(CompactionStopStyle {
    SimilarSize "kCompactionStopStyleSimilarSize"
    TotalSize "kCompactionStopStyleTotalSize"
});
names!(PrepopulateBlobCache { Disable "kDisable" FlushOnly "kFlushOnly" });
names!(PrepopulateBlockCache { Disable "kDisable" FlushOnly "kFlushOnly" });
names!(IndexShorteningMode {
    NoShortening "kNoShortening"
    ShortenSeparators "kShortenSeparators"
    ShortenSeparatorsAndSuccessor "kShortenSeparatorsAndSuccessor"
});
names!(PinningTier {
    Fallback "kFallback"
    None "kNone"
    FlushedAndSimilar "kFlushedAndSimilar"
    All "kAll"
});
