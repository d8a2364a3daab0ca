//! Numbers as the page shows them: three or four significant digits, with a unit.

/// Returns a number with thousands separated, without more digits than it needs.
pub fn plain(number: f64) -> String {
    let digits = match number.abs() {
        size if size >= 99.95 || size.fract() == 0.0 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{number:.digits$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

/// Returns bytes in the largest decimal unit that leaves a digit before the point.
pub fn bytes(number: f64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut size = number;
    let mut unit = 0;
    while size.abs() >= 1000.0 && unit < units.len() - 1 {
        size /= 1000.0;
        unit += 1;
    }
    format!("{} {}", plain(size), units[unit])
}

/// Returns microseconds in the unit that reads best.
pub fn micros(number: f64) -> String {
    match number {
        us if us >= 1e6 => format!("{} s", plain(us / 1e6)),
        us if us >= 1e3 => format!("{} ms", plain(us / 1e3)),
        us => format!("{} µs", plain(us)),
    }
}

/// Returns a figure of `compare` with its unit.
pub fn figure(name: &str, number: f64) -> String {
    match name {
        name if name.ends_with("P50 us")
            || name.ends_with("P99 us")
            || name.ends_with("P99.9 us") =>
        {
            micros(number)
        }
        name if name.contains("bytes") => bytes(number),
        name if name.ends_with(" us") => micros(number),
        _ => plain(number),
    }
}

/// Returns a ratio with enough digits to tell it from 1.
pub fn ratio(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{n:.0e}"),
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n if n >= 0.1 => format!("{n:.2}"),
        n if n >= 0.001 => format!("{n:.3}"),
        n => format!("{n:.0e}"),
    }
}
