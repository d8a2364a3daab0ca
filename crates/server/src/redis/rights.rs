//! What users may do: checks of commands, logins, and changes of users with their effects on connections.

use super::acl::{self, Account, Denied, Edited, Entry, Place, Reason};
use super::args::Args;
use super::command::Command;
use super::failure::{Done, Failure};
use super::families::admin::client_list::client_line;
use super::parameters::Id;
use super::pubsub::Kind;
use super::server::{REQUIREPASS, Server};
use super::session::Session;
use crate::error::{Error, Result};
use crate::logs::login_refused;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LOG_MAX: Id = Id::of("acllog-max-len");
const CHANNELS: Id = Id::of("acl-pubsub-default");

impl Server {
    /// Checks whether the session's user may run a command. The number of its arguments must be right. A refusal is
    /// logged.
    ///
    /// # Errors
    ///
    /// The user may not.
    #[inline]
    pub(super) fn check_rights(
        &self,
        session: &Session,
        command: &'static Command,
        args: Args<'_>,
        place: Place,
    ) -> std::result::Result<(), Denied> {
        if session.account.is_unlimited() {
            return Ok(());
        }
        self.check_limited(session, command, args, place)
    }

    #[cold]
    fn check_limited(
        &self,
        session: &Session,
        command: &'static Command,
        args: Args<'_>,
        place: Place,
    ) -> std::result::Result<(), Denied> {
        acl::check(&session.account.user(), command, args).inspect_err(|denied| {
            let (reason, object) = match *denied {
                Denied::Command => (Reason::Command, command.full_name.as_bytes()),
                Denied::Key(at) => (Reason::Key, args.at(at)),
                Denied::Channel(at) => (Reason::Channel, args.at(at)),
            };
            let user = session.account.name();
            self.log_refusal((session, command, args), (reason, place), object, user);
        })
    }

    fn log_refusal(
        &self,
        (session, command, args): (&Session, &'static Command, Args<'_>),
        (reason, place): (Reason, Place),
        object: &[u8],
        user: &[u8],
    ) {
        let client = client_line(self, session, command, args);
        let entry = Entry {
            count: 1,
            reason,
            place,
            object: object.to_vec(),
            user: user.to_vec(),
            at_ms: self.clock.wall_ms(),
            client: client.trim_end().to_owned(),
        };
        let max = usize::try_from(self.parameters.number(LOG_MAX)).unwrap_or(usize::MAX);
        self.access_log.add(entry, max);
    }

    /// Returns whether a client must authenticate before it uses commands.
    pub(super) fn needs_login(&self, session: &Session) -> bool {
        !session.is_authenticated && !self.users.default_account().user().needs_no_password()
    }

    /// Makes a session another user, if the password is right. A refusal is logged.
    ///
    /// # Errors
    ///
    /// There is no such user, it is off, or the password is wrong.
    pub(super) fn log_in(
        &self,
        session: &mut Session,
        (command, args): (&'static Command, Args<'_>),
        name: &[u8],
        password: &[u8],
    ) -> Done {
        let account = self.users.get(name).filter(|account| account.user().accepts(password));
        let Some(account) = account else {
            let known = self.users.get(name).map(|_| name);
            login_refused("redis", session.client.address, known);
            let cause = (Reason::Login, place_of(session));
            self.log_refusal((session, command, args), cause, args.at(0), name);
            return Err("WRONGPASS invalid username-password pair or user is disabled.".into());
        };
        session.set_account(account);
        session.is_authenticated = true;
        Ok(())
    }

    /// Makes a session what a new connection is.
    pub(super) fn log_out(&self, session: &mut Session) {
        let account = self.users.default_account();
        session.is_authenticated = account.user().needs_no_password();
        session.set_account(account.clone());
    }

    /// Applies rules to a user. Subscribers that may not use their channels any more are disconnected.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with a rule.
    pub(super) fn edit_user(
        &self,
        name: &[u8],
        rules: &[&[u8]],
    ) -> std::result::Result<(), String> {
        if let Some(edited) = self.users.edit(name, rules, self.all_channels())? {
            self.end_subscribers(&edited);
        }
        Ok(())
    }

    fn end_subscribers(&self, edited: &Edited) {
        let Edited { account, new } = edited;
        if new.selectors().any(|selector| selector.channels.is_all()) {
            return;
        }
        self.pubsub.for_each(|kind, name, client| {
            let is_users = Arc::ptr_eq(&client.account(), account);
            if is_users && !new.allows_channel(name, kind == Kind::Pattern) {
                client.kill();
            }
        });
    }

