//! The SIGBUS handler, which keeps a fault in a mapped log from killing the process.
//!
//! A store into a mapped file raises SIGBUS if the file system cannot provide the page: the file was truncated by
//! another process, the device failed, or the block is shared (a reflink copy, a snapshot, an overlay's lower layer)
//! and the device has no room for a copy. The handler replaces the whole mapping with anonymous memory, so that the
//! store completes, and marks it as lost. The writer checks the mark after each record and, if it is set, writes the
//! record with write(2), which reports the error.
//!
//! Every other SIGBUS is passed to the previous handler, or ends the process as it would have without this handler. The
//! handler is installed while logs are mapped and removed with the last of them, if it is still the current one.
//!
//! Invariants:
//! * **S1** The range of a slot is one word, zero or the bounds of a mapping of its owner. So a handler on another
//!   thread never combines the bounds of two mappings.
//! * **S2** Only the thread that has `&mut` to the log stores into the mapping, so the slot of a faulting address does
//!   not change while the handler runs.
//! * **S3** The handler takes no lock and allocates nothing: atomics, mmap, sigaction.
//!
//! The module needs `unsafe` because signals and mappings use `libc`. Tests: `log_test.rs`, in child processes.

#![allow(unsafe_code)]

use crate::env::sync::std_atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, compiler_fence};
use crate::env::sync::{Mutex, MutexGuard};
use std::io;
use std::ptr;

/// The maximum number of mapped logs. Further logs are written with write(2).
const SLOTS: usize = 1024;
/// The unit of ranges; every page size is a multiple of it.
const UNIT: usize = 4096;
/// The number of low bits of a range that store its length in units. The others store the first
/// unit, for addresses below 2^57.
const LEN_BITS: u32 = 19;
/// The longest mapping that can be guarded.
pub(super) const LONGEST: usize = UNIT << (LEN_BITS - 1);

/// The bounds of one mapping.
struct Slot {
    taken: AtomicBool,
    range: AtomicU64,
    lost: AtomicBool,
}

static ALL: [Slot; SLOTS] = [const {
    Slot { taken: AtomicBool::new(false), range: AtomicU64::new(0), lost: AtomicBool::new(false) }
}; SLOTS];

/// The number of taken slots.
static HELD: Mutex<usize> = Mutex::new(0);

/// The previous handler and its flags.
static OLD_HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static OLD_FLAGS: AtomicUsize = AtomicUsize::new(0);

impl Slot {
    /// Replaces the mapping with anonymous memory if `address` is inside.
    fn take_over(&self, address: usize) -> bool {
        let range = self.range.load(Ordering::Acquire);
        let (start, len) = unpack(range);
        if address.wrapping_sub(start) >= len {
            return false;
        }
        let page = address / UNIT * UNIT;
        // SAFETY: the range is the mapping of a log (S1), and there are no other pointers into it (S2); the second call
        // replaces only a part, for systems without memory for the whole.
        let mapped = unsafe { map_over(start, len) || map_over(page, UNIT) };
        if mapped {
            self.lost.store(true, Ordering::Release);
        }
        mapped
    }
}

/// # Safety
/// The range must belong to the caller, and its contents must not be needed any more.
unsafe fn map_over(start: usize, len: usize) -> bool {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: by contract.
    unsafe { libc::mmap(start as *mut _, len, access, kind, -1, 0) != libc::MAP_FAILED }
}

fn pack(start: usize, len: usize) -> u64 {
    debug_assert!(start.is_multiple_of(UNIT) && len.is_multiple_of(UNIT));
    debug_assert!(len / UNIT < 1 << LEN_BITS);
    (((start / UNIT) as u64) << LEN_BITS) | (len / UNIT) as u64
}

fn unpack(range: u64) -> (usize, usize) {
    ((range >> LEN_BITS) as usize * UNIT, (range & ((1 << LEN_BITS) - 1)) as usize * UNIT)
}

