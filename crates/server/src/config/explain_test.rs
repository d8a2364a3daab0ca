use super::*;
use crate::config::Variables;
use std::ffi::OsString;

fn load(args: &[&str], variables: &[(&str, &str)]) -> crate::error::Result<(Flags, Gathered)> {
    let args = std::iter::once("x").chain(args.iter().copied()).map(OsString::from).collect();
    let variables = variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Flags::load_with(args, &Variables::new(variables))
}

#[test]
fn flags_override_variables_and_these_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "workers = 3\nmemory-mb = 64\ndatabases = 5\n").unwrap();
    let path = file.path().to_str().unwrap();
    let variables = [
        ("FERROLITH_SERVER_CONFIG", path),
        ("FERROLITH_SERVER_MEMORY_MB", "65"),
        ("FERROLITH_SERVER_DATABASES", "6"),
        ("FERROLITH_SERVER_LISTEN", "127.0.0.1:1,127.0.0.1:2"),
        ("FERROLITH_SERVER_CLUSTER_ENABLED", "yes"),
        ("FERROLITH_SERVER_PEGASUS_TABLE", "a:4\nb:8"),
        ("FERROLITH_SERVER_REQUIREPASS", "secret"),
        // A service of Kubernetes.
        ("FERROLITH_SERVER_PORT", "tcp://10.0.0.1:6379"),
        ("FERROLITH_SERVER_PORT_6379_TCP_ADDR", "10.0.0.1"),
        ("FERROLITH_SERVER_SERVICE_HOST", "10.0.0.1"),
        ("OTHER", "x"),
    ];
    let (flags, gathered) = load(&["--databases", "7"], &variables).unwrap();
    assert_eq!((flags.workers, flags.memory_mb, flags.redis.databases), (3, 65, 7));
    assert_eq!((flags.redis.listen.len(), flags.redis.is_cluster), (2, true));
    assert_eq!(flags.pegasus.tables.len(), 2);
    assert_eq!(flags.config.as_deref(), Some(file.path()));
    let settings = settings(&gathered);
    let find = |name: &str| settings.iter().find(|it| it.name == name).unwrap();
    for (name, source, value) in [
        ("workers", Source::File, "3"),
        ("memory-mb", Source::Environment, "65"),
        ("databases", Source::Flag, "7"),
        ("durability", Source::Default, "every:1000"),
        ("requirepass", Source::Environment, "(hidden)"),
        ("cluster-enabled", Source::Environment, "true"),
    ] {
        assert_eq!((find(name).source, &find(name).value[..]), (source, value), "{name}");
    }
}

#[test]
fn wrong_variables_are_named() {
    let error = |name, text| load(&[], &[(name, text)]).unwrap_err().to_string();
    let text = error("FERROLITH_SERVER_MEMORY", "1");
    assert!(text.starts_with("FERROLITH_SERVER_MEMORY: there is no setting \"memory\""), "{text}");
    let text = error("FERROLITH_SERVER_CLUSTER_ENABLED", "perhaps");
    assert!(text.contains("expected true or false, found \"perhaps\""), "{text}");
    assert!(load(&[], &[("FERROLITH_SERVER_LISTEN", "")]).unwrap().0.redis.listen.is_empty());
}

#[test]
fn what_follows_is_that_of_the_store() {
    let (flags, _) = load(&["--memory-mb", "400", "--durability", "always"], &[]).unwrap();
    let derived = derived(&flags, &Machine::now());
    let values: Vec<_> = derived.iter().map(|it| &it.value[..]).collect();
    assert_eq!(values[..5], ["400 MB", "100 MB", "100 MB", "50 MB", "400 MB"]);
    assert_eq!(values.last(), Some(&"none"));
}

/// `FERROLITH_WRITE_DOCS=1` writes the page.
#[test]
fn the_configuration_page_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server/configuration.md");
    if std::env::var_os("FERROLITH_WRITE_DOCS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap();
    assert!(found == page(), "{path} is old: run this test with FERROLITH_WRITE_DOCS=1");
}
