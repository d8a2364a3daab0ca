//! `diff`: compares the keys of two servers.

use crate::Answer;
use crate::connection::{Connection, Other, Server, unexpected};
use crate::copy::{Dump, TOGETHER, dumps};
use crate::keys::Which;
use crate::output::{Output, Progress, text};
use clap::Args;
use ferrolith_server::dump::{self, Value};
use ferrolith_server::error::{Error, Result};
use ferrolith_server::resp::PeerReply;
use serde_json::json;
use std::collections::HashMap;

/// The most memory that one value may take, in bytes, to be compared as a value and not byte by byte.
const VALUE_MAX: usize = 1 << 30;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    to: Other,
    #[command(flatten)]
    which: Which,
    /// Do not compare when keys expire
    #[arg(long = "ignore-expiry")]
    ignores_expiry: bool,
    /// Stop after so many differences
    #[arg(long, value_name = "N", default_value_t = 1000)]
    limit: u64,
    #[command(flatten)]
    server: Server,
}

/// Counts and prints differences.
struct Report<'o> {
    out: &'o Output,
    compared: u64,
    differences: u64,
    limit: u64,
}

impl Report<'_> {
    fn add(&mut self, kind: &str, key: &[u8]) {
        self.differences += 1;
        if self.differences <= self.limit {
            let line = format!("{kind}: {}\n", key.escape_ascii());
            self.out.print(line, &json!({ "difference": kind, "key": text(key) }));
        }
    }

    fn goes_on(&self) -> bool {
        self.differences < self.limit
    }
}

impl Diff {
    pub(crate) fn run(&self, out: &Output) -> Result<Answer> {
        let (mut one, mut other) = self.server.connect_both(&self.to)?;
        let mut report = Report { out, compared: 0, differences: 0, limit: self.limit.max(1) };
        let mut progress = Progress::begin();
        self.which.each(&mut one, |one, keys| {
            for part in keys.chunks(TOGETHER) {
                self.compare(one, &mut other, part, &mut report)?;
                progress.show(|| format!("{} keys compared", report.compared));
            }
            Ok(report.goes_on())
        })?;
        // Keys of both were compared; what is left are keys of the other server alone.
        let mut seen = 0_u64;
        if report.goes_on() {
            self.which.each(&mut other, |_, keys| {
                let found = exist(&mut one, &keys)?;
                let missing = keys.iter().zip(found).filter(|(_, exists)| !exists);
                missing.for_each(|(key, _)| report.add("only at the other server", key));
                seen += keys.len() as u64;
                progress.show(|| format!("{seen} keys of the other server looked up"));
                Ok(report.goes_on())
            })?;
        }
        progress.end();
        let (compared, differences) = (report.compared, report.differences);
        let is_whole = report.goes_on();
        let more = if is_whole { "" } else { "; stopped at --limit" };
        out.print(
            format!("{compared} keys compared, {differences} differences{more}\n"),
            &json!({ "compared": compared, "differences": differences, "complete": is_whole }),
        );
        Ok(if differences == 0 { Answer::Yes } else { Answer::No })
    }

    fn compare(
        &self,
        one: &mut Connection,
        other: &mut Connection,
        keys: &[Vec<u8>],
        report: &mut Report<'_>,
    ) -> Result<()> {
        let ours = dumps(one, keys)?;
        let theirs = dumps(other, keys)?;
        let theirs: HashMap<&[u8], &Dump<'_>> = theirs.iter().map(|it| (it.key, it)).collect();
        for dump in &ours {
            report.compared += 1;
            match theirs.get(dump.key) {
                None => report.add("only at the first server", dump.key),
                Some(their) if !is_same(&dump.payload, &their.payload) => {
                    report.add("different values", dump.key);
                }
                Some(their) if !self.ignores_expiry && dump.expiry_ms != their.expiry_ms => {
                    report.add("different times of expiry", dump.key);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Returns which of these keys exist.
fn exist(connection: &mut Connection, keys: &[Vec<u8>]) -> Result<Vec<bool>> {
    let commands: Vec<Vec<&[u8]>> = keys.iter().map(|key| vec![&b"EXISTS"[..], key]).collect();
    let replies = connection.pipeline(&commands)?;
    let exists = |reply| match reply {
        PeerReply::Integer(count) => Ok(count != 0),
        PeerReply::Error(text) => Err(Error::Setting(format!("EXISTS: {text}"))),
        other => Err(unexpected("EXISTS", &other)),
    };
    replies.into_iter().map(exists).collect()
}

/// Returns whether two payloads have the same value. Servers and versions encode it differently.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let canonical = |payload| dump::decode(payload, VALUE_MAX).map(sorted);
    one == other
        || match (canonical(one), canonical(other)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
}

/// Returns a value with sorted members, whose order means nothing.
fn sorted(mut value: Value) -> Value {
    match &mut value {
        Value::Set(members) => members.sort_unstable(),
        Value::SortedSet(members) => members.sort_unstable_by(|one, other| one.0.cmp(&other.0)),
        Value::Hash(fields) => fields.sort_unstable(),
        Value::ExpiringHash(fields) => fields.sort_unstable(),
        Value::String(_) | Value::List(_) | Value::Stream(_) => {}
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrolith_server::dump::{Version, encode};

    #[test]
    fn encodings_and_orders_do_not_matter_but_values_do() {
        let set = |members: &[&str]| {
            Value::Set(members.iter().map(|member| member.as_bytes().to_vec()).collect())
        };
        let payload = |value: &Value, version| encode(value, version);
        let one = payload(&set(&["a", "b"]), Version::V10);
        assert!(is_same(&one, &payload(&set(&["b", "a"]), Version::V11)));
        assert!(!is_same(&one, &payload(&set(&["a", "c"]), Version::V10)));
        let list = |members: &[&str]| {
            Value::List(members.iter().map(|member| member.as_bytes().to_vec()).collect())
        };
        let one = payload(&list(&["a", "b"]), Version::V10);
        assert!(!is_same(&one, &payload(&list(&["b", "a"]), Version::V10)));
        assert!(!is_same(b"damaged", &one));
    }
}
