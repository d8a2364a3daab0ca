//! The check that PFSELFTEST runs.

use super::{HyperLogLog, Registers, SPARSE_MAX_BYTES};

/// Elements that are added in one step.
const STEP: u64 = 1000;

/// The largest number of elements.
const ELEMENTS_MAX: u64 = 100_000;

/// The standard error of an estimate: 1.04 / sqrt(registers).
const STANDARD_ERROR: f64 = 1.04 / 128.0;

/// Adds elements and checks that estimates are within five standard errors, that both encodings have the same
/// registers, and that elements which are added again change nothing.
///
/// # Errors
///
/// Returns what was found and expected.
pub fn self_test() -> Result<(), String> {
    let mut value = HyperLogLog::new();
    for start in (0..ELEMENTS_MAX).step_by(STEP as usize) {
        let elements: Vec<[u8; 8]> = (start..start + STEP).map(u64::to_le_bytes).collect();
        let add = |value: &mut HyperLogLog| {
            value.add(&elements, SPARSE_MAX_BYTES).map_err(|error| error.to_string())
        };
        add(&mut value)?;
        if add(&mut value)? {
            return Err(format!("elements from {start} on changed registers twice"));
        }
        let count = value.count().map_err(|error| error.to_string())?;
        let expected = start + STEP;
        let error = (count as f64 - expected as f64).abs() / expected as f64;
        if error > 5.0 * STANDARD_ERROR {
            return Err(format!("expected about {expected} elements, found {count}"));
        }
    }
    let mut sparse = HyperLogLog::new();
    sparse.add(&[b"a", b"b", b"c"], SPARSE_MAX_BYTES).map_err(|error| error.to_string())?;
    let mut dense = sparse.clone();
    dense.make_dense().map_err(|error| error.to_string())?;
    let registers = [&sparse, &dense].map(|value| {
        let mut registers = Registers::new();
        registers.merge(value).map(|()| registers.iter().copied().collect::<Vec<u8>>())
    });
    match registers {
        [Ok(sparse), Ok(dense)] if sparse == dense => Ok(()),
        _ => Err("the sparse and the dense encoding have different registers".to_owned()),
    }
}
