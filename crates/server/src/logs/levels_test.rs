use super::*;
use tracing::Level as Line;

#[test]
fn parts_have_levels_of_their_own() {
    let levels: Levels = "warning, slow=nothing,backup=debug,slow=notice".parse().unwrap();
    assert_eq!(levels.to_string(), "warning,backup=debug,slow=notice");
    assert_eq!(levels.to_string().parse(), Ok(levels.clone()));
    let targets = levels.targets();
    for (target, level, is_shown) in [
        ("ferrolith::server", Line::WARN, true),
        ("ferrolith::server", Line::INFO, false),
        ("ferrolith::slow", Line::INFO, true),
        ("ferrolith::slow", Line::DEBUG, false),
        ("ferrolith::backup", Line::TRACE, true),
        ("other", Line::WARN, true),
        ("other", Line::INFO, false),
    ] {
        assert_eq!(targets.would_enable(target, &level), is_shown, "{target} {level}");
    }
    // A part alone keeps the default of the others.
    assert_eq!("slow=nothing".parse::<Levels>().unwrap().base, Level::Notice);
}

#[test]
fn libraries_have_no_more_than_warnings() {
    for (level, shown) in [("debug", 2), ("warning", 2), ("nothing", 0)] {
        let targets = level.parse::<Levels>().unwrap().targets();
        let lines = [Line::ERROR, Line::WARN, Line::INFO, Line::DEBUG, Line::TRACE];
        let of = |target: &str| lines.iter().filter(|it| targets.would_enable(target, it)).count();
        assert_eq!(of("object_store::client::retry"), shown, "{level}");
        assert_eq!(of("hyper::proto"), shown, "{level}");
    }
}

#[test]
fn each_level_has_more_than_the_next() {
    let shown = |level: &str| {
        let targets = level.parse::<Levels>().unwrap().targets();
        let lines = [Line::ERROR, Line::WARN, Line::INFO, Line::DEBUG, Line::TRACE];
        lines.iter().filter(|line| targets.would_enable("ferrolith::server", line)).count()
    };
    let other: Targets = "debug".parse::<Levels>().unwrap().targets();
    assert!(!other.would_enable("object_store::client", &Line::INFO));
    assert!(other.would_enable("object_store::client", &Line::WARN));
    let none: Targets = "nothing".parse::<Levels>().unwrap().targets();
    assert!(!none.would_enable("object_store::client", &Line::ERROR));
    let counts = ["nothing", "warning", "notice", "verbose", "debug"].map(shown);
    assert_eq!(counts, [0, 2, 3, 4, 5]);
}

#[test]
fn wrong_levels_are_named() {
    for (text, expected) in [
        ("loud", "there is no level \"loud\"; there are debug, verbose, notice, warning, nothing"),
        ("notice,slow=loud", "there is no level \"loud\"; "),
        ("notice,slow", "expected PART=LEVEL, found \"slow\""),
        ("notice,slows=debug", "there is no part \"slows\"; there are server, "),
        ("", "there is no level \"\"; "),
    ] {
        let error = text.parse::<Levels>().unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn no_part_begins_like_another() {
    for (part, _) in PARTS {
        let alike = PARTS.iter().filter(|(it, _)| it.starts_with(part)).count();
        assert_eq!(alike, 1, "{part}");
    }
}
