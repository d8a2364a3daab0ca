//! Loading of shared libraries at run time, and tables of their C functions.
#![allow(unsafe_code)]

use super::Result;
use libloading::Library;
use std::error::Error;
use std::path::Path;

/// Defines `Symbols`, the functions of a library. Each has the name that it has in C, without the prefix. A required
/// function must exist; an optional one is `None` if it is missing. The argument lists must be those of the C header.
macro_rules! symbols {
    (
        prefix $prefix:literal;
        required { $($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)* }
        optional { $($opt:ident: fn($($oarg:ty),*) $(-> $oret:ty)?;)* }
    ) => {
        /// The functions. They stay callable while `library` lives, which is in here.
        pub(super) struct Symbols {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
            $(pub(super) $opt: Option<unsafe extern "C" fn($($oarg),*) $(-> $oret)?>,)*
            _library: libloading::Library,
        }

        impl Symbols {
            /// Finds all of them, or names one that is missing.
            pub(super) fn find(
                library: libloading::Library,
            ) -> std::result::Result<Symbols, String> {
                // SAFETY: the types are those of the C header, which the library claims to implement by exporting the
                // names; pointers are kept no longer than `_library`.
                unsafe {
                    $(let $name = *library
                        .get(concat!($prefix, stringify!($name)))
                        .map_err(|_| concat!("it does not export ", $prefix, stringify!($name)))?;)*
                    $(let $opt = library
                        .get(concat!($prefix, stringify!($opt)))
                        .ok().map(|symbol| *symbol);)*
                    Ok(Symbols { $($name,)* $($opt,)* _library: library })
                }
            }
        }
    };
}
pub(super) use symbols;

/// Loads a library. `hint` says where a missing one comes from.
pub(super) fn load(path: &Path, hint: &str) -> Result<Library> {
    // SAFETY: the library's initialisers run; the user named it to be run.
    unsafe { Library::new(path) }.map_err(|error| failure(path, &error, hint))
}

/// Returns why a library could not be loaded. The system's message names the library again.
fn failure(path: &Path, error: &libloading::Error, hint: &str) -> String {
    if !path.exists() {
        return format!("no such file; {hint}");
    }
    // libloading only reports that it failed; the underlying system error says why.
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let reason = text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text);
    format!("this file cannot be loaded as a shared library: {reason}")
}
