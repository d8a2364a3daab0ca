//! `table`: the Pegasus tables of a running server, over Pegasus's protocol. `load.rs` has `table load`.

use crate::Answer;
use crate::load::{CheckFiles, Load};
use crate::output::Output;
use clap::{Args, Subcommand};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::thrift::frame::{Head, write_request};
use ferrolith_server::thrift::meta::*;
use ferrolith_server::thrift::{ErrorName, Value, reply};
use ferrolith_server::tls::{ClientTlsFlags, Stream};
use serde_json::json;
use std::io::{Read, Write};
use std::time::Duration;

/// The status of a table in use.
const AVAILABLE: i32 = 1;
/// The longest reply.
const REPLY_MAX: usize = 64 << 20;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the tables
    List {
        /// Dropped tables that can be recalled, too
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        server: Server,
    },
    /// Create a table
    Create {
        /// The name
        name: String,
        /// The number of partitions: a power of two from 2 on
        #[arg(long, value_name = "N", default_value_t = 8)]
        partitions: i32,
        #[command(flatten)]
        server: Server,
    },
    /// Drop a table; it can be recalled for some time
    Drop {
        /// The name
        name: String,
        /// How long the table can be recalled, in seconds; without, the server's time of 7 days
        #[arg(long = "reserve-seconds", value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
        reserve_seconds: Option<i64>,
        #[command(flatten)]
        server: Server,
    },
    /// Bring a dropped table back
    Recall {
        /// The number of the table, which `table list --all` shows
        id: i32,
        /// A new name, if the old one is in use
        #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
        name: String,
        #[command(flatten)]
        server: Server,
    },
    /// Rename a table
    Rename {
        /// The name
        name: String,
        /// The new name
        new_name: String,
        #[command(flatten)]
        server: Server,
    },
    /// Load files into a table: SST files, and bulk loads and backups of Apache Pegasus
    Load(Load),
    /// Check files as `table load` does, without loading them; no server is needed
    CheckFiles(CheckFiles),
}

/// The server of a command.
#[derive(Debug, Args)]
pub(crate) struct Server {
    /// An address of --pegasus-listen
    #[arg(
        long = "server",
        short = 's',
        value_name = "HOST:PORT",
        default_value = "127.0.0.1:34601"
    )]
    address: String,
    /// How long to wait for a connection and for each reply, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    #[command(flatten)]
    tls: ClientTlsFlags,
}

impl Server {
    fn connect(&self) -> Result<Stream> {
        let (timeout, tls) = (Duration::from_secs(self.timeout), self.tls.open()?);
        Stream::connect(&self.address, timeout, tls.as_ref())
            .map_err(|error| Error::Io(format!("connecting to {}", self.address), error))
    }

    /// Sends a request, and returns what `take` takes of its reply.
    fn call<'q, Q: Value<'q>, R>(
        &self,
        method: &str,
        request: &Q,
        take: impl Fn(&[u8]) -> std::result::Result<Option<Reply<R>>, String>,
    ) -> Result<R> {
        let failed = |error| Error::Io(format!("talking to {}", self.address), error);
        let mut stream = self.connect()?;
        let (mut bytes, mut input) = (Vec::new(), Vec::new());
        write_request(&Head::default(), method, 1, request, &mut bytes);
        stream.write_all(&bytes).map_err(failed)?;
        let mut chunk = vec![0; 64 << 10];
        loop {
            let reply = take(&input).map_err(|what| {
                Error::Setting(format!("{} sent no reply: {what}", self.address))
            })?;
            if let Some(reply) = reply {
                return reply.map_err(|error| {
                    Error::Setting(format!("{} refused the request: {error}", self.address))
                });
            }
            let length = stream.read(&mut chunk).map_err(failed)?;
            if length == 0 || input.len() > REPLY_MAX {
                let what = if length == 0 { "the connection ended" } else { "it is too long" };
                return Err(Error::Setting(format!("{} sent no reply: {what}", self.address)));
            }
            input.extend_from_slice(chunk.get(..length).unwrap_or_default());
        }
    }
}

/// The content of a reply, or why the server refused.
type Reply<R> = std::result::Result<R, String>;

