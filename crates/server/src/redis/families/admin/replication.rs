//! Commands of replication: those that make this server a replica or a master, and the section of INFO. The server has
//! no replicas itself.

use super::info::Text;
use crate::redis::args::{Args, is};
use crate::redis::command::{
    ADMIN, ALL_KEYS, ALLOW_BUSY, Command, FAST, Flags, Group, LOADING, NO_MULTI, NOSCRIPT, STALE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::parameters::Id;
use crate::redis::replica::{LinkState, Mode, Status, replica_of};
use crate::redis::server::Server;
use crate::redis::stats::Totals;

const ADMIN_FLAGS: Flags = ADMIN.and(NOSCRIPT);
const ANYTIME: Flags = LOADING.and(STALE);
const ROLE_FLAGS: Flags = ADMIN_FLAGS.and(STALE).and(ALL_KEYS);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("role", 1, NOSCRIPT.and(ANYTIME).and(FAST), Group::Server, role).with_docs(
        "2.8.12",
        "Returns the role of the server: a master without replicas, or a replica.",
    ),
    Command::new("replconf", -1, ADMIN_FLAGS.and(ANYTIME).and(ALLOW_BUSY), Group::Server, replconf)
        .with_docs("3.0.0", "Accepts what a replica says of itself."),
    Command::new("replicaof", 3, ROLE_FLAGS, Group::Server, replica_of)
        .with_docs("5.0.0", "Makes the server a replica of another one, or a master."),
    Command::new("slaveof", 3, ROLE_FLAGS, Group::Server, replica_of)
        .with_docs("1.0.0", "Makes the server a replica of another one, or a master."),
    Command::new("failover", -1, ADMIN_FLAGS.and(STALE), Group::Server, |_, _| {
        Err("ERR FAILOVER requires connected replicas.".into())
    })
    .with_docs("6.2.0", "Fails: there are no replicas."),
    Command::new("sync", 1, ADMIN_FLAGS.and(NO_MULTI), Group::Server, refuse_replica)
        .with_docs("1.0.0", "Fails: the server has no replicas."),
    Command::new("psync", -3, ADMIN_FLAGS.and(NO_MULTI), Group::Server, refuse_replica)
        .with_docs("2.8.0", "Fails: the server has no replicas."),
];

fn role(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let (status, out) = (context.server.replication.status(), &mut *context.out);
    let Some(target) = &status.target else {
        out.array(3);
        out.bulk(b"master");
        out.integer(0);
        out.array(0);
        return Ok(());
    };
    out.array(5);
    out.bulk(b"slave");
    out.bulk(target.host.as_bytes());
    out.integer(target.port.into());
    out.bulk(match status.link {
        LinkState::Down => b"connect",
        LinkState::Connecting => b"connecting",
        LinkState::Syncing => b"sync",
        LinkState::Up => b"connected",
    });
    out.integer(status.position.map_or(-1, |position| position.offset as i64));
    Ok(())
}

fn replconf(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len().is_multiple_of(2) {
        return Err(SYNTAX.into());
    }
    for option in args.from(1).iter().step_by(2) {
        let known = ["listening-port", "ip-address", "capa", "rdb-only", "rdb-filter-only"];
        if !known.iter().any(|word| is(option, word)) {
            let shown = String::from_utf8_lossy(option);
            return Err(format!("ERR Unrecognized REPLCONF option: {shown}").into());
        }
    }
    context.out.ok();
    Ok(())
}

fn refuse_replica(_: &mut Context<'_>, args: Args<'_>) -> Done {
    let name = String::from_utf8_lossy(args.at(0)).to_uppercase();
    Err(format!("ERR {name} is not supported: this server has no replicas").into())
}

/// Writes the section of INFO.
pub(super) fn describe(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let server = context.server;
    let status = server.replication.status();
    let offset = status.position.as_ref().map_or(0, |position| position.offset);
    text.line("role", if status.target.is_some() { "slave" } else { "master" });
    describe_link(server, &status, text);
    text.line("connected_slaves", 0);
    text.line("master_failover_state", "no-failover");
    match &status.position {
        Some(position) => text.line("master_replid", &position.id),
        None => text.line("master_replid", &server.run_id),
    }
    text.line("master_replid2", "0".repeat(40));
    text.line("master_repl_offset", offset);
    text.line("second_repl_offset", -1);
    text.line("repl_backlog_active", 0);
    const BACKLOG: Id = Id::of("repl-backlog-size");
    text.line("repl_backlog_size", server.parameters.number(BACKLOG));
    text.zeros(&["repl_backlog_first_byte_offset", "repl_backlog_histlen"]);
    Ok(())
}

fn describe_link(server: &Server, status: &Status, text: &mut Text) {
    let Some(target) = &status.target else { return };
    let now_us = server.clock.monotonic_us();
    let since = |us: u64| match us {
        0 => -1,
        us => (now_us.saturating_sub(us) / 1_000_000) as i64,
    };
    let is_syncing = status.link == LinkState::Syncing;
    text.line("master_host", &target.host);
    text.line("master_port", target.port);
    text.line("master_link_status", if status.link == LinkState::Up { "up" } else { "down" });
    text.line("master_last_io_seconds_ago", since(status.heard_us));
    text.line("master_sync_in_progress", u8::from(is_syncing));
    text.line("slave_read_repl_offset", status.read_offset);
    text.line("slave_repl_offset", status.position.as_ref().map_or(0, |position| position.offset));
    if is_syncing {
        let copy = &status.copy;
        let total = copy.total.unwrap_or(0);
        // What is still on its way and what is not loaded count alike.
        let done = if copy.loaded > 0 { copy.loaded } else { copy.read };
        text.line("master_sync_total_bytes", total);
        text.line("master_sync_read_bytes", copy.read);
        text.line("master_sync_left_bytes", total.saturating_sub(copy.read));
        // As Redis shows it: 0 as long as the length is not known.
        let percent = if total == 0 { 0.0 } else { done as f64 * 100.0 / total as f64 };
        text.line("master_sync_perc", format_args!("{percent:.2}"));
        text.line("master_sync_last_io_seconds_ago", since(status.heard_us));
        text.line("master_sync_checked_bytes", copy.checked);
        text.line("master_sync_loaded_bytes", copy.loaded);
        text.line("master_sync_loaded_keys", copy.keys);
    }
    if status.link != LinkState::Up {
        text.line("master_link_down_since_seconds", since(status.down_us));
    }
    text.line("copy_is_complete", u8::from(server.replication.mode() != Mode::Loading));
    text.line("stream_errors", status.errors);
    if !status.last_error.is_empty() {
        text.line("replication_last_error", status.last_error.replace(['\r', '\n'], " "));
    }
    text.line("slave_priority", 0);
    text.line("slave_read_only", 1);
    text.line("replica_announced", 1);
}
