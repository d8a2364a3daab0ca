//! The state of a connection, and the commands about it.

use super::{Proxy, commands};
use crate::redis::args::{Args, is, wrong_arity};
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::table as redis_commands;
use crate::resp::{Protocol, Reply};
use crate::script::REDIS_VERSION;
use crate::text::integer;

/// The state of a connection.
#[derive(Debug)]
pub struct Session {
    id: u64,
    name: Vec<u8>,
    pub(super) protocol: Protocol,
    is_closing: bool,
}

impl Session {
    pub(super) fn new(id: u64) -> Session {
        Session { id, name: Vec::new(), protocol: Protocol::Resp2, is_closing: false }
    }

    /// Lets the connection be closed after the replies are written.
    pub fn close(&mut self) {
        self.is_closing = true;
    }

    /// Returns whether the connection is to be closed after the replies are written.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }
}

/// A handler of a command that uses no rows.
pub(super) type Handler = fn(&Proxy, &mut Session, Args<'_>, &mut Reply) -> Done;

pub(super) fn ping(_: &Proxy, _: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    match args.len() {
        1 => out.simple("PONG"),
        2 => out.bulk(args.at(1)),
        _ => return Err(wrong_arity("ping")),
    }
    Ok(())
}

pub(super) fn echo(_: &Proxy, _: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    out.bulk(args.at(1));
    Ok(())
}

pub(super) fn quit(_: &Proxy, session: &mut Session, _: Args<'_>, out: &mut Reply) -> Done {
    session.is_closing = true;
    out.ok();
    Ok(())
}

/// The table is the only database.
pub(super) fn select(_: &Proxy, _: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    match args.integer(1)? {
        0 => out.ok(),
        _ => return Err("ERR DB index is out of range".into()),
    }
    Ok(())
}

/// There are no passwords, as there are none for Pegasus clients.
pub(super) fn auth(_: &Proxy, _: &mut Session, _: Args<'_>, _: &mut Reply) -> Done {
    Err("ERR Pegasus tables have no passwords: AUTH is not supported".into())
}

pub(super) fn hello(_: &Proxy, session: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    let mut options = args.options(1);
    let mut protocol = session.protocol;
    if let Some(version) = options.next() {
        protocol = match integer::parse(version) {
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            _ => return Err("NOPROTO unsupported protocol version".into()),
        };
    }
    let mut name = None;
    while let Some(word) = options.next() {
        match word {
            word if is(word, "setname") => name = Some(options.value()?),
            word if is(word, "auth") => {
                return Err("ERR Pegasus tables have no passwords: AUTH is not supported".into());
            }
            _ => return Err(SYNTAX.into()),
        }
    }
    if let Some(name) = name {
        session.name = check_name(name)?;
    }
    session.protocol = protocol;
    out.protocol = protocol;
    out.map(6);
    for (name, value) in [("server", "redis"), ("version", REDIS_VERSION)] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    out.bulk(b"proto");
    out.integer(if protocol == Protocol::Resp3 { 3 } else { 2 });
    out.bulk(b"id");
    out.integer(session.id as i64);
    for (name, value) in [("mode", "standalone"), ("role", "master")] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    Ok(())
}

pub(super) fn reset(_: &Proxy, session: &mut Session, _: Args<'_>, out: &mut Reply) -> Done {
    *session = Session::new(session.id);
    out.protocol = session.protocol;
    out.simple("RESET");
    Ok(())
}

/// What clients send when they connect; other subcommands are refused by name.
pub(super) fn client(_: &Proxy, session: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    match args.at(1) {
        word if is(word, "id") => out.integer(session.id as i64),
        word if is(word, "getname") => match session.name.is_empty() {
            true => out.null(),
            false => out.bulk(&session.name),
        },
        word if is(word, "setname") => {
            session.name = check_name(args.at(2))?;
            out.ok();
        }
        // Names and versions of client libraries are not shown anywhere.
        word if is(word, "setinfo") => out.ok(),
        word => {
            let word = word.to_ascii_lowercase();
            return Err(format!(
                "ERR the command 'client|{}' is not supported on Pegasus tables",
                word.escape_ascii()
            )
            .into());
        }
    }
    Ok(())
}

fn check_name(name: &[u8]) -> Done<Vec<u8>> {
    match name.iter().all(|byte| (b'!'..=b'~').contains(byte)) {
        true => Ok(name.to_vec()),
        false => {
            Err("ERR Client names cannot contain spaces, newlines or special characters.".into())
        }
    }
}

/// COMMAND, COMMAND COUNT and COMMAND LIST show the commands of Pegasus tables. Clients use replies of COMMAND DOCS for
/// help only.
pub(super) fn command(_: &Proxy, _: &mut Session, args: Args<'_>, out: &mut Reply) -> Done {
    let all = || commands::names().filter_map(|name| redis_commands::by_name(name.as_bytes()));
    match args.get(1) {
        None => {
            out.array(all().count());
            for command in all() {
                out.array(3);
                out.bulk(command.name.as_bytes());
                out.integer(command.arity.into());
                out.array(1);
                out.simple(if command.is_write() { "write" } else { "readonly" });
            }
        }
        Some(word) if is(word, "count") => out.count(all().count()),
        Some(word) if is(word, "list") => {
            out.array(all().count());
            all().for_each(|command| out.bulk(command.name.as_bytes()));
        }
        Some(word) if is(word, "docs") => out.map(0),
        Some(_) => {
            return Err("ERR only COUNT, DOCS and LIST are supported on Pegasus tables".into());
        }
    }
    Ok(())
}

pub(super) fn info(proxy: &Proxy, _: &mut Session, _: Args<'_>, out: &mut Reply) -> Done {
    let text = format!(
        "# Server\r\nredis_version:{REDIS_VERSION}\r\nredis_mode:standalone\r\npegasus_table:{}\r\n\r\n\
         # Replication\r\nrole:master\r\n",
        proxy.name
    );
    out.verbatim(text.as_bytes());
    Ok(())
}
