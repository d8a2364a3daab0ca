use super::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[test]
fn durabilities_are_parsed_and_printed() {
    for text in ["always", "os", "every:1", "every:1000"] {
        assert_eq!(text.parse::<Durability>().unwrap().to_string(), text);
    }
    for text in ["", "every", "every:", "every:0", "every:60001", "Always"] {
        assert!(text.parse::<Durability>().unwrap_err().contains("expected always"));
    }
}

#[test]
fn replies_wait_for_a_sync_that_begins_after_their_commit() {
    let progress = Arc::new(SyncProgress::new(Durability::Always));
    let is_synced = Arc::new(AtomicBool::new(false));
    assert_eq!(progress.barrier(), None);
    progress.note_commit();
    let barrier = progress.barrier().unwrap();
    let thread = std::thread::spawn({
        let (progress, is_synced) = (progress.clone(), is_synced.clone());
        move || {
            progress.run(
                || 1,
                || {
                    is_synced.store(true, Ordering::SeqCst);
                    true
                },
            );
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(progress.wait(barrier));
    assert!(is_synced.load(Ordering::SeqCst));
    assert_eq!(progress.barrier(), None);
    progress.close();
    thread.join().unwrap();
}
