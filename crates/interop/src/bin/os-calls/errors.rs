//! Which errors each function can give, and which of them have a cause that lasts.

use crate::plan::SHORT;
use libc::*;

/// Functions with the errors of their manual pages that a correct call on a local file system can meet.
/// [`SHORT`] stands for a transfer of half the bytes.
const ERRORS: &[(&str, &[i32])] = &[
    ("open64", &[EMFILE, ENFILE, ENOMEM, EACCES, EIO, EINTR]),
    ("open64 O_CREAT", &[EMFILE, ENFILE, ENOMEM, ENOSPC, EDQUOT, EACCES, EROFS, EIO, EINTR]),
    ("read", &[EIO, EINTR, SHORT]),
    ("pread64", &[EIO, EINTR, SHORT]),
    ("write", &[ENOSPC, EDQUOT, EFBIG, EIO, EINTR, SHORT]),
    ("writev", &[ENOSPC, EDQUOT, EFBIG, EIO, EINTR, SHORT]),
    ("pwrite64", &[ENOSPC, EDQUOT, EFBIG, EIO, EINTR, SHORT]),
    ("fsync", &[EIO, ENOSPC, EDQUOT, EINTR]),
    ("fdatasync", &[EIO, ENOSPC, EDQUOT, EINTR]),
    ("ftruncate64", &[EIO, EFBIG, EPERM, EINTR]),
    ("fallocate", &[ENOSPC, EDQUOT, EFBIG, EIO, EINTR, EOPNOTSUPP, ENOSYS, ENODEV]),
    ("sync_file_range", &[EIO, ENOSPC, ENOMEM]),
    ("lseek64", &[EINVAL]),
    ("linkat", &[ENOSPC, EDQUOT, EMLINK, EPERM, EXDEV, EIO, EROFS]),
    ("rename", &[ENOSPC, EDQUOT, EACCES, EIO, EROFS]),
    ("unlink", &[EACCES, EBUSY, EIO, EROFS]),
    ("rmdir", &[EACCES, EBUSY, EIO]),
    ("mkdir", &[ENOSPC, EDQUOT, EMLINK, EACCES, EROFS, EIO]),
    ("opendir", &[EMFILE, ENFILE, ENOMEM, EACCES, EIO]),
    ("readdir64", &[EIO]),
    ("closedir", &[EINTR]),
    ("close", &[EIO, EINTR, ENOSPC, EDQUOT]),
    ("statx", &[EACCES, ENOMEM, EIO]),
    ("statvfs", &[EACCES, ENOSYS, EIO]),
    ("fstatfs", &[ENOSYS, EIO]),
    ("realpath", &[EACCES, ENOMEM, EIO]),
    ("getcwd", &[ENOENT, EACCES]),
    ("getrandom", &[ENOSYS, EINTR, EPERM]),
    ("fcntl F_SETLK", &[EAGAIN, EACCES, ENOLCK, EINTR]),
    ("fcntl F_DUPFD", &[EMFILE]),
    ("mmap", &[ENOMEM, EAGAIN]),
    ("mmap64", &[ENOMEM, EAGAIN, ENODEV, EACCES]),
    ("mremap", &[ENOMEM, EAGAIN]),
    ("munmap", &[ENOMEM]),
    ("madvise", &[ENOMEM, EAGAIN, EINVAL, EFAULT, EIO]),
    ("pthread_create", &[EAGAIN, EPERM]),
];

/// The errors of a function.
pub fn of(function: &str) -> Option<&'static [i32]> {
    ERRORS.iter().find(|(name, _)| *name == function).map(|(_, errors)| *errors)
}

/// Names of errors, for files and command lines.
const NAMES: &[(&str, i32)] = &[
    ("EACCES", EACCES),
    ("EAGAIN", EAGAIN),
    ("EBUSY", EBUSY),
    ("EDQUOT", EDQUOT),
    ("EFAULT", EFAULT),
    ("EFBIG", EFBIG),
    ("EINTR", EINTR),
    ("EINVAL", EINVAL),
    ("EIO", EIO),
    ("EMFILE", EMFILE),
    ("EMLINK", EMLINK),
    ("ENFILE", ENFILE),
    ("ENODEV", ENODEV),
    ("ENOENT", ENOENT),
    ("ENOLCK", ENOLCK),
    ("ENOMEM", ENOMEM),
    ("ENOSPC", ENOSPC),
    ("ENOSYS", ENOSYS),
    ("EOPNOTSUPP", EOPNOTSUPP),
    ("EPERM", EPERM),
    ("EROFS", EROFS),
    ("EXDEV", EXDEV),
    ("SHORT", SHORT),
];

/// The name of an error.
pub fn name(code: i32) -> &'static str {
    NAMES.iter().find(|(_, c)| *c == code).map_or("?", |(name, _)| *name)
}

/// The error of this name.
pub fn code(name: &str) -> Option<i32> {
    NAMES.iter().find(|(n, _)| *n == name).map(|(_, code)| *code)
}

/// The functions that a cause of this error makes fail for as long as it lasts, where it can last;
/// `function` is the one that meets it first.
pub fn while_it_lasts(error: i32, function: &str) -> Option<&'static [&'static str]> {
    const FULL: &[&str] =
        &["open64 O_CREAT", "write", "writev", "pwrite64", "fallocate", "mkdir", "linkat"];
    const NO_DESCRIPTORS: &[&str] = &["open64", "open64 O_CREAT", "opendir", "fcntl F_DUPFD"];
    const NO_MAPPINGS: &[&str] = &["mmap", "mmap64", "mremap"];
    const BROKEN_WRITES: &[&str] = &["write", "writev", "pwrite64", "fsync", "fdatasync"];
    let functions = match error {
        ENOSPC | EDQUOT => FULL,
        EMFILE | ENFILE => NO_DESCRIPTORS,
        ENOMEM => NO_MAPPINGS,
        EAGAIN => &["pthread_create"],
        EIO => BROKEN_WRITES,
        _ => return None,
    };
    functions.contains(&function).then_some(functions)
}
