//! Integration tests: each starts a server in this process.
mod crash;
mod damage;
mod disk;
mod fuzz;
mod pegasus;
mod redis;
mod tls;

#[path = "../../src/testing/process.rs"]
mod peer;
