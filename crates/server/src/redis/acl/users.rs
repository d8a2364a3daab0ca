//! All users. There is always one called `default`: connections are this user until they authenticate.

use super::account::Account;
use super::user::{User, UserMap, merge_rules};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name of the user of new connections.
const DEFAULT: &[u8] = b"default";

/// All users, by name.
#[derive(Debug)]
pub struct Users {
    all: RwLock<BTreeMap<Vec<u8>, Arc<Account>>>,
    default: Arc<Account>,
    /// Held while users are changed, so that changes do not overwrite each other.
    change: Mutex<()>,
}

/// A user that was changed.
pub struct Edited {
    /// The user.
    pub account: Arc<Account>,
    /// Its rules now.
    pub new: Arc<User>,
}

impl Users {
    /// Returns the default user alone, with a password or without.
    pub fn new(password: &str) -> Users {
        let default = Arc::new(Account::new(DEFAULT, User::of_password(password)));
        let all = BTreeMap::from([(DEFAULT.to_vec(), default.clone())]);
        Users { all: RwLock::new(all), default, change: Mutex::default() }
    }

    /// Returns the user of new connections.
    pub fn default_account(&self) -> &Arc<Account> {
        &self.default
    }

    /// Returns a user.
    pub fn get(&self, name: &[u8]) -> Option<Arc<Account>> {
        self.all.read().get(name).cloned()
    }

    /// Returns all users in the order of their names.
    pub fn list(&self) -> Vec<Arc<Account>> {
        self.all.read().values().cloned().collect()
    }

    /// Sets or removes the password of the default user.
    pub fn set_default_password(&self, password: &str) {
        let _change = self.change.lock();
        let mut user = User::clone(&self.default.user());
        user.replace_passwords(password);
        self.default.replace(user);
    }

    /// Applies rules to a user, which is created if it does not exist: all or none.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with a rule.
    pub fn edit(
        &self,
        name: &[u8],
        rules: &[&[u8]],
        all_channels: bool,
    ) -> Result<Option<Edited>, String> {
        let rules = merge_rules(rules).map_err(|start| {
            let start = String::from_utf8_lossy(start);
            format!("Unmatched parenthesis in acl selector starting at '{start}'.")
        })?;
        let _change = self.change.lock();
        let account = self.get(name);
        let mut user = account
            .as_ref()
            .map_or_else(|| User::new(all_channels), |account| User::clone(&account.user()));
        for rule in &rules {
            user.apply(rule, all_channels).map_err(|refusal| {
                let rule = String::from_utf8_lossy(rule);
                format!("Error in ACL SETUSER modifier '{rule}': {}", refusal.text())
            })?;
        }
        let Some(account) = account else {
            let account = Arc::new(Account::new(name, user));
            self.all.write().insert(name.to_vec(), account);
            return Ok(None);
        };
        account.replace(user);
        let new = account.user();
        Ok(Some(Edited { account, new }))
    }

    /// Removes a user other than the default one. Its connections may do nothing any more, and are to be closed.
    pub fn remove(&self, name: &[u8]) -> Option<Arc<Account>> {
        let _change = self.change.lock();
        if name == DEFAULT {
            return None;
        }
        let account = self.all.write().remove(name)?;
        account.replace(User::new(false));
        Some(account)
    }

    /// Replaces all users. The default one keeps its connections; if it is not among the new ones, it has all rights
    /// and this password. Returns the users that there were besides it, whose connections are to be closed.
    pub fn replace(&self, mut users: UserMap, default_password: &str) -> Vec<Arc<Account>> {
        let _change = self.change.lock();
        self.default
            .replace(users.remove(DEFAULT).unwrap_or_else(|| User::of_password(default_password)));
        let mut all: BTreeMap<_, _> = users
            .into_iter()
            .map(|(name, user)| (name.clone(), Arc::new(Account::new(&name, user))))
            .collect();
        all.insert(DEFAULT.to_vec(), self.default.clone());
        let mut old = std::mem::replace(&mut *self.all.write(), all);
        old.remove(DEFAULT);
        old.values().for_each(|account| account.replace(User::new(false)));
        old.into_values().collect()
    }
}

#[cfg(test)]
#[path = "users_test.rs"]
mod tests;
