//! The next window of a log, which the helper thread prepares while the writer fills the current one.
//!
//! Allocating, mapping and populating a megabyte takes 0.2 to 1 ms on a file system in memory. If the writer did it
//! itself, one write of 1 KB in a thousand would wait, which is the 99.9th percentile.
//!
//! The helper thread only adds: it allocates blocks after those that the writer uses, and maps them. Invariant **NW1**:
//! the file is never shortened while a job may be running; [`NextWindow::discard`] comes first.

use super::sys;
use super::window::Window;
use super::writable::SharedFile;
use crate::env::ahead::{Ahead, Helper};
use std::sync::Arc;

/// What a job is to prepare.
pub(super) struct Plan {
    /// The bounds of the window in the file.
    pub(super) start: u64,
    pub(super) end: u64,
    /// The file's length, which the job extends to `allocate_to`.
    pub(super) allocated: u64,
    pub(super) allocate_to: u64,
}

/// A window that is mapped and populated.
pub(super) struct Prepared {
    pub(super) window: Window,
    /// The file is at least this long.
    pub(super) allocated: u64,
}

/// The job for the next window, if one was started.
#[derive(Default)]
pub(super) struct NextWindow {
    job: Option<Ahead<Prepared>>,
    helper: Option<Arc<Helper>>,
    /// Whether a job may have made the file longer than the writer knows.
    extended: bool,
}

impl NextWindow {
    /// Starts a job, unless there is one already.
    pub(super) fn prepare(&mut self, shared: &Arc<SharedFile>, plan: Plan) {
        if self.job.is_some() {
            return;
        }
        if self.helper.is_none() {
            self.helper = Helper::get();
        }
        let Some(helper) = &self.helper else { return };
        self.extended |= plan.allocate_to > plan.allocated;
        let shared = Arc::clone(shared);
        self.job = Some(Ahead::start(helper, move || prepare(&shared, &plan)));
    }

    /// Returns whether a job has not ended yet.
    pub(super) fn is_late(&self) -> bool {
        self.job.as_ref().is_some_and(|job| !job.is_ready())
    }

    /// Returns the window, if a job was started and succeeded; waits for it if necessary.
    pub(super) fn take(&mut self) -> Option<Prepared> {
        self.job.take().and_then(Ahead::finish)
    }

    /// Unmaps a window that is not used any more on the helper thread.
    pub(super) fn unmap(&self, mut window: Window) {
        window.end_guard();
        if let Some(helper) = &self.helper {
            helper.run(move || drop(window));
        }
    }

    /// Cancels the job or waits for its end, and drops its result.
    pub(super) fn discard(&mut self) {
        drop(self.take());
    }

    /// Notes that the file was shortened to a length that the writer knows.
    pub(super) fn shortened(&mut self) {
        self.extended = false;
    }

    /// Returns whether the file may be longer than the writer knows.
    pub(super) fn may_have_extended(&self) -> bool {
        self.extended
    }
}

/// Returns `None` if any step fails: the writer will repeat it when it needs the window, and report the error.
fn prepare(shared: &SharedFile, plan: &Plan) -> Option<Prepared> {
    let Plan { start, end, allocated, allocate_to } = *plan;
    if allocate_to > allocated {
        // A file that another process truncated must stay short, or the writer would not notice.
        if shared.file.metadata().ok()?.len() < allocated {
            return None;
        }
        sys::allocate(&shared.file, allocated, allocate_to - allocated, true).ok()?;
    }
    let window = Window::map(&shared.file, start, (end - start) as usize).ok()?;
    window.populate(start, end).ok()?;
    Some(Prepared { window, allocated: allocate_to })
}