/// Reads a reply of a type, and takes its error and its content.
fn take<'a, T: Value<'a>, R>(
    bytes: &'a [u8],
    open: impl Fn(T) -> (ErrorName, String, R),
) -> std::result::Result<Option<Reply<R>>, String> {
    let Some((received, _)) = reply::read::<T>(bytes).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    Ok(Some(match received.response {
        Err(error) => Err(error.as_str().to_owned()),
        Ok(response) => match open(response) {
            (ErrorName::Ok, _, content) => Ok(content),
            (error, hint, _) if hint.is_empty() => Err(error.as_str().to_owned()),
            (error, hint, _) => Err(format!("{}: {hint}", error.as_str())),
        },
    }))
}

pub(crate) fn run(command: Command, out: &Output) -> Result<Answer> {
    match command {
        Command::List { all, server } => list(all, &server, out)?,
        Command::Create { name, partitions, server } => {
            let options = CreateOptions {
                partition_count: partitions,
                replica_count: 3,
                app_type: "pegasus".to_owned(),
                is_stateful: true,
                ..CreateOptions::default()
            };
            let request = CreateApp { app_name: name.clone(), options };
            let id = server.call("RPC_CM_CREATE_APP", &request, |bytes| {
                take(bytes, |it: CreateAppReply| (it.err, String::new(), it.app_id))
            })?;
            let text = format!("created table {name} with the number {id}\n");
            out.print(text, &json!({ "id": id, "name": name, "partitions": partitions }));
        }
        Command::Drop { name, reserve_seconds, server } => {
            let options = DropOptions { success_if_not_exist: false, reserve_seconds };
            let request = DropApp { app_name: name.clone(), options };
            server.call("RPC_CM_DROP_APP", &request, |bytes| {
                take(bytes, |it: ErrorReply| (it.err, String::new(), ()))
            })?;
            out.print(format!("dropped table {name}\n"), &json!({ "name": name }));
        }
        Command::Recall { id, name, server } => {
            let request = RecallApp { app_id: id, new_app_name: name };
            let info = server.call("RPC_CM_RECALL_APP", &request, |bytes| {
                take(bytes, |it: RecallAppReply| (it.err, String::new(), it.info))
            })?;
            let text = format!("recalled table {} with the number {id}\n", info.app_name);
            out.print(text, &json!({ "id": id, "name": info.app_name }));
        }
        Command::Rename { name, new_name, server } => {
            let request = RenameApp { old_app_name: name.clone(), new_app_name: new_name.clone() };
            server.call("RPC_CM_RENAME_APP", &request, |bytes| {
                take(bytes, |it: HintReply| (it.err, it.hint, ()))
            })?;
            let text = format!("renamed table {name} to {new_name}\n");
            out.print(text, &json!({ "name": new_name }));
        }
        Command::Load(load) => return load.run(out),
        Command::CheckFiles(check) => return check.run(out),
    }
    Ok(Answer::Yes)
}

fn list(all: bool, server: &Server, out: &Output) -> Result<()> {
    let status = if all { 0 } else { AVAILABLE };
    let request = ListApps { status, app_name_pattern: None, match_type: None };
    let tables = server.call("RPC_CM_LIST_APPS", &request, |bytes| {
        take(bytes, |it: ListAppsReply| (it.err, it.hint.unwrap_or_default(), it.infos))
    })?;
    let mut text = String::new();
    let mut values = Vec::new();
    for table in &tables {
        let AppInfo { app_id, app_name, partition_count, status, expire_second, .. } = table;
        let state = if *status == AVAILABLE { "available" } else { "dropped" };
        text += &format!("{app_id}  {app_name}  {partition_count} partitions  {state}\n");
        values.push(json!({
            "id": app_id,
            "name": app_name,
            "partitions": partition_count,
            "state": state,
            "recallable_until": (*status != AVAILABLE).then_some(expire_second),
            "envs": table.envs,
        }));
    }
    if tables.is_empty() {
        text = "no tables\n".to_owned();
    }
    out.print(text, &serde_json::Value::Array(values));
    Ok(())
}
