//! Stands in for the functions of the C library that call the operating system.
//!
//! Rust's standard library and the crate `libc` call these by name, and the linker takes a definition
//! in the program itself before the C library's. Each function asks [`plan::asked`] whether this call
//! should fail, and otherwise calls the real one. Calls that the C library makes itself (memory for
//! `malloc`, thread stacks) do not come here.
//!
//! Variadic functions are declared with the arguments that they take at most: on Linux's 64-bit
//! targets these are passed like those of other functions.
//!
//! Unsafe: every function passes its arguments on as they came, so the caller's promise holds.

use crate::plan::{self, SHORT};
use libc::{
    c_char, c_int, c_uint, c_void, iovec, off64_t, pthread_attr_t, pthread_t, size_t, ssize_t,
};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The next definition of this function, as a function pointer of this type.
macro_rules! real {
    ($name:literal as $type:ty) => {{
        static REAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
        let mut found = REAL.load(Ordering::Relaxed);
        if found.is_null() {
            // SAFETY: a string that ends with a zero byte.
            found = unsafe { libc::dlsym(libc::RTLD_NEXT, concat!($name, "\0").as_ptr().cast()) };
            REAL.store(found, Ordering::Relaxed);
        }
        // SAFETY: the C library's function of that name has this type.
        unsafe { std::mem::transmute::<*mut c_void, $type>(found) }
    }};
}

fn set_errno(code: c_int) {
    // SAFETY: the place belongs to this thread.
    unsafe { *libc::__errno_location() = code };
}

/// Defines functions that fail without doing anything.
macro_rules! interpose {
    ($($name:literal $function:ident($($arg:ident: $type:ty),*) -> $result:ty, fails with $failed:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function($($arg: $type),*) -> $result {
            let real = real!($name as unsafe extern "C" fn($($type),*) -> $result);
            match plan::asked($name) {
                Some(code) => {
                    set_errno(code);
                    $failed
                }
                // SAFETY: see the module.
                None => unsafe { real($($arg),*) },
            }
        }
    )*};
}

interpose! {
    "fsync" fsync(fd: c_int) -> c_int, fails with -1;
    "fdatasync" fdatasync(fd: c_int) -> c_int, fails with -1;
    "ftruncate64" ftruncate64(fd: c_int, length: off64_t) -> c_int, fails with -1;
    "fallocate" fallocate(fd: c_int, mode: c_int, offset: off64_t, len: off64_t) -> c_int, fails with -1;
    "sync_file_range" sync_file_range(fd: c_int, from: off64_t, len: off64_t, flags: c_uint) -> c_int,
        fails with -1;
    "lseek64" lseek64(fd: c_int, offset: off64_t, whence: c_int) -> off64_t, fails with -1;
    "linkat" linkat(from_fd: c_int, from: *const c_char, to_fd: c_int, to: *const c_char, flags: c_int) -> c_int,
        fails with -1;
    "rename" rename(from: *const c_char, to: *const c_char) -> c_int, fails with -1;
    "unlink" unlink(path: *const c_char) -> c_int, fails with -1;
    "rmdir" rmdir(path: *const c_char) -> c_int, fails with -1;
    "mkdir" mkdir(path: *const c_char, mode: libc::mode_t) -> c_int, fails with -1;
    "opendir" opendir(path: *const c_char) -> *mut libc::DIR, fails with null_mut();
    "readdir64" readdir64(dir: *mut libc::DIR) -> *mut libc::dirent64, fails with null_mut();
    "statx" statx(fd: c_int, path: *const c_char, flags: c_int, mask: c_uint, out: *mut libc::statx) -> c_int,
        fails with -1;
    "statvfs" statvfs(path: *const c_char, out: *mut libc::statvfs) -> c_int, fails with -1;
    "fstatfs" fstatfs(fd: c_int, out: *mut libc::statfs) -> c_int, fails with -1;
    "realpath" realpath(path: *const c_char, out: *mut c_char) -> *mut c_char, fails with null_mut();
    "getcwd" getcwd(out: *mut c_char, size: size_t) -> *mut c_char, fails with null_mut();
    "getrandom" getrandom(out: *mut c_void, size: size_t, flags: c_uint) -> ssize_t, fails with -1;
    "madvise" madvise(start: *mut c_void, len: size_t, advice: c_int) -> c_int, fails with -1;
    "mremap" mremap(old: *mut c_void, old_len: size_t, len: size_t, flags: c_int, place: *mut c_void) -> *mut c_void,
        fails with libc::MAP_FAILED;
    "mmap" mmap(start: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, at: off64_t) -> *mut c_void,
        fails with libc::MAP_FAILED;
    "mmap64" mmap64(start: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, at: off64_t)
        -> *mut c_void, fails with libc::MAP_FAILED;
}

