//! How much is counted.

/// How much statistics collect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum StatsLevel {
    /// Nothing.
    DisableAll = 0,
    /// Tickers alone.
    ExceptHistogramOrTimers = 1,
    /// No times.
    ExceptTimers = 2,
    /// No times inside of locks and codecs.
    #[default]
    ExceptDetailedTimers = 3,
    /// No times of locks.
    ExceptTimeForMutex = 4,
    /// Everything.
    All = 5,
}

impl StatsLevel {
    /// Every level, least first; the index is RocksDB's number.
    pub const ALL: [StatsLevel; 6] = [
        StatsLevel::DisableAll,
        StatsLevel::ExceptHistogramOrTimers,
        StatsLevel::ExceptTimers,
        StatsLevel::ExceptDetailedTimers,
        StatsLevel::ExceptTimeForMutex,
        StatsLevel::All,
    ];
}
