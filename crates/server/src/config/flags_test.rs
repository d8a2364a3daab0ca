use super::*;
use crate::config::file::print;
use crate::config::{Source, settings};

fn load(file: &str, more: &[&str]) -> Result<Flags> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.toml");
    std::fs::write(&path, file).unwrap();
    let mut args = vec![OsString::from("ferrolith-server"), "--config".into(), path.into()];
    args.extend(more.iter().map(OsString::from));
    Flags::load(args)
}

fn refusal(file: &str) -> String {
    load(file, &[]).unwrap_err().to_string()
}

#[test]
fn flags_have_different_names() {
    Flags::command().debug_assert();
}

#[test]
fn a_file_sets_what_flags_set() {
    let file = "dir = '/tmp/x'\nmemory-mb = 64\npegasus-host-names = true\nlisten = ['127.0.0.1:1', '[::1]:2']\n";
    let flags = load(file, &[]).unwrap();
    assert_eq!((flags.dir.to_str(), flags.memory_mb), (Some("/tmp/x"), 64));
    assert!(flags.pegasus.host_names);
    assert_eq!(flags.redis.listen.len(), 2);
    assert!(load("listen = []", &[]).unwrap().redis.listen.is_empty());
    assert_eq!(load("", &[]).unwrap().workers, 2);
}

#[test]
fn flags_override_a_file() {
    let file = "memory-mb = 64\nworkers = 3\nlisten = ['127.0.0.1:1']\n";
    let flags = load(file, &["--memory-mb", "32", "--listen", "127.0.0.1:7,127.0.0.1:8"]).unwrap();
    assert_eq!((flags.memory_mb, flags.workers, flags.redis.listen.len()), (32, 3, 2));
}

#[test]
fn wrong_settings_are_named() {
    assert!(refusal("memory = 1").contains("no setting \"memory\"; did you mean \"memory-mb\"?"));
    assert!(refusal("dir = 1.5").contains("dir cannot be 1.5"));
    assert!(refusal("workers = [1]").contains("workers cannot be [1]"));
    assert!(refusal("pegasus-host-names = 'yes'").contains("pegasus-host-names cannot be"));
    assert!(refusal("config = 'x'").contains("no setting \"config\""));
    assert!(refusal("= 1").contains("server.toml"));
}

#[test]
fn tls_needs_files_and_files_need_tls() {
    let open = |file: &str| load(file, &[]).unwrap().tls.open().map_err(|it| it.to_string());
    assert!(open("").unwrap().is_none());
    let listen = "tls-listen = ['127.0.0.1:0']\n";
    assert_eq!(open(listen).unwrap_err(), "TLS needs --tls-cert, a file in PEM");
    let dir = format!("{}/tests/tls", env!("CARGO_MANIFEST_DIR"));
    let files = format!("tls-cert = '{dir}/server.pem'\ntls-key = '{dir}/server.key'\n");
    assert!(open(&files).unwrap_err().starts_with("--tls-cert needs --tls-listen"));
    assert!(open("tls-auth-clients = 'no'").unwrap_err().starts_with("--tls-auth-clients needs"));
    let needs_ca = open(&(listen.to_owned() + &files)).unwrap_err();
    assert!(needs_ca.starts_with("--tls-auth-clients yes needs --tls-ca"), "{needs_ca}");
    let settings = format!("{listen}{files}tls-auth-clients = 'no'\ntls-protocols = 'TLSv1.3'");
    assert_eq!(open(&settings).unwrap().unwrap().settings().protocols, "TLSv1.3");
    let given = Flags::try_parse_from(["x", "--parameter", "tls-cert-file=x"]);
    assert!(given.unwrap_err().to_string().contains("tls-cert-file is set by --tls-cert"));
}

