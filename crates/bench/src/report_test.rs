//! Tests the exact text of report lines.

use super::*;
use std::time::Duration;

pub(crate) fn phase() -> Phase {
    let total = Total {
        done: 91_070_580,
        bytes: 10_571_000_000,
        user_written: 1000,
        user_read: 10_571_000_000,
        thread_seconds: 20.035,
        elapsed: 20.001,
        found: Some((1_026_765_999, 1_026_765_999)),
        background: Some((1000, 2.0)),
        ..Total::default()
    };
    Phase {
        name: "readwhilewriting".to_owned(),
        engine: "ferrolith",
        repeat: 1,
        threads: 32,
        total,
        usage: Usage { cpu_user: 1.5, cpu_system: 0.5, ..Usage::default() },
        memory: Memory { peak: 1 << 30, anonymous: 1 << 29, mapped: 1 << 29 },
        written: 3000,
        engine_written: Some(2000.0),
        disk: 1 << 20,
        live: 524_288.0,
        state: EngineState::default(),
        complete: true,
        warm_up: WarmedUp { seconds: 12.5, detected: true },
    }
}

#[test]
fn the_line_has_rocksdbs_shape() {
    assert_eq!(
        phase().line(),
        "readwhilewriting :       0.220 micros/op 4553301 ops/sec 20.001 seconds 91070580 operations;  504.0 MB/s (1026765999 of 1026765999 found)"
    );
    let mut short = phase();
    (short.name, short.total.bytes, short.total.found) = ("fillseq".to_owned(), 0, None);
    short.total.message = "(20 ops)".to_owned();
    assert_eq!(
        short.line(),
        "fillseq      :       0.220 micros/op 4553301 ops/sec 20.001 seconds 91070580 operations; (20 ops)"
    );
}

#[test]
fn costs_name_the_three_amplifications() {
    let text = phase().costs();
    assert!(text.starts_with("  amplification: write 3.00 ("), "{text}");
    assert!(text.contains("space 2.00 (1.0 MB for 0.5 MB)"), "{text}");
    assert!(text.contains("peak 1024.0 MB"), "{text}");
    assert!(text.contains("CPU: 2.00 s"), "{text}");
    assert!(text.ends_with("  background writer: 1000 operations, 500 ops/sec\n"), "{text}");
    assert_eq!(phase().write_amplification(), Some(3.0));
    assert_eq!(phase().engine_write_amplification(), Some(2.0));
}

#[test]
fn dates_are_civil() {
    let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
    assert_eq!(civil(at(0)), (1970, 1, 1, 0));
    assert_eq!(civil(at(951_827_696)), (2000, 2, 29, 45_296));
    assert_eq!(date(at(1_795_245_679)), "Sat Nov 21 07:21:19 2026");
}

#[test]
fn numbers_look_as_in_c() {
    for (number, text) in [
        (0.0, "0"),
        (1.0, "1"),
        (1234.5, "1234.5"),
        (123_456.7, "123457"),
        (1_234_567.0, "1.23457e+06"),
        (0.000_125, "0.000125"),
        (0.000_012_5, "1.25e-05"),
    ] {
        assert_eq!(general(number), text);
    }
}
