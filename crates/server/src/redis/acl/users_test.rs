use super::*;

#[test]
fn an_edit_applies_all_rules_or_none() {
    let users = Users::new("");
    assert!(users.edit(b"a", &[b"on", b"+get"], false).unwrap().is_none(), "created");
    let account = users.get(b"a").unwrap();
    let text = users.edit(b"a", &[b"+set", b"nonsense"], false).err().unwrap();
    assert_eq!(text, "Error in ACL SETUSER modifier 'nonsense': Syntax error");
    assert_eq!(account.user().describe(), b"on resetchannels -@all +get");
    users.edit(b"a", &[b"+set"], false).unwrap().unwrap();
    assert_eq!(account.user().describe(), b"on resetchannels -@all +get +set");
    let text = users.edit(b"b", &[b"(+get"], false).err().unwrap();
    assert_eq!(text, "Unmatched parenthesis in acl selector starting at '(+get'.");
    assert!(users.get(b"b").is_none());
}

#[test]
fn removed_users_lose_their_rights() {
    let users = Users::new("");
    users.edit(b"a", &[b"on", b"~*", b"&*", b"+@all"], false).unwrap();
    let account = users.get(b"a").unwrap();
    assert!(account.is_unlimited());
    users.remove(b"a").unwrap();
    assert!(!account.is_unlimited() && users.get(b"a").is_none());
    assert!(users.remove(b"default").is_none());
}

#[test]
fn the_default_user_has_the_password_of_the_settings_unless_it_is_defined() {
    let users = Users::new("secret");
    let default = users.default_account();
    assert!(!default.user().accepts(b"x") && default.user().accepts(b"secret"));
    users.set_default_password("other");
    assert!(default.user().accepts(b"other") && !default.user().accepts(b"secret"));
    users.set_default_password("");
    assert!(default.user().needs_no_password());
    users.replace(UserMap::from([(b"a".to_vec(), User::unlimited())]), "secret");
    assert!(default.user().accepts(b"secret") && !default.user().needs_no_password());
    let old = users.get(b"a").unwrap();
    let removed = users.replace(UserMap::from([(DEFAULT.to_vec(), User::new(false))]), "secret");
    assert!(removed.len() == 1 && Arc::ptr_eq(&removed[0], &old) && !old.is_unlimited());
    assert!(!default.user().accepts(b"secret"));
}
