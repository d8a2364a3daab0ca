//! Real files: the contract on ext4 and tmpfs, mapped logs, full devices, refused allocation,
//! killed writers, locks between processes.

use super::*;
use crate::fs::mem::tests::check_contract;

#[test]
fn the_operating_system_keeps_the_contract() {
    for base in ["/dev/shm", "."] {
        if let Ok(tmp) = tempfile::tempdir_in(base) {
            check_contract(&*posix(), &tmp.path().join("db"));
        }
    }
}
