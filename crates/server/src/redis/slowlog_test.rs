use super::*;

#[test]
fn long_arguments_are_shortened() {
    let long = [b'x'; 129];
    let many = vec![&long[..]; 33];
    let shortened = shorten(&many);
    assert_eq!(shortened.len(), 32);
    assert_eq!(&shortened[0][128..], b"... (1 more bytes)");
    assert_eq!(shortened[31], b"... (2 more arguments)");
    assert_eq!(shorten(&many[..32]).len(), 32);
}

#[test]
fn passwords_are_hidden() {
    let show = |command: &str, text: &str| {
        let words: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
        let shown = redact(command, Args::new(&words));
        shown.iter().map(|it| String::from_utf8_lossy(it)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(show("auth", "auth u p"), "auth (redacted) (redacted)");
    assert_eq!(
        show("hello", "hello 3 SETNAME auth AUTH u p SETNAME n"),
        "hello 3 SETNAME auth AUTH (redacted) (redacted) SETNAME n"
    );
    assert_eq!(
        show("config|set", "config set hz 1 requirepass p"),
        "config set hz 1 requirepass (redacted)"
    );
    assert_eq!(
        show("migrate", "migrate h p k 9 5000 AUTH2 u p"),
        "migrate h p k 9 5000 AUTH2 (redacted) (redacted)"
    );
    assert_eq!(show("set", "set auth p"), "set auth p");
}

#[test]
fn the_oldest_entries_are_removed() {
    let log = SlowLog::default();
    for us in 1..=3 {
        let (args, name) = (Vec::new(), Vec::new());
        log.add(Entry { id: 0, at_s: 0, us, args, address: String::new(), name }, 2);
    }
    assert_eq!(log.newest(9).iter().map(|it| (it.id, it.us)).collect::<Vec<_>>(), [(2, 3), (1, 2)]);
    log.truncate(0);
    assert!(log.is_empty());
}
