//! COMMAND: descriptions of commands, from their table.

use super::tips;
use crate::redis::acl;
use crate::redis::args::{Args, is};
use crate::redis::command::{
    ADMIN, ALLOW_BUSY, ASKING, BLOCKING, Command, DENYOOM, FAST, Flags, Group, LOADING, NO_AUTH,
    NO_MANDATORY_KEYS, NO_MULTI, NOSCRIPT, PUBSUB, READONLY, SKIP_MONITOR, SKIP_SLOWLOG, STALE,
    WRITE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::families::help::help;
use crate::redis::keyspec::{Begin, Find, KeyFlags, KeySpec, OW, Positions, RO, RW};
use crate::redis::table;
use crate::resp::Reply;
use crate::text::glob::{self, Case};

const FLAGS: Flags = LOADING.and(STALE);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::new("command", -1, FLAGS, Group::Server, all)
        .with_subcommands(SUBCOMMANDS)
        .with_docs("2.8.13", "Describes all commands.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("count", 2, FLAGS, Group::Server, count)
        .with_full_name("command|count")
        .with_docs("2.8.13", "Returns the number of commands."),
    Command::new("docs", -2, FLAGS, Group::Server, docs)
        .with_full_name("command|docs")
        .with_docs("7.0.0", "Returns what commands do."),
    Command::new("getkeys", -4, FLAGS, Group::Server, get_keys)
        .with_full_name("command|getkeys")
        .with_docs("2.8.13", "Returns the keys of a full command."),
    Command::new("getkeysandflags", -4, FLAGS, Group::Server, get_keys_and_flags)
        .with_full_name("command|getkeysandflags")
        .with_docs("7.0.0", "Returns the keys of a full command, and what it does to them."),
    Command::new("help", 2, FLAGS, Group::Server, help)
        .with_full_name("command|help")
        .with_docs("5.0.0", "Describes the subcommands."),
    Command::new("info", -2, FLAGS, Group::Server, info)
        .with_full_name("command|info")
        .with_docs("2.8.13", "Describes commands."),
    Command::new("list", -2, FLAGS, Group::Server, list)
        .with_full_name("command|list")
        .with_docs("7.0.0", "Returns the names of commands."),
];

/// The flags that clients are told.
const NAMED_FLAGS: [(Flags, &str); 17] = [
    (WRITE, "write"),
    (READONLY, "readonly"),
    (DENYOOM, "denyoom"),
    (ADMIN, "admin"),
    (PUBSUB, "pubsub"),
    (NOSCRIPT, "noscript"),
    (BLOCKING, "blocking"),
    (LOADING, "loading"),
    (STALE, "stale"),
    (SKIP_MONITOR, "skip_monitor"),
    (SKIP_SLOWLOG, "skip_slowlog"),
    (FAST, "fast"),
    (NO_AUTH, "no_auth"),
    (NO_MANDATORY_KEYS, "no_mandatory_keys"),
    (NO_MULTI, "no_multi"),
    (ALLOW_BUSY, "allow_busy"),
    (ASKING, "asking"),
];

/// Commands with fixed specifications of keys that may have more keys, as Redis says.
const MOVABLE: [&str; 2] = ["sort_ro", "migrate"];

fn all(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let out = &mut *context.out;
    out.array(table::all().count());
    table::all().for_each(|command| write_info(out, command));
    Ok(())
}

fn count(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.count(table::all().count());
    Ok(())
}

fn info(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() == 2 {
        return all(context, args);
    }
    context.out.array(args.len() - 2);
    for name in args.from(2) {
        match table::by_full_name(name) {
            Some(command) => write_info(context.out, command),
            None => context.out.null(),
        }
    }
    Ok(())
}

fn write_info(out: &mut Reply, command: &Command) {
    out.array(10);
    out.bulk(command.full_name.as_bytes());
    out.integer(command.arity.into());
    let is_movable = !command.keys.iter().all(is_fixed) || MOVABLE.contains(&command.name);
    let flags = NAMED_FLAGS.iter().filter(|(flag, _)| command.flags.has(*flag));
    let flags = flags.map(|(_, name)| *name);
    write_names(out, flags.chain(is_movable.then_some("movablekeys")));
    for number in legacy_range(command) {
        out.integer(number.into());
    }
    let categories: Vec<String> = acl::categories_of(command).map(|it| format!("@{it}")).collect();
    write_names(out, categories.iter().map(String::as_str));
    let tips = tips::of(command.full_name);
    out.array(tips.len());
    tips.iter().for_each(|tip| out.bulk(tip.as_bytes()));
    out.set(command.keys.len());
    command.keys.iter().for_each(|spec| write_key_spec(out, spec));
    out.array(command.subcommands.len());
    command.subcommands.iter().for_each(|subcommand| write_info(out, subcommand));
}

fn write_names<'n>(out: &mut Reply, names: impl Iterator<Item = &'n str>) {
    let names: Vec<&str> = names.collect();
    out.set(names.len());
    names.into_iter().for_each(|name| out.simple(name));
}

