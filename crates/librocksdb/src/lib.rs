//! `librocksdb.so` and `librocksdb.a`: the functions of `ferrolith-capi` as libraries for programs in other languages.
//!
//! Both export every `#[no_mangle]` function of the crates they link. `cargo x smoke` compares the exported names with
//! those of RocksDB's header.

extern crate ferrolith_capi as _;
