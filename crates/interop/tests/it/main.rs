//! Directories exchanged with the real RocksDB, and processes killed in the middle of writes.

mod atomic_flush;
mod both;
mod children;
mod crash;
mod debian;
mod exchange;
mod figures;
mod kills;
mod options_text;
mod outside;
mod paths;
mod phases;
mod refusals;
mod services;
mod tools;