/// Returns whether keys are found at positions that depend on the number of arguments only.
fn is_fixed(spec: &KeySpec) -> bool {
    spec.begin.index().is_some() && matches!(spec.find, Find::Range { .. })
}

/// Returns the first key, the last key and the distance between keys, as clients from before Redis 7 want them; zeros
/// if there are none at fixed positions.
fn legacy_range(command: &Command) -> [i32; 3] {
    let mut range = [0; 3];
    for spec in command.keys {
        let (Some(first), Find::Range { last, step, .. }) = (spec.begin.index(), spec.find) else {
            continue;
        };
        let (first, step) = (first as i32, step as i32);
        let last = if last >= 0 { first + last } else { last };
        range = match range {
            [0, ..] => [first, last, step],
            // Another key behind the last one.
            [begin, end, 1] if end + 1 == first && step == 1 => [begin, last, 1],
            other => other,
        };
    }
    range
}

fn write_pairs(out: &mut Reply, pairs: &[(&str, i64)]) {
    out.map(pairs.len());
    for (name, value) in pairs {
        out.bulk(name.as_bytes());
        out.integer(*value);
    }
}

fn write_key_spec(out: &mut Reply, spec: &KeySpec) {
    out.map(3);
    out.bulk(b"flags");
    write_names(out, spec.flags.0.iter().copied());
    out.bulk(b"begin_search");
    out.map(2);
    out.bulk(b"type");
    if let Some(at) = spec.begin.index() {
        out.bulk(b"index");
        out.bulk(b"spec");
        write_pairs(out, &[("index", at as i64)]);
    }
    if let Some((word, from)) = spec.begin.keyword() {
        out.bulk(b"keyword");
        out.bulk(b"spec");
        out.map(2);
        out.bulk(b"keyword");
        out.bulk(word.to_uppercase().as_bytes());
        out.bulk(b"startfrom");
        out.integer(from.into());
    }
    out.bulk(b"find_keys");
    out.map(2);
    out.bulk(b"type");
    match spec.find {
        Find::Range { last, step, limit } => {
            out.bulk(b"range");
            out.bulk(b"spec");
            let limit = limit as i64;
            write_pairs(
                out,
                &[("lastkey", last.into()), ("keystep", step as i64), ("limit", limit)],
            );
        }
        Find::Count { count, first, step } => {
            out.bulk(b"keynum");
            out.bulk(b"spec");
            let (count, first, step) = (count as i64, first as i64, step as i64);
            write_pairs(out, &[("keynumidx", count), ("firstkey", first), ("keystep", step)]);
        }
    }
}

fn docs(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let commands: Vec<&Command> = match args.len() {
        2 => table::all().collect(),
        _ => args.from(2).iter().filter_map(|name| table::by_full_name(name)).collect(),
    };
    context.out.map(commands.len());
    commands.into_iter().for_each(|command| write_docs(context.out, command));
    Ok(())
}

