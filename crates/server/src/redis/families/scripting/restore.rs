//! FUNCTION DUMP and FUNCTION RESTORE.

use super::functions::{error, load_library, too_many};
use crate::dump::{self, DumpError, Version};
use crate::redis::args::Args;
use crate::redis::context::Context;
use crate::redis::failure::{Done, Failure};
use crate::redis::scripts::library_row;
use crate::script::Libraries;

/// The most memory that the code of all libraries of a payload takes, in bytes.
const CODE_MAX: usize = 64 << 20;

/// FUNCTION DUMP.
pub(super) fn dump(context: &mut Context<'_>, _: Args<'_>) -> Done {
    let libraries = context.libraries();
    let codes = libraries.iter().map(|library| library.code());
    context.out.bulk(&dump::encode_functions(codes, Version::V10));
    Ok(())
}

/// FUNCTION RESTORE.
pub(super) fn restore(context: &mut Context<'_>, args: Args<'_>) -> Done {
    if args.len() > 4 {
        return Err(too_many(args));
    }
    let (flushes, replaces) = match args.at(3).to_ascii_lowercase().as_slice() {
        b"" | b"append" => (false, false),
        b"replace" => (false, true),
        b"flush" => (true, false),
        _ => {
            return Err("ERR Wrong restore policy given, value should be either FLUSH, APPEND or \
                        REPLACE."
                .into());
        }
    };
    let codes = dump::decode_functions(args.at(2), CODE_MAX).map_err(refusal)?;
    let mut restored = Libraries::default();
    for code in &codes {
        let library = load_library(context, args, code)?;
        restored.add(library, false).map_err(error)?;
    }
    let rows: Vec<_> = restored.iter().cloned().collect();
    let old = context.libraries();
    let mut libraries = if flushes { Libraries::default() } else { Libraries::clone(&old) };
    libraries.add_all(restored, replaces).map_err(error)?;
    if flushes {
        for library in old.iter() {
            let (partition, key) = library_row(library.name());
            context.txn.delete(partition, &key)?;
        }
    }
    for library in rows {
        let (partition, key) = library_row(library.name());
        context.txn.put(partition, &key, library.code())?;
    }
    context.replace_libraries(libraries);
    context.out.ok();
    Ok(())
}

/// Returns the reply for a payload that cannot be read.
fn refusal(error: DumpError) -> Failure {
    match error {
        DumpError::Footer => "ERR DUMP payload version or checksum are wrong".into(),
        DumpError::Unsupported(text) => format!("ERR {text}").into(),
        _ => "ERR failed loading the given functions payload".into(),
    }
}