/// The guard of one log's mappings, one at a time.
pub(super) struct Watch(&'static Slot);

impl Watch {
    /// `None` if all slots are taken or the handler cannot be installed; then nothing may be
    /// mapped.
    pub(super) fn new() -> Option<Watch> {
        let slot = ALL.iter().find(|slot| !slot.taken.swap(true, Ordering::AcqRel))?;
        let mut held = HELD.lock();
        if *held == 0 && install().is_err() {
            slot.taken.store(false, Ordering::Release);
            return None;
        }
        *held += 1;
        Some(Watch(slot))
    }

    /// Makes faults in this range survivable. The caller owns the mapping, and must call `forget` before it unmaps it.
    pub(super) fn guard(&self, start: *mut u8, len: usize) {
        self.0.lost.store(false, Ordering::Relaxed);
        self.0.range.store(pack(start as usize, len), Ordering::Release);
    }

    /// Ends the guard before the mapping is unmapped.
    pub(super) fn forget(&self) {
        self.0.range.store(0, Ordering::Release);
    }

    /// Whether stores since `guard` went to memory that does not belong to the file.
    #[inline]
    pub(super) fn lost(&self) -> bool {
        // The handler runs on this thread, between two instructions, so it suffices that the compiler keeps the stores
        // before the load.
        compiler_fence(Ordering::SeqCst);
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Whether a SIGBUS now would reach this handler. Another library may have replaced it.
    pub(super) fn stands(&self) -> bool {
        current().is_ok_and(|action| is_ours(&action))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.forget();
        self.0.taken.store(false, Ordering::Release);
        let mut held = HELD.lock();
        *held -= 1;
        if *held == 0 {
            remove(&held);
        }
    }
}

fn is_ours(action: &libc::sigaction) -> bool {
    action.sa_sigaction == on_sigbus as *const () as usize
}

fn current() -> io::Result<libc::sigaction> {
    // SAFETY: all fields of sigaction may be zero; the struct outlives the call, which changes nothing else.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        match libc::sigaction(libc::SIGBUS, ptr::null(), &mut action) {
            0 => Ok(action),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Installs the handler in front of the current one. The caller holds the lock.
fn install() -> io::Result<()> {
    let mut action = current()?;
    // If another handler was installed in front, this handler stayed and still has its predecessor.
    if is_ours(&action) {
        return Ok(());
    }
    OLD_FLAGS.store(action.sa_flags as usize, Ordering::Relaxed);
    OLD_HANDLER.store(action.sa_sigaction, Ordering::Release);
    // The blocked signals and the restart flag of its predecessor are kept. The signal stack is what Go requires of
    // every handler.
    action.sa_sigaction = on_sigbus as *const () as usize;
    action.sa_flags = (action.sa_flags & (libc::SA_NODEFER | libc::SA_RESTART))
        | libc::SA_SIGINFO
        | libc::SA_ONSTACK;
    // SAFETY: the struct outlives the call; the handler is async-signal-safe (S3).
    match unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Restores the predecessor, unless another handler was installed in front.
fn remove(_held: &MutexGuard<'_, usize>) {
    if let Ok(mut action) = current()
        && is_ours(&action)
    {
        action.sa_sigaction = OLD_HANDLER.load(Ordering::Acquire);
        action.sa_flags = OLD_FLAGS.load(Ordering::Relaxed) as libc::c_int;
        // SAFETY: the struct outlives the call, and contains the previous settings.
        unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) };
    }
}

/// The handler; S3 states its limits.
extern "C" fn on_sigbus(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid siginfo. The calls here may change errno, which belongs to the interrupted
    // code, so it is saved and restored.
    unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        // A signal sent by a process has no address.
        let is_fault = (*info).si_code > 0;
        let address = (*info).si_addr() as usize;
        if !(is_fault && ALL.iter().any(|slot| slot.take_over(address))) {
            pass_on(signal, info, context, is_fault);
        }
        *errno = saved;
    }
}

/// Does what would have happened without this handler.
///
/// # Safety
/// Must be called by the handler with its arguments.
unsafe fn pass_on(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
    is_fault: bool,
) {
    let handler = OLD_HANDLER.load(Ordering::Acquire);
    let flags = OLD_FLAGS.load(Ordering::Relaxed) as libc::c_int;
    // SAFETY: another part of the process passed the handler and its calling convention to sigaction; the struct is
    // valid with zeros.
    unsafe {
        match handler {
            libc::SIG_IGN if !is_fault => {}
            // A fault recurs when this returns, and then has its default effect.
            libc::SIG_DFL | libc::SIG_IGN => {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, ptr::null_mut());
                if !is_fault {
                    libc::raise(signal);
                }
            }
            _ if flags & libc::SA_SIGINFO != 0 => {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
            }
            _ => std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(signal),
        }
    }
}
