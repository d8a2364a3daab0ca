//! FERROLITH: commands that only this server has, for backups, the format of the directory and notes in the log; and
//! the section of INFO about backups.

use super::info::Text;
use crate::backup::{Access, BackupProgress, Creation, Finished, Job, Kind, Place, Vault};
use crate::error::Result;
use crate::logs::Gate;
use crate::redis::args::{Args, is};
use crate::redis::command::{
    ADMIN, ALLOW_BUSY, APART, Command, Flags, Group, LOADING, NO_MULTI, NOSCRIPT, STALE,
};
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure, SYNTAX};
use crate::redis::families::help::help;
use crate::redis::stats::Totals;
use std::sync::Arc;
use tracing::info;

const FLAGS: Flags = ADMIN.and(NOSCRIPT).and(NO_MULTI).and(STALE).and(ALLOW_BUSY);
/// Of commands that open a place.
const OPENS: Flags = FLAGS.and(APART);

pub(in crate::redis) const COMMANDS: &[Command] =
    &[Command::container("ferrolith", Group::Server, SUBCOMMANDS)
        .with_docs("7.0.0", "Contains the commands that only this server has.")];

const SUBCOMMANDS: &[Command] = &[
    Command::new("backup", -3, OPENS, Group::Server, create)
        .with_full_name("ferrolith|backup")
        .with_docs(
            "7.0.0",
            "Starts a backup: directory [RATE n] [KEEP n] [VERIFY yes|no] [NOTE text].",
        ),
    Command::new("backup-verify", -3, OPENS, Group::Server, verify)
        .with_full_name("ferrolith|backup-verify")
        .with_docs(
            "7.0.0",
            "Starts to verify a backup, the newest by default: directory [id] [RATE n].",
        ),
    Command::new("backup-delete", 4, OPENS, Group::Server, delete)
        .with_full_name("ferrolith|backup-delete")
        .with_docs("7.0.0", "Starts to delete a backup: directory id."),
    Command::new("backup-list", 3, OPENS, Group::Server, list)
        .with_full_name("ferrolith|backup-list")
        .with_docs("7.0.0", "Returns the backups in a directory."),
    Command::new("backup-stop", 2, FLAGS, Group::Server, stop)
        .with_full_name("ferrolith|backup-stop")
        .with_docs(
            "7.0.0",
            "Stops the work on backups and listings of them. The next backup uses what was copied.",
        ),
    Command::new("finalize", 2, OPENS, Group::Server, finalize)
        .with_full_name("ferrolith|finalize")
        .with_docs(
            "7.0.0",
            "Gives the directory the newest format, which older servers cannot open.",
        ),
    Command::new("note", 3, FLAGS, Group::Server, note)
        .with_full_name("ferrolith|note")
        .with_docs("7.0.0", "Writes a text to the log and the audit log: text."),
    Command::new("help", 2, LOADING.and(STALE), Group::Server, help)
        .with_full_name("ferrolith|help")
        .with_docs("7.0.0", "Describes the subcommands."),
];

/// Starts a job in the place that the arguments name.
fn start<W>(context: &mut Context<'_>, kind: Kind, args: Args<'_>, rate: u64, work: W) -> Done
where
    W: FnOnce(&mut Vault, &Arc<BackupProgress>) -> Result<Finished> + Send + 'static,
{
    let place = place(context, args)?;
    leave_worker(context)?;
    let access = if kind == Kind::Verify { Access::Read } else { Access::Write };
    let (now_s, to_open) = (context.server.clock.wall_ms() / 1000, place.clone());
    let open = Box::new(move |progress: &Arc<BackupProgress>| {
        if kind == Kind::Delete {
            // Only creating makes a directory.
            Vault::open_stoppable(&to_open, Access::List, 0, progress)?;
        }
        Vault::open_stoppable(to_open, access, rate, progress)
    });
    let job = Job { kind, place, now_s, open, work: Box::new(work) };
    let number = context.server.backups.start(job)?;
    context.out.integer(number as i64);
    Ok(())
}

/// Has the command run on a thread of its own: opening a place with many backups takes long, and connections of the
/// worker would wait for it.
fn leave_worker(context: &Context<'_>) -> Done {
    match context.is_detached() {
        true => Ok(()),
        false => Err(Failure::NeedsThread),
    }
}

fn place(context: &Context<'_>, args: Args<'_>) -> Done<Place> {
    let name = text(args.at(2))?;
    Ok(context.server.settings.backup_places.resolve(name)?)
}

fn text(argument: &[u8]) -> Done<&str> {
    std::str::from_utf8(argument).map_err(|_| "ERR expected text in UTF-8".into())
}

/// Returns an argument as a number from a minimum on.
fn number(name: &str, argument: &[u8], min: u32) -> Done<u32> {
    let number = std::str::from_utf8(argument).ok().and_then(|text| text.parse().ok());
    number.filter(|number| *number >= min).ok_or_else(|| {
        let shown = String::from_utf8_lossy(argument);
        Failure::from(format!("ERR {name}: expected a number from {min} on, found '{shown}'"))
    })
}

/// The slowest copy, in bytes per second: a slower one would not notice in time that it is to stop.
const RATE_MIN: u64 = 40 << 10;

/// Returns an argument as bytes per second; 0 means any number.
fn rate(argument: &[u8]) -> Done<u64> {
    let rate = std::str::from_utf8(argument).ok().and_then(|text| text.parse().ok());
    let rate = rate.filter(|rate| *rate == 0 || *rate >= RATE_MIN);
    rate.ok_or_else(|| {
        format!("ERR RATE: expected at least {RATE_MIN} bytes per second, or 0 for no limit").into()
    })
}

