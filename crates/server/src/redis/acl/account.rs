//! A user as connections refer to it: its rights may change while they are connected.

use super::user::User;
use arc_swap::ArcSwap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A user with a name. A connection keeps a reference; a change of the user holds from the next command on.
pub struct Account {
    name: Box<[u8]>,
    /// Whether everything is allowed: most commands look no further.
    is_unlimited: AtomicBool,
    user: ArcSwap<User>,
}

impl Account {
    pub(super) fn new(name: &[u8], user: User) -> Account {
        let is_unlimited = AtomicBool::new(user.is_unlimited());
        Account { name: name.into(), is_unlimited, user: ArcSwap::from_pointee(user) }
    }

    /// Returns a user of the server itself, which may do everything and is not in the list of users.
    pub fn internal(name: &[u8]) -> Account {
        Account::new(name, User::unlimited())
    }

    /// Returns the name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns whether everything is allowed.
    #[inline]
    pub fn is_unlimited(&self) -> bool {
        self.is_unlimited.load(Ordering::Acquire)
    }

    /// Returns the rules in force.
    pub fn user(&self) -> Arc<User> {
        self.user.load_full()
    }

    /// Replaces the rules. While it runs, a command may be checked by the old or the new ones.
    pub(super) fn replace(&self, user: User) {
        let is_unlimited = user.is_unlimited();
        // Between the two stores the rules decide, be they the old or the new ones.
        self.is_unlimited.store(false, Ordering::Release);
        self.user.store(Arc::new(user));
        self.is_unlimited.store(is_unlimited, Ordering::Release);
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({})", self.name.escape_ascii())
    }
}
