//! The places that clients may name in commands about backups.

use super::place::{PARTS, Place};
use super::vault::check_support;
use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The directories and object stores of the setting `backup-dir`.
#[derive(Clone, Debug, Default)]
pub struct Places {
    roots: Vec<Place>,
    /// The directory of the data, where no backup may be.
    data: PathBuf,
}

impl Places {
    /// Returns the places of a server whose data is in `data`. Creates directories that do not exist. `credentials` is
    /// the file with the credentials of object stores.
    ///
    /// # Errors
    ///
    /// A directory cannot be created or read, or it is the directory of the data or inside it; or an address is wrong,
    /// or not supported by this program.
    pub fn open(roots: &[PathBuf], data: &Path, credentials: Option<&Path>) -> Result<Places> {
        let failed =
            |path: &Path, error| Error::Io(format!("backup-dir {}", path.display()), error);
        let data = std::path::absolute(data).map_err(|error| failed(data, error))?;
        let mut places = Places { roots: Vec::new(), data };
        for root in roots {
            let place = Place::named(root, credentials)?;
            if let Place::Objects(address) = &place {
                check_support(address)?;
                places.roots.push(place);
                continue;
            }
            if !root.is_dir() {
                std::fs::create_dir(root).map_err(|error| failed(root, error))?;
            }
            let root = std::path::absolute(root).map_err(|error| failed(root, error))?;
            places.check_data(&root)?;
            places.roots.push(Place::Directory(root));
        }
        Ok(places)
    }

    /// Returns the place that a client names: a path or an address in one of the places, or relative to the first of
    /// them.
    ///
    /// # Errors
    ///
    /// There are no places, or the name leads out of them. Links below them are refused.
    pub fn resolve(&self, name: &str) -> Result<Place> {
        let Some(first) = self.roots.first() else {
            return Err(Error::Setting(
                "clients cannot use backups here: start the server with --backup-dir".to_owned(),
            ));
        };
        match first {
            _ if name.contains("://") => self.address(name),
            Place::Objects(root) if name == "." => Ok(Place::Objects(root.clone())),
            Place::Objects(root) if !name.starts_with('/') => {
                let below = root.join(name).map_err(|_| self.refused(name))?;
                Ok(Place::Objects(below))
            }
            _ => self.directory(name, first),
        }
    }

    fn refused(&self, name: &str) -> Error {
        let roots: Vec<_> = self.roots.iter().map(Place::to_string).collect();
        let roots = roots.join(" or ");
        Error::Setting(format!("{name:?} is not a directory in {roots} (--backup-dir)"))
    }

    /// Returns the place at an address.
    fn address(&self, name: &str) -> Result<Place> {
        for root in &self.roots {
            if let Place::Objects(root) = root
                && let Some(address) = root.find(name)?
            {
                return Ok(Place::Objects(address));
            }
        }
        Err(self.refused(name))
    }

    /// Returns the directory that a client names, if this is no address.
    fn directory(&self, name: &str, first: &Place) -> Result<Place> {
        let refused = || self.refused(name);
        let path = Path::new(name);
        // Backups within the parts of a backup directory would be deleted as what no backup of that one uses.
        let is_part = |name: &OsStr| PARTS.iter().any(|part| name == *part);
        let is_plain = |part| match part {
            Component::Normal(name) => !is_part(name),
            part => part == Component::RootDir,
        };
        let is_root = name == ".";
        // The name is in the log: a line break would begin a line of the client's own.
        let is_wrong = name.is_empty() || name.contains(char::is_control);
        if !is_root && (is_wrong || !path.components().all(is_plain)) {
            return Err(refused());
        }
        let path = match first {
            Place::Directory(first) if is_root => first.clone(),
            Place::Directory(first) => first.join(path),
            Place::Objects(_) => path.to_owned(),
        };
        let directories = self.roots.iter().filter_map(|root| match root {
            Place::Directory(root) => Some(root),
            Place::Objects(_) => None,
        });
        let root = { directories }.find(|root| path.starts_with(root)).ok_or_else(refused)?;
        let is_link = |part: &Path| part.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if path.ancestors().take_while(|part| part != root).any(is_link) {
            return Err(refused());
        }
        self.check_data(&path)?;
        Ok(Place::Directory(path))
    }

    fn check_data(&self, path: &Path) -> Result<()> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match path.starts_with(&self.data) || real(path).starts_with(real(&self.data)) {
            false => Ok(()),
            true => Err(Error::Setting(format!(
                "backup-dir {}: backups in the directory of the data, {}, would be lost with it",
                path.display(),
                self.data.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::create_dir;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_paths_in_the_places_are_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (data, one, two) = (base.join("data"), base.join("one"), base.join("two"));
        create_dir(&data).unwrap();
        let places = Places::open(&[one.clone(), two.clone()], &data, None).unwrap();
        assert!(one.is_dir() && two.is_dir());
        let resolved = |name: &str| places.resolve(name).unwrap();
        assert_eq!(resolved("daily"), Place::from(&one.join("daily")));
        assert_eq!(resolved("."), Place::from(&one));
        assert_eq!(resolved(two.join("x").to_str().unwrap()), Place::from(&two.join("x")));
        symlink(&base, one.join("out")).unwrap();
        symlink("/nowhere", one.join("broken")).unwrap();
        for name in [
            "",
            "..",
            "../two",
            "a/../../data",
            "/etc",
            "/",
            "out",
            "out/x",
            "broken",
            "a\0",
            "a\nb",
            "s3://b/a",
        ] {
            let error = places.resolve(name).unwrap_err().to_string();
            assert!(error.contains("is not a directory in"), "{name}: {error}");
        }
        let error = Places::open(&[data.join("backups")], &base, None).unwrap_err().to_string();
        assert!(error.contains("would be lost with it"), "{error}");
        let error = Places::default().resolve("x").unwrap_err().to_string();
        assert!(error.contains("--backup-dir"), "{error}");
    }
    #[test]
    #[cfg(feature = "object-store")]
    fn only_addresses_in_the_places_are_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let roots = [PathBuf::from("s3://bucket/backups"), dir.path().join("local")];
        let places = Places::open(&roots, &dir.path().join("data"), None).unwrap();
        for (name, expected) in [
            ("daily", "s3://bucket/backups/daily"),
            (".", "s3://bucket/backups"),
            ("s3://bucket/backups/a/b", "s3://bucket/backups/a/b"),
        ] {
            assert_eq!(places.resolve(name).unwrap().to_string(), expected);
        }
        let local = roots[1].join("x");
        assert_eq!(places.resolve(local.to_str().unwrap()).unwrap(), Place::from(&local));
        for name in ["", "..", "a/../b", "meta", "s3://bucket/backups2", "s3://other/backups", "/"]
        {
            let error = places.resolve(name).unwrap_err().to_string();
            assert!(error.contains("--backup-dir"), "{name}: {error}");
        }
        let error = Places::open(&["ftp://x".into()], dir.path(), None).unwrap_err().to_string();
        assert!(error.contains("no object store has this scheme"), "{error}");
    }

    #[test]
    #[cfg(not(feature = "object-store"))]
    fn object_stores_are_refused_by_name() {
        let error = Places::open(&["s3://bucket/a".into()], Path::new("data"), None);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("s3://bucket/a") && error.contains("object-store"), "{error}");
    }
}
