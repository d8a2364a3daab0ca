//! Explains settings: where each comes from, and what follows from it.

use super::environment::variable;
use super::file::{Gathered, Source, flags};
use super::{Flags, Machine};
use crate::http::{self, HIDDEN};
use crate::redis::parameters::Id;
use crate::store::Durability;
use crate::store::local::StoreOptions;
use clap::{ArgAction, CommandFactory};

/// A setting in force.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name: the flag without dashes.
    pub name: String,
    /// Its value as a flag has it; several are separated by commas, and none is empty.
    pub value: String,
    /// Where it comes from.
    pub source: Source,
    /// What it means.
    pub help: String,
}

impl From<Setting> for http::Setting {
    fn from(setting: Setting) -> http::Setting {
        let source = match setting.source {
            Source::Default => http::Source::Default,
            Source::File => http::Source::File,
            Source::Environment => http::Source::Environment,
            Source::Flag => http::Source::Flag,
        };
        let Setting { name, value, help: description, .. } = setting;
        http::Setting { name, value, source, description }
    }
}

/// Something that follows from settings.
#[derive(Clone, Debug)]
pub struct Derived {
    /// What it is.
    pub name: &'static str,
    /// Its value with a unit.
    pub value: String,
    /// The settings from which it follows.
    pub from: &'static str,
}

/// Flags whose values nobody may see.
const SECRETS: [&str; 2] = ["requirepass", "user"];

/// Returns all settings. Secrets are hidden. A parameter of CONFIG is a setting of its own, called `parameter.NAME`.
pub fn settings(gathered: &Gathered) -> Vec<Setting> {
    let command = Flags::command();
    let matches = command.clone().get_matches_from(&gathered.args);
    let mut settings = Vec::new();
    for flag in flags(&command) {
        let (Some(name), id) = (flag.get_long(), flag.get_id().as_str()) else { continue };
        let raw = matches.get_raw(id).into_iter().flatten();
        let values: Vec<_> = raw.map(|value| value.to_string_lossy().into_owned()).collect();
        let source = gathered.sources.get(name).copied().unwrap_or(Source::Default);
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let setting = |name: String, value: String| {
            let value =
                if is_secret(&name) && !value.is_empty() { HIDDEN.to_owned() } else { value };
            Setting { name, value, source, help: help.clone() }
        };
        match (id, flag.get_action()) {
            ("parameter", _) => settings.extend(values.iter().map(|value| {
                let (key, value) = value.split_once('=').unwrap_or((value, ""));
                setting(format!("{name}.{key}"), value.to_owned())
            })),
            (_, ArgAction::SetTrue) => {
                settings.push(setting(name.to_owned(), matches.get_flag(id).to_string()));
            }
            _ => settings.push(setting(name.to_owned(), values.join(","))),
        }
    }
    settings
}

/// Returns whether nobody may see the value of a setting.
fn is_secret(name: &str) -> bool {
    let is_secret_parameter =
        |name: &str| Id::find(name.as_bytes()).is_some_and(|id| id.parameter().is_secret);
    SECRETS.contains(&name) || name.strip_prefix("parameter.").is_some_and(is_secret_parameter)
}

/// Returns what follows from the settings on a machine.
pub fn derived(flags: &Flags, machine: &Machine) -> Vec<Derived> {
    let memory = flags.memory_mb << 20;
    let mb = |bytes: u64| format!("{} MB", bytes >> 20);
    let threads_of_sync = usize::from(flags.durability != Durability::Os);
    let http = flags.http_listen.len() + flags.tls.http_listen.len();
    let pages = if http > 0 { " (with HTTP)" } else { "" };
    vec![
        Derived {
            name: "cached rows, cached blocks and memtables together",
            value: mb(memory as u64),
            from: "memory-mb",
        },
        Derived {
            name: "cached rows",
            value: mb(StoreOptions::rows_bytes(memory) as u64),
            from: "memory-mb: a quarter",
        },
        Derived {
            name: "memtables of all partitions, at most",
            value: mb(StoreOptions::memtables_bytes(memory) as u64),
            from: "memory-mb: a quarter, which the block cache gives up",
        },
        Derived {
            name: "memtable of a partition, at most",
            value: mb(StoreOptions::memtable_bytes(memory) as u64),
            from: "memory-mb: an eighth, between 1 and 64 MB",
        },
        Derived {
            name: "log before memtables are flushed for it",
            value: mb(StoreOptions::log_bytes(memory)),
            from: "memory-mb, at least 256 MB",
        },
        Derived {
            name: "threads",
            value: format!(
                "{} workers, {} flushes and compactions, {threads_of_sync} for syncs, 1 for signals{pages}",
                flags.workers,
                Flags::BACKGROUND_JOBS
            ),
            from: "workers, durability",
        },
        Derived {
            name: "connections, at most",
            value: machine.connections_max(flags.connections_max).to_string(),
            from: "max-connections, the limit of open files",
        },
        Derived {
            name: "data loss after a crash of the machine, at most",
            value: match flags.durability {
                Durability::Always => "none".to_owned(),
                Durability::Every(time) => format!("{} ms and one sync", time.as_millis()),
                Durability::Os => "what the kernel has not written".to_owned(),
            },
            from: "durability",
        },
    ]
}

/// Returns the page `docs/server/configuration.md`.
pub fn page() -> String {
    let command = Flags::command();
    let mut text = include_str!("configuration.md").to_owned();
    text += "\n| Setting | Variable | Default | Meaning |\n|---|---|---|---|\n";
    for flag in flags(&command) {
        let Some(name) = flag.get_long() else { continue };
        let defaults = flag.get_default_values().iter().map(|value| value.to_string_lossy());
        let default = match flag.get_action() {
            ArgAction::SetTrue => "`false`".to_owned(),
            _ => match defaults.collect::<Vec<_>>().join(",") {
                none if none.is_empty() => String::new(),
                some => format!("`{some}`"),
            },
        };
        let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.replace('|', "\\|").replace('<', "&lt;");
        text += &format!("| `{name}` | `{}` | {default} | {help} |\n", variable(name));
    }
    text
}

#[cfg(test)]
#[path = "explain_test.rs"]
mod tests;
