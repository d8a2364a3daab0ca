//! Requests that must be refused, at each door: the exact answer to each, and that the server serves on with the same
//! users, settings and data.
//!
//! The tables of the other files are also a page of the documentation: `UPDATE_DOCS=1` writes it.

mod http;
mod http_cases;
mod pegasus;
mod pegasus_cases;
mod proxy;
mod redis;
mod redis_cases;
mod tls;
mod world;

use std::collections::BTreeSet;
use std::fmt::Write;

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Theme {
    Rights,
    Credentials,
    Replayed,
    Oversized,
    CrossSite,
    Malformed,
}

impl Theme {
    const ALL: [(Theme, &str); 6] = [
        (Theme::Rights, "Without the right"),
        (Theme::Credentials, "Without a password or certificate, or with a wrong one"),
        (Theme::Replayed, "Replayed"),
        (Theme::Oversized, "Oversized"),
        (Theme::CrossSite, "From another site, or for another protocol"),
        (Theme::Malformed, "Malformed"),
    ];
}

/// A line of the page.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Row {
    theme: Theme,
    door: &'static str,
    name: String,
    answer: String,
}

const PAGE: &str = "\
<!-- generated: UPDATE_DOCS=1 cargo test -p ferrolith-server --test it page_of_refusals -->
# Refused requests

`crates/server/tests/it/refusals` sends each of these requests to a server program with all doors, compares the answer,
and checks that the server then serves new clients of each door with the same users, settings and data. *Closed* means
that the server closes the connection. Answers of the Redis doors are error texts, those of Pegasus errors of the RPC
layer (`ERR_…`) or storage statuses (a number), those of HTTP a status and the word in `error`, and those of TLS alerts.
[Security](security.md) describes the rules.
";

fn page() -> (String, usize) {
    let all = [redis::rows(), pegasus::rows_of_page(), proxy::rows(), http::rows(), tls::rows()];
    let rows: Vec<Row> = all.concat();
    let names: BTreeSet<_> = rows.iter().map(|row| (row.door, &row.name)).collect();
    assert_eq!(names.len(), rows.len(), "two cases of a door have the same name");
    let mut page = PAGE.to_owned();
    for (theme, title) in Theme::ALL {
        _ = write!(page, "\n## {title}\n\n| Door | Request | Answer |\n|---|---|---|\n");
        for Row { door, name, answer, .. } in rows.iter().filter(|row| row.theme == theme) {
            _ = writeln!(page, "| {door} | {name} | {} |", answer.replace('|', "\\|"));
        }
    }
    (page, rows.len())
}

#[test]
fn page_of_refusals_is_true() {
    let (page, cases) = page();
    assert!(cases >= 120, "{cases} cases");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server/refusals.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/server/refusals.md: run this test with UPDATE_DOCS=1");
}
