use super::*;

const SECOND: u64 = 1_000_000;

#[test]
fn an_error_is_printed_when_it_begins_changes_and_ends_and_once_a_minute() {
    let mut complaints = Complaints::new("ticking");
    let mut printed = Vec::new();
    for second in (0..400).step_by(5) {
        let result = match second {
            20..200 => Err("full"),
            200..210 => Err("broken"),
            _ => Ok(()),
        };
        if let Some(line) = complaints.note(result, second * SECOND) {
            printed.push((second, line));
        }
    }
    let expected = [
        (20, "ticking: full"),
        (80, "ticking: full"),
        (140, "ticking: full"),
        (200, "ticking: broken"),
        (210, "ticking: works again after 190 s"),
    ];
    assert_eq!(printed, expected.map(|(second, line)| (second, line.to_owned())));
}
