use super::*;

#[test]
fn the_page_loads_nothing() {
    let html = &PAGE.html;
    assert!(!html.contains("/* style */") && !html.contains("/* script */"));
    for word in [
        "http://",
        "https://",
        "src=",
        "@import",
        "url(",
        "eval(",
        "innerHTML",
        " style=\"",
        "on-click",
        "onclick=",
    ] {
        let found = html
            .replace("http://www.w3.org/2000/svg", "")
            .find(word)
            .map(|at| html[at.saturating_sub(40)..].chars().take(90).collect::<String>());
        assert_eq!(found, None, "{word}");
    }
}

#[test]
fn the_policy_has_the_hashes_of_what_is_in_the_document() {
    let part = |tag: &str| {
        let (_, rest) = PAGE.html.split_once(&format!("<{tag}>")).unwrap();
        let (text, _) = rest.split_once(&format!("</{tag}>")).unwrap();
        STANDARD.encode(Sha256::digest(text.as_bytes()))
    };
    assert!(PAGE.policy.contains(&format!("script-src 'sha256-{}'", part("script"))));
    assert!(PAGE.policy.contains(&format!("style-src 'sha256-{}'", part("style"))));
    assert!(!PAGE.policy.contains("unsafe"));
}
