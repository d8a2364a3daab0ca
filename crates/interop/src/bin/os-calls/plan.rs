//! What the interposed functions do: pass through, note who calls, or fail one call site.

use crate::errors;
use crate::sites::{self, Site};
use libc::{EDQUOT, ENOSPC};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// In place of an error: half of the bytes are transferred.
pub const SHORT: i32 = -1;

const OFF: u8 = 0;
const ARMED: u8 = 1;

/// Whether calls are looked at. Apart from the state, so that a call while this is off costs nothing.
static MODE: AtomicU8 = AtomicU8::new(OFF);
static STATE: Mutex<State> = Mutex::new(State { faults: Vec::new(), seen: BTreeSet::new() });

thread_local! {
    /// This thread is looking at a call, or works for the test itself.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

struct State {
    faults: Vec<Fault>,
    seen: BTreeSet<Site>,
}

/// A call that should fail.
pub struct Fault {
    /// Where.
    pub site: Site,
    /// With which error.
    pub error: i32,
    /// The functions that fail with it until the cause is gone; empty if this one call fails.
    pub lasting: &'static [&'static str],
    /// When it happened.
    pub fired: Option<Instant>,
    /// When the cause was gone.
    pub ended: Option<Instant>,
}

impl Fault {
    /// One that has not happened yet; `lasting` if its cause goes on, where it can.
    pub fn new(site: Site, error: i32, lasting: bool) -> Fault {
        let lasting =
            errors::while_it_lasts(error, &site.function).filter(|_| lasting).unwrap_or_default();
        Fault { site, error, lasting, fired: None, ended: None }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(|e| e.into_inner())
}

/// From now on calls of the engine are noted, and the faults happen, each after the one before it.
pub fn arm(faults: Vec<Fault>) {
    outside(|| state().faults = faults);
    MODE.store(ARMED, Ordering::SeqCst);
}

/// Every call passes from now on. Returns what was seen since [`arm`], and whether all faults happened.
pub fn disarm() -> (BTreeSet<Site>, bool) {
    MODE.store(OFF, Ordering::SeqCst);
    let mut state = state();
    let fired = std::mem::take(&mut state.faults).iter().all(|fault| fault.fired.is_some());
    (std::mem::take(&mut state.seen), fired)
}

/// Ends the causes of all faults that have happened. When the last cause was gone; none if no fault has happened.
pub fn end_causes() -> Option<Instant> {
    outside(|| {
        let mut state = state();
        for fault in state.faults.iter_mut().filter(|fault| fault.fired.is_some()) {
            fault.ended.get_or_insert_with(Instant::now);
        }
        state.faults.iter().filter_map(|fault| fault.ended).max()
    })
}

/// Whether the disk is full now, which no read needs to know.
pub fn disk_is_full() -> bool {
    let is_full =
        |f: &Fault| f.fired.is_some() && f.ended.is_none() && matches!(f.error, ENOSPC | EDQUOT);
    outside(|| state().faults.iter().any(is_full))
}

/// Runs what the test does itself: its calls are not looked at.
pub fn outside<T>(f: impl FnOnce() -> T) -> T {
    let before = INSIDE.replace(true);
    let result = f();
    INSIDE.set(before);
    result
}

/// Whether this call of `function` should fail, and with which error.
pub fn asked(function: &'static str) -> Option<i32> {
    if MODE.load(Ordering::Relaxed) == OFF || INSIDE.get() {
        return None;
    }
    outside(|| decide(function))
}

fn decide(function: &'static str) -> Option<i32> {
    let site = sites::caller(function)?;
    let mut state = state();
    let hit = state.hit(&site);
    if !state.seen.contains(&site) {
        state.seen.insert(site);
    }
    hit
}

impl State {
    fn hit(&mut self, site: &Site) -> Option<i32> {
        for fault in &mut self.faults {
            if fault.fired.is_none() {
                // Later faults wait for this one.
                return fault.happens(site);
            }
            if fault.ended.is_none() && fault.lasting.contains(&site.function.as_str()) {
                return Some(fault.error);
            }
        }
        None
    }
}

impl Fault {
    fn happens(&mut self, site: &Site) -> Option<i32> {
        if *site != self.site {
            return None;
        }
        let now = Instant::now();
        self.fired = Some(now);
        self.ended = self.lasting.is_empty().then_some(now);
        Some(self.error)
    }
}
