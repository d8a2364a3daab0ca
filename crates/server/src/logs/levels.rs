//! How much the log has, of each part of the server.

use std::fmt;
use std::str::FromStr;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// The parts of the server, and their events. No name is the beginning of another: filters compare beginnings.
pub const PARTS: &[(&str, &str)] = &[
    ("server", "starting, ready, stopping, SIGHUP, panics, tasks that fail"),
    ("client", "connections refused, cut off, broken, opened and closed"),
    ("tls", "failed handshakes, changed certificates"),
    ("login", "refused logins"),
    ("config", "CONFIG SET, CONFIG REWRITE, files of users"),
    ("slow", "slow commands and queries"),
    ("backup", "work on backups"),
    ("transfer", "imports and exports of whole data sets"),
    ("replica", "the role, the copy, the connection to the other server"),
    ("script", "messages of scripts, libraries of functions"),
    ("pegasus", "changes of Pegasus tables that fail"),
    ("disk", "a full disk and its end"),
    ("flush", "the engine's flushes"),
    ("compaction", "the engine's compactions"),
    ("table", "the engine's table files, created, ingested and deleted"),
    ("stall", "writes that the engine delays or stops"),
    ("error", "the engine's background errors, damaged write-ahead logs"),
];

/// How much the log has, in Redis's words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Level {
    /// All events.
    Debug,
    /// Those up to `DEBUG` of the log's lines.
    Verbose,
    /// Those up to `INFO`.
    Notice,
    /// `WARN` and `ERROR`.
    Warning,
    /// No events.
    Nothing,
}

impl Level {
    const ALL: [(&'static str, Level); 5] = [
        ("debug", Level::Debug),
        ("verbose", Level::Verbose),
        ("notice", Level::Notice),
        ("warning", Level::Warning),
        ("nothing", Level::Nothing),
    ];

    /// Returns the level of a name.
    pub fn named(name: &str) -> Option<Level> {
        let found = Level::ALL.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, level)| *level)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Level::ALL.iter().find(|(_, level)| *level == self).map_or("", |(name, _)| name)
    }

    fn filter(self) -> LevelFilter {
        match self {
            Level::Debug => LevelFilter::TRACE,
            Level::Verbose => LevelFilter::DEBUG,
            Level::Notice => LevelFilter::INFO,
            Level::Warning => LevelFilter::WARN,
            Level::Nothing => LevelFilter::OFF,
        }
    }
}

/// The levels of all parts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Levels {
    /// The level of the parts that have none of their own.
    pub base: Level,
    /// The levels of other parts.
    parts: Vec<(&'static str, Level)>,
}

impl Levels {
    /// Returns the filter of events. Those of libraries are no part, and below `WARN` they are about their own work,
    /// such as the bytes of a connection.
    pub(super) fn targets(&self) -> Targets {
        let base = self.base.filter();
        let own =
            self.parts.iter().map(|(part, level)| (format!("ferrolith::{part}"), level.filter()));
        let of_libraries = base.min(LevelFilter::WARN);
        Targets::new().with_default(of_libraries).with_target("ferrolith", base).with_targets(own)
    }
}

impl Default for Levels {
    fn default() -> Levels {
        Levels { base: Level::Notice, parts: Vec::new() }
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.name())?;
        self.parts.iter().try_for_each(|(part, level)| write!(f, ",{part}={}", level.name()))
    }
}

impl FromStr for Levels {
    type Err = String;

    /// Reads a level and `PART=LEVEL` pairs, separated by commas.
    fn from_str(text: &str) -> Result<Levels, String> {
        let level = |name: &str| {
            Level::named(name).ok_or_else(|| {
                let names = Level::ALL.map(|(name, _)| name).join(", ");
                format!("there is no level {name:?}; there are {names}")
            })
        };
        let mut levels = Levels::default();
        for (at, word) in text.split(',').map(str::trim).enumerate() {
            let Some((part, name)) = word.split_once('=') else {
                if at > 0 {
                    return Err(format!("expected PART=LEVEL, found {word:?}"));
                }
                levels.base = level(word)?;
                continue;
            };
            let Some((part, _)) = PARTS.iter().find(|(it, _)| *it == part) else {
                let names: Vec<_> = PARTS.iter().map(|(name, _)| *name).collect();
                return Err(format!("there is no part {part:?}; there are {}", names.join(", ")));
            };
            levels.parts.retain(|(it, _)| it != part);
            levels.parts.push((part, level(name)?));
        }
        Ok(levels)
    }
}

#[cfg(test)]
#[path = "levels_test.rs"]
mod tests;
