//! Callbacks that callers implement in C: function pointers behind the engine's hooks.
//!
//! Every hook here may be called from any thread. It holds the caller's `state` and calls its `destructor` once, when
//! the last user of the hook is gone: a database may hold a comparator for longer than the caller's handle exists.

pub(crate) mod compaction_filter;
pub(crate) mod comparator;
pub(crate) mod listener;
pub(crate) mod merge_operator;
pub(crate) mod slice_transform;

use std::ffi::{CStr, c_char, c_void};

/// Frees the caller's state.
pub(crate) type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// The name of a hook.
pub(crate) type Name = Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>;

/// The first argument of the caller's functions.
pub(crate) struct State {
    pointer: *mut c_void,
    destructor: Destructor,
}

impl State {
    pub(crate) fn new(pointer: *mut c_void, destructor: Destructor) -> State {
        State { pointer, destructor }
    }

    #[inline]
    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// Returns a copy of the name that `name` returns. It is called only once.
    ///
    /// # Safety
    /// `name` is the caller's function for this state and returns a NUL-terminated string.
    pub(crate) unsafe fn name(&self, name: Name) -> String {
        let Some(name) = name else { return String::new() };
        // SAFETY: guaranteed by the caller.
        let text = unsafe { name(self.pointer) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave the destructor for this state, and it runs once.
            unsafe { destructor(self.pointer) }
        }
    }
}

// SAFETY: RocksDB's C ABI calls hooks from any thread, which callers must allow.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}
