use super::*;
use std::sync::Mutex;

type Hook = Box<dyn FnMut() + Send>;

/// Numbers as a commit queue would allocate them. `None` stands for a lock that is not free.
#[derive(Default)]
struct Numbers {
    newest: Mutex<Option<SeqNo>>,
    /// Runs once, before the next number is read.
    hook: Mutex<Option<Hook>>,
}

impl SequenceAllocator for Numbers {
    fn newest_allocated(&self) -> Option<SeqNo> {
        let hook = self.hook.lock().unwrap().take();
        if let Some(mut hook) = hook {
            hook();
        }
        *self.newest.lock().unwrap()
    }
}

fn gaps(newest: Option<SeqNo>) -> (Arc<Gaps>, Arc<Numbers>) {
    let numbers = Arc::new(Numbers { newest: Mutex::new(newest), hook: Mutex::default() });
    let cell = Arc::new(AllocatorCell::default());
    let weak: Weak<Numbers> = Arc::downgrade(&numbers);
    cell.set(weak);
    (Arc::new(Gaps::new(KeyOrder::bytewise(), cell)), numbers)
}

fn end_of(gaps: &Gaps, key: &str, seq: SeqNo, content: u64) -> Option<String> {
    let mut end = Vec::new();
    let found = gaps.find_end(key.as_bytes(), seq, content, &mut end);
    found.then(|| String::from_utf8(end).unwrap())
}

fn note(gaps: &Gaps, start: &str, end: &str, seq: SeqNo) {
    gaps.note(start.as_bytes(), end.as_bytes(), seq, 0);
}

#[test]
fn a_gap_takes_two_walks() {
    let (gaps, _numbers) = gaps(Some(20));
    note(&gaps, "b", "f", 10);
    assert_eq!(end_of(&gaps, "c", 30, 0), None, "after one walk");
    note(&gaps, "b", "f", 19);
    assert_eq!(end_of(&gaps, "c", 30, 0), None, "the second walk may have missed writes up to 20");
    note(&gaps, "b", "f", 20);
    assert_eq!(end_of(&gaps, "c", 20, 0).as_deref(), Some("f"));
    assert_eq!(end_of(&gaps, "b", 99, 0).as_deref(), Some("f"));
    assert_eq!(end_of(&gaps, "c", 19, 0), None, "an older iterator");
    assert_eq!(end_of(&gaps, "a", 30, 0), None, "a key before the gap");
    assert_eq!(end_of(&gaps, "f", 30, 0), None, "the end is not included");
}

#[test]
fn a_shorter_second_walk_confirms_nothing() {
    let (gaps, _numbers) = gaps(Some(20));
    note(&gaps, "b", "f", 20);
    note(&gaps, "b", "e", 20);
    assert_eq!(end_of(&gaps, "c", 30, 0), None);
    note(&gaps, "a", "e", 20);
    assert_eq!(
        end_of(&gaps, "c", 30, 0).as_deref(),
        Some("e"),
        "the walk from a to e covers b to e"
    );
}

#[test]
fn a_proposal_waits_for_its_number() {
    let (gaps, numbers) = gaps(None);
    note(&gaps, "b", "f", 20);
    note(&gaps, "b", "f", 99);
    assert_eq!(end_of(&gaps, "c", 99, 0), None);
    *numbers.newest.lock().unwrap() = Some(99);
    note(&gaps, "b", "f", 99);
    assert_eq!(end_of(&gaps, "c", 99, 0), None, "it has just got its number");
    note(&gaps, "b", "f", 99);
    assert_eq!(end_of(&gaps, "c", 99, 0).as_deref(), Some("f"));
}

#[test]
fn without_an_allocator_there_are_no_gaps() {
    let gaps = Gaps::new(KeyOrder::bytewise(), Arc::default());
    (0..9).for_each(|seq| note(&gaps, "b", "f", seq));
    assert_eq!(end_of(&gaps, "c", 99, 0), None);
}

