//! The record of benchmarks that a suite runs.

use crate::config::Config;
use crate::shared::meters::Meters;
use crate::shared::recorder::{Phase, Recorder};
use crate::shared::view::{Screen, Size};
use crate::shared::warm_up::WarmUp;
use crate::target::Target;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a suite records the benchmarks that it runs. The default records nothing.
#[derive(Default)]
pub struct Recording {
    /// The name in the live view; without it, there is no record.
    pub name: Option<String>,
    /// Fields of each line of the time line. To `engine`, the version is added.
    pub fields: Map<String, Value>,
    /// The file of the time line.
    pub timeline: Option<PathBuf>,
    /// Shows no live view.
    pub quiet: bool,
    /// Seconds that later runs of the suite take, if that is known.
    pub later_seconds: Option<f64>,
    /// Ends the benchmark early when it becomes true.
    pub stop: Arc<AtomicBool>,
}

impl Recording {
    /// Begins to record a benchmark of this many operations, if there is a record. The costs of the process are counted
    /// elsewhere.
    pub(super) fn start(
        &self,
        config: &Config,
        target: &Arc<dyn Target>,
        meters: Option<&Arc<Meters>>,
        operations: u64,
        engine_version: &str,
    ) -> Option<Recorder> {
        let by_time = config.duration > 0;
        let mut fields = self.fields.clone();
        if let Some(Value::String(engine)) = fields.get_mut("engine") {
            *engine = format!("{engine}, {engine_version}");
        }
        Some(Recorder::start(Phase {
            name: self.name.clone()?,
            fields,
            meters: Arc::clone(meters?),
            targets: vec![Arc::clone(target)],
            dirs: Vec::new(),
            timeline: self.timeline.clone(),
            screen: Screen::of(self.quiet),
            size: Size {
                seconds: by_time.then_some(config.duration as f64),
                operations: (!by_time).then_some(operations),
                later_seconds: self.later_seconds,
                warm_up_seconds: config.warm_up.most_seconds() as f64,
            },
            warm_up: config.warm_up != WarmUp::None,
            server: None,
        }))
    }
}
