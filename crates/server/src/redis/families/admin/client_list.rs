//! CLIENT LIST, INFO and KILL.

use crate::redis::acl::Account;
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::clients::Client;
use crate::redis::command::Command;
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::server::Server;
use crate::redis::session::Session;
use crate::redis::table;
use crate::resp::Protocol;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The kind of a client, as KILL and LIST name it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Type {
    Normal,
    Replica,
    Master,
    Pubsub,
}

impl Type {
    fn parse(name: &[u8]) -> Done<Type> {
        let names = [
            ("normal", Type::Normal),
            ("slave", Type::Replica),
            ("replica", Type::Replica),
            ("pubsub", Type::Pubsub),
            ("master", Type::Master),
        ];
        let found = names.into_iter().find(|(word, _)| is(name, word)).map(|(_, kind)| kind);
        found.ok_or_else(|| {
            format!("ERR Unknown client type '{}'", String::from_utf8_lossy(name)).into()
        })
    }

    fn of(client: &Client) -> Type {
        match client.details.lock().subscriptions.iter().any(|count| *count > 0) {
            true => Type::Pubsub,
            false => Type::Normal,
        }
    }
}

/// Returns the line of the client that sent the command.
pub(super) fn own_line(context: &Context<'_>, args: Args<'_>) -> String {
    client_line(context.server, context.session, context.command, args)
}

/// Returns the line of the client of a session that runs a command.
pub(in crate::redis) fn client_line(
    server: &Server,
    session: &Session,
    command: &'static Command,
    args: Args<'_>,
) -> String {
    line(server, (session, command, args), &session.client)
}

/// Returns a client's line, as the client of a session sees it that runs a command.
fn line(
    server: &Server,
    (session, command, args): (&Session, &'static Command, Args<'_>),
    client: &Client,
) -> String {
    let now_us = server.clock.monotonic_us();
    let is_own = client.id == session.client.id;
    let age_s = now_us.saturating_sub(client.connected_us) / 1_000_000;
    let idle_s = now_us.saturating_sub(client.active_us.load(Ordering::Relaxed)) / 1_000_000;
    let details = client.details.lock().clone();
    let [sub, psub, ssub] = details.subscriptions;
    let (mut query, free) = client.input();
    let mut arguments = 0;
    if is_own {
        // Its buffer has this request, too.
        (query, arguments) = request_bytes(args);
    }
    let database = match is_own {
        true => session.database,
        false => client.database.load(Ordering::Relaxed),
    };
    let (queued, queued_bytes) = client.queued();
    let command = match is_own {
        true => command.full_name,
        false => {
            table::by_id(client.command.load(Ordering::Relaxed)).map_or("NULL", |it| it.full_name)
        }
    };
    let outbox = client.outbox.len();
    let resp = if client.outbox.protocol() == Protocol::Resp3 { 3 } else { 2 };
    format!(
        "id={} addr={} laddr={} fd=-1 name={} age={age_s} idle={idle_s} flags={} db={database} \
         sub={sub} psub={psub} ssub={ssub} multi={queued} qbuf={query} qbuf-free={free} \
         argv-mem={arguments} multi-mem={queued_bytes} rbs=1024 rbp=0 obl=0 oll={} omem={outbox} \
         tot-mem={} events=r cmd={command} user={} redir={} resp={resp} lib-name={} \
         lib-ver={}\n",
        client.id,
        client.address,
        client.local,
        String::from_utf8_lossy(&details.name),
        flags(client, queued),
        u8::from(outbox > 0),
        4096 + query + free + queued_bytes + outbox,
        String::from_utf8_lossy(client.account().name()),
        details.tracker.as_ref().map_or(-1, |tracker| tracker.redirect as i64),
        String::from_utf8_lossy(&details.library),
        String::from_utf8_lossy(&details.library_version),
    )
}

/// Returns the bytes of a request as clients write it, and of its arguments.
fn request_bytes(args: Args<'_>) -> (usize, usize) {
    let line = |number: usize| itoa::Buffer::new().format(number).len() + 3;
    let lines: usize = args.all().iter().map(|arg| line(arg.len()) + arg.len() + 2).sum();
    (line(args.len()) + lines, args.all().iter().map(|arg| arg.len()).sum())
}

