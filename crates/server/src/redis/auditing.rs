//! Which commands the audit log has, and how it shows them.

use super::args::Args;
use super::command::{ADMIN, Command};
use super::failure::Done;
use super::parameters::Id;
use super::server::Server;
use super::session::Session;
use super::slowlog::redact;
use crate::audit::{Entry, text, words};

/// Commands that are not administrative for Redis, and remove or move the data of all clients, or code.
const FURTHER: [&str; 10] = [
    "flushall",
    "flushdb",
    "swapdb",
    "migrate",
    "function|delete",
    "function|flush",
    "function|load",
    "function|restore",
    "script|flush",
    "script|kill",
];

/// The place of a secret.
const HIDDEN: &[u8] = b"(redacted)";

impl Server {
    /// Writes a command that ended or was refused to the audit log, if it is administrative or a failed login.
    #[inline]
    pub(super) fn audit(
        &self,
        session: &Session,
        (command, args): (&'static Command, Args<'_>),
        result: &Done,
    ) {
        if self.settings.audit.is_some() {
            self.write_audit(session, (command, args), result);
        }
    }

    #[cold]
    fn write_audit(
        &self,
        session: &Session,
        (command, args): (&'static Command, Args<'_>),
        result: &Done,
    ) {
        let Some(audit) = &self.settings.audit else { return };
        let is_login = matches!(command.full_name, "auth" | "hello") && result.is_err();
        if !is_login && !command.flags.has(ADMIN) && !FURTHER.contains(&command.full_name) {
            return;
        }
        // Work for another door, which writes its own entries.
        if self.clients.get(session.client.id).is_none() {
            return;
        }
        let failure = result.as_ref().err().map(|failure| shorten(command, &failure.text()));
        let shown = show(command, args, failure.is_none());
        audit.write(&Entry {
            at_ms: self.clock.wall_ms(),
            door: "redis",
            user: (!self.needs_login(session)).then(|| text(session.account.name())),
            client: Some(session.client.address),
            call: words(shown.iter().copied()),
            result: failure.as_ref().map_or("ok".into(), |failure| text(failure.as_bytes())),
        });
    }
}

/// Returns an error without arguments that it may quote.
fn shorten(command: &Command, error: &str) -> String {
    let quotes = matches!(command.full_name, "acl|setuser" | "config|set" | "hello");
    match error.split_once(' ') {
        Some((code @ "ERR", _)) if quotes => format!("{code} (redacted)"),
        _ => error.to_owned(),
    }
}

/// Returns the arguments without secrets. Of a command that failed, more is hidden: a password may be where it does not
/// belong.
fn show<'a>(command: &Command, args: Args<'a>, is_done: bool) -> Vec<&'a [u8]> {
    let all = args.all();
    let hide_from = |first: usize| {
        let hide = |(at, arg): (usize, &&'a [u8])| if at < first { *arg } else { HIDDEN };
        all.iter().enumerate().map(hide).collect()
    };
    match command.full_name {
        "acl|setuser" if !is_done => hide_from(3),
        "acl|setuser" => all.iter().map(|arg| if is_secret(arg) { HIDDEN } else { *arg }).collect(),
        "acl|deluser" | "acl|getuser" => all.to_vec(),
        "config|set" if !is_done => hide_from(3),
        "config|set" => {
            let is_hidden = |at: usize| {
                let id = Id::find(args.at(at.saturating_sub(1)));
                at > 2 && at % 2 == 1 && id.is_none_or(|id| id.parameter().is_secret)
            };
            let shown = |(at, arg): (usize, &&'a [u8])| if is_hidden(at) { HIDDEN } else { *arg };
            all.iter().enumerate().map(shown).collect()
        }
        // The name of a login is in ACL LOG as well.
        "auth" if args.len() == 3 => hide_from(2),
        "auth" => hide_from(1),
        // A password may be in the place of an option.
        "hello" => hide_from(2),
        _ => redact(command.full_name, args),
    }
}

/// Returns whether a rule of a user is a password or its hash.
fn is_secret(rule: &[u8]) -> bool {
    matches!(rule.first(), Some(b'>' | b'<' | b'#' | b'!'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::table;

    #[test]
    fn secrets_are_hidden() {
        let shown = |line: &str, is_done: bool| {
            let words: Vec<_> = line.split(' ').map(str::as_bytes).collect();
            let args = Args::new(&words);
            let shown = show(table::find(args).unwrap(), args, is_done);
            let words = shown.iter().map(|word| String::from_utf8_lossy(word).into_owned());
            words.collect::<Vec<_>>().join(" ").replace("(redacted)", "-")
        };
        for (line, is_done, expected) in [
            (
                "ACL SETUSER u on >p #abc +get (~k %R~x)",
                true,
                "ACL SETUSER u on - - +get (~k %R~x)",
            ),
            ("ACL SETUSER u secret", false, "ACL SETUSER u -"),
            ("ACL DELUSER u v", true, "ACL DELUSER u v"),
            ("CONFIG SET timeout 5 requirepass p", true, "CONFIG SET timeout 5 requirepass -"),
            ("CONFIG SET requirepas p timeout 5", false, "CONFIG SET requirepas - - -"),
            ("AUTH p", false, "AUTH -"),
            ("AUTH u p", false, "AUTH u -"),
            ("HELLO 3 AUTH u p", false, "HELLO 3 - - -"),
            ("MIGRATE h 1 k 0 9 AUTH2 u p", true, "MIGRATE h 1 k 0 9 AUTH2 - -"),
            ("FLUSHALL", true, "FLUSHALL"),
        ] {
            assert_eq!(shown(line, is_done), expected);
        }
    }
}
