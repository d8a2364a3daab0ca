use super::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const MARK: &str =
    "<!-- generated: UPDATE_DOCS=1 cargo test -p ferrolith-server --lib page_of_metrics -->\n";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/server")
}

#[test]
fn page_of_metrics_is_true() {
    let mut page = format!(
        "{MARK}# Metrics\n\n`/metrics` has these metrics in Prometheus's text format \
         ([operating](operating.md#metrics-and-health)). All names begin with `{PREFIX}`. \
         [grafana.json](grafana.json) is a dashboard of them.\n\n\
         | Name | Type | Unit | Labels | Meaning |\n|---|---|---|---|---|\n"
    );
    for metric in METRICS {
        let labels: Vec<_> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        page += &format!(
            "| `{PREFIX}{}` | {} | {} | {} | {} |\n",
            metric.name,
            metric.kind.name(),
            metric.unit,
            labels.join(", "),
            metric.help
        );
    }
    let path = docs().join("metrics.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/server/metrics.md: run this test with UPDATE_DOCS=1");
}

#[test]
fn names_say_type_and_unit() {
    let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(names.len(), METRICS.len(), "a name is used twice");
    for metric in METRICS {
        let name = metric.name;
        let is_counter = metric.kind == table::Type::Counter;
        assert_eq!(name.ends_with("_total"), is_counter, "{name}");
        let stem = name.strip_suffix("_total").unwrap_or(name);
        for unit in ["bytes", "seconds"] {
            assert_eq!(stem.ends_with(unit), metric.unit == unit, "{name}");
        }
        assert!(metric.help.ends_with('.') && !metric.help.contains('\n'), "{name}");
    }
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let text = std::fs::read_to_string(docs().join("grafana.json")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(dashboard["panels"].as_array().is_some_and(|panels| panels.len() >= 8));
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut used = BTreeSet::new();
    for (at, _) in text.match_indices(PREFIX) {
        let name: String = text[at + PREFIX.len()..].chars().take_while(|c| is_part(*c)).collect();
        let stem = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let is_known = |name: &str| METRICS.iter().any(|metric| metric.name == name);
        assert!(is_known(&name) || stem.is_some_and(is_known), "there is no metric {name}");
        used.insert(name);
    }
    assert!(used.len() >= 15, "{used:?}");
}