fn flags(client: &Client, queued: i64) -> String {
    let details = client.details.lock();
    let tracker = details.tracker.as_ref();
    let flags = [
        ('O', details.is_monitor),
        ('P', details.subscriptions.iter().any(|count| *count > 0)),
        ('x', queued >= 0),
        ('b', details.is_blocked),
        ('t', tracker.is_some()),
        ('R', tracker.is_some_and(|it| it.is_broken.load(Ordering::Relaxed))),
        ('B', tracker.is_some_and(|it| it.is_broadcast)),
        ('A', client.is_killed()),
        ('e', details.no_evict),
        ('T', details.no_touch),
    ];
    let flags: String = flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag).collect();
    if flags.is_empty() { "N".to_owned() } else { flags }
}

/// CLIENT LIST.
pub(super) fn list(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut clients: Vec<Arc<Client>> = context.server.clients.list();
    clients.retain(|client| !client.is_killed());
    if args.len() == 4 && args.is(2, "type") {
        let kind = Type::parse(args.at(3))?;
        clients.retain(|client| Type::of(client) == kind);
    } else if args.len() > 3 && args.is(2, "id") {
        let all = std::mem::take(&mut clients);
        for id in args.from(3) {
            let id = parse_integer(id).map_err(|_| "ERR Invalid client ID")?;
            clients.extend(all.iter().find(|client| i64::try_from(client.id) == Ok(id)).cloned());
        }
    } else if args.len() != 2 {
        return Err(SYNTAX.into());
    }
    let viewer = (&*context.session, context.command, args);
    let lines: String = clients.iter().map(|client| line(context.server, viewer, client)).collect();
    context.out.verbatim(lines.as_bytes());
    Ok(())
}

/// Which clients CLIENT KILL closes.
#[derive(Default)]
struct Filter {
    address: Option<Vec<u8>>,
    local: Option<Vec<u8>>,
    kind: Option<Type>,
    id: Option<u64>,
    account: Option<Arc<Account>>,
    spares_own: bool,
}

impl Filter {
    fn parse(server: &Server, args: Args<'_>) -> Done<Filter> {
        if args.len() == 3 {
            return Ok(Filter { address: Some(args.at(2).to_vec()), ..Filter::default() });
        }
        let mut filter = Filter { spares_own: true, ..Filter::default() };
        let mut options = args.options(2);
        while let Some(word) = options.next() {
            let value = options.value()?;
            if is(word, "id") {
                let id = parse_integer(value).ok().and_then(|id| u64::try_from(id).ok());
                let id = id.filter(|id| *id > 0);
                filter.id = Some(id.ok_or("ERR client-id should be greater than 0")?);
            } else if is(word, "type") {
                filter.kind = Some(Type::parse(value)?);
            } else if is(word, "addr") {
                filter.address = Some(value.to_vec());
            } else if is(word, "laddr") {
                filter.local = Some(value.to_vec());
            } else if is(word, "user") {
                let account = server.users.get(value).ok_or_else(|| {
                    format!("ERR No such user '{}'", String::from_utf8_lossy(value))
                });
                filter.account = Some(account?);
            } else if is(word, "skipme") {
                filter.spares_own = match () {
                    () if is(value, "yes") => true,
                    () if is(value, "no") => false,
                    () => return Err(SYNTAX.into()),
                };
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(filter)
    }

    fn has(&self, client: &Client) -> bool {
        let is_at = |wanted: &Option<Vec<u8>>, address: std::net::SocketAddr| match wanted {
            Some(wanted) => address.to_string().as_bytes() == wanted,
            None => true,
        };
        is_at(&self.address, client.address)
            && is_at(&self.local, client.local)
            && self.kind.is_none_or(|kind| Type::of(client) == kind)
            && self.id.is_none_or(|id| client.id == id)
            && self.account.as_ref().is_none_or(|it| Arc::ptr_eq(it, &client.account()))
    }
}

/// CLIENT KILL.
pub(super) fn kill(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let filter = Filter::parse(context.server, args)?;
    let own = context.session.client.id;
    let mut killed = 0;
    for client in context.server.clients.list() {
        let is_spared = client.id == own && filter.spares_own;
        if client.is_killed() || is_spared || !filter.has(&client) {
            continue;
        }
        match client.id == own {
            // It gets its reply first.
            true => context.session.is_closing = true,
            false => client.kill(),
        }
        killed += 1;
    }
    match (args.len(), killed) {
        (3, 0) => return Err("ERR No such client".into()),
        (3, _) => context.out.ok(),
        _ => context.out.integer(killed),
    }
    Ok(())
}