fn create(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut bytes_per_second, mut keep) = (0, None);
    let mut how = Creation { verifies: true, ..Creation::default() };
    let mut options = args.options(3);
    while let Some(word) = options.next() {
        let value = options.value()?;
        match () {
            () if is(word, "rate") => bytes_per_second = rate(value)?,
            () if is(word, "keep") => keep = Some(number("KEEP", value, 1)?),
            () if is(word, "verify") && is(value, "yes") => how.verifies = true,
            () if is(word, "verify") && is(value, "no") => how.verifies = false,
            () if is(word, "note") => how.note = text(value)?.to_owned(),
            () => return Err(SYNTAX.into()),
        }
    }
    let store = context.server.store.clone();
    start(context, Kind::Create, args, bytes_per_second, move |vault, progress| {
        let id = store.back_up(vault, &how, progress)?;
        // The backup is complete, whatever becomes of older files.
        let warning = vault.clean(keep, progress).err().map(|error| {
            format!("backup {id} is complete, but older files could not be deleted: {error}")
        });
        Ok(Finished { id, warning })
    })
}

fn verify(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut id, mut bytes_per_second, mut from) = (None, 0, 3);
    if args.len() > 3 && !args.is(3, "rate") {
        (id, from) = (Some(number("id", args.at(3), 1)?), 4);
    }
    let mut options = args.options(from);
    while let Some(word) = options.next() {
        match is(word, "rate") {
            true => bytes_per_second = rate(options.value()?)?,
            false => return Err(SYNTAX.into()),
        }
    }
    start(context, Kind::Verify, args, bytes_per_second, move |vault, progress| {
        let id = id.map_or_else(|| vault.newest(), Ok)?;
        vault.verify(id, progress)?;
        Ok(id.into())
    })
}

fn delete(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let id = number("id", args.at(3), 1)?;
    start(context, Kind::Delete, args, 0, move |vault, progress| {
        vault.delete(id, progress)?;
        Ok(id.into())
    })
}

fn stop(context: &mut Context<'_>, _: Args<'_>) -> Done {
    match context.server.backups.stop() {
        true => context.out.ok(),
        false => return Err("ERR no work on backups runs".into()),
    }
    Ok(())
}

fn list(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let place = place(context, args)?;
    leave_worker(context)?;
    let progress = context.server.backups.listing()?;
    let vault = Vault::open_stoppable(&place, Access::List, 0, &progress)?;
    let (backups, damaged) = (vault.list(), vault.damaged());
    let out = &mut *context.out;
    out.array(backups.len() + damaged.len());
    for backup in backups {
        out.map(5);
        let numbers = [
            ("id", i64::from(backup.backup_id)),
            ("time", backup.timestamp),
            ("bytes", backup.size as i64),
            ("files", i64::from(backup.number_files)),
        ];
        for (name, number) in numbers {
            out.bulk(name.as_bytes());
            out.integer(number);
        }
        out.bulk(b"note");
        out.bulk(&backup.app_metadata);
    }
    for (id, error) in damaged {
        out.map(2);
        out.bulk(b"id");
        out.integer(id.into());
        out.bulk(b"error");
        out.bulk(error.as_bytes());
    }
    Ok(())
}

/// Programs note what they begin and end, and cannot fill the log.
static NOTES: Gate = Gate::ten_a_second();
/// The bytes of a note.
const NOTE_MAX: usize = 1024;

fn note(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let note = text(args.at(2))?;
    if note.len() > NOTE_MAX {
        return Err(format!("ERR expected a text of at most {NOTE_MAX} bytes").into());
    }
    if let Some(skipped) = NOTES.pass() {
        let client = context.session.client.address;
        info!(target: "ferrolith::transfer", %client, note, skipped, "note");
    }
    context.out.ok();
    Ok(())
}

/// Replies the number of the directory's format.
fn finalize(context: &mut Context<'_>, _: Args<'_>) -> Done {
    leave_worker(context)?;
    context.server.store.finalize()?;
    context.out.integer(context.server.store.format().current().number.into());
    Ok(())
}

/// Writes the section of INFO.
pub(super) fn describe(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let one_line = |text: &str| text.replace(['\r', '\n'], " ");
    let backups = &context.server.backups;
    let running = backups.running();
    text.line("backup_job", running.as_ref().map_or("none", |running| running.kind.name()));
    if let Some(running) = running {
        text.line("backup_job_number", running.number);
        text.line("backup_dir", one_line(&running.place.to_string()));
        text.line("backup_started_time", running.began_s);
        text.line("backup_seconds", running.seconds());
        text.line("backup_planned_bytes", running.progress.planned_bytes());
        text.line("backup_done_bytes", running.progress.copied_bytes());
    }
    text.line("backup_created_time", backups.created_s().map_or(-1, |time| time as i64));
    if let Some(last) = backups.last() {
        text.line("backup_last_job", last.kind.name());
        text.line("backup_last_job_number", last.number);
        text.line("backup_last_dir", one_line(&last.place.to_string()));
        text.line("backup_last_status", if last.result.is_ok() { "ok" } else { "failed" });
        match &last.result {
            Ok(Finished { id, warning }) => {
                text.line("backup_last_id", id);
                if let Some(warning) = warning {
                    text.line("backup_last_warning", one_line(warning));
                }
            }
            Err(error) => text.line("backup_last_error", one_line(error)),
        }
        text.line("backup_last_time", last.ended_s);
        text.line("backup_last_seconds", last.seconds);
        text.line("backup_last_bytes", last.bytes);
        text.line("backup_last_reused_bytes", last.reused);
    }
    Ok(())
}
