//! The keys and values that the database returns: owned bytes without a lifetime.

use crate::base::PinnedValue;
use smallvec::SmallVec;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A value read from the database.
///
/// It owns its bytes or shares them with the block cache, whichever is cheaper. It stays valid as long as it is kept,
/// also after the database was closed. It derefs to `[u8]`, compares with byte slices, arrays, strings and vectors, and
/// converts into a `Vec<u8>` or `Box<[u8]>`.
///
/// A large value (4 KiB and more) may share memory with its block of the cache. A program that keeps a few of many
/// values for a long time should convert them into vectors.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// db.put("planet:3", "Earth")?;
/// let value = db.get("planet:3")?.expect("it was just written");
/// assert_eq!(value, "Earth");
/// assert_eq!(value.len(), 5);
/// let bytes: Vec<u8> = value.into();
/// assert_eq!(bytes, b"Earth");
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone)]
pub struct Value(PinnedValue);

/// A key that an iterator returns: owned bytes. Short keys need no allocation.
///
/// It derefs to `[u8]` and compares like [`Value`].
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// db.put("planet:3", "Earth")?;
/// let (key, _) = db.iter().next().expect("one entry")?;
/// assert!(key.starts_with(b"planet:"));
/// assert_eq!(key, "planet:3");
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[derive(Clone)]
pub struct Key(SmallVec<[u8; 24]>);

impl Value {
    #[inline]
    pub(crate) fn pinned(value: PinnedValue) -> Value {
        Value(value)
    }

    /// Returns the bytes; the same as dereferencing.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the value as a vector. The bytes are moved if the value owns them, otherwise copied.
    #[inline]
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_vec()
    }
}

impl Key {
    #[inline]
    pub(crate) fn copy(key: &[u8]) -> Key {
        Key(SmallVec::from_slice(key))
    }

    /// Returns the bytes; the same as dereferencing.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the key as a vector.
    #[inline]
    pub fn into_vec(self) -> Vec<u8> {
        self.0.into_vec()
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Value {
        Value(PinnedValue::owned(bytes))
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::from(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Key {
    fn from(bytes: Vec<u8>) -> Key {
        Key(SmallVec::from_vec(bytes))
    }
}

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Key {
        Key::copy(bytes)
    }
}

/// Implements the traits that keys and values share.
macro_rules! bytes {
    ($($name:ident)*) => {$(
        impl Deref for $name {
            type Target = [u8];
            #[inline]
            fn deref(&self) -> &[u8] {
                &self.0
            }
        }

        impl AsRef<[u8]> for $name {
            #[inline]
            fn as_ref(&self) -> &[u8] {
                self
            }
        }

        impl Borrow<[u8]> for $name {
            #[inline]
            fn borrow(&self) -> &[u8] {
                self
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "b\"{}\"", self.escape_ascii())
            }
        }

        impl PartialEq for $name {
            #[inline]
            fn eq(&self, other: &$name) -> bool {
                **self == **other
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &$name) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &$name) -> Ordering {
                (**self).cmp(&**other)
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }

        impl From<$name> for Vec<u8> {
            fn from(bytes: $name) -> Vec<u8> {
                bytes.into_vec()
            }
        }

        impl From<$name> for Box<[u8]> {
            fn from(bytes: $name) -> Box<[u8]> {
                bytes.into_vec().into_boxed_slice()
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name::from(text.as_bytes())
            }
        }

        impl<const N: usize> From<&[u8; N]> for $name {
            fn from(bytes: &[u8; N]) -> $name {
                $name::from(&bytes[..])
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                **self == *other.as_bytes()
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                **self == *other.as_bytes()
            }
        }

        impl PartialEq<[u8]> for $name {
            fn eq(&self, other: &[u8]) -> bool {
                **self == *other
            }
        }

        impl PartialEq<&[u8]> for $name {
            fn eq(&self, other: &&[u8]) -> bool {
                **self == **other
            }
        }

        impl PartialEq<Vec<u8>> for $name {
            fn eq(&self, other: &Vec<u8>) -> bool {
                **self == **other
            }
        }

        impl<const N: usize> PartialEq<[u8; N]> for $name {
            fn eq(&self, other: &[u8; N]) -> bool {
                **self == other[..]
            }
        }

        impl<const N: usize> PartialEq<&[u8; N]> for $name {
            fn eq(&self, other: &&[u8; N]) -> bool {
                **self == other[..]
            }
        }
    )*};
}

bytes! { Value Key }

/// Converts the value without copying it: the `Bytes` owns the memory, or keeps alive the block that contains it.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let db = ferrolith::Db::open(dir.path())?;
/// db.put("key", "value")?;
/// let value: bytes::Bytes = db.get("key")?.unwrap().into();
/// assert_eq!(value, "value");
/// # Ok::<(), ferrolith::Error>(())
/// ```
#[cfg(feature = "bytes")]
impl From<Value> for bytes::Bytes {
    fn from(value: Value) -> bytes::Bytes {
        value.0.into()
    }
}
