//! CONFIG.

use crate::redis::args::Args;
use crate::redis::command::{ADMIN, Command, Flags, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::help::help;
use crate::redis::parameters::{self, Id, Refusal};
use crate::redis::slowlog::redact;
use crate::text::glob::{self, Case};
use std::collections::BTreeMap;
use tracing::{info, warn};

const FLAGS: Flags = ADMIN.and(NOSCRIPT).and(LOADING).and(STALE);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::container("config", Group::Server, SUBCOMMANDS)
        .with_docs("2.0.0", "Contains the commands that read and change parameters.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("get", -3, FLAGS, Group::Server, get)
        .with_full_name("config|get")
        .with_docs("2.0.0", "Returns the values of parameters whose names match patterns."),
    Command::new("set", -4, FLAGS, Group::Server, set)
        .with_full_name("config|set")
        .with_docs("2.0.0", "Changes parameters, all or none."),
    Command::new("resetstat", 2, FLAGS, Group::Server, reset_statistics)
        .with_full_name("config|resetstat")
        .with_docs("2.0.0", "Sets the statistics of INFO to zero."),
    Command::new("rewrite", 2, FLAGS, Group::Server, rewrite)
        .with_full_name("config|rewrite")
        .with_docs("2.8.0", "Writes the parameters and users in force to the configuration file."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("config|help")
        .with_docs("5.0.0", "Describes the subcommands."),
];

fn get(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let all = parameters::all();
    // By the name in lower case: names that are given without a pattern are replied as they were given.
    let mut found: BTreeMap<String, (&[u8], Id)> = BTreeMap::new();
    for pattern in args.from(2) {
        if pattern.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[')) {
            for (name, id) in &all {
                let is_match = glob::matches(pattern, name.as_bytes(), Case::Ignored);
                if is_match && !id.parameter().is_hidden {
                    found.entry((*name).to_owned()).or_insert((name.as_bytes(), *id));
                }
            }
        } else if let Some(id) = Id::find(pattern) {
            let name = String::from_utf8_lossy(pattern).to_ascii_lowercase();
            found.entry(name).or_insert((pattern, id));
        }
    }
    context.out.map(found.len());
    for (name, id) in found.into_values() {
        context.out.bulk(name);
        context.out.bulk(context.server.parameters.text(id).as_bytes());
    }
    Ok(())
}

fn set(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if !args.len().is_multiple_of(2) {
        return Err(SYNTAX.into());
    }
    let mut names: Vec<String> = Vec::new();
    let mut changes: Vec<(Id, &str)> = Vec::new();
    for pair in args.from(2).chunks_exact(2) {
        let &[name, value] = pair else { continue };
        let shown = String::from_utf8_lossy(name);
        let Some(id) = Id::find(name) else {
            return Err(format!(
                "ERR Unknown option or number of arguments for CONFIG SET - '{shown}'"
            )
            .into());
        };
        let (parameter, lower) = (id.parameter(), shown.to_ascii_lowercase());
        let refusal = if parameter.is_fixed {
            Some("can't set immutable config")
        } else if parameter.is_protected {
            Some("can't set protected config")
        } else if names.contains(&lower) {
            Some("duplicate parameter")
        } else {
            None
        };
        if let Some(refusal) = refusal {
            return Err(failed(&shown, &refusal.into()).into());
        }
        let value = std::str::from_utf8(value)
            .map_err(|_| failed(&shown, &"the value is not UTF-8".into()))?;
        names.push(lower);
        changes.push((id, value));
    }
    let parameters = &context.server.parameters;
    let changed = parameters.set_with(&changes, |values| context.server.change_tls(values));
    let changed = changed
        .map_err(|(at, refusal)| failed(names.get(at).map_or("", String::as_str), &refusal))?;
    changed.into_iter().for_each(|id| context.server.apply(id));
    log_change(context, args);
    context.out.ok();
    Ok(())
}

/// Logs changed parameters, without secrets.
fn log_change(context: &Context<'_>, args: Args<'_>) {
    let shown = redact("config|set", args);
    let words = shown.iter().skip(2).map(|word| word.escape_ascii().to_string());
    let change = words.collect::<Vec<_>>().join(" ");
    let client = context.session.client.address;
    info!(target: "ferrolith::config", %client, change, "CONFIG SET");
}

fn failed(name: &str, refusal: &Refusal) -> String {
    format!("ERR CONFIG SET failed (possibly related to argument '{name}') - {refusal}")
}

fn reset_statistics(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.server.stats.reset();
    context.out.ok();
    Ok(())
}

fn rewrite(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let Some(path) = &context.server.settings.config_file else {
        return Err("ERR The server is running without a config file".into());
    };
    let written = context.server.rewrite_settings(path);
    written.map_err(|what| {
        warn!(target: "ferrolith::config", error = what, "CONFIG REWRITE failed");
        format!("ERR Rewriting config file: {what}")
    })?;
    info!(target: "ferrolith::config", file = %path.display(), "CONFIG REWRITE");
    context.out.ok();
    Ok(())
}
