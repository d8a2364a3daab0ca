//! Integration tests: each starts a server in this process.
mod crash;
mod pegasus;
mod redis;
