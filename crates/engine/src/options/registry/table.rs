//! The macro that creates a struct of options, its defaults and its rows from a table.

/// A table of options. Creates the struct with its docs, [`Default`], and [`OptionSet`](super::OptionSet).
///
/// ```text
/// /// The docs of the struct.
/// DbOptions {
///     /// The docs of the field.
///     field: Type = default => columns;
///     "name": kind => columns;
/// }
/// without_row {
///     /// The docs of the field.
///     field: Type = default;
/// }
/// ```
///
/// * A row with a field is an option whose text form is that of the field's type ([`TextForm`](super::TextForm)).
/// * A row with a name in quotes has no field of its own: `fixed(Bool, "true")` has one value, which is not stored, and
///   `custom(set, get)` is another name for fields.
/// * Columns begin with the engine's support for the option: `honoured()`, `accepted()`, `refused()`, or `obsolete()`
///   for options that RocksDB itself still parses but ignores. [`Columns`](super::Columns) has the others.
/// * Fields without a row have no text form: they are objects that only the program can create.
///
/// The order of rows is that of the dump in LOG, which is RocksDB's. Rows that LOG does not show may be anywhere.
macro_rules! options {
    (
        $(#[$meta:meta])*
        $options:ident {
            $(
                $( $name:literal: $kind:ident($($argument:tt)*) )?
                $( $(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr )?
                => $columns:expr;
            )*
        }
        $( without_row {
            $( $(#[$other_doc:meta])* $other:ident: $other_ty:ty = $other_default:expr; )*
        } )?
    ) => {
        $(#[$meta])*
        pub struct $options {
            $( $( $(#[doc = $doc])* pub $field: $ty, )? )*
            $( $( $(#[$other_doc])* pub $other: $other_ty, )* )?
        }

        impl Default for $options {
            fn default() -> $options {
                $options {
                    $( $( $field: $default, )? )*
                    $( $( $other: $other_default, )* )?
                }
            }
        }

        impl $crate::options::registry::OptionSet for $options {
            fn rows() -> &'static [$crate::options::registry::Row<$options>] {
                #[allow(unused_imports)]
                use $crate::options::registry::Shape::{Bool, Integer, Number, Text};
                use $crate::options::registry::{Columns, Kind, Row, Support, TextForm, columns};
                columns!($options);
                const ROWS: &[Row<$options>] = &[
                    $( Row::new(
                        $(
                            stringify!($field),
                            concat!($($doc),*),
                            Kind::Field {
                                set: |o, name, text| TextForm::set_text(&mut o.$field, name, text),
                                get: |o| TextForm::to_text(&o.$field),
                            },
                        )?
                        $( $name, "", $kind($($argument)*), )?
                        $columns,
                    ), )*
                ];
                ROWS
            }
        }
    };
}

/// The words with which the columns of a row begin, and the kinds of rows without a field.
macro_rules! columns {
    ($options:ident) => {
        columns! { $options
            honoured Columns::new(Support::Honoured);
            accepted Columns::new(Support::Accepted);
            refused Columns::new(Support::Refused);
            obsolete Columns::new(Support::Accepted).never_written();
        }
        #[allow(dead_code)]
        const fn fixed(shape: $crate::options::registry::Shape, value: &'static str) -> Kind<$options> {
            Kind::Fixed { shape, value }
        }
        #[allow(dead_code)]
        const fn custom(
            set: fn(&mut $options, &str) -> $crate::error::Result<()>,
            get: fn(&$options) -> String,
        ) -> Kind<$options> {
            Kind::Custom { set, get }
        }
    };
    ($options:ident $($word:ident $columns:expr;)*) => {
        $(
            #[allow(dead_code)]
            const fn $word() -> Columns<$options> {
                $columns
            }
        )*
    };
}

pub(in crate::options) use {columns, options};
