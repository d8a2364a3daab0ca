//! Loggers, which receive the lines instead of LOG: standard error, or a function of the caller.

use super::rocksdb_options_t;
use crate::bytes::text;
use crate::handles::{destroy, give};
use ferrolith::internal::fs::info_log::{LogLevel, Logger};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

/// A logger. Options keep it after the handle is destroyed.
pub struct rocksdb_logger_t {
    inner: Arc<dyn Logger>,
}

struct StandardError {
    level: LogLevel,
    prefix: String,
}

impl Logger for StandardError {
    fn log(&self, _level: LogLevel, text: &str) {
        if self.prefix.is_empty() {
            eprintln!("{text}");
        } else {
            eprintln!("{} {text}", self.prefix);
        }
    }
    fn level(&self) -> LogLevel {
        self.level
    }
}

type LogFunction = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_char, usize);

struct Callback {
    level: LogLevel,
    function: LogFunction,
    state: *mut c_void,
}

// SAFETY: RocksDB's C ABI calls loggers from any thread, which callers must allow.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Logger for Callback {
    fn log(&self, level: LogLevel, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        let len = bytes.len();
        bytes.push(0);
        // SAFETY: the caller gave a function for exactly this call, and its state; the text is valid during the call.
        unsafe { (self.function)(self.state, level as c_uint, bytes.as_mut_ptr().cast(), len) }
    }
    fn level(&self) -> LogLevel {
        self.level
    }
}

/// Creates a logger that writes lines from `log_level` on to standard error, each after `prefix`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_create_stderr_logger(
    log_level: c_int,
    prefix: *const c_char,
) -> *mut rocksdb_logger_t {
    let (level, prefix) = (LogLevel::from_number(log_level), text(prefix));
    give(rocksdb_logger_t { inner: Arc::new(StandardError { level, prefix }) })
}

/// Creates a logger that passes lines from `log_level` on to a function of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_create_callback_logger(
    log_level: c_int,
    function: Option<LogFunction>,
    priv_: *mut c_void,
) -> *mut rocksdb_logger_t {
    let Some(function) = function else { return ptr::null_mut() };
    let level = LogLevel::from_number(log_level);
    give(rocksdb_logger_t { inner: Arc::new(Callback { level, function, state: priv_ }) })
}

/// Destroys the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_destroy(logger: *mut rocksdb_logger_t) {
    destroy(logger);
}

/// Sets the logger of databases opened with these options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_info_log(
    handle: *mut rocksdb_options_t,
    logger: *mut rocksdb_logger_t,
) {
    if let Some(options) = handle.as_mut() {
        options.inner.db.components.info_log =
            logger.as_ref().map(|logger| Arc::clone(&logger.inner));
    }
}

/// Returns the logger of databases opened with these options, for the caller to destroy; NULL if they write LOG.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_info_log(
    opt: *mut rocksdb_options_t,
) -> *mut rocksdb_logger_t {
    let logger = opt.as_ref().and_then(|opt| opt.inner.db.components.info_log.clone());
    logger.map_or(ptr::null_mut(), |inner| give(rocksdb_logger_t { inner }))
}
