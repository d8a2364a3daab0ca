//! Keeps a fault in a mapped log from killing the process.
//!
//! A store into a mapped file raises SIGBUS where the file system cannot give the page: the file was truncated
//! by another process, the device failed, or the block is shared (a reflink copy, a snapshot, an overlay's lower
//! layer) and the device has no room for a copy. The handler here replaces the whole mapping by anonymous memory,
//! so that the store completes, and marks it as lost. The writer looks at the mark after each record and then
//! writes the record with write(2), which reports what is wrong.
//!
//! Every other SIGBUS goes on to the handler that was there before, or ends the process as it would have. The
//! handler is installed while logs are mapped and removed with the last of them, if it is still the current one.
//!
//! Invariants:
//! * **S1** The range of a slot is one word, zero or the bounds of a mapping of its owner. So a handler on another
//!   thread never combines the bounds of two mappings.
//! * **S2** Only the thread that has `&mut` to the log stores into the mapping, so the slot of a faulting address
//!   does not change while the handler runs.
//! * **S3** The handler takes no lock and allocates nothing: atomics, mmap, sigaction.
//!
//! Why unsafe: signals and mappings go through `libc`. Tests: `log_test.rs`, in child processes.

#![allow(unsafe_code)]

use crate::env::sync::std_atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, compiler_fence};
use crate::env::sync::{Mutex, MutexGuard};
use std::io;
use std::ptr;

/// Logs that are mapped at a time. Further ones are written with write(2).
const SLOTS: usize = 1024;
/// Ranges are kept in units of this: every page size is a multiple.
const UNIT: usize = 4096;
/// Low bits of a range: how many units. The others hold the first unit, of addresses below 2^57.
const LEN_BITS: u32 = 19;
/// The longest mapping that can be watched over.
pub(super) const LONGEST: usize = UNIT << (LEN_BITS - 1);

/// A place for the bounds of one mapping.
struct Slot {
    taken: AtomicBool,
    range: AtomicU64,
    lost: AtomicBool,
}

static ALL: [Slot; SLOTS] = [const {
    Slot { taken: AtomicBool::new(false), range: AtomicU64::new(0), lost: AtomicBool::new(false) }
}; SLOTS];

/// How many slots are taken.
static HELD: Mutex<usize> = Mutex::new(0);

/// The handler that was there before, and its flags.
static OLD_HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static OLD_FLAGS: AtomicUsize = AtomicUsize::new(0);

impl Slot {
    /// If `address` lies in the mapping, replaces that by anonymous memory.
    fn take_over(&self, address: usize) -> bool {
        let range = self.range.load(Ordering::Acquire);
        let (start, len) = unpack(range);
        if address.wrapping_sub(start) >= len {
            return false;
        }
        let page = address / UNIT * UNIT;
        // SAFETY: the range is a mapping of a log's (S1), into which nobody else has pointers (S2); the second
        // piece is a part of it, for systems that have no memory for all of it.
        let mapped = unsafe { map_over(start, len) || map_over(page, UNIT) };
        if mapped {
            self.lost.store(true, Ordering::Release);
        }
        mapped
    }
}

/// # Safety
/// The range belongs to the caller, and what is in it is not needed any more.
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

/// Watches over the mappings of one log, one after the other.
pub(super) struct Watch(&'static Slot);

impl Watch {
    /// `None` if all slots are taken or there can be no handler: then nothing is to be mapped.
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

    /// From now on a fault in this range is survived. The caller owns the mapping, and calls `forget` before it
    /// unmaps it.
    pub(super) fn guard(&self, start: *mut u8, len: usize) {
        self.0.lost.store(false, Ordering::Relaxed);
        self.0.range.store(pack(start as usize, len), Ordering::Release);
    }

    /// The mapping is about to go.
    pub(super) fn forget(&self) {
        self.0.range.store(0, Ordering::Release);
    }

    /// Whether stores since `guard` went to memory that is not the file's.
    #[inline]
    pub(super) fn lost(&self) -> bool {
        // The handler runs on this thread, between two instructions: what counts is that the compiler keeps the
        // stores before the load.
        compiler_fence(Ordering::SeqCst);
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Whether a SIGBUS now would come to the handler here. Another library may have replaced it.
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
    // SAFETY: all fields of sigaction may be zero; the struct lives through the call, which changes nothing else.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        match libc::sigaction(libc::SIGBUS, ptr::null(), &mut action) {
            0 => Ok(action),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Puts the handler in front of the one there is. The caller has the lock.
fn install() -> io::Result<()> {
    let mut action = current()?;
    // One that stayed, since another had been put in front of it, still knows its predecessor.
    if is_ours(&action) {
        return Ok(());
    }
    OLD_FLAGS.store(action.sa_flags as usize, Ordering::Relaxed);
    OLD_HANDLER.store(action.sa_sigaction, Ordering::Release);
    // The signals that its predecessor wants blocked, and how it wants calls restarted, stay as they were. The
    // stack for signals is what Go asks of every handler.
    action.sa_sigaction = on_sigbus as *const () as usize;
    action.sa_flags = (action.sa_flags & (libc::SA_NODEFER | libc::SA_RESTART))
        | libc::SA_SIGINFO
        | libc::SA_ONSTACK;
    // SAFETY: the struct lives through the call; the handler is async-signal-safe (S3).
    match unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Puts its predecessor back, unless somebody has put another handler in front.
fn remove(_held: &MutexGuard<'_, usize>) {
    if let Ok(mut action) = current()
        && is_ours(&action)
    {
        action.sa_sigaction = OLD_HANDLER.load(Ordering::Acquire);
        action.sa_flags = OLD_FLAGS.load(Ordering::Relaxed) as libc::c_int;
        // SAFETY: the struct lives through the call, and holds what the system had before.
        unsafe { libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) };
    }
}

/// S3: see the head.
extern "C" fn on_sigbus(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel gives a valid siginfo. What is called here may change errno, which belongs to the
    // code that was interrupted.
    unsafe {
        let errno = libc::__errno_location();
        let saved = *errno;
        // A signal that a process has sent has no address.
        let is_fault = (*info).si_code > 0;
        let address = (*info).si_addr() as usize;
        if !(is_fault && ALL.iter().any(|slot| slot.take_over(address))) {
            pass_on(signal, info, context, is_fault);
        }
        *errno = saved;
    }
}

/// Does what would have happened without the handler here.
///
/// # Safety
/// Called by the handler with its arguments.
unsafe fn pass_on(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
    is_fault: bool,
) {
    let handler = OLD_HANDLER.load(Ordering::Acquire);
    let flags = OLD_FLAGS.load(Ordering::Relaxed) as libc::c_int;
    // SAFETY: the handler and how it is called are what another part of the process gave to sigaction; the
    // struct is valid with zeros.
    unsafe {
        match handler {
            libc::SIG_IGN if !is_fault => {}
            // A fault comes again when this returns, and then has its default effect.
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
