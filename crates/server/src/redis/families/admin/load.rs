//! FERROLITH LOAD: files that are loaded into Pegasus tables; and the section of INFO about them.

use super::info::Text;
use crate::load::{LoadProgress, Loaded};
use crate::redis::args::{Args, is};
use crate::redis::context::Context;
use crate::redis::failure::{Done, SYNTAX};
use crate::redis::stats::Totals;
use crate::rows::pegasus::Version;

/// Starts a load, and replies its number: table [VERSION 0|1] [RATE n] FILES path [path ...].
pub(super) fn start(context: &mut Context<'_>, args: Args<'_>) -> Done {
    let (mut version, mut bytes_per_second, mut options) = (None, 0, args.options(3));
    let names = loop {
        let Some(word) = options.next() else { return Err(SYNTAX.into()) };
        match () {
            () if is(word, "version") => {
                version = Some(match options.value()? {
                    b"0" => Version::V0,
                    b"1" => Version::V1,
                    other => {
                        let found = String::from_utf8_lossy(other);
                        return Err(format!("ERR VERSION: expected 0 or 1, found '{found}'").into());
                    }
                });
            }
            () if is(word, "rate") => bytes_per_second = super::backup::rate(options.value()?)?,
            () if is(word, "files") && options.left() > 0 => break args.from(options.position()),
            () => return Err(SYNTAX.into()),
        }
    };
    let names: Vec<&str> =
        names.iter().map(|name| super::backup::text(name)).collect::<Done<_>>()?;
    let (table, now_s) = (super::backup::text(args.at(2))?, context.server.clock.wall_ms() / 1000);
    let number = context.server.loads.start(table, &names, version, bytes_per_second, now_s)?;
    context.out.integer(number as i64);
    Ok(())
}

/// Stops the load that runs.
pub(super) fn stop(context: &mut Context<'_>, _: Args<'_>) -> Done {
    match context.server.loads.stop() {
        true => context.out.ok(),
        false => return Err("ERR no load runs".into()),
    }
    Ok(())
}

/// Writes the section of INFO.
pub(super) fn describe(context: &Context<'_>, _: &Totals, text: &mut Text) -> Done {
    let one_line = |text: &str| text.replace(['\r', '\n'], " ");
    let loads = &context.server.loads;
    let running = loads.running();
    text.line("load_running", u8::from(running.is_some()));
    if let Some(running) = running {
        let progress: &LoadProgress = &running.progress;
        text.line("load_number", running.number);
        text.line("load_table", running.table.as_str());
        text.line("load_started_time", running.began_s);
        text.line("load_seconds", running.seconds() as u64);
        text.line("load_check_planned_bytes", progress.bytes_to_check());
        text.line("load_checked_bytes", progress.checked_bytes());
        text.line("load_planned_files", progress.files());
        text.line("load_done_files", progress.loaded_files());
        text.line("load_planned_bytes", progress.planned_bytes());
        text.line("load_done_bytes", progress.loaded_bytes());
        text.line("load_read_rows", progress.rows());
    }
    if let Some(last) = loads.last() {
        text.line("load_last_number", last.number);
        text.line("load_last_table", last.table.as_str());
        text.line("load_last_status", if last.result.is_ok() { "ok" } else { "failed" });
        match &last.result {
            Ok(Loaded { files, bytes, rows, expired, foreign }) => {
                text.line("load_last_files", files);
                text.line("load_last_bytes", bytes);
                text.line("load_last_rows", rows);
                text.line("load_last_expired_rows", expired);
                text.line("load_last_foreign_rows", foreign);
            }
            Err(error) => text.line("load_last_error", one_line(error)),
        }
        text.line("load_last_time", last.ended_s);
        text.line("load_last_seconds", format_args!("{:.3}", last.seconds));
    }
    Ok(())
}
