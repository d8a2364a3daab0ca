//! Integration tests: each starts a server in this process.
mod crash;
mod damage;
mod disk;
mod fuzz;
mod pegasus;
mod redis;

#[path = "../../src/testing/process.rs"]
mod peer;
