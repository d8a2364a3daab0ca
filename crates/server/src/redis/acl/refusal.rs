//! Why a rule is not valid, in Redis's words.

/// Why a rule is not valid.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// There is no such command, subcommand or category.
    UnknownCommand,
    /// The rule has no known form, or a name or pattern contains a space.
    Syntax,
    /// All keys are allowed already.
    KeysAfterAll,
    /// All channels are allowed already.
    ChannelsAfterAll,
    /// The user does not have the password that is to be removed.
    NoSuchPassword,
    /// A hash does not have the form of SHA-256 in hexadecimal.
    BadHash,
    /// A first argument was given for a subcommand.
    FirstArgOfSubcommand,
}

impl Refusal {
    /// Returns the text that clients get.
    pub fn text(self) -> &'static str {
        match self {
            Refusal::UnknownCommand => "Unknown command or category name in ACL",
            Refusal::Syntax => "Syntax error",
            Refusal::KeysAfterAll => {
                "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any \
                 effect. Try 'resetkeys' to start with an empty list of patterns"
            }
            Refusal::ChannelsAfterAll => {
                "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any \
                 effect. Try 'resetchannels' to start with an empty list of channels"
            }
            Refusal::NoSuchPassword => {
                "The password you are trying to remove from the user does not exist"
            }
            Refusal::BadHash => {
                "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
            }
            Refusal::FirstArgOfSubcommand => "Allowing first-arg of a subcommand is not supported",
        }
    }
}
