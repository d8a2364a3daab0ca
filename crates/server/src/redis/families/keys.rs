//! Commands on keys of any type.

use crate::redis::args::Args;
use crate::redis::command::{Command, Group, WRITE};
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::keyspec::{RM, range};

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::new("del", -2, WRITE, Group::Generic, del)
        .with_keys(&[range(1, -1, 1, RM)])
        .with_docs("1.0.0", "Deletes one or more keys.")];

fn del(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let mut count = 0;
    for key in args.from(1) {
        let place = context.place(key);
        if context.remove(&place)? {
            context.notify(b'g', "del", key);
            count += 1;
        }
    }
    context.out.integer(count);
    Ok(())
}