/// A forgotten switch is no reason to send passwords unencrypted.
#[test]
fn files_of_a_replica_need_its_switch() {
    let open =
        |file: &str| load(file, &[]).unwrap().replica_tls.open().map_err(|error| error.to_string());
    let (is_on, settings) = open("").unwrap();
    assert!(!is_on && settings.given().is_none());
    let ca = format!("replica-tls-ca = '{}/tests/tls/ca.pem'\n", env!("CARGO_MANIFEST_DIR"));
    let refusal = open(&ca).unwrap_err();
    assert!(refusal.starts_with("--replica-tls-ca needs --replica-tls yes"), "{refusal}");
    // TOML has a word of its own for it.
    for (switch, expected) in [("true", true), ("'yes'", true), ("false", false), ("'no'", false)] {
        let (is_on, settings) = open(&format!("{ca}replica-tls = {switch}")).unwrap();
        assert_eq!((is_on, settings.given()), (expected, Some("--replica-tls-ca")));
    }
    // Also while it is off: CONFIG SET may switch it on.
    let missing = open("replica-tls-ca = '/none'\nreplica-tls = 'no'").unwrap_err();
    assert!(missing.starts_with("--replica-tls-ca: reading /none"), "{missing}");
    let given = Flags::try_parse_from(["x", "--parameter", "tls-replication=yes"]);
    assert!(given.unwrap_err().to_string().contains("tls-replication is set by --replica-tls"));
}

#[test]
fn parameters_are_a_table() {
    let flags =
        load("[parameter]\nmaxmemory-policy = 'allkeys-lru'\nlatency-tracking = false\n", &[]);
    let shown = |flags: &Flags| -> Vec<_> {
        flags
            .redis
            .parameters
            .iter()
            .map(|(id, text)| (id.parameter().name, text.clone()))
            .collect()
    };
    let flags = flags.unwrap();
    let expected = [("latency-tracking", "no"), ("maxmemory-policy", "allkeys-lru")];
    assert_eq!(shown(&flags), expected.map(|(name, text)| (name, text.to_owned())));
    let args = ["x", "--parameter", "timeout=5"].map(OsString::from);
    let printed = print(&Flags::command(), args.to_vec());
    assert_eq!(shown(&load(&printed, &[]).unwrap()), [("timeout", "5".to_owned())]);
    assert!(refusal("[parameter]\ntimeout = [1]").contains("parameter cannot be"));
}

#[test]
fn a_printed_configuration_is_a_configuration() {
    let args = ["x", "--memory-mb", "77", "--listen", "127.0.0.1:9", "--pegasus-host-names"];
    let printed = print(&Flags::command(), args.iter().map(OsString::from).collect());
    let flags = load(&printed, &[]).expect(&printed);
    assert_eq!((flags.memory_mb, flags.redis.listen.len()), (77, 1));
    assert!(flags.pegasus.host_names && flags.http_listen.is_empty());
}

#[test]
fn settings_say_who_set_them_and_hide_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.toml");
    let text = "workers = 3\nmemory-mb = 99\nrequirepass = 'topsecret'\n[parameter]\ntimeout = 7\n";
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let args =
        ["x", "--config", &path, "--memory-mb", "77", "--parameter", "masterauth=alsosecret"];
    let args = args.map(OsString::from).to_vec();
    let (_, gathered) = Flags::load_with(args, &Variables::default()).unwrap();
    let settings = settings(&gathered);
    let found = |name: &str| {
        let setting = settings.iter().find(|setting| setting.name == name);
        setting.map(|setting| (setting.value.as_str(), setting.source))
    };
    assert_eq!(found("memory-mb"), Some(("77", Source::Flag)));
    assert_eq!(found("workers"), Some(("3", Source::File)));
    assert_eq!(found("databases"), Some(("16", Source::Default)));
    assert_eq!(found("requirepass"), Some(("(hidden)", Source::File)));
    assert_eq!(found("parameter.masterauth"), Some(("(hidden)", Source::Flag)));
    assert_eq!(found("pegasus-host-names"), Some(("false", Source::Default)));
    assert!(!format!("{settings:?}").contains("secret"));
}
