//! Streams: `entry` (bytes of an entry), `stream` (rows of entries), `trim` (options of XADD and XTRIM), `commands`;
//! `group` and `pending` (rows of consumer groups), `groups` (XGROUP), `read`, `acks`,
//! `claims`, and `info`; `whole` (DUMP and RESTORE).

mod acks;
mod claims;
mod commands;
mod entry;
mod group;
mod groups;
mod info;
mod pending;
mod read;
mod stream;
mod trim;
pub(in crate::redis) mod whole;

use crate::redis::command::{
    BLOCKING, Command, DENYOOM, FAST, Flags, Group, LOADING, READONLY, READS_FIRST, STALE, TAKES,
    WRITE,
};
use crate::redis::families::help::help;
use crate::redis::keyspec::{
    KeySpec, RO, RO_META, RW_DELETE, RW_INSERT, RW_UPDATE, half_after, one,
};

const STREAM: Group = Group::Stream;
const UPDATED_KEY: &[KeySpec] = &[one(1, RW_UPDATE)];
const READ_KEY: &[KeySpec] = &[one(1, RO)];
const HELP: Flags = LOADING.and(STALE);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("xadd", -5, WRITE.and(DENYOOM).and(FAST).and(READS_FIRST), STREAM, commands::xadd)
        .with_keys(UPDATED_KEY)
        .with_docs("5.0.0", "Adds an entry to a stream, which is created if it is absent."),
    Command::new("xlen", 2, READONLY.and(FAST), STREAM, commands::xlen)
        .with_keys(&[one(1, RO_META)])
        .with_docs("5.0.0", "Returns the number of entries of a stream."),
    Command::new("xrange", -4, READONLY, STREAM, commands::xrange)
        .with_keys(READ_KEY)
        .with_docs("5.0.0", "Returns the entries between two ids, in ascending order."),
    Command::new("xrevrange", -4, READONLY, STREAM, commands::xrevrange)
        .with_keys(READ_KEY)
        .with_docs("5.0.0", "Returns the entries between two ids, in descending order."),
    Command::new("xdel", -3, WRITE.and(FAST), STREAM, commands::xdel)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("5.0.0", "Removes entries by their ids."),
    Command::new("xtrim", -4, WRITE.and(READS_FIRST), STREAM, commands::xtrim)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("5.0.0", "Removes the first entries of a stream, down to a length or an id."),
    Command::new("xsetid", -3, WRITE.and(DENYOOM).and(FAST), STREAM, commands::xsetid)
        .with_keys(UPDATED_KEY)
        .with_docs("5.0.0", "Sets the last id and the counters of a stream."),
    Command::new("xread", -4, READONLY.and(BLOCKING), STREAM, read::xread)
        .with_keys(&[half_after("STREAMS", 1, RO)])
        .with_docs("5.0.0", "Returns the entries behind an id from several streams; may wait."),
    Command::new("xreadgroup", -7, WRITE.and(BLOCKING).and(TAKES), STREAM, read::xreadgroup)
        .with_keys(&[half_after("STREAMS", 4, RO)])
        .with_docs("5.0.0", "Delivers entries of streams to a consumer of a group; may wait."),
    Command::new("xack", -4, WRITE.and(FAST).and(READS_FIRST), STREAM, acks::xack)
        .with_keys(UPDATED_KEY)
        .with_docs("5.0.0", "Acknowledges entries, which are then not pending any more."),
    Command::new("xpending", -3, READONLY, STREAM, acks::xpending)
        .with_keys(READ_KEY)
        .with_docs("5.0.0", "Returns which entries of a group are pending."),
    Command::new("xclaim", -6, WRITE.and(FAST), STREAM, claims::xclaim)
        .with_keys(UPDATED_KEY)
        .with_docs("5.0.0", "Gives pending entries to another consumer."),
    Command::new("xautoclaim", -6, WRITE.and(FAST), STREAM, claims::xautoclaim)
        .with_keys(&[one(1, RW_DELETE)])
        .with_docs("6.2.0", "Gives entries that are pending for long to another consumer."),
    Command::container("xgroup", STREAM, XGROUP).with_docs("5.0.0", "Commands on consumer groups."),
    Command::container("xinfo", STREAM, XINFO)
        .with_docs("5.0.0", "Commands that describe streams."),
];

const XGROUP: &[Command] = &[
    Command::new("create", -5, WRITE.and(DENYOOM), STREAM, groups::create)
        .with_full_name("xgroup|create")
        .with_keys(&[one(2, RW_INSERT)])
        .with_docs("5.0.0", "Creates a group."),
    Command::new("setid", -5, WRITE, STREAM, groups::setid)
        .with_full_name("xgroup|setid")
        .with_keys(&[one(2, RW_UPDATE)])
        .with_docs("5.0.0", "Sets the id behind which a group delivers entries."),
    Command::new("destroy", 4, WRITE, STREAM, groups::destroy)
        .with_full_name("xgroup|destroy")
        .with_keys(&[one(2, RW_DELETE)])
        .with_docs("5.0.0", "Removes a group."),
    Command::new("createconsumer", 5, WRITE.and(DENYOOM), STREAM, groups::createconsumer)
        .with_full_name("xgroup|createconsumer")
        .with_keys(&[one(2, RW_INSERT)])
        .with_docs("6.2.0", "Creates a consumer of a group."),
    Command::new("delconsumer", 5, WRITE, STREAM, groups::delconsumer)
        .with_full_name("xgroup|delconsumer")
        .with_keys(&[one(2, RW_DELETE)])
        .with_docs("5.0.0", "Removes a consumer of a group."),
    Command::new("help", 2, HELP, STREAM, help)
        .with_full_name("xgroup|help")
        .with_docs("5.0.0", "Lists the subcommands."),
];

const XINFO: &[Command] = &[
    Command::new("consumers", 4, READONLY, STREAM, info::consumers)
        .with_full_name("xinfo|consumers")
        .with_keys(&[one(2, RO)])
        .with_docs("5.0.0", "Describes the consumers of a group."),
    Command::new("groups", 3, READONLY, STREAM, info::groups)
        .with_full_name("xinfo|groups")
        .with_keys(&[one(2, RO)])
        .with_docs("5.0.0", "Describes the groups of a stream."),
    Command::new("stream", -3, READONLY, STREAM, info::stream)
        .with_full_name("xinfo|stream")
        .with_keys(&[one(2, RO)])
        .with_docs("5.0.0", "Describes a stream."),
    Command::new("help", 2, HELP, STREAM, help)
        .with_full_name("xinfo|help")
        .with_docs("5.0.0", "Lists the subcommands."),
];
