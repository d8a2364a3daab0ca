//! What lookups need from a database.

use super::core::Core;
use crate::base::SeqNo;
use crate::lookup::Host;
use crate::stats::Statistics;
use std::sync::Arc;

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
}
