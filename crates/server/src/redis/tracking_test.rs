use super::*;

fn tracking(client: u64, change: impl FnOnce(&mut Tracker), prefixes: &[&str]) -> Tracking {
    let is_broken = AtomicBool::new(false);
    let mut tracker =
        Tracker { client, redirect: 0, is_broadcast: false, spares_own: false, is_broken };
    change(&mut tracker);
    let prefixes = prefixes.iter().map(|prefix| prefix.as_bytes().to_vec()).collect();
    Tracking { tracker: Arc::new(tracker), choice: Choice::All, is_chosen: false, prefixes }
}

/// Returns messages as `client:key,key`.
fn shown(messages: Vec<Invalidation>) -> Vec<String> {
    let show = |message: Invalidation| {
        let keys = message.keys.map_or("all".to_owned(), |keys| {
            keys.iter().map(|key| String::from_utf8_lossy(key)).collect::<Vec<_>>().join(",")
        });
        format!("{}:{keys}", message.tracker.client)
    };
    let mut shown: Vec<_> = messages.into_iter().map(show).collect();
    shown.sort();
    shown
}

fn changed(table: &TrackingTable, keys: &[&str], writer: u64) -> Vec<String> {
    shown(table.changed(keys.iter().map(|key| key.as_bytes()), writer))
}

#[test]
fn readers_are_told_once() {
    let table = TrackingTable::default();
    assert!(!table.is_on());
    let (one, two) = (tracking(1, |_| {}, &[]), tracking(2, |it| it.spares_own = true, &[]));
    table.set(&one);
    table.set(&two);
    assert!(table.note(1, b"a", 0).0);
    assert!(!table.note(2, b"a", 0).0);
    assert_eq!(changed(&table, &["a", "b"], 1), ["1:a", "2:a"]);
    assert_eq!(changed(&table, &["a"], 1), [""; 0]);
    table.note(2, b"a", 0);
    assert_eq!(changed(&table, &["a"], 2), [""; 0], "its own change");
    table.note(1, b"a", 0);
    table.remove(&one);
    assert_eq!(changed(&table, &["a"], 2), [""; 0]);
    assert_eq!(shown(table.changed_all()), ["2:all"]);
    table.remove(&two);
    assert!(!table.is_on());
}

#[test]
fn prefixes_are_told_of_all_keys() {
    let table = TrackingTable::default();
    let (one, two) = (
        tracking(1, |it| it.is_broadcast = true, &["a", "b"]),
        tracking(2, |it| (it.is_broadcast, it.spares_own) = (true, true), &[""]),
    );
    table.set(&one);
    table.set(&two);
    let keys = ["b1", "a1", "a2", "c", "a1"];
    assert_eq!(changed(&table, &keys, 1), ["1:a1,a2", "1:b1", "2:a1,a2,b1,c"]);
    assert_eq!(changed(&table, &["c"], 2), [""; 0]);
    table.remove(&one);
    assert_eq!(table.sizes().prefixes, 1);
}

#[test]
fn the_table_is_bounded() {
    let table = TrackingTable::default();
    let one = tracking(1, |_| {}, &[]);
    table.set(&one);
    let mut told = 0;
    for at in 0..100 {
        told += table.note(1, &[at], 10).1.len();
    }
    assert_eq!((table.sizes().keys, told), (10, 90));
    assert_eq!(table.shrink(4).len(), 6);
    (2..500).for_each(|client| _ = table.note(client, b"k", 0));
    assert!(table.sizes().readers < 300, "clients that are gone are forgotten");
}
