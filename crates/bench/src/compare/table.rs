//! The comparison as text.

use super::judge::{Judgement, Rule, judge};
use super::read::{Key, Results, is_throughput};
use std::fmt::Write;

/// The figures that both sides have, judged.
pub struct Table {
    rows: Vec<(Key, Judgement)>,
    rule: Rule,
    /// Real differences and all figures of throughput, judged alone as pictures do, if there are other figures.
    throughput: Option<(usize, usize)>,
    /// Measurements that only one side has.
    alone: Vec<String>,
}

impl Table {
    /// Compares two sides.
    pub fn new(a: &Results, b: &Results, rule: Rule) -> Table {
        let both: Vec<_> = a.figures.keys().filter(|key| b.figures.contains_key(key)).collect();
        let row = |key: &&Key| {
            let key = *key;
            (key.clone(), judge(&a.figures[key], &b.figures[key], rule, both.len()))
        };
        let rows: Vec<(Key, Judgement)> = both.iter().map(row).collect();
        let (of_a, of_b) = (a.figures.keys(), b.figures.keys());
        let mut alone: Vec<String> = of_a
            .filter(|key| !b.figures.contains_key(key))
            .chain(of_b.filter(|key| !a.figures.contains_key(key)))
            .map(|key| key.workload.clone())
            .collect();
        alone.dedup();
        let throughput = throughput_alone(a, b, rule, &both);
        Table { rows, rule, throughput, alone }
    }

    /// Whether nothing can be compared.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of real differences.
    pub fn differences(&self) -> usize {
        self.rows.iter().filter(|(_, judgement)| judgement.real == Some(true)).count()
    }

    /// The figures, one line each, below the name of their workload.
    pub fn text(&self) -> String {
        let mut out =
            format!("{:<34}{:>16}{:>16}{:>9}  {:<18}\n", "median", "A", "B", "A/B", "interval");
        let mut workload = "";
        // Writing into a string cannot fail.
        for (key, judgement) in &self.rows {
            if key.workload != workload {
                workload = &key.workload;
                let _ = writeln!(out, "{workload}");
            }
            let Judgement { medians: (a, b), ratio, interval, .. } = judgement;
            let interval = interval
                .map_or("too few runs".to_owned(), |(low, high)| format!("{low:.3} to {high:.3}"));
            let _ = writeln!(
                out,
                "  {:<32}{:>16}{:>16}{ratio:>9.3}  {interval:<18}{}",
                key.figure,
                number(*a),
                number(*b),
                verdict(key, judgement)
            );
        }
        for workload in &self.alone {
            let _ = writeln!(out, "only one side has: {workload}");
        }
        let kind = if self.rule.paired { "pairs" } else { "separate runs" };
        let _ = writeln!(
            out,
            "{} of {} differences are real: {:.1} % confidence for the whole table, at least {:.1} %, {kind}",
            self.differences(),
            self.rows.len(),
            self.rule.confidence * 100.0,
            self.rule.smallest * 100.0
        );
        if let Some((real, all)) = self.throughput {
            let _ = writeln!(
                out,
                "{real} of {all} figures of throughput are really different if nothing else is judged, as pictures do"
            );
        }
        out
    }
}

/// Judges throughput without the other figures: the fewer there are, the narrower the intervals.
fn throughput_alone(a: &Results, b: &Results, rule: Rule, both: &[&Key]) -> Option<(usize, usize)> {
    let keys: Vec<&Key> = both.iter().copied().filter(|key| is_throughput(key)).collect();
    if keys.is_empty() || keys.len() == both.len() {
        return None;
    }
    let is_real = |key: &&&Key| {
        judge(&a.figures[**key], &b.figures[**key], rule, keys.len()).real == Some(true)
    };
    Some((keys.iter().filter(is_real).count(), keys.len()))
}

fn verdict(key: &Key, judgement: &Judgement) -> &'static str {
    match judgement.real {
        Some(true) if (judgement.ratio > 1.0) == key.larger_is_better => "A is better",
        Some(true) => "B is better",
        _ => "",
    }
}

fn number(x: f64) -> String {
    let digits = if x >= 1000.0 { 0 } else { 2 };
    format!("{x:.digits$}")
}
