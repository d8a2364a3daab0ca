//! Whether a reply is what the OpenAPI document says: all fields are there, none is undocumented, and types agree.

use serde_json::Value;

/// Returns what is wrong with a value.
pub fn faults(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return match target {
            Some(target) => faults(document, target, value, place),
            None => vec![format!("{place}: {reference} does not exist")],
        };
    }
    for any in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[any].as_array() {
            let found: Vec<_> =
                choices.iter().map(|choice| faults(document, choice, value, place)).collect();
            return if found.iter().any(Vec::is_empty) { Vec::new() } else { found.concat() };
        }
    }
    if let Some(constant) = schema.get("const") {
        return if constant == value {
            Vec::new()
        } else {
            vec![format!("{place}: {value} is not {constant}")]
        };
    }
    if let Some(words) = schema["enum"].as_array() {
        return if words.contains(value) {
            Vec::new()
        } else {
            vec![format!("{place}: {value} is not in {words:?}")]
        };
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => return vec![format!("{place}: the document says no type")],
    };
    let is_type = types.iter().any(|one| match *one {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    });
    if !is_type {
        return vec![format!("{place}: {value} is not {types:?}")];
    }
    let mut found = Vec::new();
    if let Some(elements) = value.as_array() {
        for (at, element) in elements.iter().enumerate() {
            found.extend(faults(document, &schema["items"], element, &format!("{place}[{at}]")));
        }
    }
    if let Some(fields) = value.as_object() {
        if let Some(each) = schema.get("additionalProperties").filter(|it| it.is_object()) {
            fields.iter().for_each(|(name, field)| {
                found.extend(faults(document, each, field, &format!("{place}.{name}")));
            });
            return found;
        }
        for (name, field) in fields {
            match schema["properties"].get(name) {
                Some(schema) => {
                    let place = format!("{place}.{name}");
                    if schema["description"].as_str().is_none_or(str::is_empty) {
                        found.push(format!("{place}: the document does not describe it"));
                    }
                    found.extend(faults(document, schema, field, &place));
                }
                None => found.push(format!("{place}.{name} is not in the document")),
            }
        }
        for name in schema["properties"].as_object().into_iter().flat_map(|all| all.keys()) {
            if !fields.contains_key(name) {
                found.push(format!("{place}.{name} is missing"));
            }
        }
    }
    found
}
