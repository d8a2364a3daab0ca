//! Stores that are missing, refuse, ignore conditions or fail for a while; and stops amid all steps.

use super::s3::{Fault, S3};
use super::{SECRET, Site, await_state};
use crate::backup::{back_up, error, fill, info, wait};
use crate::redis::{Client, Value};
use ferrolith_server::backup::{Access, Vault};
use std::time::{Duration, Instant};

/// A stop takes less, even if requests to the store hang.
const SOON: Duration = Duration::from_secs(25);
/// What cannot succeed fails within this time.
const AT_ONCE: Duration = Duration::from_secs(5);

/// All commands that open a place.
const COMMANDS: [&str; 4] = [
    "FERROLITH BACKUP daily",
    "FERROLITH BACKUP-LIST daily",
    "FERROLITH BACKUP-VERIFY daily",
    "FERROLITH BACKUP-DELETE daily 1",
];

/// Returns the errors of all commands, which come at once. No job is left.
pub(super) fn errors(client: &mut Client) -> Vec<String> {
    let failed = COMMANDS.map(|command| {
        let begun = Instant::now();
        let failed = error(client.say(command));
        assert!(begun.elapsed() < AT_ONCE, "{command}: {:?}", begun.elapsed());
        assert_eq!(info(client)["backup_job"], "none", "{command}");
        format!("{command}: {failed}")
    });
    failed.to_vec()
}

#[test]
fn a_missing_bucket_is_named_at_once() {
    let site = Site::of(S3::start(), "missing");
    site.write_credentials("KEY", &site.plain_endpoint());
    let program = site.start();
    let expected = "s3://missing/backups/daily: the bucket or container missing does not exist";
    for text in errors(&mut Client::connect(program.redis)) {
        assert!(text.ends_with(expected), "{text}");
    }
    let text = Vault::open(site.place(), Access::List, 0).unwrap_err().to_string();
    assert_eq!(text, expected);
}

#[test]
fn a_store_that_ignores_conditions_is_refused() {
    let site = Site::new();
    site.store.state().is_unconditional = true;
    let program = site.start();
    let mut client = Client::connect(program.redis);
    let refused = error(client.say("FERROLITH BACKUP daily"));
    let expected =
        "s3://bucket/backups/daily: the store ignores the conditions of writes (If-None-Match)";
    assert!(refused.contains(expected), "{refused}");
    assert!(site.store.keys("").is_empty(), "{:?}", site.store.keys(""));
    site.store.state().is_unconditional = false;
    back_up(&mut client, "FERROLITH BACKUP daily");
}

#[test]
fn refused_credentials_are_not_shown() {
    let site = Site::of(S3::start(), "bucket");
    let token = format!("aws_session_token = \"{SECRET}-token\"\n{}", site.plain_endpoint());
    site.write_credentials("WRONG", &token);
    let program = site.start();
    let mut client = Client::connect(program.redis);
    let texts = errors(&mut client);
    for text in &texts {
        let parts = ["s3://bucket/backups/daily", "403", "InvalidAccessKeyId: Refused."];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let log = std::fs::read_to_string(site.log()).unwrap();
    assert!(log.contains("InvalidAccessKeyId"), "{log}");
    for text in texts.into_iter().chain([log]) {
        for secret in [SECRET, "WRONG", "AWS4-HMAC"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    // New credentials need no restart.
    site.write_credentials("KEY", &site.plain_endpoint());
    back_up(&mut client, "FERROLITH BACKUP daily");
}

#[test]
fn a_store_that_fails_for_a_while_needs_no_help() {
    let site = Site::new();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..100);
    for (round, fault) in
        [Fault::Unavailable, Fault::Internal, Fault::CutReply].into_iter().enumerate()
    {
        site.store.fail("", "", usize::MAX, fault);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(1));
                site.store.heal();
            });
            back_up(&mut client, "FERROLITH BACKUP daily");
        });
        assert_eq!(site.listed().len(), round + 1, "{fault:?}");
        assert!(site.store.keys("LOCK").is_empty(), "{fault:?}");
        client.say(&format!("SET later {round}"));
    }
    let log = std::fs::read_to_string(site.log()).unwrap();
    let line = "a request to the object store failed, and may be repeated";
    assert!((1..10).contains(&log.matches(line).count()), "{log}");
    assert!(log.contains("503 Service Unavailable") && !log.contains("object_store::"), "{log}");
}

