//! Sessions of the web page: random names that browsers keep in a cookie.

use crate::redis::acl::Account;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The sessions that exist at once; a further one ends the oldest.
const SESSIONS_MAX: usize = 128;
/// How long a session lasts, in seconds.
pub(super) const SESSION_S: u64 = 12 * 3600;

/// The SHA-256 of a session's name, so that looking it up tells nothing of the name by its time.
type Id = [u8; 32];

/// All sessions.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<Id, Session>>);

/// A session.
#[derive(Clone)]
pub(super) struct Session {
    /// The user.
    pub(super) account: Arc<Account>,
    /// What requests that change something must repeat: other sites cannot read it.
    pub(super) token: String,
    /// The hashes of the user's passwords when the session began.
    passwords: Vec<String>,
    started_us: u64,
}

impl Sessions {
    /// Begins a session. Returns its name and its token; `None` if the system has no random bytes.
    pub(super) fn begin(&self, account: &Arc<Account>, now_us: u64) -> Option<(String, String)> {
        let (name, token) = (random()?, random()?);
        let passwords = passwords_of(account);
        let session = Session {
            account: account.clone(),
            token: token.clone(),
            passwords,
            started_us: now_us,
        };
        let mut all = self.0.lock();
        all.retain(|_, session| !session.is_over(now_us));
        if all.len() >= SESSIONS_MAX
            && let Some(oldest) = all.iter().min_by_key(|(_, it)| it.started_us).map(|(id, _)| *id)
        {
            all.remove(&oldest);
        }
        all.insert(id_of(&name), session);
        Some((name, token))
    }

    /// Returns the session of a name. It ends with its time, and when its user is removed, switched off, or gets other
    /// passwords.
    pub(super) fn find(&self, name: &str, now_us: u64) -> Option<Session> {
        let id = id_of(name);
        let mut all = self.0.lock();
        let session = all.get(&id)?.clone();
        if session.is_over(now_us) {
            all.remove(&id);
            return None;
        }
        Some(session)
    }

    /// Ends a session.
    pub(super) fn end(&self, name: &str) {
        self.0.lock().remove(&id_of(name));
    }
}

impl Session {
    fn is_over(&self, now_us: u64) -> bool {
        let is_late = now_us.saturating_sub(self.started_us) > SESSION_S * 1_000_000;
        let is_on = self.account.user().flags().first() == Some(&"on");
        is_late || !is_on || passwords_of(&self.account) != self.passwords
    }
}

fn passwords_of(account: &Account) -> Vec<String> {
    let user = account.user();
    let mut all: Vec<_> = user.passwords().map(str::to_owned).collect();
    // A user that takes any password is another one than one with passwords.
    all.extend(user.takes_any_password().then(|| "nopass".to_owned()));
    all
}

fn id_of(name: &str) -> Id {
    Sha256::digest(name.as_bytes()).into()
}

/// Returns 32 random bytes in hexadecimal.
fn random() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = String::with_capacity(64);
    for byte in bytes {
        // Writing to a string does not fail.
        _ = write!(text, "{byte:02x}");
    }
    Some(text)
}
