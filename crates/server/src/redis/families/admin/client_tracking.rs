//! CLIENT TRACKING, CACHING, TRACKINGINFO and GETREDIR.

use crate::redis::args::{Args, is, parse_integer};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::tracking::{Choice, Tracker, Tracking};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The options of CLIENT TRACKING.
#[derive(Default)]
struct Options<'a> {
    redirect: u64,
    is_broadcast: bool,
    opts_in: bool,
    opts_out: bool,
    spares_own: bool,
    prefixes: Vec<&'a [u8]>,
}

impl<'a> Options<'a> {
    fn parse(context: &Context<'_>, args: Args<'a>) -> Done<Options<'a>> {
        let mut options = Options::default();
        let mut words = args.options(3);
        while let Some(word) = words.next() {
            if is(word, "redirect") && words.left() > 0 {
                if options.redirect != 0 {
                    return Err("ERR A client can only redirect to a single other client".into());
                }
                let id = u64::try_from(parse_integer(words.value()?)?).unwrap_or(0);
                if context.server.clients.get(id).is_none() {
                    return Err("ERR The client ID you want redirect to does not exist".into());
                }
                options.redirect = id;
            } else if is(word, "bcast") {
                options.is_broadcast = true;
            } else if is(word, "optin") {
                options.opts_in = true;
            } else if is(word, "optout") {
                options.opts_out = true;
            } else if is(word, "noloop") {
                options.spares_own = true;
            } else if is(word, "prefix") && words.left() > 0 {
                options.prefixes.push(words.value()?);
            } else {
                return Err(SYNTAX.into());
            }
        }
        Ok(options)
    }

    /// Checks the options against each other and against the mode that is on.
    fn check(&self, old: Option<&Tracking>) -> Done {
        if !self.is_broadcast && !self.prefixes.is_empty() {
            return Err("ERR PREFIX option requires BCAST mode to be enabled".into());
        }
        if old.is_some_and(|old| old.tracker.is_broadcast != self.is_broadcast) {
            return Err(
                "ERR You can't switch BCAST mode on/off before disabling tracking for this \
                        client, and then re-enabling it with a different mode."
                    .into(),
            );
        }
        if self.is_broadcast && (self.opts_in || self.opts_out) {
            return Err("ERR OPTIN and OPTOUT are not compatible with BCAST".into());
        }
        if self.opts_in && self.opts_out {
            return Err("ERR You can't specify both OPTIN mode and OPTOUT mode".into());
        }
        let choice = old.map_or(Choice::All, |old| old.choice);
        if self.opts_in && choice == Choice::OptOut || self.opts_out && choice == Choice::OptIn {
            return Err(
                "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this \
                        client, and then re-enabling it with a different mode."
                    .into(),
            );
        }
        self.check_prefixes(old)
    }

    /// Checks that no key has two prefixes, since it would be told twice.
    fn check_prefixes(&self, old: Option<&Tracking>) -> Done {
        let overlaps = |one: &[u8], other: &[u8]| one.starts_with(other) || other.starts_with(one);
        let refusal = |prefix: &[u8], what: &str, other: &[u8]| {
            let [prefix, other] = [prefix, other].map(String::from_utf8_lossy);
            format!(
                "ERR Prefix '{prefix}' overlaps with {what} '{other}'. Prefixes for a single \
                 client must not overlap."
            )
        };
        for (at, prefix) in self.prefixes.iter().enumerate() {
            let mut olds = old.into_iter().flat_map(|old| &old.prefixes);
            if let Some(other) = olds.find(|other| overlaps(prefix, other)) {
                return Err(refusal(prefix, "an existing prefix", other).into());
            }
            let later = self.prefixes.get(at + 1..).unwrap_or_default();
            if let Some(other) = later.iter().find(|other| overlaps(prefix, other)) {
                return Err(refusal(prefix, "another provided prefix", other).into());
            }
        }
        Ok(())
    }

    /// Returns the mode that the options make of the one that is on.
    fn tracking(&self, client: u64, old: Option<&Tracking>) -> Tracking {
        let mut prefixes: BTreeSet<Vec<u8>> =
            old.map(|old| old.prefixes.clone()).unwrap_or_default();
        prefixes.extend(self.prefixes.iter().map(|prefix| prefix.to_vec()));
        if self.is_broadcast && self.prefixes.is_empty() {
            prefixes.insert(Vec::new());
        }
        let choice = match (self.opts_in, self.opts_out) {
            (true, _) => Choice::OptIn,
            (_, true) => Choice::OptOut,
            _ => Choice::All,
        };
        let tracker = Tracker {
            client,
            redirect: self.redirect,
            is_broadcast: self.is_broadcast,
            spares_own: self.spares_own,
            is_broken: AtomicBool::new(false),
        };
        let is_chosen = old.is_some_and(|old| old.is_chosen);
        Tracking { tracker: Arc::new(tracker), choice, is_chosen, prefixes }
    }
}