    /// Removes users. Returns how many there were. Their connections are closed; that of the session after its reply.
    pub(super) fn remove_users(&self, session: &mut Session, names: &[&[u8]]) -> usize {
        let removed: Vec<_> = names.iter().filter_map(|name| self.users.remove(name)).collect();
        self.end_clients(session, &removed);
        removed.len()
    }

    fn end_clients(&self, session: &mut Session, accounts: &[Arc<Account>]) {
        if accounts.is_empty() {
            return;
        }
        for client in self.clients.list() {
            let account = client.account();
            if !accounts.iter().any(|removed| Arc::ptr_eq(removed, &account)) {
                continue;
            }
            match client.id == session.client.id {
                true => session.is_closing = true,
                false => client.kill(),
            }
        }
    }

    /// Returns the file of users, if there is one.
    pub(super) fn users_file(&self) -> Option<PathBuf> {
        let name = &self.settings.users_file;
        (!name.is_empty()).then(|| Path::new(&self.settings.dir).join(name))
    }

    /// Loads the users of the settings or of the file of users, before the first client connects.
    ///
    /// # Errors
    ///
    /// Both are there, or one of them is not valid, or the file cannot be read.
    pub fn load_users(&self) -> Result<()> {
        let users = match (self.users_file(), self.settings.users.as_slice()) {
            (None, []) => return Ok(()),
            (Some(_), [_, ..]) => {
                return Err(Error::Setting(
                    "users are defined by aclfile and by user: expected one of the two".to_owned(),
                ));
            }
            (Some(path), []) => self.read_users(&path)?,
            (None, lines) => acl::parse_settings(lines, self.all_channels())
                .map_err(|text| Error::Setting(format!("user: {text}")))?,
        };
        self.users.replace(users, &self.parameters.text(REQUIREPASS));
        Ok(())
    }

    fn read_users(&self, path: &Path) -> Result<acl::UserMap> {
        acl::read_file(path, self.all_channels()).map_err(|error| match error {
            acl::FileError::Io(error) => {
                let what = format!("reading the file of users {}", path.display());
                Error::Io(format!("{what} (an empty file defines no users)"), error)
            }
            acl::FileError::Lines(text) => Error::Setting(text.trim_end().to_owned()),
        })
    }

    /// Loads the users of a file again, and closes the connections of all users but the default one.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the file. The users are as before.
    pub(super) fn reload_users(&self, session: &mut Session, path: &Path) -> Done {
        let users = acl::read_file(path, self.all_channels()).map_err(|error| match error {
            acl::FileError::Io(error) => Failure::from(format!(
                "ERR Error loading ACLs, opening file '{}': {error}",
                path.display()
            )),
            acl::FileError::Lines(text) => Failure::from(format!(
                "ERR {text}WARNING: ACL errors detected, no change to the previously active ACL \
                 rules was performed"
            )),
        })?;
        let removed = self.users.replace(users, &self.parameters.text(REQUIREPASS));
        self.end_clients(session, &removed);
        Ok(())
    }

    /// Returns whether new users may use all channels.
    fn all_channels(&self) -> bool {
        // The first of the two values is `allchannels`.
        self.parameters.number(CHANNELS) == 0
    }
}

/// Returns where a command of a client is checked.
pub(super) fn place_of(session: &Session) -> Place {
    if session.multi.is_some() { Place::Multi } else { Place::Top }
}

/// Returns the reply to a command that was refused.
pub(super) fn refusal(denied: Denied, command: &Command) -> Failure {
    let what = match denied {
        Denied::Command => {
            let name = command.full_name;
            return format!("NOPERM this user has no permissions to run the '{name}' command")
                .into();
        }
        Denied::Key(_) => "keys",
        Denied::Channel(_) => "channels",
    };
    format!("NOPERM this user has no permissions to access one of the {what} used as arguments")
        .into()
}

/// Returns the reply to a command of a transaction that was allowed when it was queued.
pub(super) fn late_refusal(denied: Denied) -> Failure {
    let reason = match denied {
        Denied::Command => "no permission to execute the command or subcommand",
        Denied::Key(_) => "no permission to touch the specified keys",
        Denied::Channel(_) => "no permission to access one of the channels used as arguments",
    };
    format!(
        "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC \
         call. This command is no longer allowed for the following reason: {reason}"
    )
    .into()
}

/// Returns the reply to a command of a script that was refused.
pub(super) fn script_refusal(denied: Denied) -> &'static str {
    match denied {
        Denied::Command => "ERR The user executing the script can't run this command or subcommand",
        Denied::Key(_) => {
            "ERR The user executing the script can't access at least one of the keys mentioned in \
             the command arguments"
        }
        Denied::Channel(_) => {
            "ERR The user executing the script can't publish to the channel mentioned in the command"
        }
    }
}
