//! Situations of an open database, by what is used.

mod copies;
mod reads;
mod tables;
mod transactions;
mod writes;

use super::situations::of;
use super::{Case, Context};
use crate::abi::Handle;

fn filled(c: &mut Context<'_>, list: &str) -> Option<Handle> {
    let db = c.fresh(list, "db")?;
    (0..30).for_each(|n| c.put(db, &format!("key{n:03}"), "value"));
    Some(db)
}

fn writes(c: &mut Context<'_>) -> Handle {
    c.make("writeoptions_create", &[])
}

/// All cases of this folder.
pub(super) fn cases() -> Vec<Case> {
    [writes::CASES, reads::CASES, tables::CASES, transactions::CASES, copies::CASES]
        .into_iter()
        .flat_map(of)
        .collect()
}
