use super::*;

#[test]
fn counts_of_workers_are_summed() {
    let stats = Stats::new(3, Arc::default());
    let (one, other) = (stats.add_worker(), stats.add_worker());
    one.count(1, Outcome::Done, 10, true);
    other.count(1, Outcome::Failed, 5, true);
    other.count(2, Outcome::Rejected, 0, true);
    other.count(9, Outcome::Done, 1, true);
    one.count_error("WRONGTYPE Operation");
    other.count_error("WRONGTYPE");
    let totals = stats.totals();
    let command = |at: usize| {
        let it = &totals.commands[at];
        (it.calls, it.us, it.rejected, it.failed, it.times.count())
    };
    assert_eq!(
        (command(0), command(1), command(2)),
        ((0, 0, 0, 0, 0), (2, 15, 0, 1, 2), (0, 0, 1, 0, 0))
    );
    assert_eq!(totals.errors, BTreeMap::from([("WRONGTYPE".to_owned(), 2)]));
    assert_eq!(totals.calls(), 2);
}

#[test]
fn a_reset_begins_at_zero() {
    let stats = Stats::new(1, Arc::default());
    let worker = stats.add_worker();
    worker.count(0, Outcome::Done, 10, true);
    worker.count_error("ERR x");
    worker.count_lookup(true);
    worker.count_lookup(false);
    stats.reset();
    assert_eq!((stats.totals().calls(), stats.totals().errors.len()), (0, 0));
    worker.count(0, Outcome::Done, 3, true);
    worker.count_lookup(false);
    let totals = stats.totals();
    assert_eq!((totals.commands[0].us, totals.commands[0].times.count()), (3, 1));
    assert_eq!((totals.hits, totals.misses), (0, 1));
}

#[test]
fn made_up_error_codes_take_bounded_memory() {
    let stats = Stats::new(0, Arc::default());
    let worker = stats.add_worker();
    (0..1000).for_each(|at| worker.count_error(&format!("CODE{at} text")));
    let errors = stats.totals().errors;
    assert_eq!((errors.len(), errors["OTHER"]), (CODES_MAX + 1, 1000 - CODES_MAX as u64));
}
