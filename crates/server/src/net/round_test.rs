use super::Round;
use std::cell::RefCell;
use std::rc::Rc;
use tokio::task::{LocalSet, spawn_local};

/// Lets connections evaluate and write so many requests each, and returns what they did in order.
fn events(connections: usize, requests: usize) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let events = Rc::new(RefCell::new(Vec::new()));
    LocalSet::new().block_on(&runtime, async {
        let run = |at: usize| {
            let events = events.clone();
            let round = Round::new();
            spawn_local(async move {
                for _ in 0..requests {
                    events.borrow_mut().push(format!("evaluates {at}"));
                    round.ended().await;
                    events.borrow_mut().push(format!("writes {at}"));
                }
            })
        };
        let tasks: Vec<_> = (0..connections).map(run).collect();
        for task in tasks {
            task.await.expect("a connection ends");
        }
    });
    events.take()
}

#[test]
fn connections_that_are_ready_are_evaluated_before_the_first_writes() {
    let all = ["evaluates 0", "evaluates 1", "evaluates 2", "writes 0", "writes 1", "writes 2"];
    assert_eq!(events(3, 1), all);
}

#[test]
fn a_connection_that_is_alone_writes_without_waiting() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let ready = runtime.block_on(async {
        let round = Round::new();
        round.ended().await;
        // The second time nobody else wrote.
        tokio::select! {
            biased;
            () = round.ended() => true,
            () = std::future::ready(()) => false,
        }
    });
    assert!(ready);
}
