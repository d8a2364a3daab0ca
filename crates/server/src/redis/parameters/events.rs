//! The letters of `notify-keyspace-events`.

use crate::redis::server::event_bit;

/// The classes that the letter `A` stands for.
const ALL: &[u8] = b"g$lshzxetd";
/// Further classes, and in the end where events are sent.
const OTHERS: &[u8] = b"nKEm";

/// Returns the bits of classes of events; `None` if a letter is no class.
pub fn event_bits(letters: &[u8]) -> Option<u32> {
    let mut bits = 0;
    for letter in letters {
        bits |= match letter {
            b'A' => all(),
            letter => match event_bit(*letter) {
                0 => return None,
                bit => bit,
            },
        };
    }
    Some(bits)
}

/// Returns the letters of classes of events.
pub fn event_letters(bits: u32) -> String {
    let mut letters = String::new();
    let mut add = |letter: &u8| {
        if bits & event_bit(*letter) != 0 {
            letters.push(char::from(*letter));
        }
    };
    if bits & all() == all() {
        OTHERS.iter().for_each(&mut add);
        return format!("A{}", letters.trim_start_matches('n'));
    }
    ALL.iter().chain(OTHERS).for_each(&mut add);
    letters
}

fn all() -> u32 {
    ALL.iter().fold(0, |bits, letter| bits | event_bit(*letter))
}
