//! Settings in force, and where each comes from. Secrets are never shown.

use super::super::App;
use super::super::refusal::Refusal;
use crate::redis::Server;
use crate::redis::parameters;
use schemars::JsonSchema;
use serde::Serialize;

/// What is shown instead of a secret.
pub const HIDDEN: &str = "(hidden)";

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, JsonSchema)]
pub enum Source {
    /// Nobody set it.
    #[serde(rename = "default")]
    Default,
    /// The configuration file.
    #[serde(rename = "file")]
    File,
    /// A variable of the environment.
    #[serde(rename = "environment")]
    Environment,
    /// A flag of the command line.
    #[serde(rename = "flag")]
    Flag,
    /// CONFIG SET, since the start.
    #[serde(rename = "CONFIG SET")]
    ConfigSet,
}

/// A setting that the server started with.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// The name of the flag without dashes, which is its name in the file; or the name of a parameter of CONFIG.
    pub name: String,
    /// The value; `(hidden)` for a secret that is set.
    pub value: String,
    /// Where it comes from.
    pub source: Source,
    /// What it does.
    pub description: String,
}

/// Settings in force.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct Settings {
    /// The flags, which need a restart.
    flags: Vec<Setting>,
    /// The parameters of CONFIG.
    parameters: Vec<Setting>,
}

/// Returns the values of all parameters of CONFIG by their names.
pub(in crate::http) fn parameters(server: &Server) -> Vec<(&'static str, String)> {
    let mut all: Vec<_> = parameters::all()
        .into_iter()
        // Aliases and what only patterns of Redis's own tests know.
        .filter(|(name, id)| id.parameter().name == *name && !id.parameter().is_hidden)
        .map(|(name, id)| (name, server.parameters.text(id)))
        .collect();
    all.dedup_by_key(|(name, _)| *name);
    all
}

/// Returns the settings in force.
pub(in crate::http) fn get(app: &App) -> Result<Settings, Refusal> {
    let (flags, given): (Vec<_>, Vec<_>) =
        app.parts.settings.iter().cloned().partition(|setting| !is_parameter(setting));
    let now = parameters(&app.parts.server).into_iter();
    let parameters = now.map(|(name, value)| {
        let started = app.started.iter().find(|(it, _)| *it == name).map(|(_, value)| value);
        let source = match given.iter().find(|setting| parameter_name(setting) == Some(name)) {
            _ if started != Some(&value) => Source::ConfigSet,
            Some(setting) => setting.source,
            None => Source::Default,
        };
        let id = parameters::Id::find(name.as_bytes());
        let is_secret = id.is_some_and(|id| id.parameter().is_secret);
        let value = if is_secret && !value.is_empty() { HIDDEN.to_owned() } else { value };
        Setting { name: name.to_owned(), value, source, description: String::new() }
    });
    Ok(Settings { flags, parameters: parameters.collect() })
}

/// Parameters that the command line or the file set are called `parameter.NAME`.
fn is_parameter(setting: &Setting) -> bool {
    parameter_name(setting).is_some()
}

fn parameter_name(setting: &Setting) -> Option<&str> {
    setting.name.strip_prefix("parameter.")
}
