//! Libraries of functions as data: what FUNCTION LOAD made, shared by all workers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::flags::Flags;

/// The error of a name with other bytes than letters, digits and underscores.
pub(super) const BAD_NAME: &str = "Library names can only contain letters, numbers, or \
                                   underscores(_) and must be at least one character long";

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A function of a library.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Function {
    /// The name by which FCALL calls it.
    pub name: Vec<u8>,
    /// The description, if the library gives one.
    pub description: Option<Vec<u8>>,
    /// What the function may do.
    pub flags: Flags,
}

/// A loaded library.
#[derive(Debug)]
pub struct Library {
    /// Differs for each load, so that workers notice a replaced library.
    id: u64,
    name: Vec<u8>,
    code: Vec<u8>,
    functions: Vec<Function>,
}

impl Library {
    /// Creates a library that was loaded. `code` includes the header.
    pub(super) fn new(name: Vec<u8>, code: &[u8], functions: Vec<Function>) -> Library {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Library { id, name, code: code.to_vec(), functions }
    }

    /// Returns the number of this load.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Returns the name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the code with its header.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Returns the functions in the order of their registration.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Returns a function by its name, in any case.
    pub fn function(&self, name: &[u8]) -> Option<&Function> {
        self.functions.iter().find(|function| function.name.eq_ignore_ascii_case(name))
    }
}

/// A set of libraries. No two of them have a function of the same name.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    by_name: BTreeMap<Vec<u8>, Arc<Library>>,
    /// By names in lower case.
    by_function: HashMap<Vec<u8>, Arc<Library>>,
}

impl Libraries {
    /// Returns the libraries in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Library>> {
        self.by_name.values()
    }

    /// Returns the number of functions.
    pub fn function_count(&self) -> usize {
        self.by_function.len()
    }

    /// Returns a library by its name.
    pub fn get(&self, name: &[u8]) -> Option<&Arc<Library>> {
        self.by_name.get(name)
    }

    /// Returns the library of a function, whose name may be in any case.
    pub fn of_function(&self, name: &[u8]) -> Option<&Arc<Library>> {
        self.by_function.get(&name.to_ascii_lowercase())
    }

    /// Adds a library, in the place of one of the same name if `replaces`. Leaves the set as it was on an error, which
    /// is Redis's text without a code.
    pub fn add(&mut self, library: Library, replaces: bool) -> Result<(), String> {
        let old = self.by_name.get(&library.name);
        if old.is_some() && !replaces {
            return Err(format!("Library '{}' already exists", lossy(&library.name)));
        }
        let old_id = old.map(|old| old.id);
        self.check_functions(&library, |owner| Some(owner.id) != old_id)?;
        self.insert(Arc::new(library));
        Ok(())
    }

    /// Adds all libraries of another set, or none of them. The error is Redis's text without a code.
    pub fn add_all(&mut self, others: Libraries, replaces: bool) -> Result<(), String> {
        if !replaces && let Some(name) = others.by_name.keys().find(|name| self.get(name).is_some())
        {
            return Err(format!("Library {} already exists", lossy(name)));
        }
        for library in others.iter() {
            self.check_functions(library, |owner| others.get(&owner.name).is_none())?;
        }
        others.by_name.into_values().for_each(|library| self.insert(library));
        Ok(())
    }

    /// Removes a library. Returns whether there was one.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let Some(library) = self.by_name.remove(name) else { return false };
        self.by_function.retain(|_, owner| owner.id != library.id);
        true
    }

    /// Fails if another library, which stays, has a function of the same name.
    fn check_functions(
        &self,
        library: &Library,
        stays: impl Fn(&Library) -> bool,
    ) -> Result<(), String> {
        for function in &library.functions {
            if self.of_function(&function.name).is_some_and(|owner| stays(owner)) {
                return Err(format!("Function {} already exists", lossy(&function.name)));
            }
        }
        Ok(())
    }

    fn insert(&mut self, library: Arc<Library>) {
        self.remove(&library.name);
        for function in &library.functions {
            self.by_function.insert(function.name.to_ascii_lowercase(), Arc::clone(&library));
        }
        self.by_name.insert(library.name.clone(), library);
    }
}

/// Returns whether the name of a library or function has only letters, digits and underscores.
pub(super) fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
#[path = "library_test.rs"]
mod tests;
