//! ACL: categories, the log of refusals, and questions about rights. `acl_users` has the commands that show and change
//! users.

use super::acl_users::{delete, get, list, list_names, load, save, set};
use crate::error::Error;
use crate::redis::acl::{self, Denied, Entry};
use crate::redis::args::{Args, parse_integer, wrong_arity};
use crate::redis::command::{ADMIN, Command, Flags, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::families::help::help;
use crate::redis::table;
use crate::resp::Reply;
use std::fmt::Write;
use std::io::Read;

const FLAGS: Flags = NOSCRIPT.and(LOADING).and(STALE);
const ADMIN_FLAGS: Flags = FLAGS.and(ADMIN);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::container("acl", Group::Server, SUBCOMMANDS)
        .with_docs("6.0.0", "Contains the commands about users and their rights.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("cat", -2, FLAGS, Group::Server, cat)
        .with_full_name("acl|cat")
        .with_docs("6.0.0", "Returns the categories of commands, or the commands of one."),
    Command::new("deluser", -3, ADMIN_FLAGS, Group::Server, delete)
        .with_full_name("acl|deluser")
        .with_docs("6.0.0", "Removes users and closes their connections."),
    Command::new("dryrun", -4, ADMIN_FLAGS, Group::Server, dry_run)
        .with_full_name("acl|dryrun")
        .with_docs("7.0.0", "Returns whether a user may use a command."),
    Command::new("genpass", -2, FLAGS, Group::Server, generate)
        .with_full_name("acl|genpass")
        .with_docs("6.0.0", "Returns a random password."),
    Command::new("getuser", 3, ADMIN_FLAGS, Group::Server, get)
        .with_full_name("acl|getuser")
        .with_docs("6.0.0", "Describes a user."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("acl|help")
        .with_docs("6.0.0", "Describes the subcommands."),
    Command::new("list", 2, ADMIN_FLAGS, Group::Server, list)
        .with_full_name("acl|list")
        .with_docs("6.0.0", "Describes all users."),
    Command::new("load", 2, ADMIN_FLAGS, Group::Server, load)
        .with_full_name("acl|load")
        .with_docs("6.0.0", "Replaces all users by those of the file of users."),
    Command::new("log", -2, ADMIN_FLAGS, Group::Server, log)
        .with_full_name("acl|log")
        .with_docs("6.0.0", "Returns the latest refused commands and logins."),
    Command::new("save", 2, ADMIN_FLAGS, Group::Server, save)
        .with_full_name("acl|save")
        .with_docs("6.0.0", "Writes all users to the file of users."),
    Command::new("setuser", -3, ADMIN_FLAGS, Group::Server, set)
        .with_full_name("acl|setuser")
        .with_docs("6.0.0", "Creates a user or changes its rules."),
    Command::new("users", 2, ADMIN_FLAGS, Group::Server, list_names)
        .with_full_name("acl|users")
        .with_docs("6.0.0", "Returns the names of all users."),
    Command::new("whoami", 2, FLAGS, Group::Server, who_am_i)
        .with_full_name("acl|whoami")
        .with_docs("6.0.0", "Returns the name of the connection's user."),
];

fn cat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(super::syntax_of("acl", args));
    }
    let Some(category) = args.get(2) else {
        context.out.array(acl::CATEGORIES.len());
        acl::CATEGORIES.iter().for_each(|name| context.out.bulk(name.as_bytes()));
        return Ok(());
    };
    let Some(category) = acl::find_category(category) else {
        let shown = String::from_utf8_lossy(category);
        return Err(format!("ERR Unknown category '{shown}'").into());
    };
    let found: Vec<_> = table::every().filter(|it| acl::has_category(it, category)).collect();
    context.out.array(found.len());
    found.into_iter().for_each(|command| context.out.bulk(command.full_name.as_bytes()));
    Ok(())
}

fn dry_run(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let shown = |at: usize| String::from_utf8_lossy(args.at(at)).into_owned();
    let account = context.server.users.get(args.at(2));
    let account = account.ok_or_else(|| format!("ERR User '{}' not found", shown(2)))?;
    let command = Args::new(args.from(3));
    let found = table::find(command);
    let found = found.map_err(|_| format!("ERR Command '{}' not found", shown(3)))?;
    if !found.allows(command.len()) {
        return Err(wrong_arity(found.full_name));
    }
    let (what, name) = match acl::check(&account.user(), found, command) {
        Ok(()) => {
            context.out.ok();
            return Ok(());
        }
        Err(Denied::Command) => {
            let name = found.full_name;
            let text = format!("This user has no permissions to run the '{name}' command");
            context.out.bulk(text.as_bytes());
            return Ok(());
        }
        Err(Denied::Key(at)) => ("key", command.at(at)),
        Err(Denied::Channel(at)) => ("channel", command.at(at)),
    };
    let text = [b"This user has no permissions to access the '", name, b"' ", what.as_bytes()];
    context.out.bulk(&text.concat());
    Ok(())
}

fn generate(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(super::syntax_of("acl", args));
    }
    let bits = args.get(2).map_or(Ok(256), parse_integer)?;
    let bits = usize::try_from(bits).ok().filter(|bits| (1..=4096).contains(bits));
    let bits = bits.ok_or(
        "ERR ACL GENPASS argument must be the number of bits for the output password, a positive \
         number up to 4096",
    )?;
    let mut bytes = vec![0; bits.div_ceil(8)];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Failure::Store(Error::Io("reading random bytes".to_owned(), error)))?;
    let mut digits = String::new();
    // Writing to a string does not fail.
    bytes.iter().for_each(|byte| _ = write!(digits, "{byte:02x}"));
    digits.truncate(bits.div_ceil(4));
    context.out.bulk(digits.as_bytes());
    Ok(())
}

fn who_am_i(context: &mut Context<'_>, _: Args<'_>) -> Done {
    context.out.bulk(context.session.account.name());
    Ok(())
}

fn log(context: &mut Context<'_>, args: Args<'_>) -> Done {
    const COUNT: i64 = 10;
    if args.len() > 3 {
        return Err(super::syntax_of("acl", args));
    }
    if args.is(2, "reset") {
        context.server.access_log.reset();
        context.out.ok();
        return Ok(());
    }
    let count = args.get(2).map_or(Ok(COUNT), parse_integer)?;
    let entries = context.server.access_log.latest(usize::try_from(count).unwrap_or(0));
    let now_ms = context.server.clock.wall_ms();
    context.out.array(entries.len());
    entries.iter().for_each(|entry| write_entry(context.out, entry, now_ms));
    Ok(())
}

fn write_entry(out: &mut Reply, entry: &Entry, now_ms: u64) {
    out.map(7);
    out.bulk(b"count");
    out.integer(entry.count as i64);
    for (name, value) in [
        ("reason", entry.reason.name().as_bytes()),
        ("context", entry.place.name().as_bytes()),
        ("object", &entry.object),
        ("username", &entry.user),
    ] {
        out.bulk(name.as_bytes());
        out.bulk(value);
    }
    out.bulk(b"age-seconds");
    let age_s = now_ms.saturating_sub(entry.at_ms) as f64 / 1000.0;
    out.double(&age_s.to_string());
    out.bulk(b"client-info");
    out.bulk(entry.client.as_bytes());
}
