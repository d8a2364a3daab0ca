use super::*;

/// The vector grows and shrinks through all sizes, on the heap and mapped.
#[test]
fn elements_survive_each_move() {
    let (mut large, mut model) = (LargeVec::new(), Vec::new());
    let total = if cfg!(miri) { 3000u64 } else { 200_000 };
    for i in 0..total {
        if i % 3 == 0 {
            large.push(i);
            model.push(i);
        } else {
            large.extend_from_slice(&[i, !i]);
            model.extend_from_slice(&[i, !i]);
        }
        assert!(large.len() <= large.capacity());
    }
    assert_eq!(*large, *model);
    assert!(cfg!(miri) || large.capacity() * size_of::<u64>() >= 2 * MAP_FROM, "it was mapped");
    for len in [model.len() * 2 / 3, 20_000, 1000, 7, 0] {
        large.truncate(len);
        model.truncate(len);
        large.shrink_to_fit();
        assert_eq!(large.capacity(), large.len());
        assert_eq!(*large, *model);
    }
    large.push(5);
    assert_eq!(*large, [5]);
}

#[test]
fn a_resize_fills_what_was_used_before() {
    let mut large = LargeVec::filled(7u8, MAP_FROM + 1);
    large.truncate(3);
    large.resize(5, 1);
    assert_eq!(*large, [7, 7, 7, 1, 1]);
    large.resize(2 * MAP_FROM, 2);
    assert!(large[5..].iter().all(|&byte| byte == 2));
    large.clear();
    assert!(large.is_empty());
}

#[test]
fn memory_is_aligned_as_its_elements_are() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Node([u64; 16]);
    for len in [1, 10, 1023, 1024, 5000] {
        let mut nodes = LargeVec::filled(Node([1; 16]), len);
        nodes.push(Node([2; 16]));
        assert_eq!(nodes.as_ptr().addr() % 128, 0);
        assert_eq!(nodes.iter().map(|node| node.0[15]).sum::<u64>(), len as u64 + 2);
    }
}

#[test]
fn room_is_as_asked_for() {
    let mut large = LargeVec::<u32>::new();
    large.reserve(10);
    assert_eq!(large.capacity(), 10);
    large.reserve(1 << 20);
    assert_eq!(large.capacity(), 1 << 20);
    let all: LargeVec<u32> = (0..70_000).collect();
    assert_eq!(all.capacity(), 70_000);
    assert!(all.iter().copied().eq(0..70_000));
}

#[test]
fn zeros_are_as_many_as_asked_for() {
    // Leave used memory for later allocations.
    drop(LargeVec::filled(9u8, 1000));
    drop(LargeVec::filled(9u8, 2 * MAP_FROM));
    for len in [0, 1, 1000, MAP_FROM - 1, MAP_FROM, MAP_FROM + 1, 2 * MAP_FROM] {
        let mut zeroed = LargeVec::zeroed(len);
        assert_eq!(*zeroed, vec![0; len]);
        zeroed.push(1);
        assert_eq!((zeroed.len(), zeroed[len]), (len + 1, 1));
    }
}

/// If the system refuses a mapping, the memory comes from the allocator, with the same behaviour.
#[test]
fn refused_mappings_come_from_the_allocator() {
    let mut large = LargeVec::with_refused_mapping(2 * MAP_FROM);
    assert!(FROM_ALLOCATOR.has(large.start.as_ptr()));
    large.extend_from_slice(&[1; MAP_FROM]);
    large.resize(4 * MAP_FROM, 2);
    assert!(!FROM_ALLOCATOR.has(large.start.as_ptr()), "it grew into a mapping");
    assert!(large[..MAP_FROM].iter().all(|&b| b == 1) && large[MAP_FROM..].iter().all(|&b| b == 2));
    assert_eq!(large.len(), 4 * MAP_FROM);
}

/// Pieces that were allocated before, while and after memory was limited are freed as they were allocated.
#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn small_pieces_are_mapped_while_memory_is_limited() {
    let is_small = |large: &LargeVec<u8>| MAPPED_SMALL.has(large.as_ptr().cast_mut());
    let thrift = Thrift::new(1);
    let mut large = LargeVec::filled(1u8, MAP_FROM_THRIFTY);
    let tiny = LargeVec::filled(1u8, MAP_FROM_THRIFTY - 1);
    assert!(is_small(&large) && !is_small(&tiny));
    large.resize(3 * MAP_FROM_THRIFTY, 2);
    assert!(is_small(&large));
    large.resize(MAP_FROM, 3);
    assert!(!is_small(&large), "listed although its size tells");
    large.truncate(2 * MAP_FROM_THRIFTY);
    large.shrink_to_fit();
    assert!(is_small(&large));
    assert!(large[..MAP_FROM_THRIFTY].iter().all(|&byte| byte == 1));
    assert!(large[MAP_FROM_THRIFTY..].iter().all(|&byte| byte == 2));
    drop(thrift);
    let address = large.as_ptr().cast_mut();
    drop(large);
    assert!(!MAPPED_SMALL.has(address) || is_thrifty(), "another test may be thrifty");
}
