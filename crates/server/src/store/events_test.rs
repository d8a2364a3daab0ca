use super::*;

fn job(kind: JobKind, id: i32, family: &str) -> Job {
    Job {
        kind,
        id,
        family: family.to_owned(),
        reason: "Test",
        started_ms: 7,
        ended_ms: None,
        from_level: -1,
        to_level: 0,
        read_bytes: 0,
        written_bytes: 0,
        error: String::new(),
    }
}

fn stall(events: &Arc<Events>, cur: WriteStallCondition) {
    let prev = WriteStallCondition::Normal;
    let info = WriteStallInfo { cf_name: "r1".to_owned(), cur, prev };
    Listener(events.clone()).on_stall_conditions_changed(&info);
}

#[test]
fn jobs_run_and_end_by_kind_number_and_family() {
    let events = Events::default();
    events.begin(job(JobKind::Flush, 1, "r1"));
    // One flush of several families has one number.
    events.begin(job(JobKind::Flush, 1, "r2"));
    events.begin(job(JobKind::Compaction, 2, "r1"));
    events.end(JobKind::Flush, 1, "r2", |job| job.written_bytes = 5);
    let running: Vec<_> = events.running().into_iter().map(|job| (job.id, job.family)).collect();
    assert_eq!(running, [(1, "r1".to_owned()), (2, "r1".to_owned())]);
    let finished = events.finished(9);
    assert_eq!((finished.len(), finished[0].written_bytes), (1, 5));
    assert!(finished[0].ended_ms.is_some());
    events.end(JobKind::Flush, 9, "r1", |_| panic!("there is no such job"));
}

#[test]
fn a_repeated_flush_ends_the_one_before() {
    let events = Events::default();
    events.begin(job(JobKind::Flush, 1, "r1"));
    events.begin(job(JobKind::Flush, 2, "r1"));
    assert_eq!(events.running().len(), 1);
    assert_eq!(events.finished(1)[0].error, "it was repeated");
}

#[test]
fn a_dropped_family_is_forgotten() {
    let events = Arc::new(Events::default());
    events.set_causes(Some(Box::new(|_| vec![("l0-stops".to_owned(), 1)])));
    stall(&events, WriteStallCondition::Stopped);
    let info = MemTableInfo {
        cf_name: "r1".to_owned(),
        first_seqno: 1,
        earliest_seqno: 1,
        num_entries: 3,
        num_deletes: 0,
    };
    Listener(events.clone()).on_memtable_sealed(&info);
    assert_eq!((events.conditions().len(), events.sealed_entries("r1")), (1, 3));
    events.forget("r1");
    assert_eq!((events.conditions().len(), events.sealed_entries("r1")), (0, 0));
    assert!(events.log.lock().causes.is_empty());
    assert_eq!(events.stalls().len(), 1, "the history stays");
}

#[test]
fn an_error_ends_the_flushes_until_writes_resume() {
    let events = Arc::new(Events::default());
    events.begin(job(JobKind::Flush, 1, "r1"));
    events.begin(job(JobKind::Compaction, 2, "r1"));
    let listener = Listener(events.clone());
    listener.on_background_error(BackgroundErrorReason::Flush, &mut None);
    assert_eq!(events.running().len(), 1, "the compaction");
    assert!(events.error().is_some_and(|(_, text)| text.starts_with("Flush")));
}

#[test]
fn the_history_is_bounded() {
    let events = Events::default();
    for id in 0..JOBS_MAX as i32 + 10 {
        events.begin(job(JobKind::Compaction, id, "r1"));
        events.end(JobKind::Compaction, id, "r1", |_| {});
    }
    let finished = events.finished(usize::MAX);
    assert_eq!((finished.len(), finished[0].id), (JOBS_MAX, JOBS_MAX as i32 + 9));
}

#[test]
fn a_stall_has_the_cause_whose_count_grew() {
    let events = Arc::new(Events::default());
    let counts = Arc::new(Mutex::new(vec![("l0-file-count-limit-delays".to_owned(), 3)]));
    let read = counts.clone();
    events.set_causes(Some(Box::new(move |_| read.lock().clone())));
    stall(&events, WriteStallCondition::Delayed);
    counts.lock().push(("memtable-limit-stops".to_owned(), 1));
    stall(&events, WriteStallCondition::Stopped);
    assert_eq!(events.conditions(), [("r1".to_owned(), "stopped")]);
    stall(&events, WriteStallCondition::Normal);
    let seen: Vec<_> = events.stalls().into_iter().map(|it| (it.condition, it.cause)).collect();
    let expected = [
        ("normal", ""),
        ("stopped", "memtable-limit-stops"),
        ("delayed", "l0-file-count-limit-delays"),
    ];
    assert_eq!(seen, expected.map(|(condition, cause)| (condition, cause.to_owned())));
    assert!(events.conditions().is_empty());
}
