use super::*;

fn set(rules: &[u8]) -> CommandSet {
    let mut set = CommandSet::none();
    for rule in rules.split(|byte| *byte == b' ') {
        match rule {
            b"+@all" => set.set_all(true),
            b"-@all" => set.set_all(false),
            rule => set.apply(rule).unwrap(),
        }
    }
    set
}

fn described(text: &str) -> String {
    String::from_utf8(rules(&set(text.as_bytes()))).unwrap()
}

#[test]
fn few_words_are_found() {
    for text in [
        "-@all",
        "+@all",
        "-@all +get",
        "+@all -client|kill",
        "-@all +config -config|set",
        "-@all +debug|object +incr",
        "-@all +@set +acl",
        "+@all -@string +incr",
        "-@all +select|0",
    ] {
        let mut words: Vec<_> = text.split(' ').collect();
        words[1..].sort_unstable_by_key(|word| (!word.contains('@'), &word[1..]));
        assert_eq!(described(text), words.join(" "));
    }
    assert_eq!(described("-@all +memory|doctor +memory"), "-@all +memory");
    assert_eq!(described("+@all -get +get"), "+@all");
}

#[test]
fn each_category_is_described_by_itself() {
    for category in categories::ALL {
        assert_eq!(described(&format!("+@all -@{category}")), format!("+@all -@{category}"));
        assert_eq!(described(&format!("-@all +@{category}")), format!("-@all +@{category}"));
    }
}

#[test]
fn rules_make_the_set_that_they_describe() {
    let mut random = fastrand::Rng::with_seed(11);
    let commands: Vec<_> = table::every().collect();
    for _ in 0..100 {
        let mut made = set(if random.bool() { b"+@all" } else { b"-@all" });
        for _ in 0..random.usize(..12) {
            let allows = random.bool();
            match random.usize(..5) {
                0 => made.set_category(random.choice(categories::ALL).unwrap(), allows),
                1 => made.apply(b"+select|0").unwrap(),
                _ => made.set(random.choice(&commands).unwrap(), allows),
            }
        }
        let again = set(&rules(&made));
        let differs = |command: &&&Command| made.has(command) != again.has(command);
        assert_eq!(commands.iter().find(differs).map(|it| it.full_name), None);
        assert_eq!(again.has_future(), made.has_future());
        assert_eq!(rules(&again), rules(&made));
    }
}
