//! Benchmarks of merge operands: a key's operands instead of its value.

use super::read::lookups_with;
use super::thread::Thread;
use crate::report::say;
use crate::target::{Result, touch};
use std::time::Instant;

/// The key of `getmergeoperands`.
const KEY: &[u8] = b"my_key";
/// The numbers that are merged into the key, and how many of them form one operand.
const NUMBERS: u32 = 100_000;
const LIST: u32 = 100;
/// The number to search for.
const WANTED: u32 = 1;
/// The number of operands that are printed.
const SHOWN: usize = 4;

/// Looks up the operands of random keys.
pub(super) fn random(t: &mut Thread<'_>) -> Result<()> {
    lookups_with(t, |t, number| {
        let key = t.keys.make(number, t.config.num);
        let operands = t.session.merge_operands(key)?;
        operands.iter().for_each(|operand| touch(operand));
        let bytes = operands.iter().map(Vec::len).sum::<usize>() + key.len();
        Ok((!operands.is_empty()).then_some(bytes as u64))
    })
}

/// Merges sorted lists of numbers into one key. A number is then searched for in the merged value, and in each operand.
pub(super) fn of_one_key(t: &mut Thread<'_>) -> Result<()> {
    // An engine that cannot return operands ends the benchmark here.
    t.session.merge_operands(KEY)?;
    for list in 0..NUMBERS / LIST - 1 {
        let first = list * LIST;
        let numbers: Vec<String> =
            (first + 1..first + LIST).map(|number| number.to_string()).collect();
        let operand = numbers.join(",");
        t.session
            .merge(KEY, operand.as_bytes())
            .map_err(|error| format!("merge error: {error}"))?;
        t.stats.user_written += (KEY.len() + operand.len()) as u64;
    }
    search_value(t)?;
    search_operands(t)
}

fn search_value(t: &mut Thread<'_>) -> Result<()> {
    let start = Instant::now();
    let value = t.session.get(KEY).map_err(|error| format!("Get returned an error: {error}"))?;
    let value = value.ok_or("Get does not find the key")?;
    let found = has_number(value);
    let seconds = start.elapsed().as_secs_f64();
    let sample = String::from_utf8_lossy(&value[..value.len().min(10)]).into_owned();
    say("--- Get API call --- ");
    say(&format!("Found key? {}\nGet: {seconds} seconds", u8::from(found)));
    say(&format!("Sample data from Get API call: {sample}"));
    Ok(())
}

fn search_operands(t: &mut Thread<'_>) -> Result<()> {
    let start = Instant::now();
    let operands = t.session.merge_operands(KEY)?;
    let found = operands.iter().any(|operand| has_number(operand));
    let seconds = start.elapsed().as_secs_f64();
    say("--- GetMergeOperands API --- ");
    say(&format!("Found key? {}\nGet Merge operands: {seconds} seconds ", u8::from(found)));
    let lists = operands.iter().take(SHOWN).enumerate();
    let lists: Vec<String> = lists
        .map(|(i, operand)| format!("List: {i} : {}", String::from_utf8_lossy(operand)))
        .collect();
    say(&format!("Sample data from GetMergeOperands API call: {}", lists.join("\n")));
    Ok(())
}

/// Returns whether a sorted list has the wanted number.
fn has_number(list: &[u8]) -> bool {
    let text = String::from_utf8_lossy(list);
    let numbers: Vec<u32> = text.split(',').filter_map(|number| number.parse().ok()).collect();
    numbers.binary_search(&WANTED).is_ok()
}
