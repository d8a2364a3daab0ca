//! Integration tests: each starts a server in this process.
mod crash;
mod damage;
mod disk;
mod fuzz;
mod pegasus;
mod proxy;
mod redis;

#[expect(dead_code, reason = "unit tests look into the server's directory")]
#[path = "../../src/testing/process.rs"]
mod peer;
