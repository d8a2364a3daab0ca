//! Numbers and names of counters. They are exactly RocksDB 10.10's, because dashboards use them.

/// Defines an enumeration whose variants index counters, with a name for each. `counted` marks counters that the engine
/// updates. The others stay 0, for the reason given after `unless`.
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
            /// All counters, in the order of their numbers.
            pub const ALL: &'static [$kind] = &[$($kind::$variant,)*];

            /// The number of counters.
            pub const COUNT: usize = $kind::ALL.len();

            /// Returns RocksDB's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name,)*
                }
            }

            /// Returns why the engine does not update the counter, which stays 0, or `None` if it does.
            pub const fn reason_not_counted(self) -> Option<&'static str> {
                match self {
                    $($kind::$variant => named!(@reason $($reason)?),)*
                }
            }

            /// Returns whether the engine updates the counter. The others stay 0.
            pub const fn is_counted(self) -> bool {
                self.reason_not_counted().is_none()
            }

            /// Returns the counter with this name.
            pub fn from_name(name: &str) -> Option<$kind> {
                $kind::ALL.iter().copied().find(|t| t.name() == name)
            }

            /// Returns the counter with RocksDB's number.
            pub fn from_number(number: u32) -> Option<$kind> {
                $kind::ALL.get(number as usize).copied()
            }
        }
    };
    (@reason) => { None };
    (@reason $reason:ident) => { Some($reason) };
}
pub(super) use named;
