use super::*;
use std::sync::mpsc;

fn job(open: impl FnOnce(&Arc<BackupProgress>) -> Result<Vault> + Send + 'static) -> Job {
    let work: Work = Box::new(|_, _| Ok(Finished::from(1)));
    Job {
        kind: Kind::Verify,
        place: std::path::Path::new("d").into(),
        now_s: 0,
        open: Box::new(open),
        work,
    }
}

/// Nothing waits for a directory that opens slowly, and no second job begins.
#[test]
fn a_directory_that_opens_slowly_holds_nothing_up() {
    let jobs = Jobs::default();
    let (entered, has_entered) = mpsc::channel();
    let (leave, may_leave) = mpsc::channel::<()>();
    let slow = jobs.clone();
    let starting = std::thread::spawn(move || {
        let open = move |_: &Arc<BackupProgress>| {
            entered.send(()).unwrap();
            may_leave.recv().unwrap();
            Err(Error::Setting("wrong".to_owned()))
        };
        slow.start(job(open)).unwrap_err().to_string()
    });
    has_entered.recv().unwrap();
    let running = jobs.running().unwrap();
    assert_eq!((running.number, running.kind), (1, Kind::Verify));
    assert!(jobs.last().is_none() && jobs.stop());
    let second = jobs.start(job(|_| unreachable!("one job at a time"))).unwrap_err().to_string();
    assert!(second.starts_with("a job runs (verify in d)"), "{second}");
    leave.send(()).unwrap();
    assert_eq!(starting.join().unwrap(), "wrong");
    assert!(jobs.running().is_none() && jobs.last().is_none());
}

#[test]
fn jobs_that_cannot_begin_make_room_for_others() {
    let jobs = Jobs::default();
    let panicked = jobs.start(job(|_| panic!("on purpose"))).unwrap_err().to_string();
    assert_eq!(panicked, "corruption: the job panicked");
    assert!(jobs.running().is_none());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let number =
        jobs.start(job(move |_| Vault::open(path.as_path(), super::super::Access::Write, 0)));
    // The one that panicked was the first.
    assert_eq!(number.unwrap(), 2);
    jobs.close();
    let last = jobs.last().unwrap();
    assert_eq!((last.number, last.result), (2, Ok(Finished::from(1))));
    let closed = jobs.start(job(|_| unreachable!("it stops"))).unwrap_err().to_string();
    assert_eq!(closed, "the server stops");
}

/// A stop reaches a place that is being opened, and listings; the end of the server, too.
#[test]
fn what_opens_a_place_can_be_stopped() {
    let jobs = Jobs::default();
    assert!(!jobs.stop());
    let open = |progress: &Arc<BackupProgress>| {
        while !progress.is_stopped() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Err(Error::Setting("stopped".to_owned()))
    };
    for is_closed in [false, true] {
        let starts = jobs.clone();
        let starting = std::thread::spawn(move || starts.start(job(open)).unwrap_err().to_string());
        while jobs.running().is_none() {
            std::thread::yield_now();
        }
        match is_closed {
            false => assert!(jobs.stop()),
            true => jobs.close(),
        }
        assert_eq!(starting.join().unwrap(), "stopped");
        assert!(jobs.running().is_none());
        if !is_closed {
            let (listing, ended) = (jobs.listing().unwrap(), jobs.listing().unwrap());
            drop(ended);
            assert!(jobs.stop() && listing.is_stopped());
            assert!(!jobs.stop(), "a listing is stopped once");
        }
    }
    assert_eq!(jobs.listing().unwrap_err().to_string(), "the server stops");
}
