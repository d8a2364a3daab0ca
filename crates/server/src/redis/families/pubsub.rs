//! SUBSCRIBE, PUBLISH and their variants; PUBSUB.

use crate::redis::args::Args;
use crate::redis::command::{
    Command, FAST, Flags, Group, IN_SUBSCRIPTION, LOADING, MAY_REPLICATE, NOSCRIPT, PUBSUB, STALE,
};
use crate::redis::context::{Cause, Context};
use crate::redis::effects::Message;
use crate::redis::failure::Done;
use crate::redis::families::help::help;
use crate::redis::keyspec::{KeyFlags, one, range};
use crate::redis::pubsub::Kind;
use crate::redis::session::ReplyMode;
use crate::resp::Reply;
use crate::text::glob::{self, Case};

const SUBSCRIBING: Flags = PUBSUB.and(NOSCRIPT).and(LOADING).and(STALE).and(IN_SUBSCRIPTION);
const PUBLISHING: Flags = PUBSUB.and(LOADING).and(STALE).and(FAST).and(MAY_REPLICATE);
const INSPECTING: Flags = PUBSUB.and(LOADING).and(STALE);
/// Shard channels are not keys, but are routed by their slots.
const NOT_KEY: KeyFlags = KeyFlags(&["not_key"]);

pub(in crate::redis) const COMMANDS: &[Command] = &[
    Command::new("subscribe", -2, SUBSCRIBING, Group::Pubsub, |context, args| {
        subscribe(context, args, Kind::Channel)
    })
    .with_docs("2.0.0", "Subscribes to channels."),
    Command::new("unsubscribe", -1, SUBSCRIBING, Group::Pubsub, |context, args| {
        unsubscribe(context, args, Kind::Channel)
    })
    .with_docs("2.0.0", "Ends subscriptions to channels, to all if none is given."),
    Command::new("psubscribe", -2, SUBSCRIBING, Group::Pubsub, |context, args| {
        subscribe(context, args, Kind::Pattern)
    })
    .with_docs("2.0.0", "Subscribes to all channels that match patterns."),
    Command::new("punsubscribe", -1, SUBSCRIBING, Group::Pubsub, |context, args| {
        unsubscribe(context, args, Kind::Pattern)
    })
    .with_docs("2.0.0", "Ends subscriptions to patterns, to all if none is given."),
    Command::new("ssubscribe", -2, SUBSCRIBING, Group::Pubsub, |context, args| {
        subscribe(context, args, Kind::Shard)
    })
    .with_keys(&[range(1, -1, 1, NOT_KEY)])
    .with_docs("7.0.0", "Subscribes to shard channels."),
    Command::new("sunsubscribe", -1, SUBSCRIBING, Group::Pubsub, |context, args| {
        unsubscribe(context, args, Kind::Shard)
    })
    .with_keys(&[range(1, -1, 1, NOT_KEY)])
    .with_docs("7.0.0", "Ends subscriptions to shard channels, to all if none is given."),
    Command::new("publish", 3, PUBLISHING, Group::Pubsub, publish)
        .with_docs("2.0.0", "Sends a message to the subscribers of a channel."),
    Command::new("spublish", 3, PUBLISHING, Group::Pubsub, publish)
        .with_keys(&[one(1, NOT_KEY)])
        .with_docs("7.0.0", "Sends a message to the subscribers of a shard channel."),
    Command::container("pubsub", Group::Pubsub, PUBSUB_COMMANDS)
        .with_docs("2.8.0", "Commands that inspect subscriptions."),
];

const PUBSUB_COMMANDS: &[Command] = &[
    Command::new("channels", -2, INSPECTING, Group::Pubsub, |context, args| {
        channels(context, args, Kind::Channel)
    })
    .with_full_name("pubsub|channels")
    .with_docs("2.8.0", "Returns the channels that have subscribers."),
    Command::new("numsub", -2, INSPECTING, Group::Pubsub, |context, args| {
        subscriber_counts(context, args, Kind::Channel)
    })
    .with_full_name("pubsub|numsub")
    .with_docs("2.8.0", "Returns the number of subscribers of channels."),
    Command::new("numpat", 2, INSPECTING, Group::Pubsub, pattern_count)
        .with_full_name("pubsub|numpat")
        .with_docs("2.8.0", "Returns the number of different patterns that have subscribers."),
    Command::new("shardchannels", -2, INSPECTING, Group::Pubsub, |context, args| {
        channels(context, args, Kind::Shard)
    })
    .with_full_name("pubsub|shardchannels")
    .with_docs("7.0.0", "Returns the shard channels that have subscribers."),
    Command::new("shardnumsub", -2, INSPECTING, Group::Pubsub, |context, args| {
        subscriber_counts(context, args, Kind::Shard)
    })
    .with_full_name("pubsub|shardnumsub")
    .with_docs("7.0.0", "Returns the number of subscribers of shard channels."),
    Command::new("help", 2, LOADING.and(STALE), Group::Pubsub, help)
        .with_full_name("pubsub|help")
        .with_docs("6.2.0", "Returns the syntax of the subcommands."),
];

