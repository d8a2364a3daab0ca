use super::*;

#[test]
fn basic_authentication_may_have_any_bytes() {
    let read = |text: &str| basic(format!("Basic {}", STANDARD.encode(text)).as_bytes());
    assert_eq!(read("app:pass:word"), Some((b"app".to_vec(), b"pass:word".to_vec())));
    assert_eq!(read(":secret"), Some((b"default".to_vec(), b"secret".to_vec())));
    assert_eq!(read("no colon"), None);
    assert_eq!(basic(b"Basic"), None);
    assert_eq!(basic(b"Basic %%%"), None);
    assert_eq!(basic(b"Bearer YTpi"), None);
}

#[test]
fn hosts_lose_their_ports() {
    let cases =
        [("a.b:80", "a.b"), ("a.b", "a.b"), ("[::1]:80", "[::1]"), ("127.0.0.1:1", "127.0.0.1")];
    for (host, name) in cases {
        assert_eq!(host_name(host), name);
    }
    assert!(host_name("[::1]").trim_matches(['[', ']']).parse::<IpAddr>().is_ok());
}

#[test]
fn tokens_are_compared_whole() {
    assert!(is_same(b"abc", b"abc"));
    assert!(!is_same(b"abc", b"abd") && !is_same(b"abc", b"ab") && !is_same(b"", b"a"));
}

#[test]
fn users_without_a_password_are_for_this_machine() {
    let account = Account::internal(b"default");
    let check = |address: &str| check_address(&account, format!("{address}:1").parse().unwrap());
    for address in ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]"] {
        assert!(check(address).is_ok(), "{address}");
    }
    for address in ["10.0.0.1", "192.168.1.1", "[fe80::1]", "[::ffff:10.0.0.1]", "0.0.0.0"] {
        assert!(check(address).is_err(), "{address}");
    }
}
