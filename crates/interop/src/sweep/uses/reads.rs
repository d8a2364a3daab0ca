//! Iterators, snapshots and the change stream.

use super::{filled, writes};
use crate::abi::Handle;
use crate::args;
use crate::sweep::Context;
use crate::sweep::situations::List;

/// A read option set, and what scans from three starts find.
fn scans(c: &mut Context<'_>, list: &str, set: fn(&Context<'_>, Handle)) {
    let Some(db) = filled(c, list) else { return };
    let ro = c.make("readoptions_create", &[]);
    set(c, ro);
    for start in [None, Some(""), Some("key"), Some("key010"), Some("k"), Some("zzz")] {
        c.scan(db, ro, start);
    }
    let iter = c.make("create_iterator", args![db, ro]);
    c.call("iter_seek_to_last", args![iter]);
    c.drain(iter);
    let iter = c.make("create_iterator", args![db, ro]);
    c.call("iter_seek_for_prev", args![iter, b"kez"]);
    c.drain(iter);
    c.close(db);
}

fn bounds(c: &Context<'_>, ro: Handle, lower: Option<&'static str>, upper: Option<&'static str>) {
    if let Some(lower) = lower {
        // RocksDB keeps the pointer.
        c.call(
            "readoptions_set_iterate_lower_bound",
            args![ro, lower.as_ptr() as u64, lower.len()],
        );
    }
    if let Some(upper) = upper {
        c.call(
            "readoptions_set_iterate_upper_bound",
            args![ro, upper.as_ptr() as u64, upper.len()],
        );
    }
}

pub(super) const CASES: List = &[
    ("iterate: lower bound above the upper", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key020"), Some("key010")))
    }),
    ("iterate: equal bounds", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key010"), Some("key010")))
    }),
    ("iterate: bounds between keys", |c| {
        scans(c, "", |c, ro| bounds(c, ro, Some("key0095"), Some("key0125")))
    }),
    ("iterate: an upper bound before all", |c| {
        scans(c, "", |c, ro| bounds(c, ro, None, Some("a")))
    }),
    ("iterate: a lower bound behind all", |c| scans(c, "", |c, ro| bounds(c, ro, Some("z"), None))),
    ("iterate: empty bounds", |c| scans(c, "", |c, ro| bounds(c, ro, Some(""), Some("")))),
    ("iterate: persisted tier", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_read_tier", args![ro, 2]);
        });
    }),
    ("iterate: cached tier", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_read_tier", args![ro, 1]);
        });
    }),
    ("iterate: few skippable keys", |c| {
        let Some(db) = filled(c, "") else { return };
        let (wo, ro) = (writes(c), c.make("readoptions_create", &[]));
        (0..20).for_each(|n| {
            c.must("delete", args![db, wo, format!("key{n:03}").as_bytes()]);
        });
        c.call("readoptions_set_max_skippable_internal_keys", args![ro, 5]);
        c.scan(db, ro, None);
        c.close(db);
    }),
    ("iterate: the start's prefix, fixed", |c| {
        scans(c, "prefix_extractor=fixed:5", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix, capped", |c| {
        scans(c, "prefix_extractor=capped:5", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix, fixed, longer than keys", |c| {
        scans(c, "prefix_extractor=fixed:9", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: the start's prefix without extractor", |c| {
        scans(c, "", |c, ro| {
            c.call("readoptions_set_prefix_same_as_start", args![ro, 1]);
        });
    }),
    ("iterate: next and prev where it is not valid", |c| {
        let Some(db) = filled(c, "") else { return };
        let ro = c.make("readoptions_create", &[]);
        let iter = c.make("create_iterator", args![db, ro]);
        c.attempt("iter_get_error", args![iter]);
        c.call("iter_seek", args![iter, b"zzz"]);
        let valid = c.call("iter_valid", args![iter]);
        c.say(format!("{valid:?}"));
        c.attempt("iter_get_error", args![iter]);
        c.attempt("iter_refresh", args![iter]);
        c.drain(iter);
        c.close(db);
    }),
    ("snapshot: of another time", |c| {
        let Some(db) = filled(c, "") else { return };
        let (snapshot, ro) =
            (c.make("create_snapshot", args![db]), c.make("readoptions_create", &[]));
        c.put(db, "key007", "new");
        c.call("readoptions_set_snapshot", args![ro, snapshot]);
        c.get_with(db, ro, "key007");
        c.call("release_snapshot", args![db, snapshot]);
        c.close(db);
    }),
    ("updates: from the future", |c| {
        let Some(db) = filled(c, "") else { return };
        for seq in [0u64, 1, 30, 31, 32, 1000, u64::MAX] {
            c.attempt("get_updates_since", args![db, seq, 0]);
        }
        c.close(db);
    }),
];
