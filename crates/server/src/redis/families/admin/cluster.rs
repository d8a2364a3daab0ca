//! CLUSTER, as a cluster of this one node describes itself, and the commands that clients of clusters send.

use crate::redis::args::{Args, parse_integer};
use crate::redis::command::{ADMIN, Command, FAST, Flags, Group, LOADING, NONE, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::families::help::help;
use crate::rows::redis::{Head, Row, after_prefix, meta_prefix};
use crate::store::Range;
use crate::text::slot::{self, SLOTS};

/// The flags of CLUSTER RESET.
const RESET: Flags = ADMIN.and(NOSCRIPT);
const ROUTING: Flags = FAST.and(LOADING).and(STALE);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::container("cluster", Group::Cluster, SUBCOMMANDS)
        .with_docs("3.0.0", "Contains the commands about the cluster."),
    Command::new("asking", 1, FAST, Group::Cluster, accept)
        .with_docs("3.0.0", "Does nothing: there is one node."),
    Command::new("readonly", 1, ROUTING, Group::Cluster, accept)
        .with_docs("3.0.0", "Does nothing: there are no replicas."),
    Command::new("readwrite", 1, ROUTING, Group::Cluster, accept)
        .with_docs("3.0.0", "Does nothing: there are no replicas."),
];

macro_rules! subcommands {
    ($($name:literal $arity:literal $flags:ident $run:ident $since:literal $summary:literal;)*) => {
        const SUBCOMMANDS: &[Command] = &[$(
            Command::new($name, $arity, $flags.and(STALE), Group::Cluster, $run)
                .with_full_name(concat!("cluster|", $name))
                .with_docs($since, $summary),
        )*];
    };
}

subcommands! {
    "addslots" -3 ADMIN refuse "3.0.0" "Fails: this node has all slots.";
    "addslotsrange" -4 ADMIN refuse "7.0.0" "Fails: this node has all slots.";
    "bumpepoch" 2 ADMIN refuse "3.0.0" "Fails: there is one node.";
    "count-failure-reports" 3 ADMIN failure_reports "3.0.0" "Returns 0: there is one node.";
    "countkeysinslot" 3 NONE count_keys "3.0.0" "Returns the number of keys of a slot.";
    "delslots" -3 ADMIN refuse "3.0.0" "Fails: this node has all slots.";
    "delslotsrange" -4 ADMIN refuse "7.0.0" "Fails: this node has all slots.";
    "failover" -2 ADMIN refuse "3.0.0" "Fails: there are no replicas.";
    "flushslots" 2 ADMIN refuse "3.0.0" "Fails: this node has all slots.";
    "forget" 3 ADMIN refuse "3.0.0" "Fails: there is one node.";
    "getkeysinslot" 4 NONE get_keys "3.0.0" "Returns some keys of a slot.";
    "help" 2 LOADING help "5.0.0" "Describes the subcommands.";
    "info" 2 NONE info "3.0.0" "Returns the state of the cluster.";
    "keyslot" 3 NONE key_slot "3.0.0" "Returns the slot of a key.";
    "links" 2 NONE links "7.0.0" "Returns the links to other nodes, of which there are none.";
    "meet" -4 ADMIN refuse "3.0.0" "Fails: there is one node.";
    "myid" 2 NONE my_id "3.0.0" "Returns the id of the node.";
    "myshardid" 2 NONE my_id "7.2.0" "Returns the id of the node's shard.";
    "nodes" 2 NONE nodes "3.0.0" "Describes the nodes.";
    "replicas" 3 ADMIN links "5.0.0" "Returns the replicas, of which there are none.";
    "replicate" 3 ADMIN refuse "3.0.0" "Fails: there are no replicas.";
    "reset" -2 RESET refuse "3.0.0" "Fails: this node has all slots.";
    "saveconfig" 2 ADMIN refuse "3.0.0" "Fails: there is nothing to save.";
    "set-config-epoch" 3 ADMIN refuse "3.0.0" "Fails: there is one node.";
    "setslot" -4 ADMIN refuse "3.0.0" "Fails: this node has all slots.";
    "shards" 2 NONE shards "7.0.0" "Describes the shards.";
    "slaves" 3 ADMIN links "3.0.0" "Returns the replicas, of which there are none.";
    "slots" 2 NONE slots "3.0.0" "Returns the slots of each node.";
}

/// Fails unless the server says that it is a cluster.
fn check(context: &Context<'_>) -> Done {
    match context.server.is_cluster() {
        true => Ok(()),
        false => Err("ERR This instance has cluster support disabled".into()),
    }
}

