//! Integration tests: each starts a server in this process.
mod pegasus;
mod redis;
