use super::meta::*;
use super::reader::tag;
use super::request::*;
use super::response::*;
use super::*;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

fn written<'a>(value: &impl Value<'a>) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out);
    out
}

/// Writes, reads, and checks that every byte was consumed and that every truncation is an error.
fn round_trip<T>(value: &T)
where
    T: for<'a> Value<'a> + PartialEq + std::fmt::Debug,
{
    let bytes = written(value);
    let mut from = Reader::new(&bytes);
    assert_eq!(&T::read(&mut from).unwrap(), value);
    assert_eq!(from.rest(), b"");
    for len in 0..bytes.len() {
        assert!(T::read(&mut Reader::new(&bytes[..len])).is_err(), "{len} bytes of {value:?}");
    }
}

#[test]
fn wrapped_scalars() {
    let address = Address(Some(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 34801)));
    assert_eq!(written(&address), b"\x7f\0\0\x01\x87\xf1\0\x01");
    assert_eq!(written(&Address(None)), [0; 8]);
    assert_eq!(written(&Gpid { app_id: 2, partition: 5 }), b"\0\0\0\x05\0\0\0\x02");
    assert_eq!(written(&ErrorName::Ok), b"\0\0\0\x06ERR_OK");
    assert_eq!(written(&HostPort { host: "h".into(), port: 0x87f1 }), b"\0\0\0\x01h\x87\xf1\x01");
    assert_eq!(written(&Vec::<i32>::new()), b"\x08\0\0\0\0");
    assert_eq!(written(&vec![Blob::from(b"x")]), b"\x0c\0\0\0\x01\0\0\0\x01x");
    let wrapped = [Address::TAG, Gpid::TAG, ErrorName::TAG, HostPort::TAG, Blob::TAG];
    assert_eq!(wrapped, [tag::STRUCT; 5]);
    round_trip(&address);
    round_trip(&Gpid { app_id: -1, partition: -1 });
    round_trip(&HostPort { host: "host".into(), port: 65535 });
    for name in ErrorName::ALL {
        round_trip(name);
    }
}

#[test]
fn structs_are_fields_in_order_and_a_stop_byte() {
    let put = Put { key: Blob::from(b"k"), value: Blob::from(b"v"), expire_ts_seconds: 3 };
    let expected = b"\x0c\0\x01\0\0\0\x01k\x0c\0\x02\0\0\0\x01v\x08\0\x03\0\0\0\x03\0";
    assert_eq!(written(&put), expected);
    assert_eq!(Put::read(&mut Reader::new(expected)).unwrap(), put);
    assert_eq!(Put::read(&mut Reader::new(b"\0")).unwrap(), Put::default());
}

#[test]
fn optional_fields_are_left_out() {
    let row = KeyValue::default();
    assert_eq!(written(&row), b"\x0c\0\x01\0\0\0\0\x0c\0\x02\0\0\0\0\0");
    let row = KeyValue { expire_ts_seconds: Some(0), ..row };
    assert!(written(&row).ends_with(b"\x08\0\x03\0\0\0\0\0"));
    let scan = ScanReply { kv_count: Some(9), ..ScanReply::default() };
    assert!(written(&scan).ends_with(b"\x08\0\x07\0\0\0\x09\0"));
}

#[test]
fn meta_messages_round_trip() {
    let node = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 34801);
    let partition = PartitionConfig {
        pid: Gpid { app_id: 1, partition: 3 },
        ballot: 1,
        primary: Address(Some(node)),
        hp_primary: Some(HostPort { host: "h".into(), port: 1 }),
        ..PartitionConfig::default()
    };
    let reply = QueryConfigReply { app_id: 1, partitions: vec![partition], ..Default::default() };
    round_trip(&reply);
    round_trip(&AppInfo {
        envs: BTreeMap::from([("default_ttl".into(), "5".into())]),
        is_bulk_loading: Some(false),
        ..AppInfo::default()
    });
    round_trip(&UpdateAppEnv { op: 1, keys: Some(vec!["a".into()]), ..Default::default() });
    round_trip(&ClusterInfo::default());
}

#[test]
fn unknown_fields_are_skipped_unless_they_are_structs() {
    let mut fields = Vec::new();
    true.write_field(90, &mut fields);
    7_i16.write_field(91, &mut fields);
    vec![vec![5_i64]].write_field(92, &mut fields);
    BTreeMap::from([("k".to_owned(), 1_i8)]).write_field(93, &mut fields);
    "text".to_owned().write_field(94, &mut fields);
    6_i64.write_field(1, &mut fields);
    fields.push(tag::STOP);
    assert_eq!(Scan::read(&mut Reader::new(&fields)).unwrap(), Scan { context_id: 6 });

    let mut fields = Vec::new();
    Blob::from(b"x").write_field(9, &mut fields);
    let error = Scan::read(&mut Reader::new(&fields)).unwrap_err();
    assert_eq!(error.to_string(), "a value of type 12 cannot be skipped");
}

#[test]
fn lengths_and_counts_are_not_trusted() {
    let error = |bytes: &[u8]| Vec::<Blob<'_>>::read(&mut Reader::new(bytes)).unwrap_err();
    assert!(error(b"\x0c\x7f\xff\xff\xff").to_string().contains("found the count 2147483647"));
    assert!(error(b"\x0c\xff\xff\xff\xff").to_string().contains("found the count -1"));
    assert!(error(b"\x0c\0\0\0\x01\x7f\xff\xff\xff").to_string().contains("found 0"));
    assert!(error(b"\x0c\0\0\0\x01\xff\xff\xff\xff").to_string().contains("length of a string"));
    assert!(error(b"\x08\0\0\0\x01\0\0\0\0").to_string().contains("type 12, found 8"));
    let many = [&b"\x02\0\x04\0\x01"[..], &[1; ELEMENTS_MAX + 1]].concat();
    let error = Vec::<bool>::read(&mut Reader::new(&many)).unwrap_err();
    assert!(error.to_string().contains("at most 262144 elements"), "{error}");
    let deep = b"\x0f\0\0\0\x01".repeat(20);
    assert!(Reader::new(&deep).skip(tag::LIST).unwrap_err().to_string().contains("deeper"));
}
