//! Notices that a connection with large buffers has become idle, so that it gives their memory back.
//!
//! One timer stays registered while there is traffic. A timer for each wait would cost more than small buffers save.

use std::future::pending;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// The bytes of buffers that an idle connection keeps.
const KEPT_BYTES: usize = 8 << 10;
/// After this time without traffic, a connection is idle. It is noticed after up to twice this time.
const IDLE: Duration = Duration::from_secs(1);

/// The watch of a connection.
#[derive(Default)]
pub(super) struct Quiet {
    /// Runs while the buffers are large.
    timer: Option<Pin<Box<Sleep>>>,
    /// There was traffic since the timer was set.
    is_used: bool,
}

impl Quiet {
    /// Notes traffic, after which the connection's buffers have this capacity.
    pub(super) fn used(&mut self, capacity: usize) {
        self.is_used = true;
        if capacity > KEPT_BYTES && self.timer.is_none() {
            self.timer = Some(Box::pin(sleep(IDLE)));
            self.is_used = false;
        }
    }

    /// Waits until the connection is idle and its buffers are large.
    pub(super) async fn wait(&mut self) {
        let Some(timer) = &mut self.timer else { return pending().await };
        loop {
            timer.as_mut().await;
            if !std::mem::take(&mut self.is_used) {
                self.timer = None;
                return;
            }
            timer.as_mut().reset(Instant::now() + IDLE);
        }
    }
}
