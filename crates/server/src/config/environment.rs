//! Settings in variables of the environment: `FERROLITH_SERVER_MEMORY_MB` stands for `--memory-mb`.

use super::file::{flags, unknown};
use crate::error::{Error, Result};
use clap::{Arg, ArgAction, Command};

/// The beginning of the names of variables.
pub const PREFIX: &str = "FERROLITH_SERVER_";

/// What Kubernetes puts into the environment of containers beside a service of the name `ferrolith-server`.
const FOREIGN: [&str; 3] = ["PORT", "SERVICE_HOST", "SERVICE_PORT"];

/// Variables of the environment that are settings: their names in the form of flags, and their texts.
#[derive(Clone, Debug, Default)]
pub struct Variables(Vec<(String, String)>);

impl Variables {
    /// Returns those of this process.
    pub fn of_process() -> Variables {
        Variables::new(std::env::vars_os().filter_map(|(name, text)| {
            let text = text.into_string().ok();
            Some((name.into_string().ok()?, text?))
        }))
    }

    /// Returns those among variables that are settings.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Variables {
        let ours = variables.into_iter().filter_map(|(name, text)| {
            let name = name.strip_prefix(PREFIX)?;
            // Other services whose names begin alike have such variables, too.
            let is_of_service = name.ends_with("_SERVICE_HOST")
                || name.ends_with("_SERVICE_PORT")
                || name.contains("_SERVICE_PORT_")
                || name.contains("_TCP")
                || (name.ends_with("_PORT") && text.contains("://"));
            let is_foreign = FOREIGN.contains(&name)
                || name.starts_with("PORT_")
                || name.starts_with("SERVICE_PORT_")
                || is_of_service;
            (!is_foreign).then(|| (name.to_lowercase().replace('_', "-"), text))
        });
        let mut ours: Vec<_> = ours.collect();
        ours.sort();
        Variables(ours)
    }

    /// Returns the text of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, text)| &text[..])
    }

    /// Returns the settings with the arguments that they stand for.
    ///
    /// # Errors
    ///
    /// There is no such setting, or a switch is neither on nor off.
    pub(super) fn args(&self, command: &Command) -> Result<Vec<(String, Vec<String>)>> {
        let mut args = Vec::new();
        for (name, text) in self.0.iter().filter(|(name, _)| name != "config") {
            let variable = variable(name);
            let wrong = |what: String| Error::Setting(format!("{variable}: {what}"));
            let flag = flags(command).find(|flag| flag.get_long() == Some(name));
            let flag = flag.ok_or_else(|| wrong(unknown(command, name)))?;
            args.push((name.clone(), flag_args(flag, name, text).map_err(wrong)?));
        }
        Ok(args)
    }
}

/// Returns the name of a setting's variable.
pub fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.to_uppercase().replace('-', "_"))
}

/// Returns the arguments that a text stands for. Its lines are the values of a flag that may be repeated.
fn flag_args(flag: &Arg, name: &str, text: &str) -> std::result::Result<Vec<String>, String> {
    match flag.get_action() {
        ArgAction::SetTrue => match text {
            "true" | "yes" | "1" => Ok(vec![format!("--{name}")]),
            "false" | "no" | "0" | "" => Ok(Vec::new()),
            _ => Err(format!("expected true or false, found {text:?}")),
        },
        // An empty list is a flag without values, where there is one.
        ArgAction::Append if text.is_empty() => {
            let allows_none = flag.get_num_args().is_some_and(|range| range.min_values() == 0);
            Ok(allows_none.then(|| format!("--{name}")).into_iter().collect())
        }
        ArgAction::Append => Ok(text.lines().map(|line| format!("--{name}={line}")).collect()),
        _ => Ok(vec![format!("--{name}={text}")]),
    }
}