#[test]
fn a_write_divides_a_gap_and_removes_a_proposal() {
    let (gaps, _numbers) = gaps(Some(20));
    (0..2).for_each(|_| note(&gaps, "b", "f", 20));
    note(&gaps, "h", "m", 20);
    gaps.written(b"d");
    assert_eq!(end_of(&gaps, "b", 30, 0).as_deref(), Some("d"));
    assert_eq!(end_of(&gaps, "d", 30, 0), None);
    assert_eq!(end_of(&gaps, "d\0", 30, 0).as_deref(), Some("f"));
    gaps.written(b"k");
    note(&gaps, "h", "m", 30);
    assert_eq!(end_of(&gaps, "i", 30, 0), None, "the proposal was removed, so this is a new one");
    gaps.written(b"b");
    gaps.written(b"e");
    assert_eq!(end_of(&gaps, "c", 30, 0).as_deref(), Some("d"));
    assert_eq!(end_of(&gaps, "b", 30, 0), None);
}

#[test]
fn other_orders_keep_the_part_before_a_written_key() {
    let (gaps, numbers) = gaps(Some(20));
    let cell = Arc::new(AllocatorCell::default());
    let weak: Weak<Numbers> = Arc::downgrade(&numbers);
    cell.set(weak);
    let reverse = KeyOrder::new(Arc::new(crate::base::ReverseBytewiseComparator));
    let gaps = (Gaps::new(reverse, cell), gaps).0;
    (0..2).for_each(|_| note(&gaps, "f", "b", 20));
    gaps.written(b"d");
    assert_eq!(end_of(&gaps, "f", 30, 0).as_deref(), Some("d"));
    assert_eq!(end_of(&gaps, "c", 30, 0), None);
}

#[test]
fn gaps_that_touch_are_joined_at_the_newer_number() {
    let (gaps, _numbers) = gaps(Some(20));
    (0..2).for_each(|_| note(&gaps, "b", "d", 20));
    (0..2).for_each(|_| note(&gaps, "d", "f", 25));
    assert_eq!(end_of(&gaps, "b", 25, 0).as_deref(), Some("f"));
    assert_eq!(end_of(&gaps, "b", 24, 0), None);
}

#[test]
fn gaps_belong_to_one_content() {
    let (gaps, _numbers) = gaps(Some(20));
    (0..2).for_each(|_| gaps.note(b"b", b"f", 20, 1));
    assert_eq!(end_of(&gaps, "c", 20, 1).as_deref(), Some("f"));
    assert_eq!(end_of(&gaps, "c", 20, 0), None, "an iterator over older content");
    assert_eq!(end_of(&gaps, "c", 20, 2), None, "an iterator over newer content");
    (0..2).for_each(|_| gaps.note(b"x", b"z", 20, 0));
    assert_eq!(end_of(&gaps, "x", 20, 0), None, "notes about older content");
    gaps.note(b"x", b"z", 20, 2);
    assert_eq!(end_of(&gaps, "c", 20, 1), None, "newer content replaces older");
}

#[test]
fn a_number_is_not_given_to_a_later_proposal_of_the_same_range() {
    let (gaps, numbers) = gaps(Some(20));
    let (again, busy) = (Arc::clone(&gaps), Arc::clone(&numbers));
    // While the first walk reads its number, a write removes its proposal, and another walk proposes the range when
    // the lock is not free.
    let hook = move || {
        again.written(b"c");
        let number = busy.newest.lock().unwrap().take();
        note(&again, "b", "f", 30);
        *busy.newest.lock().unwrap() = number;
    };
    *numbers.hook.lock().unwrap() = Some(Box::new(hook));
    note(&gaps, "b", "f", 20);
    // Number 20 was read for the first proposal. A writer with number 25 may have missed the second one.
    note(&gaps, "b", "f", 24);
    assert_eq!(end_of(&gaps, "c", 99, 0), None);
}

#[test]
fn ranges_are_few_and_keys_short() {
    let (gaps, _numbers) = gaps(Some(20));
    for i in 0..1000 {
        let (start, end) = (format!("{i:04}a"), format!("{i:04}b"));
        (0..2).for_each(|_| note(&gaps, &start, &end, 20));
        note(&gaps, &format!("{i:04}c"), &format!("{i:04}d"), 20);
    }
    let noted = gaps.noted.read();
    assert_eq!((noted.gaps.len(), noted.proposals.len()), (GAPS_MAX, GAPS_MAX));
    drop(noted);
    let long = "x".repeat(KEY_MAX + 1);
    (0..2).for_each(|_| note(&gaps, "w", &long, 20));
    assert_eq!(end_of(&gaps, "w", 99, 0), None);
    (0..2).for_each(|_| note(&gaps, "z", "y", 20));
    assert_eq!(end_of(&gaps, "z", 99, 0), None, "an empty range");
}
