//! Values that travel in fields: one trait for reading and writing them, the bare values of the dialect, and the macro
//! that turns a table of fields into a message struct.
//!
//! Blobs, gpids, addresses and error codes have the type number of a struct, but no fields and no stop byte.

use super::error::{Malformed, Result};
use super::reader::{Reader, tag};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;

/// A value of a field, a list or a map.
pub trait Value<'a>: Sized {
    /// The type number on the wire.
    const TAG: u8;

    /// Reads the value, without the head of its field.
    fn read(from: &mut Reader<'a>) -> Result<Self>;

    /// Appends the value, without the head of its field.
    fn write(&self, out: &mut Vec<u8>);

    /// Returns whether the field is left out.
    fn is_absent(&self) -> bool {
        false
    }

    /// Appends a whole field unless it is absent.
    fn write_field(&self, id: i16, out: &mut Vec<u8>) {
        if !self.is_absent() {
            out.push(Self::TAG);
            out.extend_from_slice(&id.to_be_bytes());
            self.write(out);
        }
    }
}

/// Reads the value of field `id` after its head, whose type must be that of `T`.
pub fn read_field<'a, T: Value<'a>>(
    from: &mut Reader<'a>,
    kind: u8,
    of: &str,
    id: i16,
) -> Result<T> {
    if kind != T::TAG {
        return Err(Malformed::new(format!(
            "field {id} of {of}: expected type {}, found {kind}",
            T::TAG
        )));
    }
    T::read(from)
}

macro_rules! scalars {
    ($($name:ident $tag:ident)*) => {$(
        impl<'a> Value<'a> for $name {
            const TAG: u8 = tag::$tag;

            fn read(from: &mut Reader<'a>) -> Result<Self> {
                from.$name()
            }

            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
        }
    )*};
}

scalars! { i8 I8 i16 I16 i32 I32 i64 I64 }

impl<'a> Value<'a> for bool {
    const TAG: u8 = tag::BOOL;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        from.bool()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
}

/// A name or text.
impl<'a> Value<'a> for Cow<'a, str> {
    const TAG: u8 = tag::STRING;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        from.text().map(Cow::Borrowed)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(self.as_bytes(), out);
    }
}

impl<'a> Value<'a> for String {
    const TAG: u8 = tag::STRING;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        from.text().map(str::to_owned)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(self.as_bytes(), out);
    }
}

/// Optional fields are written only when they are set.
impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    const TAG: u8 = T::TAG;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        T::read(from).map(Some)
    }

    fn write(&self, out: &mut Vec<u8>) {
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<'a, T: Value<'a>> Value<'a> for Vec<T> {
    const TAG: u8 = tag::LIST;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        let (kind, count) = from.list()?;
        if count > 0 && kind != T::TAG {
            return Err(Malformed::new(format!(
                "a list: expected elements of type {}, found {kind}",
                T::TAG
            )));
        }
        (0..count).map(|_| T::read(from)).collect()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(T::TAG);
        write_len(self.len(), out);
        for element in self {
            element.write(out);
        }
    }
}

impl<'a, V: Value<'a>> Value<'a> for BTreeMap<String, V> {
    const TAG: u8 = tag::MAP;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        let (key, value, count) = from.map()?;
        if count > 0 && (key, value) != (tag::STRING, V::TAG) {
            return Err(Malformed::new(format!(
                "a map: expected types {} and {}, found {key} and {value}",
                tag::STRING,
                V::TAG
            )));
        }
        (0..count).map(|_| Ok((String::read(from)?, V::read(from)?))).collect()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[tag::STRING, V::TAG]);
        write_len(self.len(), out);
        for (key, value) in self {
            key.write(out);
            value.write(out);
        }
    }
}

/// Bytes of a user. On the wire a bare string behind the type number of a struct.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blob<'a>(pub Cow<'a, [u8]>);

impl Deref for Blob<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl<'a> From<&'a [u8]> for Blob<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Blob(Cow::Borrowed(bytes))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Blob<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Blob(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Blob<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Blob(Cow::Owned(bytes))
    }
}

impl<'a> Value<'a> for Blob<'a> {
    const TAG: u8 = tag::STRUCT;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        from.string().map(Blob::from)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(self, out);
    }
}