/// Runs a function that writes confirmations. They are messages: clients get them even if they switched replies off,
/// and behind the messages that they got so far.
fn confirm(context: &mut Context<'_>, write: impl FnOnce(&mut Context<'_>)) {
    let has_replies = context.session.reply_mode == ReplyMode::On;
    let is_direct = context.cause() == Cause::Client;
    if is_direct && has_replies {
        context.session.client.outbox.drain_into(context.out);
    }
    let start = context.out.position();
    write(context);
    let [channels, patterns, shards] = &context.session.subscriptions;
    context.session.client.details.lock().subscriptions =
        [channels.len(), patterns.len(), shards.len()];
    if is_direct && !has_replies {
        let confirmations = context.out.bytes().get(start..).unwrap_or_default();
        context.session.client.outbox.send(confirmations);
    }
}

/// Writes a confirmation.
fn confirmation(out: &mut Reply, word: &str, kind: Kind, name: Option<&[u8]>, count: usize) {
    let prefix = match kind {
        Kind::Channel => "",
        Kind::Pattern => "p",
        Kind::Shard => "s",
    };
    out.push(3);
    out.bulk(format!("{prefix}{word}").as_bytes());
    out.bulk_or_null(name);
    out.count(count);
}

fn subscribe(context: &mut Context<'_>, args: Args<'_>, kind: Kind) -> Done {
    let is_allowed = match context.cause() {
        Cause::Client => true,
        Cause::Multi => kind != Kind::Shard,
        Cause::Script | Cause::Wake => false,
    };
    if !is_allowed {
        let name = context.command.name.to_uppercase();
        return Err(format!("ERR {name} isn't allowed for a DENY BLOCKING client").into());
    }
    confirm(context, |context| {
        for name in args.from(1) {
            context.session.subscribe(context.server, kind, name);
            let count = context.session.subscription_count_of(kind);
            confirmation(context.out, "subscribe", kind, Some(name), count);
        }
    });
    Ok(())
}

fn unsubscribe(context: &mut Context<'_>, args: Args<'_>, kind: Kind) -> Done {
    let names = match args.from(1) {
        [] => context.session.subscriptions_of(kind).iter().cloned().collect(),
        names => names.iter().map(|name| name.to_vec()).collect::<Vec<_>>(),
    };
    confirm(context, |context| {
        for name in &names {
            context.session.unsubscribe(context.server, kind, name);
            let count = context.session.subscription_count_of(kind);
            confirmation(context.out, "unsubscribe", kind, Some(name), count);
        }
        if names.is_empty() {
            let count = context.session.subscription_count_of(kind);
            confirmation(context.out, "unsubscribe", kind, None, count);
        }
    });
    Ok(())
}

fn publish(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let message = Message {
        channel: args.at(1).to_vec(),
        payload: args.at(2).to_vec(),
        is_shard: context.command.name == "spublish",
    };
    // Messages of a transaction follow its commit.
    let count = match context.cause() {
        Cause::Client => context.server.pubsub.publish(&message),
        _ => {
            let count = context.server.pubsub.receiver_count(&message);
            context.publish_later(message);
            count
        }
    };
    context.out.count(count);
    Ok(())
}

fn channels(context: &mut Context<'_>, args: Args<'_>, kind: Kind) -> Done {
    if args.len() > 3 {
        let name = String::from_utf8_lossy(args.at(1));
        return Err(format!(
            "ERR unknown subcommand or wrong number of arguments for '{name}'. Try PUBSUB HELP."
        )
        .into());
    }
    let mut names = context.server.pubsub.names(kind);
    if let Some(pattern) = args.get(2) {
        names.retain(|name| glob::matches(pattern, name, Case::Sensitive));
    }
    context.out.array(names.len());
    names.iter().for_each(|name| context.out.bulk(name));
    Ok(())
}

fn subscriber_counts(context: &mut Context<'_>, args: Args<'_>, kind: Kind) -> Done {
    let names = args.from(2);
    context.out.array(names.len() * 2);
    for name in names {
        context.out.bulk(name);
        context.out.count(context.server.pubsub.subscriber_count(kind, name));
    }
    Ok(())
}

fn pattern_count(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.count(context.server.pubsub.name_count(Kind::Pattern));
    Ok(())
}
