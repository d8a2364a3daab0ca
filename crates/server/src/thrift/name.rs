//! Names of errors that travel between client and server. Clients fail on names that they do not know, so the enum
//! has only names that all of them know.

use super::error::{Malformed, Result};
use super::reader::{Reader, tag};
use super::value::{Value, write_string};

macro_rules! names {
    ($($(#[$meta:meta])* $variant:ident $name:literal,)*) => {
        /// An error of the RPC layer or of a meta server.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub enum ErrorName {
            $($(#[$meta])* $variant,)*
        }

        impl ErrorName {
            /// Every error.
            pub const ALL: &'static [ErrorName] = &[$(ErrorName::$variant,)*];

            /// Returns the name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(ErrorName::$variant => $name,)*
                }
            }
        }
    };
}

names! {
    /// Success.
    #[default]
    Ok "ERR_OK",
    /// No method of that name.
    HandlerNotFound "ERR_HANDLER_NOT_FOUND",
    /// No such table, or no such partition here.
    ObjectNotFound "ERR_OBJECT_NOT_FOUND",
    /// The partition does not accept the request now; clients ask the meta server again.
    InvalidState "ERR_INVALID_STATE",
    /// The key belongs to another partition; clients ask the meta server again.
    ParentPartitionMisused "ERR_PARENT_PARTITION_MISUSED",
    /// The request is too large or cannot be decoded.
    InvalidData "ERR_INVALID_DATA",
    /// An argument is not valid.
    InvalidParameters "ERR_INVALID_PARAMETERS",
    /// Throttled.
    Busy "ERR_BUSY",
    /// The server does not have the resources for the request.
    CapacityExceeded "ERR_CAPACITY_EXCEEDED",
    /// The request waited longer than the client does.
    Timeout "ERR_TIMEOUT",
    /// The operation is switched off.
    OperationDisabled "ERR_OPERATION_DISABLED",
    /// The disk is full.
    DiskInsufficient "ERR_DISK_INSUFFICIENT",
    /// The engine failed.
    LocalAppFailure "ERR_LOCAL_APP_FAILURE",
    /// The table exists.
    AppExist "ERR_APP_EXIST",
    /// The table does not exist.
    AppNotExist "ERR_APP_NOT_EXIST",
    /// The table is dropped.
    AppDropped "ERR_APP_DROPPED",
    /// The table is being created.
    BusyCreating "ERR_BUSY_CREATING",
    /// The table is being dropped.
    BusyDropping "ERR_BUSY_DROPPING",
    /// The server is stopping.
    ServiceNotActive "ERR_SERVICE_NOT_ACTIVE",
}

impl ErrorName {
    /// Returns the error of a name on the wire.
    pub(super) fn of(name: &[u8]) -> Result<ErrorName> {
        let known = ErrorName::ALL.iter().find(|known| known.as_str().as_bytes() == name);
        known.copied().ok_or_else(|| {
            Malformed::new(format!("expected an error, found \"{}\"", name.escape_ascii()))
        })
    }
}

impl<'a> Value<'a> for ErrorName {
    const TAG: u8 = tag::STRUCT;

    fn read(from: &mut Reader<'a>) -> Result<Self> {
        ErrorName::of(from.string()?)
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_string(self.as_str().as_bytes(), out);
    }
}
