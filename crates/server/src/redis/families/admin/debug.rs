//! DEBUG, as far as tests of clients need it. It is refused unless a flag of the server allows it.

use crate::redis::args::Args;
use crate::redis::command::{ADMIN, Command, Group, LOADING, NOSCRIPT, STALE};
use crate::redis::context::Context;
use crate::redis::failure::{Done, NO_KEY};
use crate::redis::families::dump::dumped_bytes;
use crate::redis::families::object::encoding_of;
use crate::redis::parameters::Id;
use crate::resp::Protocol;
use crate::text::glob::{self, Case};
use std::time::Duration;
use tracing::warn;

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::new("debug", -2, ADMIN.and(NOSCRIPT).and(LOADING).and(STALE), Group::Server, debug)
        .with_docs("1.0.0", "Helps to test clients, if a flag of the server allows it.")];

/// The longest DEBUG SLEEP, which stops all connections of a worker, in seconds.
const SLEEP_MAX: f64 = 60.0;
/// The longest text of STRINGMATCH-LEN.
const TEXT_MAX: usize = 64 << 20;

/// Subcommands without effect here: there is nothing that they would change.
const IGNORED: [&str; 12] = [
    "set-active-expire",
    "quicklist-packed-threshold",
    "listpack-entries",
    "set-skip-checksum-validation",
    "change-repl-id",
    "replicate",
    "aof-flush-sleep",
    "set-disable-deny-scripts",
    "config-rewrite-force-all",
    "pause-cron",
    "replybuffer",
    "dict-resizing",
];

fn debug(context: &mut Context<'_>, args: Args<'_>) -> Done {
    check(context)?;
    let name = String::from_utf8_lossy(args.at(1)).to_ascii_lowercase();
    match name.as_str() {
        "sleep" if args.len() == 3 => {
            let seconds = args.float(2).unwrap_or(0.0).clamp(0.0, SLEEP_MAX);
            std::thread::sleep(Duration::from_secs_f64(seconds));
            context.out.ok();
        }
        // Rows are on the device or in the log already.
        "reload" | "loadaof" | "flushall-sync" => {
            super::operations::sync(context)?;
            context.out.ok();
        }
        "log" if args.len() == 3 => {
            warn!(target: "ferrolith::client", "DEBUG LOG: {}", args.at(2).escape_ascii());
            context.out.ok();
        }
        "error" if args.len() == 3 => {
            return Err(String::from_utf8_lossy(args.at(2)).into_owned().into());
        }
        "object" if args.len() >= 3 => object(context, args)?,
        "stringmatch-len" if args.len() == 4 => {
            let length = args.integer(2)?;
            let length = usize::try_from(length).ok().filter(|length| *length <= TEXT_MAX);
            let text = vec![b'x'; length.ok_or("ERR the text is too long")?];
            context.out.integer(glob::matches(args.at(3), &text, Case::Sensitive).into());
        }
        "protocol" if args.len() == 3 => protocol(context, args)?,
        name if IGNORED.contains(&name) => context.out.ok(),
        _ => {
            let shown = String::from_utf8_lossy(args.at(1)).into_owned();
            return Err(format!("ERR DEBUG {shown} is not supported by this server").into());
        }
    }
    Ok(())
}

/// Checks that the client may use DEBUG.
fn check(context: &Context<'_>) -> Done {
    const ENABLED: Id = Id::of("enable-debug-command");
    match context.server.parameters.text(ENABLED).as_str() {
        "yes" => Ok(()),
        "local" if context.session.client.address.ip().is_loopback() => Ok(()),
        _ => Err("ERR DEBUG command not allowed. If the enable-debug-command option is set to \
                  \"local\", you can run it from a local connection, otherwise you need to set \
                  this option in the configuration file, and then restart the server."
            .into()),
    }
}

fn object(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let key = args.at(2);
    let encoding = encoding_of(context, key)?.ok_or(NO_KEY)?;
    let bytes = dumped_bytes(context, key)?.ok_or(NO_KEY)?;
    let text = format!(
        "Value at:0x0 refcount:1 encoding:{encoding} serializedlength:{bytes} lru:0 \
         lru_seconds_idle:0"
    );
    context.out.simple(&text);
    Ok(())
}

/// Replies a value of a type of the protocol.
fn protocol(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let out = &mut *context.out;
    match args.at(2).to_ascii_lowercase().as_slice() {
        b"string" => out.bulk(b"Hello World"),
        b"integer" => out.integer(12345),
        b"double" => out.double("3.141"),
        b"bignum" => out.big_number("1234567999999999999999999999999999999"),
        b"null" => out.null(),
        b"true" => out.boolean(true),
        b"false" => out.boolean(false),
        b"verbatim" => out.verbatim(b"This is a verbatim\nstring"),
        b"array" => {
            out.array(3);
            (0..3).for_each(|number| out.integer(number));
        }
        b"set" => {
            out.set(3);
            (0..3).for_each(|number| out.integer(number));
        }
        b"map" => {
            out.map(3);
            for number in 0..3 {
                out.integer(number);
                out.boolean(number == 1);
            }
        }
        b"attrib" => {
            if out.protocol == Protocol::Resp3 {
                out.attributes(1);
                out.bulk(b"key-popularity");
                out.array(2);
                out.bulk(b"key:123");
                out.integer(90);
            }
            out.bulk(b"Some real reply following the attribute");
        }
        b"push" if out.protocol == Protocol::Resp2 => {
            return Err("ERR RESP2 is not supported by this command".into());
        }
        b"push" => {
            out.push(2);
            out.bulk(b"server-cpu-usage");
            out.integer(42);
            out.bulk(b"Some real reply following the push reply");
        }
        _ => {
            return Err("ERR Wrong protocol type name. Please use one of the following: \
                        string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|\
                        true|false"
                .into());
        }
    }
    Ok(())
}
