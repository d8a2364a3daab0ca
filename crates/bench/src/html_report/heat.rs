//! Heat maps of sweeps: a column for each value of the parameter, a row for each figure, a block for each engine.
//!
//! The best cell of a row, over all engines, has the full colour; a cell that is worse by a factor of four or more has
//! none. Each cell also has its number.

use super::data::Data;
use super::numbers::figure;
use super::overview::title;
use super::page::{class_of, source, sources};
use super::sweeps::{Figure, Sweep};
use maud::{Markup, html};

/// Doublings from the best cell to one without colour.
const DOUBLINGS: f64 = 2.0;

/// Returns all heat maps.
pub fn sweeps(data: &Data) -> Markup {
    html! {
        p.caption {
            "Medians. In each row, the full colour is the best cell of all engines; a cell that is worse by a factor of "
            (2f64.powf(DOUBLINGS)) " or more has none."
        }
        @for sweep in &data.sweeps { (map(data, sweep)) }
    }
}

fn map(data: &Data, sweep: &Sweep) -> Markup {
    let engines = sweep.engines();
    html! {
        section.panel.sweep {
            h3 { (sweep.parameter) span.hint { " " (sweep.about) } }
            div.scroll tabindex="0" role="region" aria-label={"Heat map: " (sweep.parameter)} {
                table.heat {
                    thead {
                        tr {
                            th rowspan="2" { "Figure" }
                            @for engine in &engines {
                                th.block colspan=(sweep.values.len()) {
                                    span.engine.(class_of(data, *engine)) { (data.labels[*engine]) }
                                }
                            }
                        }
                        tr {
                            @for _ in &engines {
                                @for (at, value) in sweep.values.iter().enumerate() { th.n.block[at == 0] { (short(value)) } }
                            }
                        }
                    }
                    tbody { @for figure in &sweep.figures { (row(data, sweep, figure, &engines)) } }
                }
            }
        }
    }
}

fn row(data: &Data, sweep: &Sweep, of: &Figure, engines: &[usize]) -> Markup {
    let (low, high) = of.range();
    let heat = |value: f64| {
        let behind = if of.larger_is_better { high / value } else { value / low };
        (1.0 - behind.log2() / DOUBLINGS).clamp(0.0, 1.0)
    };
    html! {
        tr {
            th scope="row" { (title(&of.name)) span.hint { @if of.larger_is_better { " ↑" } @else { " ↓" } } }
            @for engine in engines {
                @for value in 0..sweep.values.len() {
                    @match of.cell(*engine, value) {
                        Some(cell) => {
                            td.n.cell.block[value == 0] data-records=(sources(&cell.records)) data-value=(cell.median())
                                title=(source(data, &cell.records))
                                style=(format!("--heat:{:.0}%", heat(cell.median()) * 100.0)) {
                                (figure(&of.name, cell.median()))
                            }
                        },
                        None => td.n.block[value == 0] { "–" },
                    }
                }
            }
        }
    }
}

/// Returns a power of two of bytes with its unit, and other values as they are.
fn short(value: &str) -> String {
    let units = [(1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")];
    let Ok(number) = value.parse::<u64>() else { return value.to_owned() };
    let unit = units.iter().find(|(size, _)| number >= *size && number.is_multiple_of(*size));
    unit.map_or(value.to_owned(), |(size, name)| format!("{} {name}", number / size))
}