/// A partition of a table. On the wire an i64 with the table's id in the low half.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gpid {
    /// The id of the table.
    pub app_id: i32,
    /// The number of the partition, from 0.
    pub partition: i32,
}

impl<'a> Value<'a> for Gpid {
    const TAG: u8 = tag::STRUCT;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        let partition = from.i32()?;
        Ok(Gpid { app_id: from.i32()?, partition })
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.partition.write(out);
        self.app_id.write(out);
    }
}

/// An IPv4 address with a port. On the wire `ip:4 port:2 type:2`; all zeros stand for no address.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Address(pub Option<std::net::SocketAddrV4>);

impl Address {
    /// The type of an IPv4 address.
    const IPV4: u16 = 1;
}

impl<'a> Value<'a> for Address {
    const TAG: u8 = tag::STRUCT;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        let (ip, port, kind) = (from.u32()?, from.u16()?, from.u16()?);
        let address = std::net::SocketAddrV4::new(ip.into(), port);
        Ok(Address((kind == Address::IPV4).then_some(address)))
    }

    fn write(&self, out: &mut Vec<u8>) {
        let Some(address) = self.0 else { return out.extend_from_slice(&[0; 8]) };
        out.extend_from_slice(&address.ip().octets());
        out.extend_from_slice(&address.port().to_be_bytes());
        out.extend_from_slice(&Address::IPV4.to_be_bytes());
    }
}

/// A host name with a port. On the wire `host:string port:i16 type:i8`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPort {
    /// A name or an address as text.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl<'a> Value<'a> for HostPort {
    const TAG: u8 = tag::STRUCT;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        let host = String::read(from)?;
        let port = from.u16()?;
        from.u8()?;
        Ok(HostPort { host, port })
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.host.write(out);
        out.extend_from_slice(&self.port.to_be_bytes());
        out.push(u8::from(!self.host.is_empty()));
    }
}

/// Appends a length and bytes.
pub(super) fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    write_len(bytes.len(), out);
    out.extend_from_slice(bytes);
}

/// Appends a length. Messages are limited to far less than an i32 holds.
fn write_len(len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&i32::try_from(len).unwrap_or(i32::MAX).to_be_bytes());
}

/// Declares message structs: `id name: type` per field, in the order in which fields are written. Fields that a message
/// leaves out keep their default value; unknown fields are skipped if their type allows it. Fields whose name says
/// everything have no comment.
macro_rules! messages {
    ($($(#[$meta:meta])* $name:ident $(<$life:lifetime>)? {
        $($(#[$field_meta:meta])* $id:literal $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$meta])*
        #[allow(missing_docs)]
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name $(<$life>)? {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        $crate::thrift::value::messages! { @impl $name [$($life)?] $($id $field)* }
    )*};
    (@impl $name:ident [] $($rest:tt)*) => {
        impl<'a> $crate::thrift::value::Value<'a> for $name {
            $crate::thrift::value::messages! { @body 'a $name $($rest)* }
        }
    };
    (@impl $name:ident [$life:lifetime] $($rest:tt)*) => {
        impl<$life> $crate::thrift::value::Value<$life> for $name<$life> {
            $crate::thrift::value::messages! { @body $life $name $($rest)* }
        }
    };
    (@body $life:lifetime $name:ident $($id:literal $field:ident)*) => {
        const TAG: u8 = $crate::thrift::reader::tag::STRUCT;

        fn read(
            from: &mut $crate::thrift::reader::Reader<$life>,
        ) -> $crate::thrift::error::Result<Self> {
            #[allow(unused_mut)]
            let mut message = Self::default();
            while let Some((kind, id)) = from.field()? {
                match id {
                    $($id => {
                        message.$field =
                            $crate::thrift::value::read_field(from, kind, stringify!($name), id)?;
                    })*
                    _ => from.skip(kind)?,
                }
            }
            Ok(message)
        }

        #[allow(unused_variables)]
        fn write(&self, out: &mut Vec<u8>) {
            $($crate::thrift::value::Value::write_field(&self.$field, $id, out);)*
            out.push($crate::thrift::reader::tag::STOP);
        }
    };
}
pub(crate) use messages;
