//! The arguments of suites that measure servers.

use super::{Address, ServerChoice};
use crate::shared::engine::Choice;
use crate::target::{ENGINES, Result};
use clap::{Arg, ArgMatches, value_parser};

/// Operations in flight of a connection, at most.
const IN_FLIGHT_MAX: u64 = 10_000;

/// Returns `--engine`, `--in-flight` and `--server-pid`.
pub fn arguments() -> [Arg; 3] {
    let help = format!(
        "{ENGINES}; or a server: redis://HOST:PORT or pegasus://HOST:PORT/TABLE [default: ferrolith]"
    );
    [
        Arg::new("engine").long("engine").value_name("ENGINE").help(help),
        Arg::new("in-flight")
            .long("in-flight")
            .value_name("N")
            .value_parser(value_parser!(u64).range(1..=IN_FLIGHT_MAX))
            .help("Operations that each connection to a server has in flight [default: 1]"),
        Arg::new("server-pid").long("server-pid").value_name("PID").value_parser(value_parser!(u32)).help(
            "The server's process, whose CPU is measured [default: what a Redis server on this machine says]",
        ),
    ]
}

/// Returns those of them that suites have which send one request after the other.
pub fn of_server() -> impl Iterator<Item = Arg> {
    arguments().into_iter().filter(|arg| arg.get_id() != "in-flight")
}

/// An engine with its name, and the server if it is one.
pub type Chosen = ((&'static str, Choice), Option<ServerChoice>);

/// Returns the engine or the server that the arguments name. Arguments in `refused` that were given are refused with a
/// server.
pub fn chosen(args: &ArgMatches, refused: &[&str]) -> Result<Chosen> {
    let text = args.get_one::<String>("engine").map_or("ferrolith", String::as_str);
    let in_flight = args.try_get_one::<u64>("in-flight").ok().flatten().copied();
    let pid = args.get_one::<u32>("server-pid").copied();
    let Some(address) = Address::parse(text) else {
        for (name, given) in [("in-flight", in_flight.is_some()), ("server-pid", pid.is_some())] {
            if given {
                return Err(format!(
                    "--{name} needs a server: --engine redis://HOST:PORT or pegasus://..."
                ));
            }
        }
        return Ok((Choice::parse(text)?, None));
    };
    let address = address?;
    let given = |name: &&&str| {
        let source = args.value_source(name);
        source == Some(clap::parser::ValueSource::CommandLine)
    };
    if let Some(name) = refused.iter().find(given) {
        let name = if *name == "flags" { "-- FLAG".to_owned() } else { format!("--{name}") };
        return Err(format!("{name} configures an engine in this process, not {address}"));
    }
    let choice = Choice { engine: Some(text.to_owned()), library: None };
    let name = address.protocol.word();
    let in_flight = in_flight.unwrap_or(1) as usize;
    Ok(((name, choice), Some(ServerChoice { address, pid, in_flight })))
}
