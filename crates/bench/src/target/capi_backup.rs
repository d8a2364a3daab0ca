//! Backups through a library.
#![allow(unsafe_code)]

use super::Result;
use super::capi::take_error;
use super::capi_symbols::{Object, Symbols};
use crate::flags::Flags;
use std::ffi::CString;
use std::ptr::null_mut;

/// An open backup engine of `--backup_dir`.
pub(super) struct Backups<'a> {
    s: &'a Symbols,
    engine: Object,
}

const MISSING: &str = "the library does not export the functions for backups";

fn path(flags: &Flags, flag: &str) -> Result<CString> {
    CString::new(flags.text(flag)).map_err(|_| format!("--{flag} contains a zero byte"))
}

impl<'a> Backups<'a> {
    /// Opens it, with the limits that the flags say.
    pub(super) fn open(s: &'a Symbols, flags: &Flags) -> Result<Backups<'a>> {
        let functions = (
            s.backup_engine_options_create,
            s.backup_engine_options_set_backup_rate_limit,
            s.backup_engine_options_set_restore_rate_limit,
            s.backup_engine_options_destroy,
            s.backup_engine_open_opts,
            s.create_default_env,
        );
        let (Some(create), Some(backup), Some(restore), Some(destroy), Some(open), Some(env)) =
            functions
        else {
            return Err(MISSING.to_owned());
        };
        let dir = path(flags, "backup_dir")?;
        let mut error = null_mut();
        // SAFETY: the text and the options live during the calls; the environment lives as long as the process.
        let engine = unsafe {
            let options = create(dir.as_ptr());
            backup(options, flags.uint("backup_rate_limit"));
            restore(options, flags.uint("restore_rate_limit"));
            let engine = open(options, env(), &mut error);
            destroy(options);
            engine
        };
        take_error(s, error)?;
        Ok(Backups { s, engine })
    }

    /// Makes a backup of an open database, memtables included.
    pub(super) fn create(&self, db: Object) -> Result<()> {
        let create = self.s.backup_engine_create_new_backup_flush.ok_or(MISSING)?;
        let mut error = null_mut();
        // SAFETY: both objects are live.
        unsafe { create(self.engine, db, 1, &mut error) };
        take_error(self.s, error)
    }

    /// Restores the newest one into `--restore_dir`.
    pub(super) fn restore(&self, flags: &Flags) -> Result<()> {
        let functions = (
            self.s.backup_engine_restore_db_from_latest_backup,
            self.s.restore_options_create,
            self.s.restore_options_destroy,
        );
        let (Some(restore), Some(create), Some(destroy)) = functions else {
            return Err(MISSING.to_owned());
        };
        let dir = path(flags, "restore_dir")?;
        let mut error = null_mut();
        // SAFETY: all objects and texts live during the call.
        unsafe {
            let options = create();
            restore(self.engine, dir.as_ptr(), dir.as_ptr(), options, &mut error);
            destroy(options);
        }
        take_error(self.s, error)
    }
}

impl Drop for Backups<'_> {
    fn drop(&mut self) {
        if let Some(close) = self.s.backup_engine_close {
            // SAFETY: the engine is live and not used again.
            unsafe { close(self.engine) };
        }
    }
}
