use super::*;

#[test]
fn windows_delay_and_reject_within_a_second() {
    let window = Window::parse("2*delay*100, 3*reject*40").unwrap();
    let control = |now_us, timeout_ms| window.control(now_us, 1, timeout_ms);
    assert_eq!(control(10, 1000), Decision::Pass);
    assert_eq!(control(20, 1000), Decision::Pass);
    assert_eq!(control(30, 1000), Decision::Delay(100));
    assert_eq!(control(40, 1000), Decision::Reject(40));
    assert_eq!(control(50, 20), Decision::Reject(10), "half the client's timeout");
    assert_eq!(control(50, 0), Decision::Reject(40), "a client without a timeout");
    assert_eq!(control(1_000_000, 1000), Decision::Pass, "the next second");
    assert_eq!(window.control(1_000_001, 3, 1000), Decision::Reject(40), "not counted");
    assert_eq!(control(1_000_002, 1000), Decision::Pass);
}

#[test]
fn windows_are_validated() {
    for (text, message) in [
        ("", "expected UNITS*delay|reject*MILLISECONDS, found ''"),
        ("5", "expected UNITS*delay|reject*MILLISECONDS, found '5'"),
        ("5*delay*1*2", "expected UNITS*delay|reject*MILLISECONDS, found '5*delay*1*2'"),
        ("x*delay*1", "'x' should be a number, optionally followed by K or M"),
        ("5*slow*1", "'slow' should be 'delay' or 'reject'"),
        ("5*delay*x", "'x' should be an unsigned integer"),
        ("5*delay*1,6*delay*1", "duplicate 'delay' config"),
        (
            "99999999999999M*delay*1",
            "'99999999999999M' should be a number, optionally followed by K or M",
        ),
    ] {
        assert_eq!(Window::parse(text).unwrap_err(), message);
    }
    let window = Window::parse("1K*reject*0").unwrap();
    assert_eq!(window.control(0, 1024, 0), Decision::Pass);
    assert_eq!(window.control(0, 1, 0), Decision::Reject(0));
    let window = Window::parse("0*reject*5").unwrap();
    assert_eq!(window.control(0, u64::MAX, 0), Decision::Pass, "0 is no limit");
}

#[test]
fn buckets_go_into_debt_and_refill() {
    let bucket = Bucket::parse("1000").unwrap();
    assert!(bucket.has_tokens(0));
    bucket.take(0, 2500);
    assert!(!bucket.has_tokens(1_499_000));
    assert!(bucket.has_tokens(1_502_000));
    bucket.take(9_000_000, 999);
    assert!(bucket.has_tokens(9_000_000), "at most one second's tokens are kept");
    bucket.take(9_000_000, 1);
    assert!(!bucket.has_tokens(9_000_000));
}

#[test]
fn slow_polls_of_a_bucket_lose_no_tokens() {
    let bucket = Bucket::parse("1").unwrap();
    bucket.take(0, 1);
    for now_us in (0..1_000_000).step_by(1000) {
        assert!(!bucket.has_tokens(now_us));
    }
    assert!(bucket.has_tokens(1_000_000));
}

#[test]
fn buckets_are_validated() {
    assert!(Bucket::parse("2K").is_ok());
    assert!(Bucket::parse("20000*delay*100,20000*reject*100").is_ok());
    let error = |text| Bucket::parse(text).unwrap_err();
    assert_eq!(error("20000*delay*100"), "a limit on bytes of reads needs a 'reject'");
    assert_eq!(error("0"), "the limit should be greater than 0");
    assert!(error("x").contains("expected UNITS"));
}
