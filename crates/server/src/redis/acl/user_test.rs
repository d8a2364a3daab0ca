use super::*;

fn user(rules: &str) -> User {
    let mut user = User::new(false);
    let rules: Vec<&[u8]> = rules.split(' ').map(str::as_bytes).collect();
    for rule in merge_rules(&rules).unwrap() {
        user.apply(&rule, false).unwrap();
    }
    user
}

fn described(rules: &str) -> String {
    String::from_utf8(user(rules).describe()).unwrap()
}

/// The SHA-256 hash of `passwd4`.
const HASH: &str = "34344e4d60c2b6d639b7bd22e18f2b0b91bc34bf0ac5f9952744435093cfb4e6";

#[test]
fn users_are_described() {
    for (rules, text) in [
        ("", "off resetchannels -@all"),
        ("on nopass ~* &* +@all", "on nopass ~* &* +@all"),
        ("on allkeys allchannels allcommands", "on ~* &* +@all"),
        ("on reset", "off sanitize-payload resetchannels -@all"),
        ("%R~a %W~a %rw~b %W~c", "off ~a ~b %W~c resetchannels -@all"),
        ("&x &y &x", "off resetchannels &x &y -@all"),
        (
            "+get (+set ~w* &c) ( ~r +get )",
            "off resetchannels -@all +get (~w* resetchannels &c -@all +set) (~r resetchannels -@all +get)",
        ),
        ("(+get) clearselectors ~x resetkeys", "off resetchannels -@all"),
    ] {
        assert_eq!(described(rules), text, "{rules}");
        assert_eq!(user(text), user(rules), "{rules}");
    }
    assert_eq!(described(">passwd4"), format!("off #{HASH} resetchannels -@all"));
    assert!(User::unlimited().is_unlimited());
    assert!(user("(+@all ~* &*)").is_unlimited());
    assert!(!user("+@all ~*").is_unlimited() && !user("+@all -get ~* &*").is_unlimited());
}

#[test]
fn passwords() {
    let mut some = user(&format!(">a #{HASH}"));
    assert!(!some.accepts(b"a"), "off");
    some.apply(b"on", false).unwrap();
    assert!(some.accepts(b"a") && some.accepts(b"passwd4") && !some.accepts(b"b"));
    some.apply(b"<a", false).unwrap();
    assert!(!some.accepts(b"a"));
    assert_eq!(some.apply(b"<a", false), Err(Refusal::NoSuchPassword));
    some.apply(format!("!{HASH}").as_bytes(), false).unwrap();
    assert!(!some.accepts(b"passwd4"));
    some.apply(b"nopass", false).unwrap();
    assert!(some.accepts(b"anything"));
    some.apply(b">b", false).unwrap();
    assert!(!some.accepts(b"anything") && some.accepts(b"b"));
    assert_eq!(
        some.apply(format!("#{}", HASH.to_uppercase()).as_bytes(), false),
        Err(Refusal::BadHash)
    );
    assert_eq!(some.apply(b"#12", false), Err(Refusal::BadHash));
    assert!(!format!("{some:?}").contains(&HASH[..8]), "hashes are not for logs");
}

#[test]
fn what_is_wrong_with_a_rule() {
    for (before, rule, refusal) in [
        ("", "nonsense", Refusal::Syntax),
        ("", " () ", Refusal::Syntax),
        ("", ")", Refusal::Syntax),
        ("", "(nonsense)", Refusal::Syntax),
        ("", "(\"+get)", Refusal::Syntax),
        ("", "~a b", Refusal::Syntax),
        ("", "%X~a", Refusal::Syntax),
        ("", "%~a", Refusal::Syntax),
        ("", "%R", Refusal::Syntax),
        ("", "&a\nuser b", Refusal::Syntax),
        ("~*", "~a", Refusal::KeysAfterAll),
        ("&*", "&a", Refusal::ChannelsAfterAll),
    ] {
        assert_eq!(user(before).apply(rule.as_bytes(), false), Err(refusal), "{rule}");
    }
    assert_eq!(merge_rules(&[b"on", b"(+get", b"~a"]), Err(&b"(+get"[..]));
}

#[test]
fn the_default_for_channels_holds_for_new_selectors() {
    let mut some = User::new(true);
    some.apply(b"()", true).unwrap();
    assert!(some.selectors().all(|selector| selector.channels.is_all()));
    some.apply(b"reset", false).unwrap();
    assert!(!some.allows_channel(b"a", false));
}
