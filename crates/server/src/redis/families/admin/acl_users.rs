//! ACL SETUSER, GETUSER, DELUSER, LIST, USERS, LOAD and SAVE.

use crate::redis::acl::{self, Account, Selector};
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::resp::Reply;
use std::path::PathBuf;
use tracing::error;

/// ACL SETUSER.
pub(super) fn set(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let name = args.at(2);
    if name.iter().any(|byte| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b)) {
        return Err("ERR Usernames can't contain spaces or null characters".into());
    }
    context.server.edit_user(name, args.from(3)).map_err(|text| format!("ERR {text}"))?;
    context.out.ok();
    Ok(())
}

/// ACL DELUSER.
pub(super) fn delete(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let names = args.from(2);
    if names.contains(&context.server.users.default_account().name()) {
        return Err("ERR The 'default' user cannot be removed".into());
    }
    let removed = context.server.remove_users(context.session, names);
    context.out.count(removed);
    Ok(())
}

/// ACL GETUSER.
pub(super) fn get(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(account) = context.server.users.get(args.at(2)) else {
        context.out.null();
        return Ok(());
    };
    let (out, user) = (&mut *context.out, account.user());
    out.map(6);
    out.bulk(b"flags");
    let flags = user.flags();
    out.set(flags.len());
    flags.iter().for_each(|flag| out.bulk(flag.as_bytes()));
    out.bulk(b"passwords");
    out.array(user.passwords().len());
    user.passwords().for_each(|hash| out.bulk(hash.as_bytes()));
    write_selector(out, user.root());
    out.bulk(b"selectors");
    out.array(user.more_selectors().len());
    for selector in user.more_selectors() {
        out.map(3);
        write_selector(out, selector);
    }
    Ok(())
}

/// Writes the three pairs that describe a selector.
fn write_selector(out: &mut Reply, selector: &Selector) {
    for (name, rules) in [
        ("commands", selector.describe_commands()),
        ("keys", selector.keys.describe()),
        ("channels", selector.channels.describe()),
    ] {
        out.bulk(name.as_bytes());
        out.bulk(&rules);
    }
}

/// ACL USERS.
pub(super) fn list_names(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let users = context.server.users.list();
    context.out.array(users.len());
    users.iter().for_each(|account| context.out.bulk(account.name()));
    Ok(())
}

/// ACL LIST.
pub(super) fn list(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let users = context.server.users.list();
    context.out.array(users.len());
    users.iter().for_each(|account| context.out.bulk(&line(account)));
    Ok(())
}

/// Returns the line of a user in a file of users.
fn line(account: &Account) -> Vec<u8> {
    [b"user ", account.name(), b" ", &account.user().describe()].concat()
}

/// ACL LOAD.
pub(super) fn load(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let path = file(context)?;
    context.server.reload_users(context.session, &path)?;
    context.out.ok();
    Ok(())
}

/// ACL SAVE.
pub(super) fn save(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let path = file(context)?;
    let users = context.server.users.list();
    if let Err(error) = acl::save_file(&path, users.iter().map(|account| line(account))) {
        error!(target: "ferrolith::config", file = %path.display(), %error, "ACL SAVE failed");
        return Err(
            "ERR There was an error trying to save the ACLs. Please check the server logs \
                    for more information"
                .into(),
        );
    }
    context.out.ok();
    Ok(())
}

fn file(context: &Context<'_>) -> Done<PathBuf> {
    const NONE: &str = "ERR This Redis instance is not configured to use an ACL file. You may want to specify \
         users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a \
         Redis configuration file set) in order to store users in the Redis configuration.";
    Ok(context.server.users_file().ok_or(NONE)?)
}
