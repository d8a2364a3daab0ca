//! All requests of the API, as one table: its rows are what the server answers and what the OpenAPI document says.

use super::App;
use super::auth::Caller;
use super::history;
use super::query::{Kind, Parameter, Query};
use super::refusal::Refusal;
use super::views::{
    health, jobs, keys, levels, memory, overview, settings, slow, tables, user, value,
};
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

/// The folder of all paths.
pub(super) const PREFIX: &str = "/api/v1";

/// What answers a request.
type Handler = fn(&App, &Caller, &Query<'_>) -> Result<Vec<u8>, Refusal>;

/// A request.
pub(super) struct Route {
    /// The path below [`PREFIX`].
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// The Redis command that the user must be allowed to run; empty if each user may.
    pub(super) command: &'static [&'static str],
    pub(super) parameters: &'static [Parameter],
    pub(super) handler: Handler,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
}

const RESOLUTION: Parameter = Parameter {
    name: "resolution",
    description: "The finer samples of the latest ten minutes, or those of each minute.",
    is_required: false,
    kind: Kind::Words(&["second", "minute"]),
};

const DATABASE: Parameter = Parameter {
    name: "database",
    description: "The number of the Redis database.",
    is_required: false,
    kind: Kind::Number(0, (0, 1023)),
};

/// Defines a row: path, reply, the command whose permission it needs, parameters, what it does, and the function.
macro_rules! route {
    ($path:literal, $reply:ty, $command:expr, $parameters:expr, $summary:literal, $get:expr) => {
        Route {
            path: $path,
            summary: $summary,
            command: $command,
            parameters: $parameters,
            handler: |app, caller, query| {
                let get: fn(&App, &Caller, &Query<'_>) -> Result<$reply, Refusal> = $get;
                json(&get(app, caller, query)?)
            },
            schema: |generator| generator.subschema_for::<$reply>(),
        }
    };
}

/// All requests with GET.
pub(super) const ROUTES: &[Route] = &[
    route!("/session", user::User, &[], &[], "Who asks.", |_, caller, _| user::get(caller)),
    route!(
        "/health",
        health::Health,
        &["info"],
        &[],
        "What is wrong, and what to do about it.",
        |app, _, _| health::get(app)
    ),
    route!(
        "/overview",
        overview::Overview,
        &["info"],
        &[],
        "Rates of the latest second, counts since the start, and the commands that took most time.",
        |app, _, _| overview::get(app)
    ),
    route!(
        "/history",
        history::Series,
        &["info"],
        &[
            RESOLUTION,
            Parameter {
                name: "count",
                description: "The newest samples to return.",
                is_required: false,
                kind: Kind::Number(300, (1, 1440)),
            }
        ],
        "Rates, states and latencies by class of commands over time.",
        |app, _, query| {
            let by_minute = query.choice("resolution")? == "minute";
            let count = query.number("count")? as usize;
            Ok(app.history.series(by_minute, count))
        }
    ),
    route!(
        "/tables",
        tables::Tables,
        &["info"],
        &[],
        "Tables and their partitions, with sizes and rates.",
        |app, _, _| tables::get(app)
    ),
    route!(
        "/heat",
        super::heat::HeatMap,
        &["info"],
        &[RESOLUTION],
        "Writes to partitions over time.",
        |app, _, query| Ok(app.heat.map(query.choice("resolution")? == "minute"))
    ),
    route!(
        "/levels",
        levels::Levels,
        &["info"],
        &[Parameter {
            name: "table",
            description: "The name of a table; all tables without it.",
            is_required: false,
            kind: Kind::Bytes,
        }],
        "Levels and memtables of partitions, and why their writers had to wait.",
        |app, _, query| levels::get(app, query)
    ),
    route!(
        "/jobs",
        jobs::Jobs,
        &["info"],
        &[Parameter {
            name: "count",
            description: "The newest finished jobs to return.",
            is_required: false,
            kind: Kind::Number(512, (1, 512)),
        }],
        "Running and finished flushes and compactions, and when writers had to wait.",
        |app, _, query| jobs::get(app, query)
    ),
    route!(
        "/slow",
        slow::Slow,
        &["slowlog", "get"],
        &[Parameter {
            name: "count",
            description: "The newest entries to return.",
            is_required: false,
            kind: Kind::Number(128, (1, 1024)),
        }],
        "Slow commands, and the events of the latency monitor.",
        |app, _, query| slow::get(app, query)
    ),
    route!(
        "/memory",
        memory::Memory,
        &["memory", "stats"],
        &[],
        "Memory by owner, as far as it is known.",
        |app, _, _| memory::get(app)
    ),
    route!(
        "/settings",
        settings::Settings,
        &["config", "get", "*"],
        &[],
        "Settings in force, and where each comes from.",
        |app, _, _| settings::get(app)
    ),
    route!(
        "/keys",
        keys::Keys,
        &["scan", "0"],
        &[
            DATABASE,
            Parameter {
                name: "prefix",
                description: "The beginning of the keys.",
                is_required: false,
                kind: Kind::Bytes,
            },
            Parameter {
                name: "cursor",
                description: "The cursor of the reply before.",
                is_required: false,
                kind: Kind::Bytes,
            },
            Parameter {
                name: "count",
                description: "How many keys to look for; there may be more in the reply.",
                is_required: false,
                kind: Kind::Number(100, (1, 1000)),
            },
        ],
        "Keys of a database with a prefix.",
        keys::get
    ),
    route!(
        "/value",
        value::Value,
        &[],
        &[
            DATABASE,
            Parameter {
                name: "key",
                description: "The key.",
                is_required: true,
                kind: Kind::Bytes,
            },
            Parameter {
                name: "cursor",
                description: "The cursor of the reply before.",
                is_required: false,
                kind: Kind::Bytes,
            },
        ],
        "The value of a key by its type. The user must be allowed to run the commands that read it.",
        value::get
    ),
];

/// Returns the row of a path below [`PREFIX`].
pub(super) fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.path == path)
}

impl Route {
    /// Answers a request: checks the user and the parameters, and runs the handler.
    pub(super) fn answer(
        &self,
        app: &App,
        caller: &Caller,
        query: &str,
    ) -> Result<Vec<u8>, Refusal> {
        if !self.command.is_empty() {
            caller.check(self.command)?;
        }
        (self.handler)(app, caller, &Query::parse(query, self.parameters)?)
    }
}

/// Returns a reply as JSON.
pub(super) fn json(reply: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(reply).map_err(|error| Refusal::failed(error.to_string()))
}
