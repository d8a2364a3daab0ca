//! What lookups need from a database.

use super::core::Core;
use crate::base::SeqNo;
use crate::lookup::{Host, ValueSuffix};
use crate::session::stamps;
use crate::stats::Statistics;
use std::sync::Arc;

/// The suffix of values in a database with a time to live, which reads remove.
const TIME_OF_WRITE: ValueSuffix = ValueSuffix { len: stamps::STAMP_SIZE, check: stamps::check };

impl Host for Core {
    #[inline]
    fn statistics(&self) -> Option<&Arc<Statistics>> {
        self.session.statistics.as_ref()
    }

    #[inline]
    fn visible(&self) -> SeqNo {
        self.catalog.order().visible()
    }

    #[inline]
    fn has_unlogged_data(&self) -> bool {
        self.commit.has_unlogged()
    }

    #[inline]
    fn value_suffix(&self) -> Option<ValueSuffix> {
        self.session.stamps_values().then_some(TIME_OF_WRITE)
    }
}
