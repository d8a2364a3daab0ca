//! `ferrolith-server`: serves unchanged Redis and Pegasus clients from one machine, on the engine [`ferrolith`].
//!
//! A command is evaluated in one place and becomes one write batch. Reads and writes go through the trait of `store`.
//!
//! The folders in reading order. A folder imports only from those above it; `cargo x tidy` checks this.
//!
//! | Folder | Owns |
//! |---|---|
//! | `error`, `clock` | the server's error type; the wall clock and the monotonic clock, which tests replace |
//! | `files`, `complaints` | files that are replaced in one step; errors of repeated tasks, printed now and then |
//! | `logs` | the server's log and its levels; files of lines |
//! | `audit` | the log of administrative calls |
//! | `tls` | certificates, keys, and the configuration of encrypted connections; those that the programs open |
//! | `backup` | directories and object stores of backups, their jobs, restoring |
//! | `text` | value rules of Redis: glob patterns, numbers, slots, LZF, CRC-64 |
//! | `hll`, `geo`, `bits`, `streamid` | HyperLogLog, geohash, bit operations, stream ids: pure functions over bytes |
//! | `dump` | the payloads of DUMP and RESTORE, and RDB files |
//! | `resp` | parser of requests and writer of replies, RESP2 and RESP3; the side of a client |
//! | `script` | Lua for scripts and functions, behind a seam to the server |
//! | `thrift` | Pegasus's Thrift dialect and its frames |
//! | `rows` | the bytes of rows of Redis and Pegasus tables |
//! | `store` | reads at a view, batches, latches, versions, expiry and garbage |
//! | `tables` | the catalogue of tables |
//! | `load` | files of rows, such as those of Pegasus's bulk load and backups, that are added to tables |
//! | `redis` | the command table, the context of an evaluation, families of commands, ranks, following a Redis |
//! | `transfer` | imports and exports of whole data sets |
//! | `pegasus` | the operations and administrative calls of Pegasus, and Redis commands on its tables |
//! | `net` | listeners, TLS handshakes, workers, limits, output buffers |
//! | `http` | the web page for operators, its API, metrics and health |
//! | `config` | flags, variables of the environment and the configuration file |
//! | `program` | starting and stopping |
#![forbid(unsafe_code)]

pub mod audit;
pub mod backup;
pub mod bits;
pub mod clock;
pub mod complaints;
pub mod config;
pub mod dump;
pub mod error;
pub mod files;
pub mod geo;
pub mod hll;
pub mod http;
pub mod load;
pub mod logs;
pub mod net;
pub mod pegasus;
pub mod program;
pub mod redis;
pub mod resp;
pub mod rows;
pub mod script;
pub mod store;
pub mod streamid;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod text;
pub mod thrift;
pub mod tls;
pub mod transfer;
