//! A builder for families with CuckooTable, which falls back to a block-based table if a CuckooTable cannot hold the
//! entries.
//!
//! A CuckooTable holds keys of one length, values of one length, one entry per user key, and neither merge operands nor
//! single deletes. RocksDB's flush drops entries that do not fit and reports success; failing the flush would stop all
//! writes permanently. A CuckooTable is written only by `finish`, so until then its file is empty. At the first entry
//! that does not fit, or at the end if the entries cannot all be placed, everything moves into a block-based table in
//! the same file. Readers recognise a table by its footer.

use super::block_based::BlockBasedTableBuilder;
use super::cuckoo::CuckooTableBuilder;
use super::{FinishedTable, TableBuilderContext};
use crate::base::key::{ParsedInternalKey, ValueType};
use crate::error::{Code, Error, Result};
use crate::fs::WritableFile;
use crate::options::{BlockBasedTableOptions, CuckooTableOptions};

/// A CuckooTable under construction, or the block-based table that replaces it.
pub struct CuckooOrBlocksBuilder {
    /// `None` only if moving the entries failed.
    builder: Option<Builder>,
    ctx: TableBuilderContext,
}

enum Builder {
    Cuckoo(Box<CuckooTableBuilder>),
    BlockBased(Box<BlockBasedTableBuilder>),
}

impl CuckooOrBlocksBuilder {
    /// Starts a table in an empty file.
    pub fn new(
        file: Box<dyn WritableFile>,
        ctx: TableBuilderContext,
        opts: CuckooTableOptions,
    ) -> CuckooOrBlocksBuilder {
        let builder = Builder::Cuckoo(Box::new(CuckooTableBuilder::new(file, ctx.clone(), opts)));
        CuckooOrBlocksBuilder { builder: Some(builder), ctx }
    }

    /// Appends an entry; internal keys must ascend.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        if let Some(Builder::Cuckoo(table)) = &mut self.builder {
            match table.add(internal_key, value) {
                Err(e) if e.code() == Code::NotSupported => {}
                done => return done,
            }
        }
        self.blocks()?.add(internal_key, value)
    }

    /// The approximate size of the file if it were finished now, in bytes.
    pub fn file_size(&self) -> u64 {
        match &self.builder {
            Some(Builder::Cuckoo(table)) => table.file_size(),
            Some(Builder::BlockBased(table)) => table.file_size(),
            None => 0,
        }
    }

    /// The number of entries added so far.
    pub fn num_entries(&self) -> u64 {
        match &self.builder {
            Some(Builder::Cuckoo(table)) => table.num_entries(),
            Some(Builder::BlockBased(table)) => table.num_entries(),
            None => 0,
        }
    }

    /// Writes the remaining data, syncs and closes the file.
    pub fn finish(mut self) -> Result<FinishedTable> {
        // Entries that fit one by one may still be impossible to place together.
        if let Some(Builder::Cuckoo(table)) = &self.builder {
            match table.place() {
                Ok(placed) => {
                    if let Some(Builder::Cuckoo(table)) = self.builder.take() {
                        return table.write(placed);
                    }
                }
                Err(_) => {
                    self.blocks()?;
                }
            }
        }
        match self.builder {
            Some(Builder::BlockBased(table)) => table.finish(),
            _ => Err(lost()),
        }
    }

    /// The block-based table. If there is none yet, creates it and moves all entries added so far
    /// into it.
    fn blocks(&mut self) -> Result<&mut BlockBasedTableBuilder> {
        if let Some(Builder::Cuckoo(_)) = &self.builder
            && let Some(Builder::Cuckoo(table)) = self.builder.take()
        {
            let (file, entries) = table.into_parts();
            let opts = BlockBasedTableOptions::default();
            let mut blocks = BlockBasedTableBuilder::new(file, self.ctx.clone(), opts)?;
            for (key, value) in entries.iter() {
                let deletes = ParsedInternalKey::parse(key)?.value_type == ValueType::Deletion;
                blocks.add(key, if deletes { b"" } else { value })?;
            }
            self.builder = Some(Builder::BlockBased(Box::new(blocks)));
        }
        match &mut self.builder {
            Some(Builder::BlockBased(blocks)) => Ok(blocks),
            _ => Err(lost()),
        }
    }
}

fn lost() -> Error {
    Error::corruption("CuckooTable: its entries could not be moved to a block-based table")
}

#[cfg(test)]
#[path = "cuckoo_or_blocks_test.rs"]
mod tests;
