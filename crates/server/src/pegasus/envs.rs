//! Environments of a table: their names, the values that are allowed, and what they do.
//!
//! An environment that this server does not act on is refused by name. `business.info` is only a note for people.

use super::throttle::{Bucket, Window};
use std::collections::BTreeMap;
use std::time::Duration;

/// The names and texts of a table's environments.
pub type Envs = BTreeMap<String, String>;

/// The name of the environment with the seconds after which rows expire that say no expiry themselves.
pub const DEFAULT_TTL: &str = "default_ttl";
/// The name of the usage scenario.
pub const USAGE_SCENARIO: &str = "rocksdb.usage_scenario";
/// The name of the memtable's size.
pub const WRITE_BUFFER_SIZE: &str = "rocksdb.write_buffer_size";

/// The time limit of a read over many rows, if the table does not set one.
const ITERATION_LIMIT: Duration = Duration::from_secs(30);
/// The least threshold of slow queries.
const SLOW_QUERY_MIN_MS: u64 = 20;
/// The allowed sizes of memtables in bytes.
const WRITE_BUFFER_BYTES: std::ops::RangeInclusive<u64> = 16 << 20..=512 << 20;

/// What denied requests get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// No answer.
    Timeout,
    /// ERR_INVALID_STATE, after which clients ask the meta server again.
    Reconfig,
}

/// The requests that are denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deny {
    /// What they get.
    pub denial: Denial,
    /// Whether reads are denied.
    pub reads: bool,
    /// Whether writes are denied.
    pub writes: bool,
}

/// For what a table's engine is tuned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scenario {
    /// Reads and writes.
    #[default]
    Normal,
    /// Mostly writes: larger memtables, later compactions.
    PreferWrite,
    /// A load of data: no automatic compactions.
    BulkLoad,
}

/// The environments of a table in effect.
#[derive(Debug, Default)]
pub struct Settings {
    /// Seconds; 0 for never.
    pub default_ttl: u32,
    /// Limits on writes.
    pub write_requests: Option<Window>,
    /// Limits on bytes of writes.
    pub write_bytes: Option<Window>,
    /// Limits on reads.
    pub read_requests: Option<Window>,
    /// The limit on bytes that reads return.
    pub read_bytes: Option<Bucket>,
    /// Limits on backup requests.
    pub backup_requests: Option<Window>,
    /// Denied requests.
    pub deny: Option<Deny>,
    /// The time after which a request is reported as slow.
    pub slow_query: Option<Duration>,
    /// The time limit of reads over many rows; `None` uses the default, zero is no limit.
    pub iteration_limit: Option<Duration>,
    /// The usage scenario.
    pub scenario: Scenario,
    /// The size of a memtable in bytes, if the table sets one.
    pub write_buffer_bytes: Option<u64>,
}

/// An environment: its name and a function that takes its text over into settings.
struct Env {
    name: &'static str,
    apply: fn(&str, &mut Settings) -> Result<(), String>,
}

const ENVS: &[Env] = &[
    Env { name: "business.info", apply: |_, _| Ok(()) },
    Env {
        name: DEFAULT_TTL,
        apply: |text, to| {
            let ttl = integer(text, 0..=i32::MAX as u64, ">= 0")?;
            to.default_ttl = u32::try_from(ttl).unwrap_or(0);
            Ok(())
        },
    },
    Env { name: "replica.deny_client_request", apply: deny },
    Env {
        name: "replica.slow_query_threshold",
        apply: |text, to| {
            let ms = integer(text, SLOW_QUERY_MIN_MS..=u64::MAX, ">= 20")?;
            to.slow_query = Some(Duration::from_millis(ms));
            Ok(())
        },
    },
    Env {
        name: "replica.rocksdb_iteration_threshold_time_ms",
        apply: |text, to| {
            let ms = integer(text, 0..=u64::MAX, ">= 0")?;
            to.iteration_limit = Some(Duration::from_millis(ms));
            Ok(())
        },
    },
    Env {
        name: "replica.write_throttling",
        apply: |text, to| window(text, &mut to.write_requests),
    },
    Env {
        name: "replica.write_throttling_by_size",
        apply: |text, to| window(text, &mut to.write_bytes),
    },
    Env { name: "replica.read_throttling", apply: |text, to| window(text, &mut to.read_requests) },
    Env {
        name: "replica.read_throttling_by_size",
        apply: |text, to| {
            to.read_bytes = Some(Bucket::parse(text)?);
            Ok(())
        },
    },
    Env {
        name: "replica.backup_request_throttling",
        apply: |text, to| window(text, &mut to.backup_requests),
    },
    Env { name: USAGE_SCENARIO, apply: scenario },
    Env {
        name: WRITE_BUFFER_SIZE,
        apply: |text, to| {
            let bytes = integer(text, WRITE_BUFFER_BYTES, "from 16777216 to 536870912")?;
            to.write_buffer_bytes = Some(bytes);
            Ok(())
        },
    },
];

impl Settings {
    /// Takes environments over.
    ///
    /// # Errors
    ///
    /// The name and value of the first environment that is unknown or not valid, and what is allowed.
    pub fn new(envs: &Envs) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for (name, text) in envs {
            let Some(env) = ENVS.iter().find(|env| env.name == name) else {
                return Err(format!("app_env '{name}' is not supported"));
            };
            (env.apply)(text, &mut settings)
                .map_err(|why| format!("app_env '{name}={text}' is invalid: {why}"))?;
        }
        Ok(settings)
    }

    /// Returns the time limit of a read over many rows; `None` for no limit.
    pub fn iteration_limit(&self) -> Option<Duration> {
        let limit = self.iteration_limit.unwrap_or(ITERATION_LIMIT);
        (!limit.is_zero()).then_some(limit)
    }
}

fn window(text: &str, place: &mut Option<Window>) -> Result<(), String> {
    *place = Some(Window::parse(text)?);
    Ok(())
}

fn deny(text: &str, to: &mut Settings) -> Result<(), String> {
    let (denial, what) = text.split_once('*').unwrap_or((text, ""));
    let denial = match denial.trim() {
        "timeout" => Some(Denial::Timeout),
        "reconfig" => Some(Denial::Reconfig),
        _ => None,
    };
    let kinds = match what.trim() {
        "all" => Some((true, true)),
        "read" => Some((true, false)),
        "write" => Some((false, true)),
        _ => None,
    };
    let (Some(denial), Some((reads, writes))) = (denial, kinds) else {
        return Err("expected timeout or reconfig, then *all, *read or *write".to_owned());
    };
    to.deny = Some(Deny { denial, reads, writes });
    Ok(())
}

fn scenario(text: &str, to: &mut Settings) -> Result<(), String> {
    to.scenario = match text {
        "normal" => Scenario::Normal,
        "prefer_write" => Scenario::PreferWrite,
        "bulk_load" => Scenario::BulkLoad,
        _ => return Err("expected normal, prefer_write or bulk_load".to_owned()),
    };
    Ok(())
}

/// Returns the number in a text if it is in the range that `allowed` describes.
fn integer(text: &str, range: std::ops::RangeInclusive<u64>, allowed: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("should be an integer {allowed}"))
}

#[cfg(test)]
#[path = "envs_test.rs"]
mod tests;