/// CLIENT TRACKING.
pub(super) fn tracking(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let options = Options::parse(context, args)?;
    let is_on = super::client::is_on(args.at(2))?;
    let session = &mut *context.session;
    if is_on {
        let old = session.tracking.as_deref();
        options.check(old)?;
        let tracking = options.tracking(session.client.id, old);
        session.track(context.server, tracking);
    } else {
        session.end_tracking(context.server);
    }
    context.out.ok();
    Ok(())
}

/// CLIENT CACHING.
pub(super) fn caching(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(tracking) = &mut context.session.tracking else {
        return Err(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with \
                    OPTIN or OPTOUT mode enabled"
                .into(),
        );
    };
    let (word, choice, mode) = match () {
        () if args.is(2, "yes") => ("YES", Choice::OptIn, "OPTIN"),
        () if args.is(2, "no") => ("NO", Choice::OptOut, "OPTOUT"),
        () => return Err(SYNTAX.into()),
    };
    if tracking.choice != choice {
        return Err(format!(
            "ERR CLIENT CACHING {word} is only valid when tracking is enabled in {mode} mode."
        )
        .into());
    }
    tracking.is_chosen = true;
    context.out.ok();
    Ok(())
}

/// CLIENT GETREDIR.
pub(super) fn get_redirection(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let redirection = redirection(context);
    context.out.integer(redirection);
    Ok(())
}

fn redirection(context: &Context<'_>) -> i64 {
    context.session.tracking.as_ref().map_or(-1, |tracking| tracking.tracker.redirect as i64)
}

/// CLIENT TRACKINGINFO.
pub(super) fn tracking_info(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let (redirection, out) = (redirection(context), &mut *context.out);
    let tracking = context.session.tracking.as_deref();
    let flags = tracking.map_or_else(|| vec!["off"], flags);
    out.map(3);
    out.bulk(b"flags");
    out.set(flags.len());
    flags.iter().for_each(|flag| out.bulk(flag.as_bytes()));
    out.bulk(b"redirect");
    out.integer(redirection);
    out.bulk(b"prefixes");
    out.array(tracking.map_or(0, |tracking| tracking.prefixes.len()));
    tracking.iter().flat_map(|it| &it.prefixes).for_each(|prefix| out.bulk(prefix));
    Ok(())
}

fn flags(tracking: &Tracking) -> Vec<&'static str> {
    let (tracker, choice, chosen) = (&tracking.tracker, tracking.choice, tracking.is_chosen);
    let flags = [
        ("on", true),
        ("bcast", tracker.is_broadcast),
        ("optin", choice == Choice::OptIn),
        ("caching-yes", choice == Choice::OptIn && chosen),
        ("optout", choice == Choice::OptOut),
        ("caching-no", choice == Choice::OptOut && chosen),
        ("noloop", tracker.spares_own),
        ("broken_redirect", tracker.is_broken.load(Ordering::Relaxed)),
    ];
    flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag).collect()
}