/// Defines functions that do their work all the same, and then fail.
macro_rules! interpose_after {
    ($($name:literal $function:ident($($arg:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function($($arg: $type),*) -> c_int {
            let real = real!($name as unsafe extern "C" fn($($type),*) -> c_int);
            let fault = plan::asked($name);
            // SAFETY: see the module.
            let done = unsafe { real($($arg),*) };
            match fault {
                Some(code) => {
                    set_errno(code);
                    -1
                }
                None => done,
            }
        }
    )*};
}

interpose_after! {
    "close" close(fd: c_int);
    "closedir" closedir(dir: *mut libc::DIR);
    "munmap" munmap(start: *mut c_void, len: size_t);
}

/// Defines functions that move bytes, and may move half of them.
macro_rules! interpose_transfer {
    ($($name:literal $function:ident($fd:ident, $bytes:ident: $type:ty, $len:ident $(, $at:ident)?);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function($fd: c_int, $bytes: $type, $len: size_t $(, $at: off64_t)?) -> ssize_t {
            type Real = unsafe extern "C" fn(c_int, $type, size_t $(, transfer_offset!($at))?) -> ssize_t;
            let real = real!($name as Real);
            match plan::asked($name) {
                // SAFETY: see the module; a part of the buffer is a buffer.
                Some(SHORT) => unsafe { real($fd, $bytes, ($len / 2).max($len.min(1)) $(, $at)?) },
                Some(code) => {
                    set_errno(code);
                    -1
                }
                // SAFETY: see the module.
                None => unsafe { real($fd, $bytes, $len $(, $at)?) },
            }
        }
    )*};
}

/// The type of an offset, once for each.
macro_rules! transfer_offset {
    ($at:ident) => {
        off64_t
    };
}

interpose_transfer! {
    "read" read(fd, bytes: *mut c_void, len);
    "write" write(fd, bytes: *const c_void, len);
    "pread64" pread64(fd, bytes: *mut c_void, len, at);
    "pwrite64" pwrite64(fd, bytes: *const c_void, len, at);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    let real = real!("writev" as unsafe extern "C" fn(c_int, *const iovec, c_int) -> ssize_t);
    match plan::asked("writev") {
        Some(SHORT) if count > 0 => {
            // SAFETY: by contract there is a first part.
            let mut half = unsafe { *parts };
            half.iov_len = (half.iov_len / 2).max(half.iov_len.min(1));
            // SAFETY: one part, within the first of the caller's.
            unsafe { real(fd, &half, 1) }
        }
        Some(code) => {
            set_errno(code);
            -1
        }
        // SAFETY: see the module.
        None => unsafe { real(fd, parts, count) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    let real = real!("open64" as unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int);
    let makes = flags & libc::O_CREAT != 0;
    match plan::asked(if makes { "open64 O_CREAT" } else { "open64" }) {
        Some(code) => {
            set_errno(code);
            -1
        }
        // SAFETY: see the module.
        None => unsafe { real(path, flags, mode) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl(fd: c_int, command: c_int, argument: *mut c_void) -> c_int {
    let real = real!("fcntl" as unsafe extern "C" fn(c_int, c_int, *mut c_void) -> c_int);
    let name = match command {
        libc::F_SETLK => Some("fcntl F_SETLK"),
        libc::F_DUPFD_CLOEXEC => Some("fcntl F_DUPFD"),
        _ => None,
    };
    match name.and_then(plan::asked) {
        Some(code) => {
            set_errno(code);
            -1
        }
        // SAFETY: see the module.
        None => unsafe { real(fd, command, argument) },
    }
}

/// What a thread runs.
type ThreadMain = extern "C" fn(*mut c_void) -> *mut c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    body: ThreadMain,
    argument: *mut c_void,
) -> c_int {
    type Real = unsafe extern "C" fn(
        *mut pthread_t,
        *const pthread_attr_t,
        ThreadMain,
        *mut c_void,
    ) -> c_int;
    let real = real!("pthread_create" as Real);
    match plan::asked("pthread_create") {
        Some(code) => code,
        // SAFETY: see the module.
        None => unsafe { real(thread, attributes, body, argument) },
    }
}
