//! Results of jobs: ready, cancelled, waited for, failed, panicked; and the life of the thread.

use super::*;
use std::sync::mpsc::channel;

#[test]
fn a_result_is_waited_for_and_a_job_that_has_not_begun_is_cancelled() {
    let helper = Helper::get().unwrap();
    let (begun, has_begun) = channel();
    let (release, released) = channel();
    let first = Ahead::start(&helper, move || {
        begun.send(()).unwrap();
        released.recv().unwrap();
        Some(1)
    });
    has_begun.recv().unwrap();
    let second: Ahead<i32> = Ahead::start(&helper, || panic!("this job must not run"));
    assert!(!first.is_ready() && !second.is_ready());
    assert_eq!(second.finish(), None);
    release.send(()).unwrap();
    assert_eq!(first.finish(), Some(1));
}

#[test]
fn a_job_whose_result_nobody_wants_does_not_run() {
    let (wanted, job) = Ahead::prepare(|| Some(1));
    let (unwanted, unwanted_job) = Ahead::<()>::prepare(|| panic!("this job must not run"));
    drop(unwanted);
    unwanted_job();
    job();
    assert_eq!(wanted.finish(), Some(1));
}

#[test]
fn jobs_that_fail_or_panic_end_without_a_result() {
    let helper = Helper::get().unwrap();
    let failed: Ahead<i32> = Ahead::start(&helper, || None);
    let panicked: Ahead<i32> = Ahead::start(&helper, || std::panic::resume_unwind(Box::new(())));
    let after = Ahead::start(&helper, || Some(3));
    while !after.is_ready() {
        threads::yield_now();
    }
    assert!(failed.is_ready() && panicked.is_ready());
    assert_eq!([failed.finish(), panicked.finish(), after.finish()], [None, None, Some(3)]);
}

#[test]
fn the_thread_ends_with_the_last_helper_and_unused_results_are_dropped() {
    // Other tests may hold the process's helper, so this one has its own.
    let shared = Arc::new(Shared::default());
    let of_thread = Arc::clone(&shared);
    let thread = threads::spawn("own", move || of_thread.run()).unwrap();
    let helper = Arc::new(Helper { shared, thread: Some(thread) });
    let value = Arc::new(());
    let (inside, again) = (Arc::clone(&value), Arc::clone(&helper));
    // The job owns a helper, too, and may be the last owner.
    let result = Ahead::start(&helper, move || {
        drop(again);
        Some(inside)
    });
    let shared = Arc::downgrade(&helper.shared);
    drop(helper);
    drop(result.finish());
    while shared.strong_count() > 0 {
        threads::yield_now();
    }
    while Arc::strong_count(&value) > 1 {
        threads::yield_now();
    }
}

#[test]
fn without_a_thread_there_is_no_helper() {
    let refusals = threads::Refusals::after(0);
    let already = CURRENT.lock().upgrade().is_some();
    assert_eq!(Helper::get().is_some(), already || CURRENT.lock().upgrade().is_some());
    drop(refusals);
}
