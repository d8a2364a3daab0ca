//! The command line of `ferrolith-bench report`.

use super::Job;
use super::sources::Root;
use crate::compare;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// Returns the subcommand.
pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("report")
        .about("Writes a web page about results, in one file; or a picture of their comparison")
        .args([
            Arg::new("dir").value_name("DIR").required(true).num_args(1..).help(
                "A directory of results with all below it, or a file of JSON lines; NAME=DIR names its results NAME \
                 instead of their engine",
            ),
            file("out", "The page [default: report.html, or no page with --svg]"),
            file("svg", "The picture: the ratio of each workload's throughput, with intervals"),
            Arg::new("baseline")
                .long("baseline")
                .value_name("ENGINE")
                .help("The engine that others are compared with: a part of its name [default: RocksDB, or the second]"),
            Arg::new("title").long("title").value_name("TEXT").help("The heading of the page and of the picture"),
        ])
        .args(compare::command::rule_args())
        .after_help(
            "Runs that alternated in pairs are compared pair by pair; others as separate runs.\n\n\
             Example:\n  ferrolith-bench report --out report.html reference_20261125",
        )
}

/// Runs what the command line says.
pub fn dispatch(args: &ArgMatches) -> Result<bool, String> {
    let path = |name: &str| args.get_one::<PathBuf>(name).cloned();
    let text = |name: &str| args.get_one::<String>(name).cloned();
    let svg = path("svg");
    let default = || svg.is_none().then(|| PathBuf::from("report.html"));
    let job = Job {
        roots: args
            .get_many::<String>("dir")
            .into_iter()
            .flatten()
            .map(|text| root(text))
            .collect(),
        page: path("out").or_else(default),
        svg: svg.clone(),
        baseline: text("baseline"),
        title: text("title"),
        rule: compare::command::rule(args, true)?,
    };
    super::run(&job).map(|()| true)
}

/// Parses `DIR` or `NAME=DIR`. A directory that exists under the whole text is meant first.
fn root(text: &str) -> Root {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !PathBuf::from(text).exists() => {
            Root { name: Some(name.to_owned()), path: PathBuf::from(path) }
        }
        _ => Root { name: None, path: PathBuf::from(text) },
    }
}
