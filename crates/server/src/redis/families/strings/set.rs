//! SET and its relatives, and GETEX, which has the same options for expiry.

use super::{Asked, expiry};
use crate::redis::args::{Args, is};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::values::Place;

/// Options of SET and GETEX.
#[derive(Default)]
pub(crate) struct SetOptions<'a> {
    pub(crate) only_new: bool,
    pub(crate) only_old: bool,
    pub(crate) replies_old: bool,
    pub(crate) keeps_expiry: bool,
    pub(crate) persists: bool,
    pub(crate) expiry: Option<Expiry<'a>>,
}

/// An expiry as it is given.
pub(crate) struct Expiry<'a> {
    /// The option: EX, PX, EXAT or PXAT.
    word: &'static str,
    text: &'a [u8],
}

impl Expiry<'_> {
    /// Returns whether the time counts from now.
    pub(crate) fn is_relative(&self) -> bool {
        matches!(self.word, "ex" | "px")
    }

    /// Returns the time in milliseconds since 1970.
    pub(crate) fn at_ms(&self, asked: Asked) -> Done<u64> {
        let in_seconds = matches!(self.word, "ex" | "exat");
        expiry(asked, self.text, in_seconds, self.is_relative())
    }
}

impl<'a> SetOptions<'a> {
    /// Parses the options from an argument on. GETEX knows PERSIST and the expiries, SET all others.
    pub(crate) fn parse(args: Args<'a>, from: usize, is_set: bool) -> Done<SetOptions<'a>> {
        let mut options = SetOptions::default();
        let mut words = args.options(from);
        while let Some(word) = words.next() {
            let has_other = options.keeps_expiry || options.persists;
            if is_set && is(word, "nx") && !options.only_old {
                options.only_new = true;
            } else if is_set && is(word, "xx") && !options.only_new {
                options.only_old = true;
            } else if is_set && is(word, "get") {
                options.replies_old = true;
            } else if is_set && is(word, "keepttl") && options.expiry.is_none() {
                options.keeps_expiry = true;
            } else if !is_set && is(word, "persist") && options.expiry.is_none() {
                options.persists = true;
            } else {
                let known = ["ex", "px", "exat", "pxat"].into_iter().find(|known| is(word, known));
                let word = known.filter(|_| !has_other && words.left() > 0).ok_or(SYNTAX)?;
                // The same option again replaces its value; another one is an error.
                if options.expiry.as_ref().is_some_and(|found| found.word != word) {
                    return Err(SYNTAX.into());
                }
                options.expiry = Some(Expiry { word, text: words.value()? });
            }
        }
        Ok(options)
    }
}

pub(super) fn set(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    if args.len() == 3 {
        return write(context, &place, args.at(2), None);
    }
    let options = SetOptions::parse(args, 3, true)?;
    let expire_ms =
        options.expiry.as_ref().map(|expiry| expiry.at_ms(context.asked())).transpose()?;
    let needs_old = options.only_new || options.only_old || options.keeps_expiry;
    let old = if options.replies_old {
        context.reply_string(place.key)?
    } else if needs_old {
        context.head(&place)?.map(|head| head.expire_ms)
    } else {
        None
    };
    if (options.only_new && old.is_some()) || (options.only_old && old.is_none()) {
        if !options.replies_old {
            context.out.null();
        }
        return Ok(());
    }
    let kept = old.filter(|_| options.keeps_expiry).unwrap_or(0);
    store(context, &place, args.at(2), expire_ms, kept)?;
    if !options.replies_old {
        context.out.ok();
    }
    Ok(())
}

pub(super) fn setnx(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    let is_new = context.head(&place)?.is_none();
    if is_new {
        store(context, &place, args.at(2), None, 0)?;
    }
    context.out.integer(is_new.into());
    Ok(())
}

pub(super) fn setex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let expire_ms = expiry(context.asked(), args.at(2), true, true)?;
    write(context, &context.place(args.at(1)), args.at(3), Some(expire_ms))
}

pub(super) fn psetex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let expire_ms = expiry(context.asked(), args.at(2), false, true)?;
    write(context, &context.place(args.at(1)), args.at(3), Some(expire_ms))
}

pub(super) fn getset(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = context.place(args.at(1));
    context.reply_string(place.key)?;
    store(context, &place, args.at(2), None, 0)
}

pub(super) fn getex(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = SetOptions::parse(args, 2, false)?;
    let place = context.place(args.at(1));
    let Some(old_ms) = context.reply_string(place.key)? else { return Ok(()) };
    let Some(expiry) = &options.expiry else {
        if options.persists && old_ms != 0 {
            context.set_expiry(&place, 0)?;
            context.notify(b'g', "persist", place.key);
        }
        return Ok(());
    };
    let expire_ms = expiry.at_ms(context.asked())?;
    if !expiry.is_relative() && expire_ms <= context.now_ms() {
        context.remove(&place)?;
        context.notify(b'g', "del", place.key);
    } else {
        context.set_expiry(&place, expire_ms)?;
        context.notify(b'g', "expire", place.key);
    }
    Ok(())
}

/// Stores a string and replies OK.
fn write(
    context: &mut Context<'_>,
    place: &Place<'_>,
    value: &[u8],
    expire_ms: Option<u64>,
) -> Done {
    store(context, place, value, expire_ms, 0)?;
    context.out.ok();
    Ok(())
}

/// Stores a string that expires at a given time, or at the one that is kept; 0 means never.
fn store(
    context: &mut Context<'_>,
    place: &Place<'_>,
    value: &[u8],
    expire_ms: Option<u64>,
    kept_ms: u64,
) -> Done {
    context.put_string(place, value, expire_ms.unwrap_or(kept_ms))?;
    context.notify(b'$', "set", place.key);
    if expire_ms.is_some() {
        context.notify(b'g', "expire", place.key);
    }
    Ok(())
}