fn accept(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    context.out.ok();
    Ok(())
}

fn refuse(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    let name = context.command.full_name.replace('|', " ").to_uppercase();
    Err(format!("ERR {name} is not supported: the cluster is this one node").into())
}

fn failure_reports(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    context.out.integer(0);
    Ok(())
}

fn links(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    context.out.array(0);
    Ok(())
}

fn my_id(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    context.out.bulk(context.server.run_id.as_bytes());
    Ok(())
}

fn key_slot(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check(context)?;
    context.out.integer(slot::of_key(args.at(2)).into());
    Ok(())
}

fn info(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    let mut lines = String::from("cluster_state:ok\r\n");
    for name in ["assigned", "ok"] {
        lines += &format!("cluster_slots_{name}:{SLOTS}\r\n");
    }
    lines += "cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:1\r\n\
              cluster_size:1\r\ncluster_current_epoch:1\r\ncluster_my_epoch:1\r\n\
              cluster_stats_messages_sent:0\r\ncluster_stats_messages_received:0\r\n\
              total_cluster_links_buffer_limit_exceeded:0\r\n";
    context.out.verbatim(lines.as_bytes());
    Ok(())
}

/// Returns the address that the client reached this node at.
fn address(context: &Context<'_>) -> (String, u16) {
    let local = context.session.client.local;
    (local.ip().to_canonical().to_string(), local.port())
}

fn nodes(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    let ((ip, port), id) = (address(context), &context.server.run_id);
    let last = SLOTS - 1;
    let line = format!("{id} {ip}:{port}@{port} myself,master - 0 0 1 connected 0-{last}\n");
    context.out.verbatim(line.as_bytes());
    Ok(())
}

fn slots(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    let (ip, port) = address(context);
    let out = &mut *context.out;
    out.array(1);
    out.array(3);
    out.integer(0);
    out.integer(i64::from(SLOTS) - 1);
    out.array(4);
    out.bulk(ip.as_bytes());
    out.integer(port.into());
    out.bulk(context.server.run_id.as_bytes());
    out.array(0);
    Ok(())
}

fn shards(context: &mut Context<'_>, _: Args<'_>) -> Done {
    check(context)?;
    let (ip, port) = address(context);
    let out = &mut *context.out;
    out.array(1);
    out.map(2);
    out.bulk(b"slots");
    out.array(2);
    out.integer(0);
    out.integer(i64::from(SLOTS) - 1);
    out.bulk(b"nodes");
    out.array(1);
    out.map(7);
    out.bulk(b"id");
    out.bulk(context.server.run_id.as_bytes());
    out.bulk(b"port");
    out.integer(port.into());
    for (name, value) in [("ip", ip.as_str()), ("endpoint", &ip), ("role", "master")] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    out.bulk(b"replication-offset");
    out.integer(0);
    out.bulk(b"health");
    out.bulk(b"online");
    Ok(())
}

fn parse_slot(argument: &[u8]) -> Result<u16, Failure> {
    let slot = parse_integer(argument)?;
    let slot = u16::try_from(slot).ok().filter(|slot| *slot < SLOTS);
    slot.ok_or_else(|| "ERR Invalid slot".into())
}

/// Returns up to `max` keys of a slot of database 0.
fn keys_of(context: &Context<'_>, slot: u16, max: usize) -> Done<Vec<Vec<u8>>> {
    let Some(database) = context.existing_databases().find(|at| at.index() == 0) else {
        return Ok(Vec::new());
    };
    let start = meta_prefix(slot);
    let range = Range { end: after_prefix(&start), start };
    let mut rows = context.txn.rows(database.partition_of(slot), range)?;
    let (mut keys, mut item) = (Vec::new(), rows.first()?);
    while let Some((row, value)) = item
        && keys.len() < max
    {
        if let (Some(Row::Meta { key, .. }), Some((head, _))) =
            (Row::parse(row), Head::parse(value))
            && !head.is_expired(context.now_ms())
        {
            keys.push(key.to_vec());
        }
        item = rows.next()?;
    }
    Ok(keys)
}

fn count_keys(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check(context)?;
    let keys = keys_of(context, parse_slot(args.at(2))?, usize::MAX)?;
    context.out.count(keys.len());
    Ok(())
}

fn get_keys(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check(context)?;
    let slot = parse_slot(args.at(2))?;
    let max = usize::try_from(args.integer(3)?);
    let keys = keys_of(context, slot, max.map_err(|_| "ERR Invalid slot or number of keys")?)?;
    context.out.array(keys.len());
    keys.iter().for_each(|key| context.out.bulk(key));
    Ok(())
}
