//! The mark of a database with a time to live. A listener gets a handle of the plain database; the mark shows how it
//! was opened.

use crate::db::Db;
use crate::env::sync::LazyLock;
use crate::hooks::EventListener;
use crate::options::DbOptions;
use std::sync::Arc;

/// A listener that does nothing. Its identity is the mark.
struct Mark;

impl EventListener for Mark {}

static MARK: LazyLock<Arc<dyn EventListener>> = LazyLock::new(|| Arc::new(Mark));

/// Adds the mark to the options of a database that is opened with a time to live. Without listeners nobody needs it.
pub(super) fn mark(options: &mut DbOptions) {
    if !options.components.listeners.is_empty() {
        options.components.listeners.push(Arc::clone(&MARK));
    }
}

/// Returns whether a database was opened with a time to live. The database must have listeners.
pub(crate) fn is_marked(db: &Db) -> bool {
    db.core()
        .session
        .options
        .components
        .listeners
        .iter()
        .any(|listener| Arc::ptr_eq(listener, &MARK))
}
