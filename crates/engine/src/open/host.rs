//! What lookups need from a database.

use super::core::Core;
use crate::base::SeqNo;
use crate::lookup::Host;
use crate::read::Moment;
use crate::session::ColumnFamilyData;
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

    fn make_room_for_iterator(
        &self,
        family: &ColumnFamilyData,
        snapshot: Option<SeqNo>,
    ) -> Option<Moment<'_>> {
        self.jobs.flusher().flush_for_iterator(family, snapshot)
    }

    #[inline]
    fn has_unlogged_data(&self) -> bool {
        self.commit.has_unlogged()
    }
}
