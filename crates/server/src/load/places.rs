//! The files that clients may have loaded.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The directories of the setting `load-dir`.
#[derive(Clone, Debug, Default)]
pub struct LoadPlaces(Vec<PathBuf>);

impl LoadPlaces {
    /// Returns the places below these directories.
    ///
    /// # Errors
    ///
    /// One of them does not exist or is no directory.
    pub fn open(roots: &[PathBuf]) -> Result<LoadPlaces> {
        let roots = roots.iter().map(|root| {
            let failed = |error| Error::Io(format!("load-dir {}", root.display()), error);
            let real = root.canonicalize().map_err(failed)?;
            match real.is_dir() {
                true => Ok(real),
                false => Err(Error::Setting(format!(
                    "load-dir {}: expected a directory",
                    root.display()
                ))),
            }
        });
        Ok(LoadPlaces(roots.collect::<Result<_>>()?))
    }

    /// Returns the real path of a file or directory that a client names: relative to the first place, or absolute.
    ///
    /// # Errors
    ///
    /// There are no places, the path does not exist, or it is in none of them when all links are followed.
    pub fn resolve(&self, name: &str) -> Result<PathBuf> {
        let Some(first) = self.0.first() else {
            return Err(Error::Setting(
                "clients cannot load files here: start the server with --load-dir".to_owned(),
            ));
        };
        let refused = || {
            let roots: Vec<_> = self.0.iter().map(|root| root.display().to_string()).collect();
            let roots = roots.join(" or ");
            Error::Setting(format!("there is no {name:?} in {roots} (--load-dir)"))
        };
        // One answer for what does not exist and for what is elsewhere: clients do not learn which files there are.
        let real = first.join(Path::new(name)).canonicalize().map_err(|_| refused())?;
        match self.0.iter().any(|root| real.starts_with(root)) {
            true => Ok(real),
            false => Err(refused()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_paths_in_the_places_are_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (one, two) = (base.join("one"), base.join("two"));
        std::fs::create_dir(&one).unwrap();
        std::fs::create_dir_all(two.join("x")).unwrap();
        std::fs::write(base.join("outside"), "").unwrap();
        symlink(base.join("outside"), one.join("link")).unwrap();
        let places = LoadPlaces::open(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(places.resolve(".").unwrap(), one);
        assert_eq!(places.resolve(two.join("x").to_str().unwrap()).unwrap(), two.join("x"));
        for name in ["..", "../outside", "link", "/etc", "missing", "", "a\0"] {
            match places.resolve(name) {
                Err(error) => assert!(error.to_string().contains("(--load-dir)"), "{error}"),
                // The empty name is the place itself.
                Ok(path) => assert_eq!((name, path), ("", one.clone())),
            }
        }
        let error = LoadPlaces::default().resolve("x").unwrap_err().to_string();
        assert!(error.contains("--load-dir"), "{error}");
        for root in ["missing", "outside"] {
            let error = LoadPlaces::open(&[base.join(root)]).unwrap_err().to_string();
            assert!(error.contains("load-dir"), "{error}");
        }
    }
}
