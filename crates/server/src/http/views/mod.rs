//! The replies of the API, one file each: a type whose documentation is that of its fields in the OpenAPI document, and
//! the function that fills it.

pub(super) mod health;
pub(super) mod jobs;
pub(super) mod keys;
pub(super) mod levels;
pub(super) mod memory;
pub(super) mod overview;
pub(super) mod settings;
pub(super) mod slow;
pub(super) mod tables;
pub(super) mod user;
pub(super) mod value;

use super::App;

/// Returns the name of the table and the place in it of a partition, by the name that the engine's events use.
fn place_of(app: &App, family: &str) -> (String, Option<u32>) {
    for table in app.parts.catalogue.list() {
        for partition in table.partitions() {
            if app.parts.store.family(*partition).is_some_and(|name| name == family) {
                return (table.info().app_name.clone(), Some(partition.0));
            }
        }
    }
    // The catalogue itself, or a table that was dropped.
    let name = if family == "default" { "(the server's own rows)" } else { "(dropped)" };
    (name.to_owned(), None)
}
