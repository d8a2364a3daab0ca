//! `ferrolith`: serves data, and works on servers and their backups.

#![forbid(unsafe_code)]

mod backup;
mod config;
mod connection;
mod copy;
mod diff;
mod doctor;
mod finalize;
mod keys;
mod load;
mod machine;
mod manual;
mod output;
mod table;
mod top;

use clap::{Parser, Subcommand};
use ferrolith_server::error::Result;
use output::Output;
use std::ffi::OsString;
use std::process::ExitCode;

/// What a command found: exit codes depend on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Answer {
    /// The work is done, and the answer is yes.
    Yes,
    /// The work is done, and the answer is no: a missing key, a difference, a problem.
    No,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed; the standard error says why
  2  wrong arguments
  3  done, and the answer is no: the key is missing (get), servers differ (diff), problems were found (doctor)";

/// Serves data, and works on servers and their backups.
#[derive(Debug, Parser)]
#[command(name = "ferrolith", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Program {
    /// Print results as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve clients, as the program ferrolith-server does: `ferrolith server --help` describes its flags
    #[command(disable_help_flag = true)]
    Server {
        /// The arguments of ferrolith-server
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        args: Vec<OsString>,
    },
    /// Create, list, verify, restore and delete backups
    #[command(subcommand)]
    Backup(backup::Command),
    /// List and change the Pegasus tables of a running server, and load files into them
    #[command(subcommand)]
    Table(table::Command),
    /// Print the value of a string
    Get(keys::Get),
    /// Write a string
    Set(keys::Set),
    /// Delete keys
    Del(keys::Del),
    /// Print the names of keys, a line each
    Scan(keys::Scan),
    /// Count keys
    Count(keys::Count),
    /// Copy keys of all types from one server to another
    Copy(copy::Copy),
    /// Compare the keys of two servers
    Diff(diff::Diff),
    /// Show figures of a running server, again and again
    Top(top::Top),
    /// Look for problems of a data directory or of a running server, and say what to do
    Doctor(doctor::Doctor),
    /// Give the directory of a running server the newest format, after an upgrade; older servers cannot open it then
    Finalize(finalize::Finalize),
    /// Check and explain the settings of the server
    #[command(subcommand)]
    Config(config::Command),
    /// Print a script that completes commands in a shell
    Completions(manual::Completions),
    /// Print the manual page, or write the pages of all commands to a directory
    Man(manual::Man),
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|word| word == "server") {
        let flags = args.into_iter().skip(2);
        let args = std::iter::once("ferrolith-server".into()).chain(flags).collect();
        return ferrolith_server::program::main(args);
    }
    let program = Program::parse_from(args);
    let out = Output::new(program.json);
    match run(program.command, &out) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(3),
        Err(error) => {
            eprintln!("ferrolith: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, out: &Output) -> Result<Answer> {
    match command {
        Command::Server { args } => {
            // Flags of this program before the word: `ferrolith --json server`.
            let name = std::iter::once("ferrolith-server".into());
            let code = ferrolith_server::program::main(name.chain(args).collect());
            Ok(if code == ExitCode::SUCCESS { Answer::Yes } else { Answer::No })
        }
        Command::Backup(command) => backup::run(command, out),
        Command::Table(command) => table::run(command, out),
        Command::Get(get) => get.run(out),
        Command::Set(set) => set.run(out),
        Command::Del(del) => del.run(out),
        Command::Scan(scan) => scan.run(out),
        Command::Count(count) => count.run(out),
        Command::Copy(copy) => copy.run(out),
        Command::Diff(diff) => diff.run(out),
        Command::Top(top) => top.run(out),
        Command::Doctor(doctor) => doctor.run(out),
        Command::Finalize(finalize) => finalize.run(out),
        Command::Config(command) => config::run(command, out),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_of_flags_are_consistent() {
        Program::command().debug_assert();
    }
}
