//! The column families, and the family of each key: it depends on the key's number, as in RocksDB's tool.

use super::Result;
use crate::flags::Flags;

/// The families of `--num_column_families` and their shares.
#[derive(Clone)]
pub(super) struct Families {
    count: u64,
    /// The shares in percent; empty if they are equal.
    shares: Vec<u64>,
}

impl Families {
    /// Creates the families from the flags.
    pub(super) fn new(flags: &Flags) -> Result<Families> {
        let count = flags.uint("num_column_families").max(1);
        let text = flags.text("column_family_distribution");
        let shares: std::result::Result<Vec<u64>, _> =
            text.split(',').filter(|share| !share.is_empty()).map(str::parse).collect();
        let shares = shares.map_err(|_| {
            format!("ERROR: --column_family_distribution={text}: expected comma-separated numbers")
        })?;
        if !shares.is_empty() && shares.iter().sum::<u64>() != 100 {
            return Err("ERROR: column_family_distribution items must sum to 100".to_owned());
        }
        if !shares.is_empty() && shares.len() as u64 != count {
            let got = shares.len();
            return Err(format!(
                "ERROR: got {got} column_family_distribution items; expected {count}"
            ));
        }
        Ok(Families { count, shares })
    }

    /// Their names, the default one first.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        (0..self.count).map(|index| match index {
            0 => "default".to_owned(),
            index => format!("column_family_name_{index:06}"),
        })
    }

    /// Returns the index of the family that contains the key of this number.
    pub(super) fn of(&self, number: u64) -> usize {
        let mut left = number % 100;
        let of_shares = self.shares.iter().position(|&share| {
            let here = left <= share;
            left = left.saturating_sub(share);
            here
        });
        of_shares.unwrap_or((number % self.count) as usize)
    }
}
