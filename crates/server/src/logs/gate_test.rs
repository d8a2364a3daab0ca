use super::*;

#[test]
fn lines_beyond_the_limit_are_counted() {
    let gate = Gate::new(2, Duration::from_millis(200));
    let passed: Vec<_> = (0..5).map(|_| gate.pass()).collect();
    assert_eq!(passed, [Some(None), Some(None), None, None, None]);
    std::thread::sleep(Duration::from_millis(210));
    assert_eq!((gate.pass(), gate.pass(), gate.pass()), (Some(Some(3)), Some(None), None));
}
