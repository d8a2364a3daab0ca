use super::*;

fn add(scripts: &RunningScripts, is_eval: bool) -> Arc<Running> {
    let running = Arc::new(Running::new("name", is_eval, Vec::new(), 0));
    scripts.add(running.clone());
    running
}

fn refusal(done: Done) -> String {
    done.map_or_else(|failure| failure.text().into_owned(), |()| "OK".to_owned())
}

#[test]
fn kill_chooses_a_late_script_of_its_kind_that_has_not_written() {
    let scripts = RunningScripts::default();
    assert_eq!(refusal(scripts.kill(true)), NOT_BUSY);
    let function = add(&scripts, false);
    assert_eq!(refusal(scripts.kill(true)), BUSY_FUNCTION);
    let (early, late) = (add(&scripts, true), add(&scripts, true));
    scripts.set_late(&late);
    assert_eq!(refusal(scripts.kill(true)), "OK");
    assert!(late.is_killed() && !early.is_killed() && !function.is_killed());
    assert!(scripts.remove(&late) && !scripts.is_busy());
    early.has_written.store(true, Ordering::Relaxed);
    scripts.set_late(&early);
    assert_eq!(refusal(scripts.kill(true)), UNKILLABLE);
    assert_eq!(refusal(scripts.kill(false)), "OK");
    assert!(function.is_killed());
    assert_eq!(scripts.busy_text(), Some(BUSY_SCRIPT));
    scripts.set_late(&early);
    assert!(!scripts.remove(&early));
    assert_eq!(scripts.busy_text(), None, "a late script counts once");
}

#[test]
fn keys_are_postponed_only_while_a_script_is_late() {
    let scripts = RunningScripts::default();
    let key: DatabaseKey = (3, b"key"[..].into());
    assert!(!scripts.postpone(&key));
    let running = add(&scripts, true);
    assert!(!scripts.postpone(&key));
    scripts.set_late(&running);
    assert!(scripts.postpone(&key) && scripts.postpone(&key));
    scripts.remove(&running);
    assert_eq!(scripts.take_postponed(), [key]);
    assert!(scripts.take_postponed().is_empty());
}
