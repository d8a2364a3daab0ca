//! Integration tests: each starts a server in this process.
mod audit;
mod backup;
mod crash;
mod damage;
mod disk;
mod fuzz;
mod http;
mod logs;
#[cfg(feature = "object-store")]
mod objects;
mod pegasus;
mod proxy;
mod records;
mod redis;
mod refusals;
mod tls;

#[path = "../../src/testing/process.rs"]
mod peer;
