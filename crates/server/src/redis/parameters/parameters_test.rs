use super::*;

const HZ: Id = Id::of("hz");
const MAX: Id = Id::of("maxmemory");

#[test]
fn all_defaults_are_values() {
    for (name, id) in all() {
        let parameter = id.parameter();
        assert!(name == parameter.name || Some(name) == parameter.alias, "{name}");
        let value = parameter.kind.parse(parameter.default, parameter.default);
        assert_eq!(value.expect(name).text, parameter.default, "{name}");
    }
    assert!(all().len() > 160);
}

#[test]
fn aliases_are_the_same_parameter() {
    assert_eq!(Id::find(b"SLAVE-priority"), Some(Id::of("replica-priority")));
    assert_eq!(Id::find(b"no-such"), None);
    assert_eq!(HZ.parameter().name, "hz");
}

#[test]
fn several_are_changed_together_or_not_at_all() {
    let parameters = Parameters::new(&[(HZ, "20".to_owned())]);
    assert_eq!((parameters.number(HZ), parameters.text(HZ)), (20, "20".to_owned()));
    let (at, _) = parameters.set(&[(HZ, "30"), (MAX, "x")]).unwrap_err();
    assert_eq!((at, parameters.number(HZ)), (1, 20));
    assert_eq!(parameters.set(&[(HZ, "20"), (MAX, "1kb")]), Ok(vec![MAX]));
    assert_eq!(parameters.text(MAX), "1024");
}

#[test]
fn the_port_changes_with_a_restart_only() {
    const PORT: Id = Id::of("port");
    let parameters = Parameters::new(&[(PORT, "7000".to_owned())]);
    assert_eq!(parameters.set(&[(PORT, "7000")]), Ok(vec![]));
    let (_, refusal) = parameters.set(&[(PORT, "7001")]).unwrap_err();
    assert!(refusal.starts_with("Unable to listen on this port"));
}
