//! The commands of Pegasus tables, by the names of Redis.

use super::evaluation::Evaluation;
use super::{fields, hashes, keys, scans, session, strings};
use crate::redis::args::Args;
use crate::redis::failure::Done;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A handler of a command on rows: reads rows, checks everything, replies, and then writes.
pub(super) type Handler = fn(&mut Evaluation<'_>, Args<'_>) -> Done;

/// How a command is run.
#[derive(Clone, Copy)]
pub(super) enum Run {
    /// By a handler of the connection.
    Connection(session::Handler),
    /// By a handler, under the latches of its keys.
    Rows(Handler),
}

const ALL: &[(&str, Run)] = &[
    ("auth", Run::Connection(session::auth)),
    ("client", Run::Connection(session::client)),
    ("command", Run::Connection(session::command)),
    ("echo", Run::Connection(session::echo)),
    ("hello", Run::Connection(session::hello)),
    ("info", Run::Connection(session::info)),
    ("ping", Run::Connection(session::ping)),
    ("quit", Run::Connection(session::quit)),
    ("reset", Run::Connection(session::reset)),
    ("select", Run::Connection(session::select)),
    ("append", Run::Rows(strings::append)),
    ("decr", Run::Rows(strings::decr)),
    ("decrby", Run::Rows(strings::decrby)),
    ("get", Run::Rows(strings::get)),
    ("getdel", Run::Rows(strings::getdel)),
    ("getex", Run::Rows(strings::getex)),
    ("getrange", Run::Rows(strings::getrange)),
    ("getset", Run::Rows(strings::getset)),
    ("incr", Run::Rows(strings::incr)),
    ("incrby", Run::Rows(strings::incrby)),
    ("incrbyfloat", Run::Rows(strings::incrbyfloat)),
    ("mget", Run::Rows(strings::mget)),
    ("mset", Run::Rows(strings::mset)),
    ("msetnx", Run::Rows(strings::msetnx)),
    ("psetex", Run::Rows(strings::psetex)),
    ("set", Run::Rows(strings::set)),
    ("setex", Run::Rows(strings::setex)),
    ("setnx", Run::Rows(strings::setnx)),
    ("strlen", Run::Rows(strings::strlen)),
    ("hdel", Run::Rows(hashes::hdel)),
    ("hexists", Run::Rows(hashes::hexists)),
    ("hget", Run::Rows(hashes::hget)),
    ("hgetall", Run::Rows(hashes::hgetall)),
    ("hincrby", Run::Rows(hashes::hincrby)),
    ("hincrbyfloat", Run::Rows(hashes::hincrbyfloat)),
    ("hkeys", Run::Rows(hashes::hkeys)),
    ("hlen", Run::Rows(hashes::hlen)),
    ("hmget", Run::Rows(hashes::hmget)),
    ("hmset", Run::Rows(hashes::hmset)),
    ("hset", Run::Rows(hashes::hset)),
    ("hsetnx", Run::Rows(hashes::hsetnx)),
    ("hstrlen", Run::Rows(hashes::hstrlen)),
    ("hvals", Run::Rows(hashes::hvals)),
    ("hexpire", Run::Rows(fields::hexpire)),
    ("hexpireat", Run::Rows(fields::hexpireat)),
    ("hexpiretime", Run::Rows(fields::hexpiretime)),
    ("hpersist", Run::Rows(fields::hpersist)),
    ("hpexpire", Run::Rows(fields::hpexpire)),
    ("hpexpireat", Run::Rows(fields::hpexpireat)),
    ("hpexpiretime", Run::Rows(fields::hpexpiretime)),
    ("hpttl", Run::Rows(fields::hpttl)),
    ("httl", Run::Rows(fields::httl)),
    ("del", Run::Rows(keys::del)),
    ("exists", Run::Rows(keys::exists)),
    ("expire", Run::Rows(keys::expire)),
    ("expireat", Run::Rows(keys::expireat)),
    ("expiretime", Run::Rows(keys::expiretime)),
    ("persist", Run::Rows(keys::persist)),
    ("pexpire", Run::Rows(keys::pexpire)),
    ("pexpireat", Run::Rows(keys::pexpireat)),
    ("pexpiretime", Run::Rows(keys::pexpiretime)),
    ("pttl", Run::Rows(keys::pttl)),
    ("touch", Run::Rows(keys::exists)),
    ("ttl", Run::Rows(keys::ttl)),
    ("type", Run::Rows(keys::type_of)),
    ("unlink", Run::Rows(keys::del)),
    ("hscan", Run::Rows(scans::hscan)),
    ("scan", Run::Rows(scans::scan)),
];

static BY_NAME: LazyLock<FxHashMap<&str, Run>> = LazyLock::new(|| ALL.iter().copied().collect());

/// Returns how a command is run, by its name in lower case; `None` if Pegasus tables do not have it.
pub(super) fn find(name: &str) -> Option<Run> {
    BY_NAME.get(name).copied()
}

/// Returns the names of all commands.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}
