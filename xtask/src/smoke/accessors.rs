//! A program that prints every plain option: its default, and its value after it was set to some values.
//!
//! A plain option has a function that takes a handle and one number, or takes a handle and returns one. Handles are
//! those that a function without arguments creates.

use crate::abi::{Row, Table, split_arguments, type_of_argument, type_of_return};
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Default)]
struct Handle<'a> {
    create: &'a str,
    destroy: &'a str,
    getters: Vec<&'a Row>,
    setters: Vec<&'a Row>,
}

pub(crate) fn program(table: &Table) -> String {
    let mut handles: BTreeMap<String, Handle<'_>> = BTreeMap::new();
    let have: Vec<&Row> = table.rows.iter().filter(|r| r.state != "unsupported").collect();
    for row in have.iter().filter(|r| r.arguments.is_empty() && r.name.ends_with("_create")) {
        let destroy = row.name.replace("_create", "_destroy");
        if let Some(destroy) = have.iter().find(|r| r.name == destroy) {
            let handle = handles.entry(type_of_return(row)).or_default();
            (handle.create, handle.destroy) = (&row.name, &destroy.name);
        }
    }
    for row in &have {
        let types: Vec<String> = split_arguments(row).iter().map(|a| type_of_argument(a)).collect();
        let Some(handle) = types.first().and_then(|t| handles.get_mut(t)) else { continue };
        match &types[1..] {
            [] if row.name.contains("_get_") && is_number(&type_of_return(row)) => {
                handle.getters.push(row);
            }
            [value] if row.name.contains("_set_") && is_number(value) => handle.setters.push(row),
            _ => {}
        }
    }
    let mut out = String::from(
        "/* Written by cargo x smoke. */\n#include <rocksdb/c.h>\n#include <stdio.h>\n\n\
         int main(void) {\n",
    );
    for (name, handle) in &handles {
        handle.print(name.trim_start_matches('*'), &mut out);
    }
    out + "    return 0;\n}\n"
}

fn is_number(kind: &str) -> bool {
    ["u8", "i32", "u32", "i64", "u64", "usize", "f64", "bool"].contains(&kind)
}

impl Handle<'_> {
    fn print(&self, name: &str, out: &mut String) {
        let mut line = |text: String| writeln!(out, "    {text}").expect("a String takes all");
        line(format!("{{ {name}* h = {}();", self.create));
        for get in &self.getters {
            line(format!("printf(\"{n} %.17g\\n\", (double){n}(h));", n = get.name));
        }
        for set in &self.setters {
            let get = set.name.replace("_set_", "_get_");
            let get = self.getters.iter().find(|g| g.name == get);
            for value in values(set) {
                line(format!("{}(h, {value});", set.name));
                if let Some(get) = get {
                    let n = &get.name;
                    line(format!("printf(\"{n} after {value}: %.17g\\n\", (double){n}(h));"));
                }
            }
        }
        line(format!("{}(h); }}", self.destroy));
    }
}

/// Small values, which are also valid if the option is an enumeration.
fn values(set: &Row) -> &'static [&'static str] {
    let arguments = split_arguments(set);
    // Enumerations of two; RocksDB takes any number there, and would misread it later.
    if set.name.contains("prepopulate") || set.name.contains("stop_style") {
        return &["1", "0"];
    }
    match arguments.get(1).map(|a| type_of_argument(a)).as_deref() {
        Some("f64") => &["0.5", "2"],
        Some("bool" | "u8") => &["0", "1"],
        Some("u64" | "usize" | "i64") => &["1", "1234567890123"],
        _ => &["2", "1"],
    }
}
