//! The two kinds of children: one notes all sites, the others each fail one call.

use crate::errors;
use crate::parts::{self, Part};
use crate::plan::{self, Fault};
use crate::scene::{Outcome, Scene, broken};
use crate::sites::{self, Site};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

/// What a child says of a fault that never happened.
pub const NOT_REACHED: &str = "not reached";

fn walk(
    part: &Part,
    root: &Path,
    faults: Vec<Fault>,
) -> (Outcome, Vec<String>, bool, BTreeSet<Site>) {
    // The engine makes the database's own directory and no parent of it.
    std::fs::create_dir_all(root).unwrap_or_else(|e| broken(e));
    let mut scene = Scene::new(root);
    (part.prepare)(&mut scene);
    plan::arm(faults);
    (part.act)(&mut scene);
    scene.finish()
}

/// Walks all parts without faults. Leaves their sites and the names of addresses in `root`.
pub fn record(root: &Path) -> ExitCode {
    abort_on_panic();
    let mut text = String::new();
    for (i, part) in parts::ALL.iter().enumerate() {
        // Twice: what depends on the moment is met once more.
        for round in 0..2 {
            let dir = root.join(format!("{i}-{round}"));
            let (outcome, _, _, seen) = walk(part, &dir, Vec::new());
            if outcome != Outcome::Cured {
                eprintln!("{}: without a fault it is {}", part.name, outcome.name());
            }
            for site in seen {
                text.push_str(&format!("{}\t{site}\n", part.name));
            }
            let _ = std::fs::remove_dir_all(dir);
        }
    }
    let saved =
        std::fs::write(root.join("sites"), text).and_then(|()| sites::save(&root.join("names")));
    saved.unwrap_or_else(|e| broken(e));
    ExitCode::SUCCESS
}

/// `NAMES DIR PART`, and `FUNCTION CALLERS ERROR once|lasting` per fault: walks a part with faults, each after the
/// one before it, and prints the outcome.
pub fn fail(args: &[String]) -> ExitCode {
    abort_on_panic();
    let [names, root, part, faults @ ..] = args else { broken("wrong arguments") };
    sites::load(Path::new(names)).unwrap_or_else(|e| broken(e));
    let part = parts::ALL.iter().find(|p| p.name == part).unwrap_or_else(|| broken("no such part"));
    let fault = |words: &[String]| {
        let [function, callers, error, manner] = words else { broken("wrong arguments") };
        let error = errors::code(error).unwrap_or_else(|| broken("no such error"));
        Fault::new(
            Site { function: function.clone(), callers: callers.clone() },
            error,
            manner == "lasting",
        )
    };
    let faults = faults.chunks(4).map(fault).collect();
    let (outcome, told, fired, seen) = walk(part, Path::new(root), faults);
    println!("{}", if fired { outcome.name() } else { NOT_REACHED });
    println!("{}", told.first().map_or("", String::as_str).replace('\n', " "));
    for site in seen {
        println!("{site}");
    }
    ExitCode::SUCCESS
}

/// A panic of any thread, those of the background included, must not go unnoticed.
fn abort_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        plan::disarm();
        report(info);
        std::process::abort();
    }));
}
