use super::*;
use std::sync::mpsc;

fn job(open: impl FnOnce() -> Result<Vault> + Send + 'static) -> Job {
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
        let open = move || {
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
    let second = jobs.start(job(|| unreachable!("one job at a time"))).unwrap_err().to_string();
    assert!(second.starts_with("a job runs (verify in d)"), "{second}");
    leave.send(()).unwrap();
    assert_eq!(starting.join().unwrap(), "wrong");
    assert!(jobs.running().is_none() && jobs.last().is_none());
}

#[test]
fn jobs_that_cannot_begin_make_room_for_others() {
    let jobs = Jobs::default();
    let panics = jobs.clone();
    let starting = std::thread::spawn(move || panics.start(job(|| panic!("on purpose"))));
    assert!(starting.join().is_err() && jobs.running().is_none());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_owned();
    let number =
        jobs.start(job(move || Vault::open(path.as_path(), super::super::Access::Write, 0)));
    // The one that panicked was the first.
    assert_eq!(number.unwrap(), 2);
    jobs.close();
    let last = jobs.last().unwrap();
    assert_eq!((last.number, last.result), (2, Ok(Finished::from(1))));
    let closed = jobs.start(job(|| unreachable!("it stops"))).unwrap_err().to_string();
    assert_eq!(closed, "the server stops");
}
