//! Merge operators: the trait and RocksDB's built-in ones.
//!
//! Most programs pass a closure to [`Options::merge_operator`](crate::Options::merge_operator). Implement the trait for
//! operators that merge operands with each other in a different way than with a value.
//!
//! ```
//! use ferrolith::merge::StringAppendOperator;
//! use ferrolith::{Db, Options};
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path();
//! let options = Options::new()
//!     .create_if_missing(true)
//!     .merge_operator_object(StringAppendOperator::new(*b", "));
//! let db = Db::open_with(options, path)?;
//! db.merge("planets", "Earth")?;
//! db.merge("planets", "Mars")?;
//! assert_eq!(db.get("planets")?.unwrap(), "Earth, Mars");
//! # Ok::<(), ferrolith::Error>(())
//! ```

pub use crate::hooks::{
    MaxOperator, MergeOperator, PutOperator, StringAppendOperator, UInt64AddOperator,
};
