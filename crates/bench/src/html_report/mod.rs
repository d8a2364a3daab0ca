//! `ferrolith-bench report`: a web page about directories of results, in one file without any network access, and the
//! picture of their comparison for a README.
//!
//! | File | Content |
//! |---|---|
//! | `sources` | finds and reads files; keeps the file and line of everything |
//! | `engines` | names, versions and colours of engines |
//! | `results` | results with their engine, measurement and figures |
//! | `ratios` | comparisons of engines, with the mathematics of `compare` |
//! | `curves`, `timeline`, `sweeps` | latencies by percentile, single seconds, sweeps of a parameter |
//! | `figures`, `amplification` | figures that suites name differently; estimates of amplifications in each second |
//! | `data` | all of these, and the object for the script |
//! | `page`, `overview`, `tables`, `heat` | the page: its frame, and its parts |
//! | `verdicts` | the verdicts of all charts, counted |
//! | `picture`, `sizes` | the picture; sizes of workloads in words |
//! | `numbers` | numbers with units |
//!
//! All text of results is escaped by the templates (`maud`), and the data of the script by `page`. The page's policy
//! allows no network and no script without the page's nonce. The script and the style sheet are in `assets`.

mod amplification;
pub mod command;
mod curves;
mod data;
mod engines;
mod figures;
mod heat;
mod numbers;
mod overview;
mod page;
mod picture;
mod ratios;
mod results;
mod sizes;
mod sources;
mod sweeps;
mod tables;
mod timeline;
mod verdicts;

use crate::compare::Rule;
use crate::report::say;
use data::Data;
use sources::Root;
use std::path::PathBuf;

/// What to write.
pub struct Job {
    /// The directories of results.
    pub roots: Vec<Root>,
    /// The file of the page.
    pub page: Option<PathBuf>,
    /// The file of the picture.
    pub svg: Option<PathBuf>,
    /// A part of the name of the engine that others are compared with.
    pub baseline: Option<String>,
    /// The heading.
    pub title: Option<String>,
    /// What counts as a real difference.
    pub rule: Rule,
}

/// Reads all results and writes the files.
///
/// # Errors
/// Directories without results, and files that cannot be written. Single lines and files that cannot be read are listed
/// on standard error and on the page.
pub fn run(job: &Job) -> Result<(), String> {
    let data = Data::read(&job.roots, job.baseline.as_deref(), job.rule)?;
    for problem in &data.sources.problems {
        eprintln!("{}: {}", problem.place, problem.text);
    }
    let write = |path: &PathBuf, text: String| -> Result<(), String> {
        std::fs::write(path, text)
            .map_err(|e| format!("{}: cannot be written: {e}", path.display()))?;
        say(&format!("{}: {} results", path.display(), data.results.records.len()));
        Ok(())
    };
    if let Some(path) = &job.svg {
        write(path, picture::svg(&data, job.title.as_deref())?)?;
    }
    if let Some(path) = &job.page {
        write(path, page::html(&data, job.title.as_deref(), &page::nonce()))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "html_report_test.rs"]
mod tests;