/// Begins a command, waits until the store has the request, stops the work, and returns the error.
fn stopped(site: &Site, client: &mut Client, redis: std::net::SocketAddr, step: Step) -> String {
    let Step { command, method, part, fault } = step;
    site.store.state().requests.clear();
    site.store.fail(method, part, usize::MAX, fault);
    let mut other = Client::connect(redis);
    other.send(&command.split(' ').collect::<Vec<_>>());
    await_state(command, || {
        let state = site.store.state();
        state.requests.iter().any(|it| it.starts_with(method) && it.contains(part))
    });
    let begun = Instant::now();
    assert_eq!(client.say("FERROLITH BACKUP-STOP"), Value::Simple("OK".into()), "{command}");
    let reply = other.receive();
    let ended = wait(client);
    assert!(begun.elapsed() < SOON, "{command}, {method} {part}: {:?}", begun.elapsed());
    site.store.heal();
    assert!(site.store.keys("LOCK").is_empty(), "{command}, {method} {part}");
    match (reply, ended.get("backup_last_error")) {
        (Value::Error(text), _) => text,
        (_, Some(text)) => text.clone(),
        (_, None) => ended["backup_last_warning"].clone(),
    }
}

/// What is stopped, and how the store fails then.
#[derive(Clone, Copy)]
struct Step {
    command: &'static str,
    method: &'static str,
    part: &'static str,
    fault: Fault,
}

#[test]
fn a_stop_ends_every_step_and_leaves_no_lock() {
    let site = Site::new();
    let program = site.start();
    let mut client = Client::connect(program.redis);
    fill(&mut client, 0..100);
    for _ in 0..2 {
        back_up(&mut client, "FERROLITH BACKUP daily");
        client.say("SET later yes");
    }
    let (silent, busy) = (Fault::Silent, Fault::Unavailable);
    for (command, method, part, fault) in [
        ("FERROLITH BACKUP daily", "PUT", "LOCK", silent),
        ("FERROLITH BACKUP daily", "PUT", "LOCK", busy),
        ("FERROLITH BACKUP daily", "GET", "list-type", silent),
        ("FERROLITH BACKUP daily", "GET", "/meta/", busy),
        ("FERROLITH BACKUP-LIST daily", "GET", "list-type", silent),
        ("FERROLITH BACKUP-LIST daily", "GET", "/meta/", silent),
        ("FERROLITH BACKUP-VERIFY daily 1", "GET", "shared_checksum", silent),
        ("FERROLITH BACKUP daily", "PUT", "private/3", silent),
        ("FERROLITH BACKUP-DELETE daily 1", "GET", "list-type", busy),
        ("FERROLITH BACKUP-DELETE daily 1", "DELETE", "private/1", silent),
        // The backup is complete.
        ("FERROLITH BACKUP daily KEEP 1", "DELETE", "private/2", busy),
    ] {
        let step = Step { command, method, part, fault };
        let text = stopped(&site, &mut client, program.redis, step);
        assert!(text.contains("Backup stopped"), "{command}, {method} {part}: {text}");
    }
    assert_eq!(site.listed(), [3]);
    // What the stopped deletions left is deleted later.
    back_up(&mut client, "FERROLITH BACKUP daily");
    assert_eq!(site.listed(), [3, 4]);
    let left = ["private/1/", "private/2/"].map(|part| site.store.keys(part));
    assert!(left.iter().all(Vec::is_empty), "{left:?}");
    let log = std::fs::read_to_string(site.log()).unwrap();
    assert!(log.contains("ferrolith::backup: stopped kind=\"delete\""), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
    assert_eq!(error(client.say("FERROLITH BACKUP-STOP")), "ERR no work on backups runs");
}