fn write_docs(out: &mut Reply, command: &Command) {
    out.bulk(command.full_name.as_bytes());
    out.map(if command.subcommands.is_empty() { 3 } else { 4 });
    let group = command.group.name();
    for (name, text) in [("summary", command.summary), ("since", command.since), ("group", group)] {
        out.bulk(name.as_bytes());
        out.bulk(text.as_bytes());
    }
    if !command.subcommands.is_empty() {
        out.bulk(b"subcommands");
        out.map(command.subcommands.len());
        command.subcommands.iter().for_each(|subcommand| write_docs(out, subcommand));
    }
}

/// Returns keys of a full command, which begins at the third argument, and what it does to them.
fn keys_of<'a>(args: Args<'a>) -> Done<Vec<(&'a [u8], KeyFlags)>> {
    let full = Args::new(args.from(2));
    let command = table::find(full).map_err(|_| "ERR Invalid command specified")?;
    if command.keys.is_empty() {
        return Err("ERR The command has no key arguments".into());
    }
    if !command.allows(full.len()) {
        return Err("ERR Invalid number of arguments specified for command".into());
    }
    let mut keys = Vec::new();
    for spec in command.keys {
        let mut positions = Positions::new();
        spec.positions(full, &mut positions);
        if positions.is_empty() && !may_be_empty(spec, full) {
            return Err("ERR Invalid arguments specified for command".into());
        }
        let flags = flags_of(command, full, spec.flags);
        keys.extend(positions.into_iter().map(|at| (full.at(at), flags)));
    }
    if keys.is_empty() && !command.flags.has(NO_MANDATORY_KEYS) {
        return Err("ERR Invalid arguments specified for command".into());
    }
    Ok(keys)
}

/// Returns whether arguments can be right although they have no key of a specification.
fn may_be_empty(spec: &KeySpec, args: Args<'_>) -> bool {
    match (spec.begin, spec.find) {
        (Begin::Index(at), Find::Count { count, .. }) => matches!(args.integer(at + count), Ok(0)),
        _ => true,
    }
}

/// Returns what a command does to a key where that depends on other arguments.
fn flags_of(command: &Command, args: Args<'_>, flags: KeyFlags) -> KeyFlags {
    if !flags.0.contains(&"variable_flags") {
        return flags;
    }
    let has = |word: &str| (2..args.len()).any(|at| args.is(at, word));
    match command.name {
        "set" if has("get") => RW,
        "set" => OW,
        "bitfield" if has("set") || has("incrby") => RW,
        "bitfield" => RO,
        _ => flags,
    }
}

fn get_keys(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let keys = keys_of(args)?;
    context.out.array(keys.len());
    keys.into_iter().for_each(|(key, _)| context.out.bulk(key));
    Ok(())
}

fn get_keys_and_flags(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let keys = keys_of(args)?;
    context.out.array(keys.len());
    for (key, flags) in keys {
        context.out.array(2);
        context.out.bulk(key);
        write_names(context.out, flags.0.iter().copied());
    }
    Ok(())
}

fn list(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() != 2 && !(args.len() == 5 && args.is(2, "filterby")) {
        return Err(SYNTAX.into());
    }
    let pattern = args.at(4);
    let is_listed: Box<dyn Fn(&Command) -> bool> = match args.get(3) {
        None => Box::new(|_| true),
        // There are no modules.
        Some(kind) if is(kind, "module") => Box::new(|_| false),
        Some(kind) if is(kind, "aclcat") => {
            let category = String::from_utf8_lossy(pattern).to_ascii_lowercase();
            let known = acl::CATEGORIES.contains(&category.as_str());
            Box::new(move |command| known && acl::has_category(command, &category))
        }
        Some(kind) if is(kind, "pattern") => Box::new(move |command| {
            glob::matches(pattern, command.full_name.as_bytes(), Case::Ignored)
        }),
        Some(_) => return Err(SYNTAX.into()),
    };
    let names: Vec<_> = table::every().filter(|command| is_listed(command)).collect();
    context.out.array(names.len());
    names.into_iter().for_each(|command| context.out.bulk(command.full_name.as_bytes()));
    Ok(())
}
