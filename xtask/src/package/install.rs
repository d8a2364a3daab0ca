//! `cargo x install` and `cargo x uninstall`.
//!
//! An installation leaves a list of its files, `PREFIX/LIBDIR/ferrolith/installed-files`. `uninstall` removes what that
//! list names and nothing else; `install` overwrites a file only if an earlier list names it, unless `--replace` is
//! given.

use super::layout::{self, Layout};
use crate::compat::Failure;
use crate::compat::place::{self, Place};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const LIST: &str = "ferrolith/installed-files";

/// Builds the library and writes every file of `layout`, after checking for existing files.
pub(super) fn install(
    place: &Place,
    layout: &Layout,
    profile: &str,
    replace: bool,
) -> Result<(), Failure> {
    let items = layout.items();
    let list = layout.root.join(&layout.libdir).join(LIST);
    let earlier = read_list(&list)?;
    let foreign: Vec<String> = items
        .iter()
        .map(|item| (layout.root.join(&item.path), &item.path))
        .filter(|(path, relative)| path.symlink_metadata().is_ok() && !earlier.contains(*relative))
        .map(|(path, _)| format!("  {}", path.display()))
        .collect();
    if !foreign.is_empty() && !replace {
        return Err(format!(
            "these files exist and were not installed by cargo x install; nothing was written \
             (--replace overwrites them):\n{}",
            foreign.join("\n")
        ));
    }
    let built = layout::build(place, "ferrolith-librocksdb", profile)?;
    // Write the list first, so that the files of a failed installation can be removed too.
    place::make_dir(list.parent().unwrap_or(&layout.root))?;
    let mut names: BTreeSet<PathBuf> = items.iter().map(|item| item.path.clone()).collect();
    names.extend(earlier);
    let text: String = names.iter().map(|name| format!("{}\n", name.display())).collect();
    place::write(&list, &text)?;
    layout.write(place, &built, &items)?;
    println!("{}", list.display());
    Ok(())
}

/// Removes the files of an installation and the directories that are empty without them.
pub(super) fn uninstall(layout: &Layout) -> Result<(), Failure> {
    let list = layout.root.join(&layout.libdir).join(LIST);
    let names = read_list(&list)?;
    if names.is_empty() {
        return Err(format!("nothing is installed there: {} does not exist", list.display()));
    }
    let mut directories = BTreeSet::new();
    for name in &names {
        let path = layout.root.join(name);
        match layout::remove_if_there(&path)? {
            true => println!("removed {}", path.display()),
            false => println!("not there {}", path.display()),
        }
        directories.extend(parents(name));
    }
    layout::remove_if_there(&list)?;
    println!("removed {}", list.display());
    directories.extend(parents(&layout.libdir.join(LIST)));
    // Deepest first; a directory with other content stays.
    for directory in directories.iter().rev() {
        let _ = fs::remove_dir(layout.root.join(directory));
    }
    Ok(())
}

/// Returns the directories above `name`, below the prefix.
fn parents(name: &Path) -> impl Iterator<Item = PathBuf> {
    name.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty()).map(Path::to_owned)
}

/// Returns the paths of a list, relative to the prefix; none if there is no list.
fn read_list(list: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    if !list.exists() {
        return Ok(BTreeSet::new());
    }
    let mut names = BTreeSet::new();
    for line in place::read(list)?.lines() {
        let name = PathBuf::from(line);
        // A damaged list must not lead out of the prefix.
        let inside = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside || line.is_empty() {
            return Err(format!("{}: {line:?} is not a path below the prefix", list.display()));
        }
        names.insert(name);
    }
    Ok(names)
}

#[cfg(test)]
#[path = "install_test.rs"]
mod tests;
