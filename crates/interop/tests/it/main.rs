//! Directories exchanged with the real RocksDB, and processes killed in the middle of writes.

mod atomic_flush;
mod both;
mod children;
mod crash;
mod debian;
mod ends;
mod exchange;
mod faults;
mod figures;
mod info_log;
mod kills;
mod manifests;
mod options_text;
mod os_calls;
mod outside;
mod paths;
mod phases;
mod refusals;
mod script;
mod services;
mod statistics;
mod sweep;
mod tools;
