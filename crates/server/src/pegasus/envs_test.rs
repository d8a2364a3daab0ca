use super::*;

fn settings(rows: &[(&str, &str)]) -> Result<Settings, String> {
    Settings::new(&rows.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect())
}

#[test]
fn every_environment_is_taken_over() {
    let settings = settings(&[
        ("business.info", "anything"),
        (DEFAULT_TTL, "86400"),
        ("replica.deny_client_request", "timeout*write"),
        ("replica.slow_query_threshold", "20"),
        ("replica.rocksdb_iteration_threshold_time_ms", "7"),
        ("replica.write_throttling", "10*delay*1"),
        ("replica.write_throttling_by_size", "10K*reject*1"),
        ("replica.read_throttling", "10*delay*1,20*reject*2"),
        ("replica.read_throttling_by_size", "10M"),
        ("replica.backup_request_throttling", "1*reject*1"),
        (USAGE_SCENARIO, "bulk_load"),
        (WRITE_BUFFER_SIZE, "16777216"),
    ])
    .unwrap();
    assert_eq!(settings.default_ttl, 86400);
    let deny = Deny { denial: Denial::Timeout, reads: false, writes: true };
    assert_eq!(settings.deny, Some(deny));
    assert_eq!(settings.slow_query, Some(Duration::from_millis(20)));
    assert_eq!(settings.iteration_limit(), Some(Duration::from_millis(7)));
    assert!(settings.write_requests.is_some() && settings.write_bytes.is_some());
    assert!(settings.read_requests.is_some() && settings.read_bytes.is_some());
    assert!(settings.backup_requests.is_some());
    assert_eq!(
        (settings.scenario, settings.write_buffer_bytes),
        (Scenario::BulkLoad, Some(16 << 20))
    );
}

#[test]
fn bad_environments_are_refused_by_name() {
    for (name, text, message) in [
        ("no.such", "1", "app_env 'no.such' is not supported"),
        ("rocksdb.num_levels", "6", "app_env 'rocksdb.num_levels' is not supported"),
        (DEFAULT_TTL, "-1", "app_env 'default_ttl=-1' is invalid: should be an integer >= 0"),
        (
            DEFAULT_TTL,
            "2147483648",
            "app_env 'default_ttl=2147483648' is invalid: should be an integer >= 0",
        ),
        (
            "replica.slow_query_threshold",
            "19",
            "app_env 'replica.slow_query_threshold=19' is invalid: should be an integer >= 20",
        ),
        (
            "replica.deny_client_request",
            "timeout",
            "app_env 'replica.deny_client_request=timeout' is invalid: expected timeout or reconfig, then *all, *read or *write",
        ),
        (
            "replica.read_throttling_by_size",
            "0",
            "app_env 'replica.read_throttling_by_size=0' is invalid: the limit should be greater than 0",
        ),
        (
            USAGE_SCENARIO,
            "fast",
            "app_env 'rocksdb.usage_scenario=fast' is invalid: expected normal, prefer_write or bulk_load",
        ),
        (
            WRITE_BUFFER_SIZE,
            "1",
            "app_env 'rocksdb.write_buffer_size=1' is invalid: should be an integer from 16777216 to 536870912",
        ),
    ] {
        assert_eq!(settings(&[(name, text)]).unwrap_err(), message);
    }
}

#[test]
fn limits_have_defaults() {
    assert_eq!(settings(&[]).unwrap().iteration_limit(), Some(Duration::from_secs(30)));
    let unlimited = settings(&[("replica.rocksdb_iteration_threshold_time_ms", "0")]).unwrap();
    assert_eq!(unlimited.iteration_limit(), None);
}
