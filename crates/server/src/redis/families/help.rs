//! The HELP subcommand of all containers of commands.

use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::Done;
use crate::redis::table;

/// Replies the subcommands of a container, with their summaries.
pub(in crate::redis) fn help(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let Some(container) = table::by_name(args.at(0)) else { return Ok(()) };
    let name = container.name.to_uppercase();
    let out = &mut *context.out;
    out.array(1 + 2 * container.subcommands.len());
    out.simple(&format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
    for subcommand in container.subcommands {
        out.simple(&subcommand.name.to_uppercase());
        out.simple(&format!("    {}", subcommand.summary));
    }
    Ok(())
}
