//! The methods that this server handles.

/// What a method does, for limits and denials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads rows.
    Read,
    /// Writes rows.
    Write,
    /// Speaks to the meta server.
    Meta,
}

macro_rules! methods {
    ($($kind:ident { $($method:ident $name:literal,)* })*) => {
        /// A method.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Method {
            $($($method,)*)*
        }

        impl Method {
            /// Returns the method of a name.
            pub fn of(name: &[u8]) -> Option<Method> {
                let name = std::str::from_utf8(name).ok()?;
                match name {
                    $($($name => Some(Method::$method),)*)*
                    _ => None,
                }
            }

            /// Returns the name of the method.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Method::$method => $name,)*)*
                }
            }

            /// Returns whether the method reads one row, or writes one without a read. Several such requests may
            /// share a look-up and a commit.
            pub fn is_groupable(self) -> bool {
                matches!(self, Method::Get | Method::Put | Method::Remove)
            }

            /// Returns what the method does.
            pub fn kind(self) -> Kind {
                match self {
                    $($(Method::$method)|* => Kind::$kind,)*
                }
            }
        }
    };
}

methods! {
    Read {
        Get "RPC_RRDB_RRDB_GET",
        MultiGet "RPC_RRDB_RRDB_MULTI_GET",
        BatchGet "RPC_RRDB_RRDB_BATCH_GET",
        SortkeyCount "RPC_RRDB_RRDB_SORTKEY_COUNT",
        Ttl "RPC_RRDB_RRDB_TTL",
        GetScanner "RPC_RRDB_RRDB_GET_SCANNER",
        Scan "RPC_RRDB_RRDB_SCAN",
        ClearScanner "RPC_RRDB_RRDB_CLEAR_SCANNER",
    }
    Write {
        Put "RPC_RRDB_RRDB_PUT",
        MultiPut "RPC_RRDB_RRDB_MULTI_PUT",
        Remove "RPC_RRDB_RRDB_REMOVE",
        MultiRemove "RPC_RRDB_RRDB_MULTI_REMOVE",
        Incr "RPC_RRDB_RRDB_INCR",
        CheckAndSet "RPC_RRDB_RRDB_CHECK_AND_SET",
        CheckAndMutate "RPC_RRDB_RRDB_CHECK_AND_MUTATE",
    }
    Meta {
        QueryConfig "RPC_CM_QUERY_PARTITION_CONFIG_BY_INDEX",
        CreateApp "RPC_CM_CREATE_APP",
        DropApp "RPC_CM_DROP_APP",
        RecallApp "RPC_CM_RECALL_APP",
        RenameApp "RPC_CM_RENAME_APP",
        ListApps "RPC_CM_LIST_APPS",
        ListNodes "RPC_CM_LIST_NODES",
        ClusterInfo "RPC_CM_CLUSTER_INFO",
        UpdateAppEnv "RPC_CM_UPDATE_APP_ENV",
        ControlMeta "RPC_CM_CONTROL_META",
        Negotiation "RPC_NEGOTIATION",
    }
}
