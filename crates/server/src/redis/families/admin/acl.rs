//! ACL: there is one user, `default`, who may do all. Its password is the parameter `requirepass`.

use super::categories;
use crate::error::Error;
use crate::redis::args::{Args, is, parse_integer, wrong_arity};
use crate::redis::command::{ADMIN, Command, Flags, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::families::help::help;
use crate::redis::table;
use std::fmt::Write;
use std::io::Read;

const FLAGS: Flags = NOSCRIPT.and(LOADING).and(STALE);
const ADMIN_FLAGS: Flags = FLAGS.and(ADMIN);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::container("acl", Group::Server, SUBCOMMANDS)
        .with_docs("6.0.0", "Contains the commands about users, of which there is one.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("cat", -2, FLAGS, Group::Server, cat)
        .with_full_name("acl|cat")
        .with_docs("6.0.0", "Returns the categories of commands, or the commands of one."),
    Command::new("deluser", -3, ADMIN_FLAGS, Group::Server, delete_user)
        .with_full_name("acl|deluser")
        .with_docs("6.0.0", "Removes users other than default, of which there are none."),
    Command::new("dryrun", -4, ADMIN_FLAGS, Group::Server, dry_run)
        .with_full_name("acl|dryrun")
        .with_docs("7.0.0", "Returns whether a user may use a command."),
    Command::new("genpass", -2, FLAGS, Group::Server, generate)
        .with_full_name("acl|genpass")
        .with_docs("6.0.0", "Returns a random password."),
    Command::new("getuser", 3, ADMIN_FLAGS, Group::Server, get_user)
        .with_full_name("acl|getuser")
        .with_docs("6.0.0", "Describes a user."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("acl|help")
        .with_docs("6.0.0", "Describes the subcommands."),
    Command::new("list", 2, ADMIN_FLAGS, Group::Server, list)
        .with_full_name("acl|list")
        .with_docs("6.0.0", "Describes all users."),
    Command::new("load", 2, ADMIN_FLAGS, Group::Server, refuse_file)
        .with_full_name("acl|load")
        .with_docs("6.0.0", "Fails: there is no file of users."),
    Command::new("log", -2, ADMIN_FLAGS, Group::Server, log)
        .with_full_name("acl|log")
        .with_docs("6.0.0", "Returns refused commands, of which there are none."),
    Command::new("save", 2, ADMIN_FLAGS, Group::Server, refuse_file)
        .with_full_name("acl|save")
        .with_docs("6.0.0", "Fails: there is no file of users."),
    Command::new("setuser", -3, ADMIN_FLAGS, Group::Server, set_user)
        .with_full_name("acl|setuser")
        .with_docs("6.0.0", "Fails: there is one user."),
    Command::new("users", 2, ADMIN_FLAGS, Group::Server, |context, _| {
        context.out.array(1);
        context.out.bulk(b"default");
        Ok(())
    })
    .with_full_name("acl|users")
    .with_docs("6.0.0", "Returns the names of all users."),
    Command::new("whoami", 2, FLAGS, Group::Server, |context, _| {
        context.out.bulk(b"default");
        Ok(())
    })
    .with_full_name("acl|whoami")
    .with_docs("6.0.0", "Returns the name of the connection's user."),
];

fn cat(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 3 {
        return Err(super::syntax_of("acl", args));
    }
    let Some(category) = args.get(2) else {
        context.out.array(categories::ALL.len());
        categories::ALL.iter().for_each(|name| context.out.bulk(name.as_bytes()));
        return Ok(());
    };
    let category = String::from_utf8_lossy(category).to_ascii_lowercase();
    if !categories::ALL.contains(&category.as_str()) {
        let shown = String::from_utf8_lossy(args.at(2));
        return Err(format!("ERR Unknown category '{shown}'").into());
    }
    let found: Vec<_> = table::every().filter(|it| categories::has(it, &category)).collect();
    context.out.array(found.len());
    found.into_iter().for_each(|command| context.out.bulk(command.full_name.as_bytes()));
    Ok(())
}

fn delete_user(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.from(2).contains(&&b"default"[..]) {
        return Err("ERR The 'default' user cannot be removed".into());
    }
    context.out.integer(0);
    Ok(())
}

fn dry_run(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let shown = |at: usize| String::from_utf8_lossy(args.at(at)).into_owned();
    if args.at(2) != b"default" {
        return Err(format!("ERR User '{}' not found", shown(2)).into());
    }
    let command = Args::new(args.from(3));
    let found = table::find(command);
    let found = found.map_err(|_| format!("ERR Command '{}' not found", shown(3)))?;
    if !found.allows(command.len()) {
        return Err(wrong_arity(found.full_name));
    }
    context.out.ok();
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

fn get_user(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.at(2) != b"default" {
        context.out.null();
        return Ok(());
    }
    let has_password = !context.server.password().is_empty();
    let out = &mut *context.out;
    out.map(6);
    out.bulk(b"flags");
    let flags = ["on", "nopass"];
    let flags = flags.iter().filter(|flag| !has_password || **flag != "nopass");
    out.set(flags.clone().count());
    flags.for_each(|flag| out.bulk(flag.as_bytes()));
    // Redis shows hashes of passwords. They help those who want to guess them only.
    out.bulk(b"passwords");
    out.array(0);
    for (name, value) in [("commands", "+@all"), ("keys", "~*"), ("channels", "&*")] {
        out.bulk(name.as_bytes());
        out.bulk(value.as_bytes());
    }
    out.bulk(b"selectors");
    out.array(0);
    Ok(())
}

fn list(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let nopass = if context.server.password().is_empty() { "nopass " } else { "" };
    context.out.array(1);
    let rules = format!("user default on {nopass}~* &* +@all");
    context.out.bulk(rules.as_bytes());
    Ok(())
}

fn log(context: &mut Context<'_>, args: Args<'_>) -> Done {
    match args.get(2) {
        Some(word) if is(word, "reset") => context.out.ok(),
        Some(count) => {
            parse_integer(count)?;
            context.out.array(0);
        }
        None => context.out.array(0),
    }
    Ok(())
}

fn refuse_file(_: &mut Context<'_>, _: Args<'_>) -> Done {
    Err("ERR This Redis instance is not configured to use an ACL file. You may want to specify \
         users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a \
         Redis configuration file set) in order to store users in the Redis configuration."
        .into())
}

fn set_user(_: &mut Context<'_>, _: Args<'_>) -> Done {
    Err("ERR ACL SETUSER is not supported: there is one user, default, and CONFIG SET requirepass \
         sets its password"
        .into())
}
