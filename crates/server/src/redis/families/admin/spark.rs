//! A drawing of numbers as columns of characters.

/// The columns of a drawing.
pub(super) const COLUMNS: usize = 80;
/// The rows of a drawing.
const ROWS: u64 = 4;

/// Draws the last [`COLUMNS`] numbers, with a label under each, written downwards.
pub(super) fn draw(numbers: &[u64], labels: &[String]) -> String {
    let first = numbers.len().saturating_sub(COLUMNS);
    let numbers = numbers.get(first..).unwrap_or_default();
    let labels = labels.get(first..).unwrap_or_default();
    let low = numbers.iter().min().copied().unwrap_or(0);
    let range = numbers.iter().max().map_or(1, |high| (high - low).max(1));
    // In sixths of a row: each row shows three heights.
    let height = |number: &u64| (number - low).saturating_mul(ROWS * 3 - 1) / range;
    let mut drawing = String::new();
    for row in (0..ROWS).rev() {
        drawing.extend(numbers.iter().map(|number| match height(number).checked_sub(row * 3) {
            None => ' ',
            Some(0) => '_',
            Some(1) => 'o',
            Some(2) => '#',
            Some(_) => '|',
        }));
        drawing.push('\n');
    }
    drawing.push('\n');
    let longest = labels.iter().map(String::len).max().unwrap_or(0);
    for at in 0..longest {
        drawing.extend(labels.iter().map(|label| label.chars().nth(at).unwrap_or(' ')));
        drawing.push('\n');
    }
    drawing
}

#[cfg(test)]
#[path = "spark_test.rs"]
mod tests;
