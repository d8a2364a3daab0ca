//! SSCAN. A cursor is the first hash that the next call returns, so the server keeps nothing between calls, and a
//! cursor is valid as long as the set is.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::members::{hash_of, member_of};
use crate::redis::scanning::{ScanOptions, parse_cursor, reply_scan};
use crate::resp::Reply;
use crate::rows::redis::{DATA, Type};

pub(super) fn sscan(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let cursor = parse_cursor(args.at(2))?;
    let mut found = Reply::new(context.out.protocol);
    let Some(set) = context.collection(args.at(1), Type::Set)? else {
        reply_scan(context.out, 0, 0, &found);
        return Ok(());
    };
    let options = ScanOptions::parse(args, 3)?;
    let (mut count, mut next) = (0, 0);
    if let Ok(from) = u32::try_from(cursor) {
        let mut members = context.members_in(&set, set.range(DATA, &from.to_be_bytes(), None))?;
        let (mut visited, mut last) = (0, None);
        while let Some(sub) = members.sub() {
            let hash = hash_of(sub);
            // Members with one hash are returned together: a cursor cannot point between them.
            if visited >= options.count && last != Some(hash) {
                next = u64::from(hash);
                break;
            }
            if options.matches(member_of(sub)) {
                found.bulk(member_of(sub));
                count += 1;
            }
            (visited, last) = (visited + 1, Some(hash));
            members.advance()?;
        }
    }
    reply_scan(context.out, next, count, &found);
    Ok(())
}
