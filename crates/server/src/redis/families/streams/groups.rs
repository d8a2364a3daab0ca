//! XGROUP: the creation and removal of groups and consumers.

use super::group::Group;
use super::stream::Stream;
use super::trim::{INVALID_ID, parse_id};
use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::streamid::StreamId;

const NO_STREAM: &str = "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE \
                         you may want to use the MKSTREAM option to create an empty stream \
                         automatically.";

/// The optional arguments of CREATE and SETID.
#[derive(Default)]
struct Options {
    make_stream: bool,
    read: Option<u64>,
}

pub(super) fn create(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = parse(args, true)?;
    let (key, name) = (args.at(2), args.at(3));
    let found = Stream::find(context, key)?;
    if found.is_none() && !options.make_stream {
        return Err(NO_STREAM.into());
    }
    if args.len() > 8 {
        return Err(wrong_subcommand(args));
    }
    let id = match (args.at(4), &found) {
        (b"$", Some(stream)) => stream.last_id,
        (b"$", None) => StreamId::MIN,
        (id, _) => parse_id(id)?,
    };
    let stream = match found {
        Some(stream) => stream,
        None => {
            let mut stream = Stream::replacing(context, key)?;
            stream.save(context)?;
            stream
        }
    };
    if Group::find(context, &stream, name)?.is_some() {
        return Err("BUSYGROUP Consumer Group name already exists".into());
    }
    Group::new(context, name, id, options.read).save(context, &stream)?;
    context.notify(b't', "xgroup-create", key);
    context.out.ok();
    Ok(())
}

pub(super) fn setid(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = parse(args, false)?;
    let (stream, mut group) = find(context, args)?;
    if !matches!(args.len(), 5 | 7) {
        return Err(wrong_subcommand(args));
    }
    group.last_id = match args.at(4) {
        b"$" => stream.last_id,
        id => StreamId::parse_or_end(id, 0).ok_or(INVALID_ID)?,
    };
    group.read = options.read;
    group.save(context, &stream)?;
    // Clients that wait may get older entries again.
    context.touch(args.at(2));
    context.notify(b't', "xgroup-setid", args.at(2));
    context.out.ok();
    Ok(())
}

pub(super) fn destroy(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let stream = Stream::find(context, args.at(2))?.ok_or(NO_STREAM)?;
    let group = Group::find(context, &stream, args.at(3))?;
    if let Some(group) = &group {
        group.delete(context, &stream)?;
        // Clients that wait for the group get an error.
        context.touch(args.at(2));
        context.notify(b't', "xgroup-destroy", args.at(2));
    }
    context.out.integer(group.is_some().into());
    Ok(())
}

pub(super) fn createconsumer(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (stream, mut group) = find(context, args)?;
    let is_new = group.consumer(context, &stream, args.at(4))?.is_none();
    if is_new {
        let consumer = group.consumer_or_new(context, &stream, args.at(4))?;
        group.save_consumer(context, &stream, &consumer)?;
        group.save(context, &stream)?;
    }
    context.out.integer(is_new.into());
    Ok(())
}

pub(super) fn delconsumer(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (stream, mut group) = find(context, args)?;
    let consumer = group.consumer(context, &stream, args.at(4))?;
    if let Some(consumer) = &consumer {
        group.delete_consumer(context, &stream, consumer)?;
        group.save(context, &stream)?;
        context.notify(b't', "xgroup-delconsumer", args.at(2));
    }
    context.out.integer(consumer.map_or(0, |consumer| consumer.pending as i64));
    Ok(())
}

/// Returns the stream and the group that a subcommand names.
fn find<'k>(context: &Context<'_>, args: Args<'k>) -> Done<(Stream<'k>, Group)> {
    let (key, name) = (args.at(2), args.at(3));
    let stream = Stream::find(context, key)?.ok_or(NO_STREAM)?;
    match Group::find(context, &stream, name)? {
        Some(group) => Ok((stream, group)),
        None => Err(no_group(key, name)),
    }
}

/// Returns the error of a group that does not exist.
pub(super) fn no_group(key: &[u8], group: &[u8]) -> Failure {
    let (key, group) = (String::from_utf8_lossy(key), String::from_utf8_lossy(group));
    format!("NOGROUP No such consumer group '{group}' for key name '{key}'").into()
}

fn parse(args: Args<'_>, is_create: bool) -> Done<Options> {
    let mut parsed = Options::default();
    let mut options = args.options(5);
    while let Some(word) = options.next() {
        if is_create && is(word, "mkstream") {
            parsed.make_stream = true;
        } else if is(word, "entriesread") && options.left() > 0 {
            parsed.read = match parse_integer(options.value()?)? {
                -1 => None,
                value => Some(
                    u64::try_from(value)
                        .map_err(|_| "ERR value for ENTRIESREAD must be positive or -1")?,
                ),
            };
        } else {
            return Err(wrong_subcommand(args));
        }
    }
    Ok(parsed)
}

/// Returns the error of a subcommand with arguments that do not fit.
pub(super) fn wrong_subcommand(args: Args<'_>) -> Failure {
    let name = String::from_utf8_lossy(args.at(0)).to_uppercase();
    let subcommand = args.at(1);
    let subcommand = String::from_utf8_lossy(subcommand.get(..128).unwrap_or(subcommand));
    format!(
        "ERR unknown subcommand or wrong number of arguments for '{subcommand}'. Try {name} HELP."
    )
    .into()
}
