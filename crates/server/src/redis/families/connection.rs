//! Commands about the connection: PING, ECHO, SELECT, QUIT, HELLO, AUTH.

use crate::redis::args::{Args, is};
use crate::redis::command::{
    ALLOW_BUSY, Command, FAST, Group, IN_SUBSCRIPTION, LOADING, NO_AUTH, NO_MULTI, NOSCRIPT, STALE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NOT_INTEGER, SYNTAX};
use crate::resp::Protocol;

pub(in crate::redis) use crate::script::REDIS_VERSION;

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("ping", -1, FAST.and(IN_SUBSCRIPTION), Group::Connection, ping)
        .with_docs("1.0.0", "Returns the server's liveliness response."),
    Command::new("echo", 2, FAST.and(LOADING).and(STALE), Group::Connection, echo)
        .with_docs("1.0.0", "Returns the given string."),
    Command::new("select", 2, FAST.and(LOADING).and(STALE), Group::Connection, select)
        .with_docs("1.0.0", "Changes the selected database."),
    Command::new(
        "quit",
        -1,
        FAST.and(LOADING)
            .and(STALE)
            .and(NOSCRIPT)
            .and(NO_AUTH)
            .and(ALLOW_BUSY)
            .and(IN_SUBSCRIPTION),
        Group::Connection,
        quit,
    )
    .with_docs("1.0.0", "Closes the connection."),
    Command::new(
        "hello",
        -1,
        FAST.and(LOADING).and(STALE).and(NOSCRIPT).and(NO_AUTH).and(NO_MULTI).and(ALLOW_BUSY),
        Group::Connection,
        hello,
    )
    .with_docs("6.0.0", "Handshakes with the Redis server."),
    Command::new(
        "auth",
        -2,
        FAST.and(LOADING).and(STALE).and(NOSCRIPT).and(NO_AUTH).and(ALLOW_BUSY),
        Group::Connection,
        auth,
    )
    .with_docs("1.0.0", "Authenticates the connection."),
];

fn ping(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 2 {
        return Err(crate::redis::args::wrong_arity("ping"));
    }
    if context.session.is_subscriber() {
        context.out.array(2);
        context.out.bulk(b"pong");
        context.out.bulk(args.at(1));
    } else if args.len() == 2 {
        context.out.bulk(args.at(1));
    } else {
        context.out.simple("PONG");
    }
    Ok(())
}

fn echo(context: &mut Context<'_>, args: Args<'_>) -> Done {
    context.out.bulk(args.at(1));
    Ok(())
}

fn select(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let index = args.integer(1).map_err(|_| NOT_INTEGER)?;
    let index = u32::try_from(index).ok().filter(|at| *at < context.server.databases.count());
    context.select(index.ok_or("ERR DB index is out of range")?)?;
    context.out.ok();
    Ok(())
}

fn quit(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.session.is_closing = true;
    context.out.ok();
    Ok(())
}

fn auth(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(SYNTAX.into());
    }
    let (user, password) = match args.len() {
        2 if context.server.users.default_account().user().takes_any_password() => {
            return Err("ERR AUTH <password> called without any password configured for the \
                        default user. Are you sure your configuration is correct?"
                .into());
        }
        2 => (&b"default"[..], args.at(1)),
        _ => (args.at(1), args.at(2)),
    };
    context.server.log_in(context.session, (context.command, args), user, password)?;
    context.out.ok();
    Ok(())
}

fn hello(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut protocol = context.session.protocol;
    let mut options = args.options(1);
    if let Some(version) = options.next() {
        protocol = match crate::text::integer::parse(version) {
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            Some(_) => return Err("NOPROTO unsupported protocol version".into()),
            None => {
                return Err("ERR Protocol version is not an integer or out of range".into());
            }
        };
    }
    let (mut login, mut name) = (None, None);
    while let Some(word) = options.next() {
        if is(word, "auth") && options.left() >= 2 {
            login = Some((options.value()?, options.value()?));
        } else if is(word, "setname") && options.left() >= 1 {
            name = Some(options.value()?);
        } else {
            let word = String::from_utf8_lossy(word);
            return Err(format!("ERR Syntax error in HELLO option '{word}'").into());
        }
    }
    if let Some((user, password)) = login {
        context.server.log_in(context.session, (context.command, args), user, password)?;
    }
    if !context.session.is_authenticated {
        return Err(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise \
                    the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the \
                    client and select the RESP protocol version at the same time"
                .into(),
        );
    }
    if let Some(name) = name {
        context.session.client.set_name(name)?;
    }
    context.session.protocol = protocol;
    context.session.client.outbox.set_protocol(protocol);
    context.out.protocol = protocol;
    reply_hello(context);
    Ok(())
}

fn reply_hello(context: &mut Context<'_>) {
    let (out, id) = (&mut *context.out, context.session.client.id);
    out.map(7);
    for (name, value) in [("server", "redis"), ("version", REDIS_VERSION)] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    out.bulk(b"proto");
    out.integer(if out.protocol == Protocol::Resp3 { 3 } else { 2 });
    out.bulk(b"id");
    out.integer(id as i64);
    for (name, value) in [("mode", "standalone"), ("role", "master")] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    out.bulk(b"modules");
    out.array(0);
}
