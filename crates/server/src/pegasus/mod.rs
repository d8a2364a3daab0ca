//! The operations and administrative calls of Pegasus.
//!
//! Files in reading order: `number`, `check`, `throttle`, `envs`, `table`, `scans` (parts); `call` (one evaluation) and
//! its operations `single`, `multi`, `atomic`, `scanning`; `method`, `service` (the door), `group` (requests on one
//! row that arrive together), `admin` (the meta server's part), `proxy` (Redis commands on a table).

pub mod admin;
mod atomic;
mod auditing;
mod call;
mod check;
mod envs;
mod group;
mod method;
mod multi;
mod number;
pub mod proxy;
mod scanning;
mod scans;
mod service;
mod single;
mod table;
mod throttle;

pub use admin::{Admin, AdminOptions};
pub use method::Kind;
pub use service::{Counters, Outcome, Scratch, Service};

#[cfg(test)]
#[path = "limits_test.rs"]
mod limits_tests;
#[cfg(test)]
#[path = "operations_test.rs"]
mod operations_tests;
#[cfg(test)]
mod testing;
