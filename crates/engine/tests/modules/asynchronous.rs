//! Asynchronous use.

use ferrolith::{AsyncDb, Db, Error, Result};
use futures_core::Stream;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;

fn runtime() -> Runtime {
    Builder::new_current_thread().max_blocking_threads(1).build().unwrap()
}

fn open(dir: &tempfile::TempDir) -> AsyncDb {
    AsyncDb::new(Db::open(dir.path()).unwrap())
}

/// One step of a future.
fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn what_memory_answers_needs_no_other_thread_and_what_it_does_not_moves() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = runtime();
    runtime.block_on(async {
        let db = open(&dir);
        db.put("cached", "1").await.unwrap();
        // The only thread for blocking work is busy.
        let (release, wait) = mpsc::channel::<()>();
        let busy = spawn_blocking(move || wait.recv().unwrap());
        assert_eq!(db.get("cached").await.unwrap().unwrap(), "1");
        assert_eq!(db.get("absent").await.unwrap(), None);
        {
            let mut write = pin!(db.put("waits", "1"));
            assert!(poll(write.as_mut()).is_pending());
            // Dropped here: the write happens all the same.
        }
        release.send(()).unwrap();
        busy.await.unwrap();
        assert_eq!(db.run(|db| db.get("waits")).await.unwrap().unwrap(), "1");
        db.run(|db| db.flush()).await.unwrap();
    });
    drop(runtime);

    // Opened again, nothing is cached: the lookup has to read a file, on another thread.
    let db = open(&dir);
    let runtime = self::runtime();
    let _inside = runtime.enter();
    let mut read = pin!(db.get("waits"));
    assert!(poll(read.as_mut()).is_pending());
    assert_eq!(runtime.block_on(read).unwrap().unwrap(), "1");
    let mut again = pin!(db.get("waits"));
    assert!(matches!(poll(again.as_mut()), Poll::Ready(Ok(Some(_)))), "cached by now");
}

#[test]
fn a_scan_loses_nothing_when_a_future_is_dropped() {
    let dir = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let db = open(&dir);
        db.run(|db| (0..1000_u32).try_for_each(|n| db.put(n.to_be_bytes(), ""))).await.unwrap();
        let mut scan = db.scan(Db::iter);
        let (mut count, mut dropped) = (0_u32, 0);
        loop {
            let first_step = {
                let mut next = pin!(scan.next());
                poll(next.as_mut())
            };
            let item = match first_step {
                Poll::Ready(item) => item.unwrap(),
                Poll::Pending => {
                    dropped += 1;
                    scan.next().await.unwrap()
                }
            };
            let Some((key, _)) = item else { break };
            assert_eq!(key, count.to_be_bytes());
            count += 1;
        }
        assert!(dropped > 0);
        assert!(scan.next().await.unwrap().is_none());
        assert_eq!(count, 1000);
    });
}

#[test]
fn errors_and_panics_arrive_at_the_caller() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = runtime();
    let db = open(&dir);
    let failed: Result<()> = runtime.block_on(db.run(|_| Err(Error::not_supported("x"))));
    assert!(failed.is_err());
    let values = runtime.block_on(db.multi_get(["a", "b"])).unwrap();
    assert_eq!(values, [None, None]);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.block_on(db.run(|_| -> Result<()> { panic!("in the call") }))
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"in the call"));

    db.db().close().unwrap();
    let mut scan = {
        let _inside = runtime.enter();
        db.scan(Db::iter)
    };
    assert!(runtime.block_on(scan.next()).is_err());
    assert!(runtime.block_on(scan.next()).unwrap().is_none());
}

/// The next item of a stream.
async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

#[test]
fn a_scan_is_a_stream() {
    let dir = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let db = open(&dir);
        db.run(|db| (0..300_u32).try_for_each(|n| db.put(n.to_be_bytes(), ""))).await.unwrap();
        let mut scan = db.scan(|db| db.range(100_u32.to_be_bytes()..));
        for n in 100..300_u32 {
            assert_eq!(next(&mut scan).await.unwrap().unwrap().0, n.to_be_bytes());
            if n == 200 {
                assert!(scan.size_hint().0 > 0 && scan.size_hint().1.is_none());
            }
        }
        assert!(next(&mut scan).await.is_none() && next(&mut scan).await.is_none());
        assert_eq!(scan.size_hint(), (0, Some(0)));

        db.db().close().unwrap();
        let mut scan = db.scan(Db::iter);
        assert!(next(&mut scan).await.unwrap().is_err());
        assert!(next(&mut scan).await.is_none());
    });
}

#[test]
fn a_panic_of_a_scan_arrives_once() {
    let dir = tempfile::tempdir().unwrap();
    let (runtime, db) = (runtime(), open(&dir));
    let mut scan = {
        let _inside = runtime.enter();
        db.scan(|_| panic!("in the scan"))
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.block_on(next(&mut scan)).is_none()
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref::<&str>(), Some(&"in the scan"));
    assert!(runtime.block_on(next(&mut scan)).is_none());
}
