//! Every example runs to its end.

#![expect(dead_code, reason = "only the program of an example calls its `main`")]

#[path = "../../examples/backup_and_checkpoint.rs"]
mod backup_and_checkpoint;
#[path = "../../examples/bulk_load.rs"]
mod bulk_load;
#[path = "../../examples/change_stream.rs"]
mod change_stream;
#[path = "../../examples/hello.rs"]
mod hello;
#[path = "../../examples/metrics.rs"]
mod metrics;
#[path = "../../examples/service.rs"]
mod service;
#[path = "../../examples/transactions.rs"]
mod transactions;

fn run(example: fn(&std::path::Path) -> ferrolith::Result<()>) {
    let dir = tempfile::tempdir().unwrap();
    example(dir.path()).unwrap();
}

#[test]
fn hello_runs() {
    run(hello::run);
}

#[test]
fn service_runs() {
    run(service::run);
}

#[test]
fn transactions_runs() {
    run(transactions::run);
}

#[test]
fn backup_and_checkpoint_runs() {
    run(backup_and_checkpoint::run);
}

#[test]
fn metrics_runs() {
    run(metrics::run);
}

#[test]
fn change_stream_runs() {
    run(change_stream::run);
}

#[test]
fn bulk_load_runs() {
    run(bulk_load::run);
}
