//! `include/rocksdb/c.h`, for C programs: written from `abi.tsv` and the constants beside it.

use super::table::{Row, Table};
use super::types;
use std::collections::BTreeSet;
use std::fmt::Write;

const TOP: &str = "\
/* RocksDB 10.10's C ABI, as Ferrolith's librocksdb has it.
 *
 * Written by `cargo x abi` from crates/capi/abi.tsv and crates/capi/c_constants.h: do not edit.
 * docs/c-abi.md lists the functions that are accepted without effect and the unsupported ones.
 *
 * Results that the caller must free are allocated with malloc; rocksdb_free frees them. A function
 * with errptr does not change *errptr on success; on failure it frees the old message in *errptr
 * and stores a new one.
 */
#ifndef FERROLITH_ROCKSDB_C_H
#define FERROLITH_ROCKSDB_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ROCKSDB_LIBRARY_API
#define ROCKSDB_LIBRARY_API
#endif

#ifdef __cplusplus
extern \"C\" {
#endif

";

const BOTTOM: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

pub(crate) fn print(table: &Table, constants: &str) -> String {
    let mut out = String::from(TOP);
    for name in handles(table, constants) {
        writeln!(out, "typedef struct {name} {name};").expect("a String takes all");
    }
    out += "\n";
    out += constants;
    out += "\n";
    for row in &table.rows {
        out += &prototype(row);
    }
    out + BOTTOM
}

/// Returns the opaque types: all names in `_t` that neither C itself nor the constants define.
fn handles<'a>(table: &'a Table, constants: &'a str) -> BTreeSet<&'a str> {
    let texts = table.rows.iter().flat_map(|r| [r.returns.as_str(), r.arguments.as_str()]);
    let words = texts
        .chain([constants])
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    let defined = |name: &str| constants.contains(&format!("}} {name};"));
    words.filter(|w| w.starts_with("rocksdb_") && w.ends_with("_t") && !defined(w)).collect()
}

/// Returns a prototype, in lines of at most 100 characters where possible.
fn prototype(row: &Row) -> String {
    let begin = format!("extern ROCKSDB_LIBRARY_API {} {}(", row.returns, row.name);
    let arguments = types::split(&row.arguments.replace("→", "->"));
    if arguments.is_empty() {
        return format!("{begin}void);\n");
    }
    let whole = format!("{begin}{});\n", arguments.join(", "));
    if whole.len() <= 101 {
        return whole;
    }
    let mut out = format!("{begin}\n   ");
    let mut width = 3;
    for (i, argument) in arguments.iter().enumerate() {
        let end = if i + 1 == arguments.len() { ");" } else { "," };
        if width > 3 && width + argument.len() + 3 > 100 {
            out += "\n   ";
            width = 3;
        }
        write!(out, " {argument}{end}").expect("a String takes all");
        width += argument.len() + 2;
    }
    out + "\n"
}
