use super::*;

fn push(ring: &mut Ring, at_s: u64, rows: &[(u32, u64)]) {
    let all: Vec<_> = rows.iter().map(|(at, rows)| (Partition(*at), *rows, rows * 10)).collect();
    ring.push((at_s * 1_000_000, at_s * 1000), &all, 3);
}

fn written(ring: &Ring) -> Vec<(u32, f64)> {
    let (_, cells) = ring.columns.back().unwrap();
    cells.iter().map(|(partition, cell)| (partition.0, cell.written_rows)).collect()
}

#[test]
fn rates_are_those_since_the_last_sample_the_busiest_first() {
    let mut ring = Ring::default();
    push(&mut ring, 10, &[(1, 100), (2, 100)]);
    assert_eq!(written(&ring), [(1, 0.0), (2, 0.0)], "nothing is known of the time before");
    push(&mut ring, 15, &[(1, 110), (2, 200), (3, 5)]);
    assert_eq!(written(&ring), [(2, 20.0), (1, 2.0), (3, 1.0)]);
    // Between the sealing of a memtable and its report rows are missing; they are not counted twice.
    push(&mut ring, 20, &[(1, 60), (2, 200), (3, 5)]);
    push(&mut ring, 25, &[(1, 115), (2, 200), (3, 5)]);
    assert_eq!(written(&ring)[0], (1, 1.0));
    assert_eq!(ring.columns.len(), 3);
}

#[test]
fn the_busiest_partitions_are_kept() {
    let mut ring = Ring::default();
    let rows = |more: u64| -> Vec<_> {
        (0..300).map(|at| (at, 1 + if at >= 100 { more } else { 0 })).collect()
    };
    push(&mut ring, 5, &rows(0));
    push(&mut ring, 10, &rows(50));
    let written = written(&ring);
    assert_eq!(written.len(), PARTITIONS_MAX);
    assert!((100..300).all(|at| written.iter().any(|(it, rate)| *it == at && *rate == 10.0)));
}
