//! `abi.tsv`: one row per function of RocksDB's header.

use super::sources::{Function, Functions};
use super::types;

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) returns: String,
    pub(crate) arguments: String,
    pub(crate) state: &'static str,
    binding: String,
}

pub(crate) struct Table {
    /// The comment and the column names.
    head: String,
    pub(crate) rows: Vec<Row>,
}

impl Table {
    pub(crate) fn parse(text: &str) -> Result<Table, Vec<String>> {
        let mut table = Table { head: String::new(), rows: Vec::new() };
        for line in text.lines() {
            if !line.starts_with("rocksdb_") {
                table.head += line;
                table.head.push('\n');
                continue;
            }
            let [name, returns, arguments, _, binding] = line.split('\t').collect::<Vec<_>>()[..]
            else {
                return Err(vec![format!("abi.tsv: expected 5 columns: {line:?}")]);
            };
            table.rows.push(Row {
                name: name.into(),
                returns: returns.into(),
                arguments: arguments.into(),
                state: "unsupported",
                binding: binding.into(),
            });
        }
        Ok(table)
    }

    pub(crate) fn print(&self) -> String {
        let mut out = self.head.clone();
        for r in &self.rows {
            let Row { name, returns, arguments, state, binding } = r;
            out += &format!("{name}\t{returns}\t{arguments}\t{state}\t{binding}\n");
        }
        out
    }

    pub(crate) fn set_states(&mut self, functions: &Functions) {
        for row in &mut self.rows {
            row.state = match functions.get(&row.name) {
                None if row.binding.is_empty() => "unsupported",
                None => "implemented",
                Some(f) if f.comment.starts_with("Accepted without effect") => "accepted",
                Some(f) if f.comment.starts_with("Refused") => "unsupported",
                Some(_) => "implemented",
            };
        }
    }

    /// Returns the differences between the table and the declarations in the sources.
    pub(crate) fn compare(&self, functions: &Functions) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, function) in functions {
            match self.rows.iter().find(|row| row.name == *name) {
                Some(row) => problems.extend(row.compare(function)),
                None => problems.push(format!("{}: {name} is not in abi.tsv", function.place)),
            }
        }
        problems
    }
}

impl Row {
    fn compare(&self, function: &Function) -> Vec<String> {
        let place = format!("{}: {}", function.place, self.name);
        let ours: Vec<String> = function.arguments.iter().map(|a| types::of_rust(a)).collect();
        let theirs: Vec<String> =
            types::split(&self.arguments).iter().map(|a| types::of_c_argument(a)).collect();
        if ours.len() != theirs.len() {
            return vec![format!("{place}: {} arguments, expected {}", ours.len(), theirs.len())];
        }
        let mut problems = Vec::new();
        for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            if !types::agree(ours, theirs) {
                problems.push(format!("{place}: argument {}: {ours}, expected {theirs}", i + 1));
            }
        }
        let (ours, theirs) = (types::of_rust(&function.returns), types::of_c(&self.returns));
        if !types::agree(&ours, &theirs) {
            problems.push(format!("{place}: returns {ours}, expected {theirs}"));
        }
        problems
    }
}
