//! A place of backups: a directory, or a prefix in an object store.

use crate::error::{Error, Result};
use std::fmt;
use std::path::{Path, PathBuf};

/// The folders of a place of backups. No place is within one: its files would be deleted as what no backup uses.
pub(super) const PARTS: [&str; 5] = ["meta", "private", "shared", "shared_checksum", "uploads"];

/// Where backups are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Place {
    /// A directory of this machine.
    Directory(PathBuf),
    /// A part of an object store.
    Objects(Address),
}

/// The address of a part of an object store, such as `s3://BUCKET/PREFIX`, and the file of its credentials.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Address {
    /// Without a slash at its end.
    url: String,
    credentials: Option<PathBuf>,
}

impl Place {
    /// Returns the place that a text names: an address if it has `://` in it, else a directory. `credentials` is the
    /// file with the credentials of object stores.
    ///
    /// # Errors
    ///
    /// The address has another form than `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX` or `az://CONTAINER/PREFIX`.
    pub fn named(name: &Path, credentials: Option<&Path>) -> Result<Place> {
        match name.to_str() {
            Some(text) if text.contains("://") => {
                Ok(Place::Objects(Address::parse(text, credentials)?))
            }
            _ => Ok(Place::Directory(name.to_owned())),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Directory(path) => write!(f, "{}", path.display()),
            Place::Objects(address) => f.write_str(&address.url),
        }
    }
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Place {
        Place::Directory(path.to_owned())
    }
}

impl From<&PathBuf> for Place {
    fn from(path: &PathBuf) -> Place {
        Place::Directory(path.clone())
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Place {
        place.clone()
    }
}

impl Address {
    fn parse(text: &str, credentials: Option<&Path>) -> Result<Address> {
        // A password before @, or a token behind ?, would appear in messages.
        let shown = text.split(['?', '#']).next().unwrap_or_default();
        let shown = shown.rsplit('@').next().unwrap_or_default();
        let wrong = |what: &str| {
            Error::Setting(format!(
                "{shown:?} is no place of backups: {what}; expected a directory, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX \
                 or az://CONTAINER/PREFIX"
            ))
        };
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        if !["s3", "gs", "az"].contains(&scheme) {
            return Err(wrong("no object store has this scheme"));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if !rest.chars().all(is_plain) {
            return Err(wrong("names have the letters a to z, digits, and the characters - _ ."));
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let is_part = |part: &str| PARTS.contains(&part);
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let names = if prefix.is_empty() { Vec::new() } else { prefix.split('/').collect() };
        if bucket.is_empty() || names.iter().any(|name| ["", ".", ".."].contains(name)) {
            return Err(wrong("a name is missing, or is . or .."));
        }
        if names.into_iter().any(is_part) {
            return Err(wrong("it is a part of another place of backups"));
        }
        let url = format!("{scheme}://{rest}");
        Ok(Address { url, credentials: credentials.map(Path::to_owned) })
    }

    /// Returns the address of a name below this one. An empty name is wrong.
    pub(super) fn join(&self, name: &str) -> Result<Address> {
        let name = if name.is_empty() { "." } else { name };
        Address::parse(&format!("{}/{name}", self.url), self.credentials.as_deref())
    }

    /// Returns the address with this text, if it is this one or below it.
    pub(super) fn find(&self, text: &str) -> Result<Option<Address>> {
        let found = Address::parse(text, self.credentials.as_deref())?;
        Ok(found.is_within(self).then_some(found))
    }

    /// Returns whether this address is the other one or below it.
    fn is_within(&self, other: &Address) -> bool {
        let rest = self.url.strip_prefix(&other.url);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the address as a text.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the scheme: `s3`, `gs` or `az`.
    #[cfg(feature = "object-store")]
    pub(super) fn scheme(&self) -> &str {
        self.url.split_once("://").map_or("", |(scheme, _)| scheme)
    }

    /// Returns what follows the bucket, without slashes at its ends.
    #[cfg(feature = "object-store")]
    pub(super) fn prefix(&self) -> &str {
        self.url.splitn(4, '/').nth(3).unwrap_or_default()
    }

    /// Returns the file of the credentials.
    #[cfg(feature = "object-store")]
    pub(super) fn credentials(&self) -> Option<&Path> {
        self.credentials.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Result<Place> {
        Place::named(Path::new(text), None)
    }

    #[test]
    fn addresses_and_directories_are_told_apart() {
        assert!(matches!(place("/backup/daily"), Ok(Place::Directory(_))));
        let Ok(Place::Objects(address)) = place("s3://bucket/a/b/") else { panic!("an address") };
        assert_eq!(address.url(), "s3://bucket/a/b");
        assert_eq!(address.join("daily").unwrap().url(), "s3://bucket/a/b/daily");
        let root = Address::parse("s3://bucket/a", None).unwrap();
        assert!(address.is_within(&root) && !root.is_within(&address));
        assert!(!Address::parse("s3://bucket/ab", None).unwrap().is_within(&root));
        #[cfg(feature = "object-store")]
        assert_eq!((address.scheme(), address.prefix(), root.prefix()), ("s3", "a/b", "a"));
    }

    #[test]
    fn other_addresses_are_refused_without_their_secrets() {
        for text in [
            "ftp://bucket/a",
            "s3:///a",
            "s3://bucket/../a",
            "s3://bucket//a",
            "s3://bucket/meta/a",
            "az://token:hidden@account/a",
            "s3://bucket/a?secret=hidden",
        ] {
            let error = place(text).unwrap_err().to_string();
            assert!(error.contains("no place of backups") && !error.contains("hidden"), "{error}");
        }
    }
}
