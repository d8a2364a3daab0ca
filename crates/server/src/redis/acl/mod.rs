//! Users and their rights, as Redis's access control lists have them.
//!
//! Files in reading order: `refusal` (why a rule is not valid), `categories` (groups of commands), `commands`,
//! `describe` and `patterns` (the parts of a selector), `selector`, `password`, `user` (a user's rules as a value),
//! `check` (may a user run a command), `account` (a user that connections refer to), `users` (all of them), `file`
//! (lines of users), `log` (what was refused).
//!
//! A rule is one word: `on`, `>password`, `+get`, `-@admin`, `~key:*`, `&channel`, `(+get ~other:*)`. Everything here
//! is pure except `file`, which reads and replaces a file. Passwords are kept as SHA-256 hashes only.

mod account;
mod categories;
mod check;
mod commands;
mod describe;
mod file;
mod log;
mod password;
mod patterns;
mod refusal;
mod selector;
mod user;
mod users;

pub use account::Account;
pub use categories::{
    ALL as CATEGORIES, find as find_category, has as has_category, of as categories_of,
};
pub use check::{Denied, check, reads_all_keys};
pub use file::{FileError, parse_settings, read as read_file, save as save_file};
pub use log::{AccessLog, Entry, Place, Reason};
pub use patterns::{ChannelPatterns, KeyPatterns};
pub use refusal::Refusal;
pub use selector::Selector;
pub use user::{User, UserMap, merge_rules};
pub use users::{Edited, Users};
