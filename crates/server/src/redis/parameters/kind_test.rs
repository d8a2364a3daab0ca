use super::*;
use crate::redis::parameters::Id;

fn parse(name: &str, text: &str) -> Result<Value, String> {
    let parameter = Id::find(name.as_bytes()).unwrap().parameter();
    parameter.kind.parse(text, parameter.default).map_err(|refusal| refusal.into_owned())
}

fn shown(name: &str, text: &str) -> String {
    parse(name, text).unwrap().text
}

#[test]
fn memory_has_units() {
    for (text, bytes) in
        [("10", 10), ("", 0), ("1k", 1000), ("1kb", 1024), ("2MB", 2 << 20), ("1gb", 1 << 30)]
    {
        assert_eq!(parse("maxmemory", text).unwrap().number, bytes, "{text}");
    }
    for text in ["-1", "1tb", "1 kb", "99999999999gb"] {
        assert_eq!(
            parse("maxmemory", text).unwrap_err(),
            "argument must be a memory value",
            "{text}"
        );
    }
    assert_eq!(shown("maxmemory", "18446744073709551615"), "18446744073709551615");
    assert_eq!(
        parse("maxmemory-clients", "50%").unwrap(),
        Value { text: "50%".into(), number: -50 }
    );
    let refusal = parse("maxmemory-clients", "200%").unwrap_err();
    assert_eq!(refusal, "percentage argument must be less or equal to 100");
    assert!(parse("maxmemory-clients", "x").unwrap_err().ends_with("memory or percent value"));
}

#[test]
fn numbers_have_bounds() {
    assert_eq!(parse("hz", "x").unwrap_err(), "argument couldn't be parsed into an integer");
    let refusal = parse("maxclients", "0").unwrap_err();
    assert_eq!(refusal, "argument must be between 1 and 4294967295 inclusive");
    assert!(parse("maxclients", "-1").is_err());
    assert_eq!(shown("list-max-listpack-size", "-2"), "-2");
    assert_eq!(shown("unixsocketperm", "0700"), "700");
    assert_eq!(
        parse("unixsocketperm", "1000").unwrap_err(),
        "argument must be between 0 and 777 inclusive"
    );
}

#[test]
fn names_are_shown_as_the_table_has_them() {
    assert_eq!(parse("appendonly", "YES").unwrap(), Value { text: "yes".into(), number: 1 });
    assert_eq!(parse("appendonly", "1").unwrap_err(), "argument must be 'yes' or 'no'");
    assert_eq!(shown("loglevel", "DEBUG"), "debug");
    let refusal = parse("appendfsync", "never").unwrap_err();
    assert_eq!(refusal, "argument(s) must be one of the following: everysec, always, no");
    assert_eq!(shown("shutdown-on-sigterm", "now NOSAVE"), "nosave now");
    assert_eq!(shown("shutdown-on-sigterm", "default"), "default");
    assert!(parse("shutdown-on-sigterm", "save nosave").unwrap_err().contains("simultaneously"));
}

#[test]
fn lists_are_checked_word_by_word() {
    assert_eq!(shown("save", "100 1 60 1000"), "100 1 60 1000");
    assert_eq!(shown("save", ""), "");
    for text in ["100", "0 1", "10 -1", "a 1"] {
        assert_eq!(parse("save", text).unwrap_err(), "Invalid save parameters", "{text}");
    }
    assert!(parse("oom-score-adj-values", "0 200 3000").is_err());
    assert_eq!(shown("latency-tracking-info-percentiles", "0.0 50.0 99.9"), "0 50 99.9");
    assert!(parse("latency-tracking-info-percentiles", "101").is_err());
}

#[test]
fn limits_of_one_class_leave_the_others() {
    let name = "client-output-buffer-limit";
    assert_eq!(
        shown(name, "pubsub 1mb 1kb 5"),
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 1048576 1024 5"
    );
    let limits = output_limits(&shown(name, "normal 10 5 1 replica 3 2 1"));
    assert_eq!(limits[0], OutputLimit { hard: 10, soft: 5, soft_seconds: 1 });
    assert_eq!(limits[1], OutputLimit { hard: 3, soft: 2, soft_seconds: 1 });
    for text in ["normal 1 2", "master 1 1 1", "normal a 1 1", "normal 1 1 -1"] {
        assert!(parse(name, text).is_err(), "{text}");
    }
}

#[test]
fn event_classes_are_shown_in_their_order() {
    assert_eq!(shown("notify-keyspace-events", "KEA"), "AKE");
    assert_eq!(shown("notify-keyspace-events", "Ex$lm"), "$lxEm");
    assert_eq!(shown("notify-keyspace-events", "g$lshzxetdKEn"), "AKE");
    assert!(parse("notify-keyspace-events", "q").is_err());
}
