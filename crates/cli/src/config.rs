//! `config`: checks and explains the settings of the server.

use crate::Answer;
use crate::output::Output;
use clap::Subcommand;
use ferrolith_server::config::{Flags, Machine, Variables, derived, settings};
use ferrolith_server::error::Result;
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a configuration file, and whether it fits this machine
    Check {
        /// The file
        file: PathBuf,
    },
    /// Print all settings, where each comes from, and what follows from them
    Explain {
        /// The flags of the server, such as --config FILE
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
        flags: Vec<OsString>,
        /// Describe each setting
        #[arg(long)]
        help_texts: bool,
    },
}

pub(crate) fn run(command: Command, out: &Output) -> Result<Answer> {
    match command {
        Command::Check { file } => check(file, out),
        Command::Explain { flags, help_texts } => explain(flags, help_texts, out),
    }
}

/// Returns the arguments of a server with these flags.
fn arguments(flags: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    std::iter::once("ferrolith-server".into()).chain(flags).collect()
}

fn check(file: PathBuf, out: &Output) -> Result<Answer> {
    let args = arguments(["--config".into(), file.clone().into()]);
    let (flags, _) = Flags::load_with(args, &Variables::default())?;
    // The files of TLS are read, as at the start.
    flags.tls.open()?;
    flags.replica_tls.open()?;
    let problems = Machine::now().problems(&flags);
    let is_fatal = problems.iter().any(|problem| problem.is_fatal);
    let mut text = String::new();
    for problem in &problems {
        let kind = if problem.is_fatal { "error" } else { "warning" };
        text +=
            &format!("{kind}: {}: {}\n  remedy: {}\n", problem.name, problem.what, problem.remedy);
    }
    if !is_fatal {
        text += &format!("{}: a server can start with it\n", file.display());
    }
    let problems: Vec<_> = problems
        .iter()
        .map(|it| json!({ "setting": it.name, "problem": it.what, "remedy": it.remedy, "fatal": it.is_fatal }))
        .collect();
    out.print(text, &json!({ "ok": !is_fatal, "problems": problems }));
    Ok(if is_fatal { Answer::No } else { Answer::Yes })
}

fn explain(flags: Vec<OsString>, help_texts: bool, out: &Output) -> Result<Answer> {
    let (flags, gathered) = Flags::load_with(arguments(flags), &Variables::of_process())?;
    let (settings, derived) = (settings(&gathered), derived(&flags, &Machine::now()));
    let width = settings.iter().map(|it| it.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for setting in &settings {
        let source = setting.source.name();
        text += &format!("{:width$}  {source:11}  {}\n", setting.name, setting.value);
        if help_texts {
            text += &format!("{:width$}  {}\n", "", setting.help);
        }
    }
    text += "\nwhat follows:\n";
    for it in &derived {
        text += &format!("  {}: {} (from {})\n", it.name, it.value, it.from);
    }
    let values: Vec<_> = settings
        .iter()
        .map(|it| json!({ "name": it.name, "value": it.value, "source": it.source.name(), "help": it.help }))
        .collect();
    let follows: Vec<_> = derived
        .iter()
        .map(|it| json!({ "name": it.name, "value": it.value, "from": it.from }))
        .collect();
    out.print(text, &json!({ "settings": values, "derived": follows }));
    Ok(Answer::Yes)
}
