//! The pool of reading threads.

use super::*;
use std::sync::Barrier;

/// A test that fills the queue leaves no room for the jobs of others.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn jobs_run_at_the_same_time() {
    let _alone = ALONE.lock();
    // All jobs wait for each other.
    let barrier = std::sync::Arc::new(Barrier::new(4));
    let jobs: Vec<_> = (0..4)
        .map(|i| {
            let barrier = std::sync::Arc::clone(&barrier);
            start(move || {
                barrier.wait();
                Some(i)
            })
        })
        .collect();
    while !jobs.iter().all(Ahead::is_ready) {
        threads::yield_now();
    }
    let found: Vec<_> = jobs.into_iter().map(Ahead::finish).collect();
    assert_eq!(found, [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn failures_and_panics_give_no_result() {
    let _alone = ALONE.lock();
    let jobs = [start(|| None), start(|| panic!("as wanted")), start(|| Some(1))];
    while !jobs.iter().all(Ahead::is_ready) {
        threads::yield_now();
    }
    assert_eq!(jobs.map(Ahead::finish), [None, None, Some(1)]);
}

/// Without threads, a job stays queued until its owner cancels it.
#[test]
fn refused_threads_leave_the_work_to_the_owner() {
    let _alone = ALONE.lock();
    let refusals = threads::Refusals::after(0);
    let job = start(|| Some(1));
    assert!(matches!(job.finish(), None | Some(1)), "another test's thread may take the job");
    drop(refusals);
    assert!(QUEUE.lock().threads <= THREADS_MAX);
}

#[test]
fn what_exceeds_the_queue_is_not_begun() {
    let _alone = ALONE.lock();
    let gate = std::sync::Arc::new(Mutex::new(()));
    let closed = gate.lock();
    let wait = || {
        let gate = std::sync::Arc::clone(&gate);
        move || {
            drop(gate.lock());
            Some(())
        }
    };
    let jobs: Vec<_> = (0..THREADS_MAX + QUEUED_MAX).map(|_| start(wait())).collect();
    // Threads may still be starting, so other jobs may find room; not all of them.
    let more: Vec<_> = (0..2 * THREADS_MAX).map(|_| start(wait())).collect();
    assert!(QUEUE.lock().jobs.len() <= QUEUED_MAX);
    assert!(more.iter().any(Ahead::is_ready), "expected jobs that were refused");
    drop(more);
    drop(closed);
    jobs.into_iter().for_each(|job| _ = job.finish());
}
