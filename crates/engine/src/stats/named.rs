//! Numbers and names: RocksDB 10.10's, letter for letter, since dashboards look for them.

/// Makes an enum whose variants index counters, with a name for each. `counted` marks those that
/// the engine feeds; the others stay 0, for the reason behind `unless`.
macro_rules! named {
    ($(#[$doc:meta])* $kind:ident {
        $($variant:ident $name:literal $(counted)? $(unless $reason:ident)?;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[expect(missing_docs, reason = "the names are RocksDB's; docs/statistics.md lists them")]
        pub enum $kind {
            $($variant,)*
        }

        impl $kind {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)*];

            /// How many there are.
            pub const COUNT: usize = $kind::ALL.len();

            /// RocksDB's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }

            /// Why the engine does not feed it: it stays 0. `None` for those that are fed.
            pub const fn reason_not_counted(self) -> Option<&'static str> {
                match self {
                    $($kind::$variant => named!(@reason $($reason)?),)*
                }
            }

            /// Whether the engine feeds it; the others stay 0.
            pub const fn is_counted(self) -> bool {
                self.reason_not_counted().is_none()
            }

            /// The one with this name.
            pub fn from_name(name: &str) -> Option<$kind> {
                $kind::ALL.iter().copied().find(|t| t.name() == name)
            }

            /// The one with RocksDB's number.
            pub fn from_number(number: u32) -> Option<$kind> {
                $kind::ALL.get(number as usize).copied()
            }
        }
    };
    (@reason) => { None };
    (@reason $reason:ident) => { Some($reason) };
}
pub(super) use named;
