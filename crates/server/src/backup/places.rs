//! The directories that clients may name in commands about backups.

use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The folders of a backup directory.
const PARTS: [&str; 4] = ["meta", "private", "shared", "shared_checksum"];

/// The directories of the setting `backup-dir`.
#[derive(Clone, Debug, Default)]
pub struct Places {
    roots: Vec<PathBuf>,
    /// The directory of the data, where no backup may be.
    data: PathBuf,
}

impl Places {
    /// Returns the places of a server whose data is in `data`. Creates directories that do not exist.
    ///
    /// # Errors
    ///
    /// A directory cannot be created or read, or it is the directory of the data or inside it.
    pub fn open(roots: &[PathBuf], data: &Path) -> Result<Places> {
        let failed =
            |path: &Path, error| Error::Io(format!("backup-dir {}", path.display()), error);
        let data = std::path::absolute(data).map_err(|error| failed(data, error))?;
        let mut places = Places { roots: Vec::new(), data };
        for root in roots {
            if !root.is_dir() {
                std::fs::create_dir(root).map_err(|error| failed(root, error))?;
            }
            let root = std::path::absolute(root).map_err(|error| failed(root, error))?;
            places.check_data(&root)?;
            places.roots.push(root);
        }
        Ok(places)
    }

    /// Returns the directory that a client names: a path in one of the places, or relative to the first of them.
    ///
    /// # Errors
    ///
    /// There are no places, or the path leads out of them. Links below them are refused.
    pub fn resolve(&self, name: &str) -> Result<PathBuf> {
        let Some(first) = self.roots.first() else {
            return Err(Error::Setting(
                "clients cannot use backups here: start the server with --backup-dir".to_owned(),
            ));
        };
        let roots: Vec<_> = self.roots.iter().map(|root| root.display().to_string()).collect();
        let refused = || {
            let roots = roots.join(" or ");
            Error::Setting(format!("{name:?} is not a directory in {roots} (--backup-dir)"))
        };
        let path = Path::new(name);
        // Backups within the parts of a backup directory would be deleted as what no backup of that one uses.
        let is_part = |name: &OsStr| PARTS.iter().any(|part| name == *part);
        let is_plain = |part| match part {
            Component::Normal(name) => !is_part(name),
            part => part == Component::RootDir,
        };
        let is_root = name == ".";
        if !is_root && (name.is_empty() || name.contains('\0') || !path.components().all(is_plain))
        {
            return Err(refused());
        }
        let path = if is_root { first.clone() } else { first.join(path) };
        let root = self.roots.iter().find(|root| path.starts_with(root)).ok_or_else(refused)?;
        let is_link = |part: &Path| part.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if path.ancestors().take_while(|part| part != root).any(is_link) {
            return Err(refused());
        }
        self.check_data(&path)?;
        Ok(path)
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
        let places = Places::open(&[one.clone(), two.clone()], &data).unwrap();
        assert!(one.is_dir() && two.is_dir());
        assert_eq!(places.resolve("daily").unwrap(), one.join("daily"));
        assert_eq!(places.resolve(".").unwrap(), one);
        assert_eq!(places.resolve(two.join("x").to_str().unwrap()).unwrap(), two.join("x"));
        symlink(&base, one.join("out")).unwrap();
        symlink("/nowhere", one.join("broken")).unwrap();
        for name in
            ["", "..", "../two", "a/../../data", "/etc", "/", "out", "out/x", "broken", "a\0"]
        {
            let error = places.resolve(name).unwrap_err().to_string();
            assert!(error.contains("is not a directory in"), "{name}: {error}");
        }
        let error = Places::open(&[data.join("backups")], &base).unwrap_err().to_string();
        assert!(error.contains("would be lost with it"), "{error}");
        let error = Places::default().resolve("x").unwrap_err().to_string();
        assert!(error.contains("--backup-dir"), "{error}");
    }
}
