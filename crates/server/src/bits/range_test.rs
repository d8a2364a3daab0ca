//! Tests of ranges of bits, against a plain loop over the bits. The differential tests compare with Redis.

use super::*;

fn bit_at(value: &[u8], at: u64) -> bool {
    value[at as usize / 8] >> (7 - at % 8) & 1 == 1
}

#[test]
fn ends() {
    let range = |start, end, unit| {
        BitRange::resolve(start, end, unit, 3).map(|range| (range.first, range.last))
    };
    assert_eq!(range(0, -1, Unit::Byte), Some((0, 23)));
    assert_eq!(range(1, 1, Unit::Byte), Some((8, 15)));
    assert_eq!(range(-2, 100, Unit::Byte), Some((8, 23)));
    assert_eq!(range(5, 30, Unit::Bit), Some((5, 23)));
    assert_eq!(range(-8, -1, Unit::Bit), Some((16, 23)));
    assert_eq!(range(2, 1, Unit::Byte), None);
    assert_eq!(range(-1, -2, Unit::Byte), None);
    assert_eq!(range(3, 9, Unit::Byte), None);
    assert_eq!(range(i64::MIN, i64::MAX, Unit::Bit), Some((0, 23)));
    assert_eq!(BitRange::whole(0), None);
    assert_eq!(BitRange::resolve(0, 0, Unit::Bit, 0), None);
}

#[test]
fn chunks_give_what_the_whole_gives() {
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..3000 {
        let length = 1 + random.usize(..40);
        let dense = random.usize(..3);
        let value: Vec<u8> = (0..length)
            .map(|_| match dense {
                0 => 0,
                1 => 0xff,
                _ => random.u8(..),
            })
            .collect();
        let end =
            |random: &mut fastrand::Rng| random.usize(..20 * length) as i64 - 10 * length as i64;
        let (start, end) = (end(&mut random), end(&mut random));
        let unit = if random.usize(..2) == 0 { Unit::Bit } else { Unit::Byte };
        let Some(range) = BitRange::resolve(start, end, unit, length as u64) else { continue };
        let bits = range.first..=range.last;
        let expected = bits.clone().filter(|at| bit_at(&value, *at)).count() as u64;
        let size = 1 + random.usize(..length);
        let parts = || value.chunks(size).enumerate().map(|(i, part)| ((i * size) as u64, part));
        assert_eq!(parts().map(|(at, part)| range.count(at, part)).sum::<u64>(), expected);
        for bit in [false, true] {
            let expected = bits.clone().find(|at| bit_at(&value, *at) == bit);
            assert_eq!(parts().find_map(|(at, part)| range.find(bit, at, part)), expected);
        }
    }
}

#[test]
fn zeros_and_missing_bits() {
    let range = BitRange::resolve(3, 20, Unit::Bit, 100).unwrap();
    assert_eq!(range.find_in_zeros(false, 0, 1), Some(3));
    assert_eq!(range.find_in_zeros(false, 2, 1), Some(16));
    assert_eq!(range.find_in_zeros(false, 3, 90), None);
    assert_eq!(range.find_in_zeros(true, 0, 90), None);
    assert_eq!(BitRange::resolve(10, 20, Unit::Bit, 100).unwrap().find_in_zeros(false, 0, 1), None);
    let whole = BitRange::whole(2).unwrap();
    assert_eq!(whole.not_found(false, false), 16);
    assert_eq!(whole.not_found(false, true), -1);
    assert_eq!(whole.not_found(true, false), -1);
}
