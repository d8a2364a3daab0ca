use super::*;

fn set(rules: &str) -> CommandSet {
    let mut set = CommandSet::none();
    rules.split(' ').for_each(|rule| set.apply(rule.as_bytes()).expect(rule));
    set
}

fn allows(set: &CommandSet, words: &str) -> bool {
    let words: Vec<&[u8]> = words.split(' ').map(str::as_bytes).collect();
    let args = Args::new(&words);
    set.allows(table::find(args).unwrap(), args)
}

#[test]
fn commands_and_subcommands() {
    let some = set("+get +config -config|set +client|id");
    assert!(allows(&some, "GET a") && allows(&some, "CONFIG GET x") && allows(&some, "CLIENT ID"));
    assert!(!allows(&some, "SET a b") && !allows(&some, "CONFIG SET a b"));
    assert!(!allows(&some, "CLIENT LIST"));
    assert!(allows(&some, "AUTH x"), "needed before there is a user");
}

#[test]
fn first_arguments() {
    let mut some = set("+select|0 +SELECT|x");
    assert!(allows(&some, "SELECT 0") && allows(&some, "SELECT X") && !allows(&some, "SELECT 1"));
    some.apply(b"-select").unwrap();
    assert!(!allows(&some, "SELECT 0"), "forgotten with the command");
}

#[test]
fn categories_have_the_subcommands_of_their_containers() {
    let some = set("+@stream");
    assert!(allows(&some, "XADD a * f v") && allows(&some, "XINFO STREAM a"));
    assert!(!allows(&some, "GET a"));
    let mut all = CommandSet::none();
    all.set_all(true);
    assert!(all.is_all());
    all.apply(b"-@DANGEROUS").unwrap();
    assert!(!all.is_all() && allows(&all, "GET a") && !allows(&all, "FLUSHALL"));
}

#[test]
fn what_is_wrong_with_a_rule() {
    for (rule, refusal) in [
        ("get", Refusal::Syntax),
        ("+", Refusal::UnknownCommand),
        ("+nope", Refusal::UnknownCommand),
        ("-@nope", Refusal::UnknownCommand),
        ("+config|nope", Refusal::UnknownCommand),
        ("+get|a|b", Refusal::UnknownCommand),
        ("-get|a", Refusal::UnknownCommand),
        ("-config|nope", Refusal::UnknownCommand),
        ("+config|get|x", Refusal::FirstArgOfSubcommand),
        ("+select|", Refusal::Syntax),
        ("+select|a b", Refusal::Syntax),
    ] {
        assert_eq!(CommandSet::none().apply(rule.as_bytes()), Err(refusal), "{rule}");
    }
}
