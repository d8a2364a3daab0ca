//! The OpenAPI document of the API, made of the table of routes and of the types of the replies.

use super::query::{Kind, Parameter};
use super::refusal;
use super::routes::{PREFIX, ROUTES, Route};
use super::views::user;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Returns the document.
pub(super) fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = SchemaGenerator::new(settings);
    let mut paths = Map::new();
    for route in ROUTES {
        paths.insert(
            format!("{PREFIX}{}", route.path),
            json!({ "get": operation(route, &mut generator) }),
        );
    }
    let (login, session) =
        (generator.subschema_for::<user::Login>(), generator.subschema_for::<user::User>());
    paths.insert(
        format!("{PREFIX}/login"),
        json!({ "post": {
            "summary": "Begins a session: sets a cookie, and returns the token of requests that change something.",
            "security": [],
            "requestBody": { "required": true, "content": { "application/json": { "schema": login } } },
            "responses": responses(json!(session)),
        } }),
    );
    paths.insert(
        format!("{PREFIX}/logout"),
        json!({ "post": {
            "summary": "Ends the session.",
            "parameters": [{
                "name": "X-Ferrolith-Token", "in": "header", "required": true,
                "description": "The token of the session.", "schema": { "type": "string" },
            }],
            "responses": {
                "204": { "description": "The session has ended." },
                "default": { "$ref": "#/components/responses/Refusal" },
            },
        } }),
    );
    let refusal = generator.subschema_for::<refusal::Body>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Ferrolith server",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "What operators see of a server. All requests but the two of sessions only read. \
                A user may see what its rights let it see with Redis's commands.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "basic": [] }, { "session": [] }, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "session": { "type": "apiKey", "in": "cookie", "name": super::auth::COOKIE_NAME },
            },
            "responses": { "Refusal": content("The request was refused.", json!(refusal)) },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let rights = match route.command {
        [] => "Each user may ask this.".to_owned(),
        words => {
            let words: Vec<_> =
                words.iter().filter(|word| !matches!(**word, "*" | "0")).copied().collect();
            format!("The user must be allowed to run {}.", words.join(" ").to_uppercase())
        }
    };
    let parameters: Vec<_> = route.parameters.iter().map(parameter).collect();
    json!({
        "summary": route.summary,
        "description": rights,
        "parameters": parameters,
        "responses": responses(json!((route.schema)(generator))),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        Kind::Bytes => json!({ "type": "string" }),
        Kind::Number(default, (min, max)) => {
            json!({ "type": "integer", "default": default, "minimum": min, "maximum": max })
        }
        Kind::Words(words) => json!({ "enum": words, "default": words.first() }),
    };
    json!({
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": schema,
    })
}

fn responses(schema: Value) -> Value {
    json!({ "200": content("The reply.", schema), "default": { "$ref": "#/components/responses/Refusal" } })
}

fn content(description: &str, schema: Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}
